"""The report: one HTML page drawn from a run's record alone. No script, nothing fetched; the record is inside."""

import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from typing import Any

from shuffler.certificate_charts import curve, heat_map, histogram, quantiles

OPENING = '<script type="application/json" id="record">'
CLOSING = "</script>"
_MOST_ROWS = 100


def page(record: dict[str, Any]) -> str:
    """The whole page."""
    css = resources.files("shuffler").joinpath("certificate.css").read_text(encoding="utf-8")
    # "</" would end the script element; JSON reads "<\/" as the same.
    inside = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")
    parts = (
        _verdict(record), _places(record), _subject(record), _plan(record), _literal(record), _drawings(record),
        _results(record), _outside(record), _power(record), _left_out(record), _seal(record),
    )  # fmt: skip
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Shuffle certification: {'passed' if record['verdict']['passed'] else 'FAILED'}</title>\n"
        f"<style>{css}</style></head>\n<body>\n{''.join(parts)}\n{OPENING}{inside}{CLOSING}\n</body></html>\n"
    )


def record_in(text: str) -> str:
    """The record's JSON in a page."""
    return text.partition(OPENING)[2].rpartition(CLOSING)[0]


# ----- pieces ---------------------------------------------------------------------------------------------------------


def _p(said: str, css: str = "") -> str:
    return f'<p class="{css}">{escape(said)}</p>' if css else f"<p>{escape(said)}</p>"


def _list(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: frozenset[int] = frozenset()) -> str:
    """Cells are text; columns in `numbers` stand to the right; a cell that starts with "!" is marked as bad."""

    def cell(tag: str, n: int, said: str) -> str:
        kinds = [*(["n"] if n in numbers else []), *(["bad"] if said.startswith("!") else [])]
        css = f' class="{" ".join(kinds)}"' if kinds else ""
        return f"<{tag}{css}>{escape(said.removeprefix('!'))}</{tag}>"

    head = "".join(cell("th", n, said) for n, said in enumerate(heads))
    body = "".join("<tr>" + "".join(cell("td", n, said) for n, said in enumerate(row)) + "</tr>\n" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>"


def _number(value: float | None, digits: int = 4) -> str:
    if value is None:
        return "–"
    return f"{value:,.{digits}g}" if abs(value) < 1e6 else f"{value:.{digits}g}"


def _chance(p: float | None) -> str:
    if p is None:
        return "–"
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.1e}"


# ----- sections -------------------------------------------------------------------------------------------------------


def _verdict(record: dict[str, Any]) -> str:
    verdict, sample, subject = record["verdict"], record["sample"], record["subject"]
    passed = verdict["passed"]
    what = subject.get("describes") or subject.get("name", "")
    said = [
        "<h1>Certification of shuffles</h1>",
        _p(f"{what} – {sample['decks']:,} decks, plan {record['plan']['name']}", "dim"),
        f'<div class="verdict {"pass" if passed else "fail"}"><b>{"PASSED" if passed else "FAILED"}</b>',
        _p(
            f"Collectively at {1 - verdict['level']:.0%} confidence: {verdict['family']} figures judged together by "
            f"Holm's rule, {len(verdict['rejected'])} rejected. {len(verdict['untested'])} tests could not be made and "
            "count as neither passed nor failed."
        ),
    ]
    said += [_list(verdict["failures"])] if verdict["failures"] else []
    if verdict["retest"] is not None:
        ended = {True: " The re-test passed.", False: " The re-test failed.", None: ""}[verdict["retest"]["passed"]]
        said.append(_p(f"Re-test: {verdict['retest']['why']}.{ended}"))
    said.append("</div>")
    if subject.get("planted_defect"):
        said.append(_p("The subject is a planted defect: this is a negative control, not a device.", "test-run"))
    if subject.get("test_run"):
        said.append(_p("A test of the bench: decks marked as rigged or seeded were counted.", "test-run"))
    return "".join(said)


def _places(record: dict[str, Any]) -> str:
    if not record["where_to_look"]:
        return ""
    rows = [
        (place["test"] if n == 0 else "", finding["place"], _number(finding["observed"], 6),
         _number(finding["expected"], 6), "beyond chance" if finding["z"] is None else f"{finding['z']:+.1f}")
        for place in record["where_to_look"]
        for n, finding in enumerate(place["findings"][:3])
    ]  # fmt: skip
    heads = ("test", "place", "observed", "expected", "z")
    return "<h2>Where to look</h2>" + _table(heads, rows[:_MOST_ROWS], numbers=frozenset({2, 3, 4}))


def _subject(record: dict[str, Any]) -> str:
    rows = [
        (key.replace("_", " "), _shown(value)) for key, value in record["subject"].items() if value not in ("", [], {})
    ]
    for name, section in record["sample"]["sections"].items():
        rows.append(
            (
                f"decks, {name}",
                f"{section['decks']:,} in {section['blocks']} blocks; data digest {section['data_digest']}",
            )
        )
    rows += [(f"tool: {key}", value) for key, value in record["tool"].items()]
    rows.append(("once more", record["reproduce"]))
    return "<h2>What was tested</h2>" + _table(("", ""), rows)


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def _plan(record: dict[str, Any]) -> str:
    plan = record["plan"]
    said = (
        f"{plan['describes']}. {plan['decks']:,} decks in shards of {plan['decks_per_shard']:,}; start orders: "
        f"{', '.join(plan['starts'])}. Family-wise level {plan['level']:g} by Holm's rule. Second level: the p-values "
        f"of shards, from {plan['least_blocks']} on, against uniform. Re-test: once on fresh decks when an adjusted p "
        f"is above {plan['level']:g} and not above {plan['retest_below']:g}."
    )
    fixed = f"Digest, fixed before the first deck: {plan['sha256']}"
    return f"<h2>Plan: {escape(plan['name'])}</h2>{_p(said)}{_p(fixed, 'mono')}"


def _literal(record: dict[str, Any]) -> str:
    rows = [
        ("all figures, each alone", f"{reading['confidence']:.0%}", str(reading["tests"]), str(len(reading["below"])),
         f"{reading['expected']:.1f}", f"{reading['chance_of_an_alarm']:.0%}")
        for reading in record["readings"]
    ] + [
        (f"each position's chi-square, {reading['section']}", f"{reading['confidence']:.0%}", str(reading["positions"]),
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
    return (
        "<h2>The standards' literal readings</h2>" + _p(note) + _table(heads, rows, numbers=frozenset({1, 2, 3, 4, 5}))
    )


def _drawings(record: dict[str, Any]) -> str:
    figures = [
        (heat_map(table, f"card by position, {name}"), f"Card (down) by position (across), {name}")
        for name, table in record["tables"].items()
    ]
    first = [row["p"] for row in record["results"] if row["p"] is not None and not row["second_level"]]
    first = [p for p in first if 0.0 < p < 1.0]
    if first:
        figures.append(
            (histogram(first, "p-values"), f"{len(first)} p-values in twenty bins; the line is an ideal device")
        )
        figures.append((quantiles(first, "Q–Q plot of p-values"), "Q–Q plot: above the line, p-values are too small"))
    figures += [
        (curve(one["observed"], one["expected"], one["counts"]),
         f"{one['counts'].capitalize()}, {one['section']}: {one['decks']:,} decks; the line is the exact law")
        for one in record["curves"]
    ]  # fmt: skip
    drawn = "".join(f"<figure>{svg}<figcaption>{escape(said)}</figcaption></figure>\n" for svg, said in figures)
    return f'<h2>Drawings</h2><div class="charts">{drawn}</div>'


def _results(record: dict[str, Any]) -> str:
    rejected = set(record["verdict"]["rejected"])
    said = ["<h2>Every test</h2>"]
    for section in dict.fromkeys(row["section"] for row in record["results"]):
        rows = [
            (
                row["test"] + (" (p-values of blocks)" if row["second_level"] else ""),
                _clause(row), f"{row['samples']:,}" if row["samples"] else "–", _number(row["statistic"]),
                _chance(row["p"]),
                ("!" if row["label"] in rejected else "") + _chance(row["adjusted_p"]), _effect(row),
            )
            for row in record["results"] if row["section"] == section
        ]  # fmt: skip
        heads = ("test", "clause", "samples", "figure", "p", "adjusted p", "effect, 95 % interval")
        said.append(f"<h3>{escape(section)}</h3>" + _table(heads, rows, numbers=frozenset({2, 3, 4, 5})))
    return "".join(said)


def _clause(row: dict[str, Any]) -> str:
    return str(row["clause"]) if row["outcome"] == "tested" else f"{row['outcome']}: {'; '.join(row['unmet'])}"


def _effect(row: dict[str, Any]) -> str:
    if row["effect"] is None:
        return "–"
    inside = (
        "" if row["effect_low"] is None else f" ({_number(row['effect_low'], 3)} … {_number(row['effect_high'], 3)})"
    )
    return f"{_number(row['effect'], 3)}{inside} {row['effect_unit']}"


def _outside(record: dict[str, Any]) -> str:
    if not record["outside"]:
        return ""
    rows = [
        (each["engine"], each["version"], each["command"], f"{each['verdicts']}",
         ("!" if each["worst"] == "failed" else "") + (each["worst"] or "–"), "; ".join(each["unmet"]))
        for each in record["outside"]
    ]  # fmt: skip
    heads = ("engine", "version", "command", "verdicts", "worst", "")
    return "<h2>Outside engines on the generator's bits</h2>" + _table(heads, rows, numbers=frozenset({3}))


def _power(record: dict[str, Any]) -> str:
    rows = [
        (f"{row['section']}: {row['test']}", f"{row['samples']:,}", _number(row["least_effect"], 3), row["unit"])
        for row in record["power"]
    ]
    level = record["power"][0]["level"] if record["power"] else 0.0
    note = (
        "What “passed” means: an effect of this size or more would have been found with 99 % probability, each test "
        f"at the strictest level of Holm's rule ({level:.1e})."
    )
    heads = ("test", "samples", "least effect found with 99 % probability", "unit")
    return "<h2>Power</h2>" + _p(note) + _table(heads, rows, numbers=frozenset({1, 2}))


def _left_out(record: dict[str, Any]) -> str:
    sample = record["sample"]
    rows = [(str(row["row"]), "could not be read as a deck", row["reason"]) for row in sample["malformed"]]
    rows += [(str(row["row"]), "left out", row["reason"]) for row in sample["excluded"]]
    total = sample["malformed_rows"] + sample["excluded_rows"]
    said = f"{total:,} rows are not counted" + (f"; the first {len(rows)}:" if rows else ".")
    out = f"<h2>Excluded decks</h2>{_p(said)}" + (_table(("row", "", "reason"), rows) if rows else "")
    if record["verdict"]["untested"]:
        out += "<h2>Not tested</h2>" + _list(record["verdict"]["untested"])
    return out


def _seal(record: dict[str, Any]) -> str:
    seal = record.get("seal", {})
    lines = [("record, sha256", seal.get("sha256", ""))]
    if "signature" in seal:
        lines += [("signed with", "Ed25519"), ("public key", seal["public_key"]), ("signature", seal["signature"])]
    else:
        lines.append(("signature", "none"))
    note = "The record is inside this file; `shuffler certify verify FILE` checks it, its signature and the whole page."
    return "<h2>Seal</h2>" + _table(("", ""), lines) + _p(note)
