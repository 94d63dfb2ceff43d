"""What was tested, by which plan, and which clauses that answers."""

import json
from typing import Any

from shuffler.lab.certificate.html import chance, facts, paragraph, table

# What a subject and its provenance may say, in the order in which it is told; what is not here comes after.
_WORDS = {
    "kind": "kind", "name": "name", "describes": "mechanism, in words", "mechanism": "mechanism", "profile": "profile",
    "model": "model", "serial": "serial number", "firmware": "firmware", "planted_defect": "planted defect",
    "generator": "generator", "seed": "seed", "seed_from": "seed comes from",
    "shuffles_a_request": "shuffles drawn at once", "form": "form", "read_as": "read as",
    "cards": "cards of a deck", "has_input": "input orders given", "compression": "packed by", "encoding": "encoding",
    "separator": "separated by", "header": "column names", "first_line": "line of the first deck",
    "deck_columns": "columns chosen", "numbered_from": "cards numbered from", "notes": "notes", "sha256": "SHA-256",
    "test_run": "test run, marked decks included", "declared_not_applicable": "declared not applicable",
    "flags": "says of itself", "program_sha256": "program, digest", "program_proof": "program, proof",
    "challenge": "challenge", "hmac_sha256": "HMAC-SHA-256", "program_files": "program, files",
    "method": "method", "tool": "tool", "command": "command", "url": "URL",
    "started": "started", "ended": "ended", "because": "ended because", "decks": "decks", "left_out": "left out",
    "shuffles_before": "shuffles before", "power_ups": "power-ups", "log_length": "lines in its log",
    "words": "deck", "known": "how that is known", "dealing": "dealt", "decks_mixed": "decks mixed",
    "told_apart": "every card told apart", "group": "cards of a group", "seats": "players", "dealer": "a dealer",
    "log_head": "head of its log", "event_epoch": "epoch of its events", "file_sha256": "SHA-256 of the file",
}  # fmt: skip
_LONG = ("names", "copies")
_ORDER = {key: place for place, key in enumerate(_WORDS)}


def subject(record: dict[str, Any]) -> str:
    """Profile, mechanism, seeds, provenance, versions, digests."""
    about = dict(record["subject"])
    came, went_on = about.pop("provenance", None), about.pop("provenance_continued", [])
    came = dict(came) if isinstance(came, dict) else {}
    device = came.pop("device", None)
    counted: list[tuple[str, str]] = []
    for name, section in record["sample"]["sections"].items():
        said = f"{section['decks']:,} in {section['blocks']} blocks\ndata digest {section['data_digest']}"
        counted.append((f"decks, {name}", said))
        for part in section.get("sub_samples", ()):
            said = f"{part['counted']:,} {part['of']} ({part['share']} segments)\n{', '.join(part['tests'])}"
            counted.append((f"sub-sample, {name}", said))
    stretches = [
        row for n, part in enumerate(went_on, 1) for row in told("" if len(went_on) == 1 else f"part {n}", part)
    ]
    groups = (
        ("Subject", told("", about)),
        ("Deck", told("", {key: value for key, value in record["deck"].items() if key not in _LONG})),
        ("Device, in its own words", told("", device)),
        ("Collection", [*told("", came), *stretches]),
        ("Decks", counted),
        ("Program", [(_plain(key), value) for key, value in record["tool"].items()]),
    )
    return "".join(f"<h3>{title}</h3>{facts(rows)}" for title, rows in groups if rows)


def _plain(key: str) -> str:
    return key.replace("_", " ")


def told(name: str, value: Any) -> list[tuple[str, str]]:
    """A value as rows; what is inside another stands under both names."""
    if value in ("", [], {}, None):
        return []
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (_ORDER.get(key, len(_ORDER)), key))
        before = f"{name}: " if name else ""
        return [row for key in keys for row in told(before + _WORDS.get(key, _plain(key)), value[key])]
    if isinstance(value, bool):
        return [(name, "yes" if value else "no")]
    if isinstance(value, list):
        simple = all(not isinstance(part, dict | list) for part in value)
        return [(name, ", ".join(map(str, value)) if simple else json.dumps(value, ensure_ascii=False))]
    return [(name, f"{value:,}" if isinstance(value, int) and abs(value) >= 10_000 else str(value))]


def plan(record: dict[str, Any]) -> str:
    """What was decided before the first deck."""
    chosen = record["plan"]
    rows = [
        ("name", f"{chosen['name']}\n{chosen['describes']}"),
        ("chosen", record.get("plan_chosen") or "named for this run"),
        ("digest", f"{chosen['sha256']}\nSHA-256 of every value of the plan, fixed before the first deck"),
        (
            "sample",
            f"{chosen['decks']:,} decks unless the run says otherwise, in shards of {chosen['decks_per_shard']:,}",
        ),
        ("start orders", ", ".join(chosen["starts"])),
        ("least sample", f"{chosen['least_decks']:,} decks; on fewer a run can fail, but not pass"),
        ("verdict", f"Holm's rule over all statistics at the family-wise level {chosen['level']:g}"),
        ("second level", f"p-values of shards, from {chosen['least_blocks']} on, against uniform"),
        (
            "re-test",
            f"once, on as many fresh decks, of the tests with an adjusted p above {chosen['level']:g} and not above "
            f"{chosen['retest_below']:g}; their verdict at the same level counts",
        ),
    ]
    return facts(rows)


def clauses(record: dict[str, Any]) -> str:
    """Standard, clause, evidence, verdict."""
    rows = [
        (f"{row['standard']}\n{row['clause']}", row["asks"], row["evidence"] + _tests(row),
         chance(row["least_adjusted_p"]), _MARKS.get(row["verdict"], "") + row["verdict"])
        for row in record["clauses"]
    ]  # fmt: skip
    note = (
        "A clause is met when every test for it that could be made was made and none of them is rejected by the "
        "collective rule of the plan; in part, where one of them needs more decks than there were. "
        "“Not tested” and “not in this report” are not verdicts on the device."
    )
    heads = ("standard and clause", "asks for", "evidence", "least adjusted p", "verdict")
    return paragraph(note) + table(
        heads, rows, caption="Clause by clause", numbers=frozenset({3}), widths=(17, 21, 38, 10, 14)
    )


_MARKS = {"not met": "!"}


def _tests(row: dict[str, Any]) -> str:
    return f"\n{', '.join(row['tests'])}" if row["tests"] else ""
