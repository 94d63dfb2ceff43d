"""The certification pages that are rendered: the clauses that a report can speak of, and the schema of its record."""

import json

from proofs.pages.markdown import table
from randomness.certification.clauses import all_clauses
from randomness.certification.model import FORMAT, schema


def clauses_page() -> str:
    """docs/clauses.md."""
    head = """# Clauses

A report evaluates the clauses for card shufflers. The others were written for other equipment. `shuffler certify --also
ID` adds one; the report lists it under "Also evaluated against". The table is `randomness/certification/clauses.toml`.

"Read" means that the text of the clause was read at its source. A clause that was not read is never evaluated.
"""
    rows = [
        (f"`{one.id}`", f"{one.standard} {one.number}", one.applies_to, one.gist, f"{one.source} ({one.certainty})",
         "" if one.level is None else f"{one.level:g}", one.shows)
        for one in all_clauses()
    ]  # fmt: skip
    heads = ("id", "clause", "applies to", "asks for", "source", "level", "a sample can show")
    usual = [row for row, one in zip(rows, all_clauses(), strict=True) if one.shuffler]
    others = [row for row in rows if row not in usual]
    return f"{head}\n## For card shufflers\n\n{table(heads, usual)}\n\n## By choice\n\n{table(heads, others)}\n"


def record_schema() -> str:
    """docs/certification-record.schema.json."""
    return json.dumps({"title": FORMAT, **schema()}, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
