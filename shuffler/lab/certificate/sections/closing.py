"""The end of the report: rows left out, tests not made, the command that repeats the run, the seal."""

from html import escape

from randomness.certification.model import RunRecord
from shuffler.lab.certificate.html import paragraph, seal_slot, table


def excluded(record: RunRecord) -> str:
    """Rows of the file, rows read, and rows that are in no count, with reasons."""
    sample = record.sample
    rows = [(str(row.row), "wrong number of cards", row.reason) for row in sample.malformed]
    rows += [(str(row.row), "excluded", row.reason) for row in sample.excluded]
    total = sample.malformed_rows + sample.excluded_rows
    said = f"{sample.rows_read:,} rows were read"
    if sample.rows_in_file is not None and sample.rows_in_file > sample.rows_read:
        said += f" of {sample.rows_in_file:,} in the file ({record.settings.partial})"
    said += f"; {total:,} of them are not counted. The first {len(rows)}:" if rows else "; none of them is excluded."
    return paragraph(said) + (
        table(("row", "what", "reason"), rows, caption="Excluded rows", numbers=frozenset({0})) if rows else ""
    )


def untested(record: RunRecord) -> str:
    """Tests without a result, and why."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for row in record.results:
        if row.outcome != "tested":
            groups.setdefault((row.section, row.outcome, "; ".join(row.unmet)), []).append(row.test)
    if not groups:
        return ""
    note = "They count as neither passed nor failed. By the part of the run and the reason:"
    rows = [
        (f"{section}\n{outcome}", reason, str(len(tests)), ", ".join(tests))
        for (section, outcome, reason), tests in groups.items()
    ]
    heads = ("part of the run", "reason", "tests", "names")
    caption = "Tests not performed"
    return paragraph(note) + table(heads, rows, caption=caption, numbers=frozenset({2}), widths=(16, 28, 8, 48))


def reproduce(record: RunRecord) -> str:
    """One command."""
    note = "The same program, plan and source give the same record, byte for byte, on any number of workers."
    return f'<p class="mono command">{escape(record.reproduce)}</p>' + paragraph(note)


def seal(record: RunRecord) -> str:
    """Digests, signatures, timestamp, and lines for signatures by hand."""
    opening, closing = seal_slot("lines")
    note = (
        "The record is inside this file; `shuffler certify verify FILE` checks it, its signatures and the whole page. "
        "The digest of the page is taken without this seal and without the record."
    )
    names = {"Author": record.cover.author, "Reviewer": record.cover.reviewer}
    lines = "".join(
        f"<span>{word}{': ' if names.get(word) else ''}{escape(names.get(word, ''))}</span>"
        for word in ("Author", "Date", "Signature", "Reviewer", "Date", "Signature")
    )
    return f'<pre class="mono seal">{opening}{closing}</pre>' + paragraph(note) + f'<div class="signing">{lines}</div>'
