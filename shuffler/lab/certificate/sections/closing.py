"""The end of the report: rows left out, tests not made, the command that repeats the run, the seal."""

from html import escape
from typing import Any

from shuffler.lab.certificate.html import facts, paragraph, table


def excluded(record: dict[str, Any]) -> str:
    """Rows that are in no count, with reasons."""
    sample = record["sample"]
    rows = [(str(row["row"]), "wrong number of cards", row["reason"]) for row in sample["malformed"]]
    rows += [(str(row["row"]), "left out", row["reason"]) for row in sample["excluded"]]
    total = sample["malformed_rows"] + sample["excluded_rows"]
    said = f"{total:,} rows are not counted; the first {len(rows)}:" if rows else "None: every row is counted."
    return paragraph(said) + (
        table(("row", "what", "reason"), rows, caption="Excluded decks", numbers=frozenset({0})) if rows else ""
    )


def untested(record: dict[str, Any]) -> str:
    """Tests that could not be made, and why."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for row in record["results"]:
        if row["outcome"] != "tested":
            groups.setdefault((row["section"], row["outcome"], "; ".join(row["unmet"])), []).append(row["test"])
    if not groups:
        return ""
    note = "They count as neither passed nor failed. By the part of the run and the reason:"
    rows = [
        (f"{section}\n{outcome}", reason, str(len(tests)), ", ".join(tests))
        for (section, outcome, reason), tests in groups.items()
    ]
    heads = ("part of the run", "reason", "tests", "names")
    caption = "Tests that could not be made"
    return paragraph(note) + table(heads, rows, caption=caption, numbers=frozenset({2}), widths=(16, 28, 8, 48))


def reproduce(record: dict[str, Any]) -> str:
    """One command."""
    note = "The same program, plan and source give the same record, byte for byte, on any number of workers."
    return f'<p class="mono command">{escape(record["reproduce"])}</p>' + paragraph(note)


def seal(record: dict[str, Any]) -> str:
    """Digest and signature."""
    given = record.get("seal", {})
    rows = [("record, SHA-256", given.get("sha256", "")), ("page, SHA-256", given.get("page_sha256", ""))]
    if "signature" in given:
        rows += [("signed with", "Ed25519"), ("public key", given["public_key"]), ("signature", given["signature"])]
    else:
        rows.append(("signature", "none"))
    note = (
        "The record is inside this file; `shuffler certify verify FILE` checks it, its signature and the whole page. "
        "The digest of the page is taken with this seal left blank."
    )
    names = {
        "Author": record.get("cover", {}).get("author", ""),
        "Reviewer": record.get("cover", {}).get("reviewer", ""),
    }
    lines = "".join(
        f"<span>{word}{': ' if names.get(word) else ''}{escape(names.get(word, ''))}</span>"
        for word in ("Author", "Date", "Signature", "Reviewer", "Date", "Signature")
    )
    return facts(rows) + paragraph(note) + f'<div class="signing">{lines}</div>'
