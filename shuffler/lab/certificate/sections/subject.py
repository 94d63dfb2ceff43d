"""What was tested, by which plan, and which clauses that answers."""

import json
from typing import Any

import msgspec

from randomness.certification.model import ClauseRow, RunRecord
from shuffler.lab.certificate.html import chance, facts, paragraph, percent, table

# What a subject and its provenance may say, in the order in which it is told; what is not here comes after.
_WORDS = {
    "kind": "kind", "bytes": "bytes",
    "name": "name", "describes": "mechanism, in words", "mechanism": "mechanism", "profile": "profile",
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


def subject(record: RunRecord) -> str:
    """Profile, mechanism, seeds, provenance, versions, digests."""
    about = msgspec.to_builtins(record.subject)
    came, went_on = about.pop("provenance", {}), about.pop("provenance_continued", ())
    device = came.pop("device", None)
    counted: list[tuple[str, str]] = []
    for name, section in record.sample.sections.items():
        said = f"{section.decks:,} in {section.blocks} blocks\ndata digest {section.data_digest}"
        counted.append((f"decks, {name}", said))
        for part in section.sub_samples:
            said = f"{part.counted:,} {part.of} ({part.share} segments)\n{', '.join(part.tests)}"
            counted.append((f"sub-sample, {name}", said))
    stretches = [
        row for n, part in enumerate(went_on, 1) for row in told("" if len(went_on) == 1 else f"part {n}", part)
    ]
    deck = msgspec.to_builtins(record.deck)
    earlier = [
        (f"{run.of}, {run.outcome}", f"plan {run.plan} (SHA-256 {run.plan_sha256}), {run.rows:,} rows\n"
                                     f"record SHA-256 {run.record_sha256}")
        for run in record.earlier_runs
    ]  # fmt: skip
    groups = (
        ("Subject", told("", about)),
        ("Deck", told("", {key: value for key, value in deck.items() if key not in _LONG})),
        ("Device, as it identifies itself", told("", device)),
        ("Collection", [*told("", came), *stretches]),
        ("Earlier runs on the same rows", earlier),
        ("Decks", counted),
        ("Program", [*record.tool.versions.items(), ("code sha256", record.tool.code_sha256)]),
    )
    return "".join(f"<h3>{title}</h3>{facts(rows)}" for title, rows in groups if rows)


def _plain(key: str) -> str:
    return key.replace("_", " ")


def told(name: str, value: Any) -> list[tuple[str, str]]:
    """A value as rows; what is inside another stands under both names."""
    if value in ("", [], (), {}, None):
        return []
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (_ORDER.get(key, len(_ORDER)), key))
        before = f"{name}: " if name else ""
        return [row for key in keys for row in told(before + _WORDS.get(key, _plain(key)), value[key])]
    if isinstance(value, bool):
        return [(name, "yes" if value else "no")]
    if isinstance(value, list | tuple):
        simple = all(not isinstance(part, dict | list | tuple) for part in value)
        return [(name, ", ".join(map(str, value)) if simple else json.dumps(value, ensure_ascii=False))]
    return [(name, f"{value:,}" if isinstance(value, int) and abs(value) >= 10_000 else str(value))]


def plan(record: RunRecord) -> str:
    """What was decided before the first deck."""
    chosen = record.plan
    again = (
        f"once, on fresh decks, of the tests with an adjusted p above {chosen.first_level:g} and not above "
        f"{chosen.retest_below:g}; judged by the p-values of both looks, at {chosen.level:g} for both together"
        if chosen.retest_times
        else "none"
    )
    rows = [
        ("name", f"{chosen.name}\n{chosen.describes}"),
        ("chosen", record.plan_chosen or "named for this run"),
        ("digest", f"{record.plan_sha256}\nSHA-256 of every value of the plan, fixed before the first deck"),
        ("sample", f"{chosen.decks:,} decks unless the run says otherwise, in shards of {chosen.decks_per_shard:,}"),
        ("start orders", ", ".join(chosen.starts)),
        ("least sample", f"{chosen.least_decks:,} decks; on fewer a run can fail, but not pass"),
        ("misreads", f"at most {percent(chosen.most_misread)} of the rows; with more a run can fail, but not pass"),
        ("verdict", f"Holm's rule over all statistics at the family-wise level {chosen.level:g}"
                    + (f", {chosen.first_level:g} in the first look" if chosen.retest_times else "")),
        ("second level", f"p-values of shards, from {chosen.least_blocks} on, against uniform"),
        ("re-test", again),
    ]  # fmt: skip
    return facts(rows)


ALSO = "Also evaluated against clauses that govern other equipment"
_NOTE = (
    "A clause that names a level is judged by Holm's rule over its own statistics at that level; otherwise the "
    "collective rule of the plan counts. “Met” is stated only where the clause asks for tests of decks and all of them "
    "were performed. “Consistent with” means that the sample shows nothing against a requirement that no sample can "
    "establish. “Not tested”, “not evaluated” and “not in this report” are not verdicts on the device."
)


def clauses(record: RunRecord) -> str:
    """Clauses for card shufflers; then those that were chosen and govern other equipment."""
    said = [paragraph(_NOTE)]
    for by_choice, title in ((False, "For card shufflers"), (True, ALSO)):
        rows = [_clause(row) for row in record.clauses if row.by_choice is by_choice]
        if rows:
            heads = ("clause", "asks for", "source", "evidence", "least adjusted p", "result")
            shown = table(heads, rows, caption=title, numbers=frozenset({4}), widths=(17, 21, 18, 21, 10, 13))
            said.append(f"<h3>{title}</h3>{shown}")
    return "".join(said)


def _clause(row: ClauseRow) -> tuple[str, ...]:
    level = "" if row.level is None else f"\nlevel {row.level:g}"
    return (
        f"{row.standard}\n{row.number}; applies to: {row.applies_to}", row.gist, f"{row.source}\n{row.certainty}",
        row.evidence + level, chance(row.least_adjusted_p), ("!" if row.verdict == "not met" else "") + row.verdict,
    )  # fmt: skip
