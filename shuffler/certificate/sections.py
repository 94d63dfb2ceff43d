"""The sections of the report, each a function of the record that gives the HTML under its heading, or nothing."""

import json
from html import escape
from typing import Any

from shuffler.certificate.html import bullets, chance, facts, number, paragraph, percent, table

_MOST_ROWS = 100
_BITS, _ENGINES = "generator, SP 800-22", "generator, outside engines"
# What a subject and its provenance may say, in the order in which it is told; what is not here comes after.
_WORDS = {
    "kind": "kind", "name": "name", "describes": "mechanism, in words", "mechanism": "mechanism", "profile": "profile",
    "model": "model", "serial": "serial number", "firmware": "firmware", "planted_defect": "planted defect",
    "generator": "generator", "seed": "seed", "seed_from": "seed comes from",
    "shuffles_a_request": "shuffles drawn at once", "form": "form", "sha256": "SHA-256",
    "test_run": "test of the bench", "declared_not_applicable": "declared not applicable",
    "flags": "says of itself", "program_sha256": "program, digest", "program_proof": "program, proof",
    "challenge": "challenge", "hmac_sha256": "HMAC-SHA-256", "program_files": "program, files",
    "method": "method", "tool": "tool", "command": "command", "url": "URL",
    "started": "started", "ended": "ended", "because": "ended because", "decks": "decks", "left_out": "left out",
    "shuffles_before": "shuffles before", "power_ups": "power-ups", "log_length": "lines in its log",
    "log_head": "head of its log", "event_epoch": "epoch of its events", "file_sha256": "SHA-256 of the file",
}  # fmt: skip
_ORDER = {key: place for place, key in enumerate(_WORDS)}


def places(record: dict[str, Any]) -> str:
    """Where a failed run points."""
    if not record["where_to_look"]:
        return ""
    rows = [
        (f"{place['test']}\n{place['sees']}" if n == 0 else "", finding["place"], number(finding["observed"], 6),
         number(finding["expected"], 6), "beyond chance" if finding["z"] is None else f"{finding['z']:+.1f}")
        for place in record["where_to_look"]
        for n, finding in enumerate(place["findings"][:3])
    ]  # fmt: skip
    note = "The cells, cards, positions, seats, lags and orders that stand out most in each rejected figure."
    heads = ("test", "place", "observed", "expected", "standard deviations")
    widths = (40, 24, 12, 12, 12)
    return paragraph(note) + table(heads, rows[:_MOST_ROWS], numbers=frozenset({2, 3, 4}), widths=widths)


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
        row for n, part in enumerate(went_on, 1) for row in _told("" if len(went_on) == 1 else f"part {n}", part)
    ]
    groups = (
        ("Subject", _told("", about)),
        ("Device, in its own words", _told("", device)),
        ("Collection", [*_told("", came), *stretches]),
        ("Decks", counted),
        ("Program", [(_plain(key), value) for key, value in record["tool"].items()]),
    )
    return "".join(f"<h3>{title}</h3>{facts(rows)}" for title, rows in groups if rows)


def _plain(key: str) -> str:
    return key.replace("_", " ")


def _told(name: str, value: Any) -> list[tuple[str, str]]:
    """A value as rows; what is inside another stands under both names."""
    if value in ("", [], {}, None):
        return []
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (_ORDER.get(key, len(_ORDER)), key))
        before = f"{name}: " if name else ""
        return [row for key in keys for row in _told(before + _WORDS.get(key, _plain(key)), value[key])]
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
        ("digest", f"{chosen['sha256']}\nSHA-256 of every value of the plan, fixed before the first deck"),
        (
            "sample",
            f"{chosen['decks']:,} decks unless the run says otherwise, in shards of {chosen['decks_per_shard']:,}",
        ),
        ("start orders", ", ".join(chosen["starts"])),
        ("verdict", f"Holm's rule over all figures at the family-wise level {chosen['level']:g}"),
        ("second level", f"p-values of shards, from {chosen['least_blocks']} on, against uniform"),
        (
            "re-test",
            f"once, on as many fresh decks, of the figures with an adjusted p above {chosen['level']:g} and not above "
            f"{chosen['retest_below']:g}; their verdict at the same level counts",
        ),
    ]
    return facts(rows)


def literal(record: dict[str, Any]) -> str:
    """Each test alone, as standards have it."""
    rows = [
        ("all figures, each alone", percent(reading["confidence"]), str(reading["tests"]), str(len(reading["below"])),
         f"{reading['expected']:.1f}", f"{reading['chance_of_an_alarm']:.0%}")
        for reading in record["readings"]
    ] + [
        (f"each position's chi-square, {reading['section']}", percent(reading["confidence"]), str(reading["positions"]),
         str(len(reading["below"])), f"{reading['positions'] * (1 - reading['confidence']):.1f}",
         f"{reading['chance_of_an_alarm']:.0%}")
        for reading in record["position_readings"]
    ]  # fmt: skip
    note = (
        "Standards that name a level for each test do not say how many tests may miss it. 52 positions at 99 % each "
        "would fail a perfect device 41 % of the time; the verdict is therefore the collective one, and these readings "
        "stand beside it."
    )
    heads = ("reading", "confidence", "figures", "below", "expected", "a perfect device shows one")
    return paragraph(note) + table(heads, rows, numbers=frozenset({1, 2, 3, 4, 5}))


# ----- figures --------------------------------------------------------------------------------------------------------


def every_test(record: dict[str, Any]) -> str:
    """Each deck test with its figure and p, and where there are blocks the p of their p-values."""
    rejected = set(record["verdict"]["rejected"])
    rows = [row for row in record["results"] if row["section"] not in (_BITS, _ENGINES)]
    note = (
        "Adjusted p is Holm's over the whole family; a figure rejected at the plan's level is printed in red. "
        "Blocks: whether the test's p-values over the shards are uniform (Kolmogorov–Smirnov), p and adjusted p."
    )
    said = [paragraph(note)]
    for section in dict.fromkeys(row["section"] for row in rows):
        own = [row for row in rows if row["section"] == section]
        blocks = {row["test"]: row for row in own if row["second_level"]}
        cells = [
            (f"{row['test']}\n{row['sees']}", _clause(row), f"{row['samples']:,}" if row["samples"] else "–",
             row["null"] or "–", number(row["statistic"]), chance(row["p"]), _adjusted(row, rejected),
             _blocks(blocks.get(row["test"]), rejected), _effect(row))
            for row in own if not row["second_level"]
        ]  # fmt: skip
        heads = ("test", "clause", "decks", "law", "figure", "p", "adjusted p", "blocks", "effect, 99 % interval")
        widths = (20, 17, 8, 9, 8, 8, 8, 8, 14)
        name = f"<h3>{escape(section.capitalize())}</h3>"
        said.append(name + table(heads, cells, numbers=frozenset({2, 4, 5, 6, 7}), widths=widths))
    return "".join(said)


def _blocks(row: dict[str, Any] | None, rejected: set[str]) -> str:
    if row is None:
        return "–"
    return ("!" if row["label"] in rejected else "") + f"{chance(row['p'])}\n{chance(row['adjusted_p'])}"


def _clause(row: dict[str, Any]) -> str:
    return str(row["clause"]) if row["outcome"] == "tested" else f"{row['outcome']}: {'; '.join(row['unmet'])}"


def _adjusted(row: dict[str, Any], rejected: set[str]) -> str:
    return ("!" if row["label"] in rejected else "") + chance(row["adjusted_p"])


def _effect(row: dict[str, Any]) -> str:
    if row["effect"] is None:
        return "–"
    inside = "" if row["effect_low"] is None else f" ({number(row['effect_low'], 3)} … {number(row['effect_high'], 3)})"
    return f"{number(row['effect'], 3)}{inside}\n{row['effect_unit']}"


def generator_bits(record: dict[str, Any]) -> str:
    """SP 800-22."""
    bits = record["bits"]
    if bits is None:
        return ""
    rejected = set(record["verdict"]["rejected"])
    figures = {row["test"]: row for row in record["results"] if row["section"] == _BITS}
    note = (
        f"{bits['sequences']:,} sequences of {bits['length']:,} bits: {bits['source']}. Constants "
        f"{bits['constants']}. {bits['below_0_01']} of {bits['p_values']:,} p-values are below the standard's 0.01, "
        f"{bits['expected_below_0_01']:.1f} expected. Each test is one figure of the family: the least of its p-values "
        "over all sequences, with the second level of section 4.2, times how many they are."
    )
    rows = [_bit_row(one, figures[one["test"]], rejected, many=bits["sequences"] > 1) for one in bits["tests"]]
    heads = (
        "test", "section", "p-values", "lowest p", "below 0.01", "lowest share passed", "uniformity", "figure's p",
        "adjusted p",
    )  # fmt: skip
    given = {key: bits.get(key) for key in ("name", "file_sha256", "provenance")}
    where = [("bits, SHA-256", bits["sha256"]), *_told("bits", given)]
    return paragraph(note) + table(heads, rows, numbers=frozenset(range(2, 9))) + facts(where)


def _bit_row(one: dict[str, Any], figure: dict[str, Any], rejected: set[str], *, many: bool) -> tuple[str, ...]:
    section = one["clause"].rpartition(" ")[2]
    if not one["p_values"]:
        return (f"{one['test']}\nnot tested: {'; '.join(one['unmet'])}", section, *["–"] * 7)
    least = f"\nleast {max(0.0, one['share_low']):.4f}" if many else ""
    return (
        f"{one['test']}\n{one['sees']}", section, f"{one['p_values']:,}", chance(one["lowest_p"]),
        str(one["below_0_01"]), f"{one['lowest_share']:.4f}{least}", chance(one["lowest_uniformity"]),
        chance(figure["p"]), _adjusted(figure, rejected),
    )  # fmt: skip


def outside_words(each: dict[str, Any]) -> str:
    """The worst verdict of an outside engine, and whatever kept it from its end."""
    return "; ".join([*([each["worst"]] if each["worst"] else []), *each["unmet"]])


def outside(record: dict[str, Any]) -> str:
    """What dieharder and its like said."""
    if not record["outside"]:
        return ""
    rejected = set(record["verdict"]["rejected"])
    calls = [
        (each["engine"], each["version"], each["command"], f"{each['verdicts']}",
         ("!" if each["worst"] == "failed" else "") + (each["worst"] or "–"), "; ".join(each["unmet"]))
        for each in record["outside"]
    ]  # fmt: skip
    verdicts = [
        (row["test"], chance(row["p"]), _adjusted(row, rejected), "; ".join(row["unmet"]))
        for row in record["results"] if row["section"] == _ENGINES
    ]  # fmt: skip
    note = (
        "Fed with the generator behind the shuffles, on a stream of its own. Every p-value is a figure of the family."
    )
    heads = ("engine", "version", "command", "verdicts", "worst, in its own words", "")
    return (
        paragraph(note)
        + table(heads, calls, numbers=frozenset({3}))
        + table(("verdict", "p", "adjusted p", ""), verdicts, numbers=frozenset({1, 2}))
    )


def power(record: dict[str, Any]) -> str:
    """The least effect that each test would have shown."""
    if not record["power"]:
        return ""
    parts = list(dict.fromkeys(row["section"].partition(",")[0] for row in record["power"]))
    tests: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in record["power"]:
        part, _, first_cards = row["section"].partition(",")
        name = row["test"] + (f" ({first_cards.strip()})" if first_cards else "")
        tests.setdefault((name, row["unit"]), {})[part] = row
    rows = [
        (name, unit, _range([row["samples"] for row in told.values()]),
         *(number(told[part]["least_effect"], 3) if part in told else "–" for part in parts))
        for (name, unit), told in tests.items()
    ]  # fmt: skip
    note = (
        "What “passed” means: an effect of this size or more would have been found with 99 % probability, each test "
        f"at the strictest level of Holm's rule ({record['power'][0]['level']:.1e})."
    )
    right = frozenset(range(2, 3 + len(parts)))
    return paragraph(note) + table(("test", "effect is measured in", "decks", *parts), rows, numbers=right)


def _range(values: list[int]) -> str:
    least, most = min(values), max(values)
    return f"{most:,}" if least == most else f"{least:,} … {most:,}"


def controls(record: dict[str, Any]) -> str:
    """Planted defects that this build of the battery was shown."""
    if not record["controls"]:
        return ""
    rows = [
        (f"{row['mechanism']}\n{row['describes']}", f"{row['size']:,} {row['of']}",
         "found" if row["found"] else "!NOT FOUND", row["by"] or "–", chance(row["adjusted_p"]))
        for row in record["controls"]
    ]  # fmt: skip
    note = (
        "Planted defects under the tests and the rule of this plan, by the program that made this report, from "
        "emulated mechanisms whose input order is known. A battery that misses one of them passes nothing."
    )
    return paragraph(note) + table(("planted defect", "shown", "", "by", "adjusted p"), rows, numbers=frozenset({1, 4}))


# ----- the end --------------------------------------------------------------------------------------------------------


def excluded(record: dict[str, Any]) -> str:
    """Rows that are in no count, with reasons."""
    sample = record["sample"]
    rows = [(str(row["row"]), "could not be read as a deck", row["reason"]) for row in sample["malformed"]]
    rows += [(str(row["row"]), "left out", row["reason"]) for row in sample["excluded"]]
    total = sample["malformed_rows"] + sample["excluded_rows"]
    said = f"{total:,} rows are not counted; the first {len(rows)}:" if rows else "None: every row is counted."
    return paragraph(said) + (table(("row", "", "reason"), rows, numbers=frozenset({0})) if rows else "")


def untested(record: dict[str, Any]) -> str:
    """Tests that could not be made, and why."""
    return bullets(record["verdict"]["untested"]) if record["verdict"]["untested"] else ""


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
    lines = "".join(f"<span>{word}</span>" for word in ("For the laboratory", "Date", "Signature"))
    return facts(rows) + paragraph(note) + f'<div class="signing">{lines}</div>'
