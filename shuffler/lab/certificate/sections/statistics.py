"""The statistics of a run: what was rejected, each test, the standards' literal readings, power, the re-test."""

from html import escape
from typing import Any

from shuffler.lab.certificate.html import chance, number, paragraph, percent, table

_MOST_ROWS = 100
_BITS, _ENGINES = "generator, SP 800-22", "generator, outside engines"


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
    note = "The cells, cards, positions, seats, lags and orders that stand out most in each rejected test."
    heads = ("test", "place", "observed", "expected", "standard deviations")
    widths = (40, 24, 12, 12, 12)
    return paragraph(note) + table(
        heads, rows[:_MOST_ROWS], caption="Where to look", numbers=frozenset({2, 3, 4}), widths=widths
    )


def literal(record: dict[str, Any]) -> str:
    """Each test alone, as standards have it."""
    rows = [
        ("all statistics, each alone", percent(reading["confidence"]), str(reading["tests"]),
         str(len(reading["below"])), f"{reading['expected']:.1f}", f"{reading['chance_of_an_alarm']:.0%}")
        for reading in record["readings"]
    ] + [
        (f"each position's chi-square, {reading['section']}", percent(reading["confidence"]), str(reading["positions"]),
         str(len(reading["below"])), f"{reading['positions'] * (1 - reading['confidence']):.1f}",
         f"{reading['chance_of_an_alarm']:.0%}")
        for reading in record["position_readings"]
    ]  # fmt: skip
    strictest = max(record["position_readings"], key=lambda reading: reading["confidence"], default=None)
    example = (
        ""
        if strictest is None
        else f"{strictest['positions']} positions at {percent(strictest['confidence'])} each would fail an ideal "
        f"device {strictest['chance_of_an_alarm']:.0%} of the time; "
    )
    note = (
        f"Standards that name a level for each test do not say how many tests may miss it. {example}"
        f"{'t' if example else 'T'}he verdict is therefore the collective one, and these readings stand beside it."
    )
    heads = ("reading", "confidence", "statistics", "below", "expected below", "an ideal device shows one or more")
    return paragraph(note) + table(heads, rows, caption="Literal readings", numbers=frozenset({1, 2, 3, 4, 5}))


# ----- statistics -----------------------------------------------------------------------------------------------------


def every_test(record: dict[str, Any]) -> str:
    """Each deck test with its statistic and p, and where there are blocks the p of their p-values."""
    rejected = set(record["verdict"]["rejected"])
    rows = [row for row in record["results"] if row["section"] not in (_BITS, _ENGINES)]
    note = (
        "Adjusted p is Holm's over the whole family; a test rejected at the plan's level is printed in bold red. "
        "Blocks: whether the test's p-values over the shards are uniform (Kolmogorov–Smirnov), p and adjusted p."
    )
    said = [paragraph(note)]
    for section in dict.fromkeys(row["section"] for row in rows):
        own = [row for row in rows if row["section"] == section]
        blocks = {row["test"]: row for row in own if row["second_level"]}
        cells = [
            (f"{row['test']}\n{row['sees']}", _clause(row), f"{row['samples']:,}" if row["samples"] else "–",
             number(row["statistic"]) + (f"\n{row['null']}" if row["null"] else ""), chance(row["p"]),
             adjusted(row, rejected), _blocks(blocks.get(row["test"]), rejected), _effect(row))
            for row in own if not row["second_level"]
        ]  # fmt: skip
        heads = ("test", "clause", "decks", "statistic, law", "p", "adjusted p", "blocks", "effect, 99 % interval")
        widths = (20, 17, 8, 10, 8, 10, 8, 19)
        name = f"<h3>{escape(section[:1].upper() + section[1:])}</h3>"
        caption = f"Every test, {section}"
        said.append(name + table(heads, cells, caption=caption, numbers=frozenset({2, 3, 4, 5, 6}), widths=widths))
    return "".join(said)


def _blocks(row: dict[str, Any] | None, rejected: set[str]) -> str:
    if row is None:
        return "–"
    return ("!" if row["label"] in rejected else "") + f"{chance(row['p'])}\n{chance(row['adjusted_p'])}"


def _clause(row: dict[str, Any]) -> str:
    return str(row["clause"]) if row["outcome"] == "tested" else f"{row['outcome']}\n{'; '.join(row['unmet'])}"


def adjusted(row: dict[str, Any], rejected: set[str]) -> str:
    return ("!" if row["label"] in rejected else "") + chance(row["adjusted_p"])


def _effect(row: dict[str, Any]) -> str:
    if row["effect"] is None:
        return "–"
    inside = "" if row["effect_low"] is None else f" ({number(row['effect_low'], 3)} … {number(row['effect_high'], 3)})"
    return f"{number(row['effect'], 3)}{inside}\n{row['effect_unit']}"


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
    heads = ("test", "effect is measured in", "decks", *parts)
    return paragraph(note) + table(heads, rows, caption="Power", numbers=right)


def _range(values: list[int]) -> str:
    least, most = min(values), max(values)
    return f"{most:,}" if least == most else f"{least:,} … {most:,}"


def retest(record: dict[str, Any]) -> str:
    """The tests in doubt: the first run and the second."""
    earlier, made = record.get("retest_of"), record["verdict"]["retest"]
    rejected = set(record["verdict"]["rejected"])
    if earlier:
        first = earlier["doubtful"]
        again = [row for row in record["results"] if row["label"] in first]
        note = (
            f"This report is the re-test that the plan asks for. First record: SHA-256 {earlier['record_sha256']}, of "
            f"{earlier['file_name']} (SHA-256 {earlier['file_sha256']}), {earlier['decks']:,} decks. Only the tests "
            "that it left in doubt were judged, on as many fresh decks."
        )
    elif made and made["tests"]:
        first = {row["label"]: row["adjusted_p"] for row in record["results"]}
        again = made["tests"]
        note = f"{made['why'][:1].upper()}{made['why'][1:]}. Their second verdict counts."
    else:
        return ""
    rows = [
        (f"{row['label']}\n{row['sees']}", chance(first[row["label"]]), f"{row['samples']:,}", chance(row["p"]),
         adjusted(row, rejected))
        for row in again
    ]  # fmt: skip
    heads = ("test", "first adjusted p", "fresh decks", "p", "adjusted p")
    return paragraph(note) + table(heads, rows, caption="Re-test", numbers=frozenset({1, 2, 3, 4}))
