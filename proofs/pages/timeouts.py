"""docs/table.md: its table of timeouts is made from the policy; the rest is written by hand."""

from proofs.pages.markdown import replaced, table
from proofs.pages.registry import DOCS
from shuffler.timeouts import rows


def page() -> str:
    """The page with its timeouts fresh."""
    made = table(
        ["timeout", "after", "what waits", "what happens then"],
        [[f"`{row.name}`", f"{row.seconds:g} s", row.waits, row.then] for row in rows()],
    )
    return replaced((DOCS / "table.md").read_text(encoding="utf-8"), {"timeouts": made})
