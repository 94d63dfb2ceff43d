"""docs/proficiency.md: its table of defects is made from the kit's own; the rest is written by hand."""

from proofs.pages.markdown import replaced, table
from proofs.pages.registry import DOCS
from randomness.proficiency import PLANTS


def page() -> str:
    """The page with its defects fresh."""
    made = table(["defect", "what is wrong", "test"], [[f"`{one.name}`", one.what, f"`{one.test}`"] for one in PLANTS])
    return replaced((DOCS / "proficiency.md").read_text(encoding="utf-8"), {"plants": made})
