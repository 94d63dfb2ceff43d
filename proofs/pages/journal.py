"""docs/journal-format.md: its tables of entries and postings are made from the types; the rest is written by hand."""

from inspect import cleandoc

from proofs.pages.markdown import replaced, table
from proofs.pages.registry import DOCS
from round_engine.money.ledger import Posting
from shuffler.journal.rows import ENTRIES, row_fields


def page() -> str:
    """The page with its tables fresh."""
    entries = table(
        ["entry", "fields", "meaning"],
        [
            [f"`{kind.__name__}`", ", ".join(one.name for one in row_fields(kind)) or "none", _meaning(kind)]
            for kind in ENTRIES
        ],
    )
    posting = f"A posting is `[{', '.join(Posting._fields)}]`."
    text = (DOCS / "journal-format.md").read_text(encoding="utf-8")
    return replaced(text, {"entries": entries, "posting": posting})


def _meaning(kind: type) -> str:
    return " ".join(cleandoc(kind.__doc__ or "").split())
