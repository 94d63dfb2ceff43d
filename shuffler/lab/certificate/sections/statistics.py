"""The statistics of a run: what was rejected, each test, the standards' literal readings, power, the re-test."""

from collections.abc import Sequence
from html import escape

from randomness.certification.model import PowerRow, RunRecord, TestRow
from shuffler.lab.certificate.html import chance, number, paragraph, percent, table

_MOST_ROWS = 100
_BITS, _ENGINES = "generator, SP 800-22", "generator, outside engines"


def places(record: RunRecord) -> str:
    """Where the rejected tests point."""
    if not record.where_to_look:
        return ""
    rows = [
        (f"{place.test}\n{place.sees}" if n == 0 else "", finding.place, number(finding.observed, 6),
         number(finding.expected, 6), "beyond chance" if finding.z is None else f"{finding.z:+.1f}")
        for place in record.where_to_look
        for n, finding in enumerate(place.findings[:3])
    ]  # fmt: skip
    note = "The cells, cards, positions, seats, lags and orders that stand out most in each rejected test."
    heads = ("test", "place", "observed", "expected", "standard deviations")
    widths = (40, 24, 12, 12, 12)
    return paragraph(note) + table(
        heads, rows[:_MOST_ROWS], caption="Findings", numbers=frozenset({2, 3, 4}), widths=widths
    )


def literal(record: RunRecord) -> str:
    """Each test alone, as standards have it."""
    rows = [
        ("all statistics, each alone", percent(reading.confidence), str(reading.tests),
         str(len(reading.below)), f"{reading.expected:.1f}", f"{reading.chance_of_an_alarm:.0%}")
        for reading in record.readings
    ] + [
        (f"each position's chi-square, {reading.section}", percent(reading.confidence), str(reading.positions),
         str(len(reading.below)), f"{reading.positions * (1 - reading.confidence):.1f}",
         f"{reading.chance_of_an_alarm:.0%}")
        for reading in record.position_readings
    ]  # fmt: skip
    strictest = max(record.position_readings, key=lambda reading: reading.confidence, default=None)
    example = (
        ""
        if strictest is None
        else f"{strictest.positions} positions at {percent(strictest.confidence)} each would fail an ideal "
        f"device {strictest.chance_of_an_alarm:.0%} of the time; "
    )
    note = (
        f"Standards that name a level for each test do not say how many tests may miss it. {example}"
        f"{'t' if example else 'T'}he verdict is therefore the collective one, and these readings stand beside it."
    )
    heads = ("reading", "confidence", "statistics", "below", "expected below", "an ideal device shows one or more")
    return paragraph(note) + table(heads, rows, caption="Literal readings", numbers=frozenset({1, 2, 3, 4, 5}))


# ----- statistics -----------------------------------------------------------------------------------------------------


def every_test(record: RunRecord) -> str:
    """Each deck test with its statistic and p, and where there are blocks the p of their p-values."""
    rejected = set(record.verdict.rejected)
    rows = [row for row in record.results if row.section not in (_BITS, _ENGINES)]
    note = (
        "Adjusted p is Holm's over the whole family; a test rejected at the plan's level is printed in bold red. "
        "Blocks: whether the test's p-values over the shards are uniform (Kolmogorov–Smirnov), p and adjusted p."
    )
    said = [paragraph(note)]
    for section in dict.fromkeys(row.section for row in rows):
        own = [row for row in rows if row.section == section]
        blocks = {row.test: row for row in own if row.second_level}
        cells = [
            (f"{row.test}\n{row.sees}", _clause(row), f"{row.samples:,}" if row.samples else "–",
             number(row.statistic) + (f"\n{row.null}" if row.null else ""), chance(row.p),
             adjusted(row, rejected), _blocks(blocks.get(row.test), rejected), _effect(row))
            for row in own if not row.second_level
        ]  # fmt: skip
        heads = ("test", "clause", "decks", "statistic, law", "p", "adjusted p", "blocks", "effect, 99 % interval")
        widths = (20, 17, 8, 10, 8, 10, 8, 19)
        name = f"<h3>{escape(section[:1].upper() + section[1:])}</h3>"
        caption = f"Results, {section}"
        said.append(name + table(heads, cells, caption=caption, numbers=frozenset({2, 3, 4, 5, 6}), widths=widths))
    return "".join(said)


def _blocks(row: TestRow | None, rejected: set[str]) -> str:
    if row is None:
        return "–"
    return ("!" if row.label in rejected else "") + f"{chance(row.p)}\n{chance(row.adjusted_p)}"


def _clause(row: TestRow) -> str:
    return "; ".join(row.clauses) if row.outcome == "tested" else f"{row.outcome}\n{'; '.join(row.unmet)}"


def adjusted(row: TestRow, rejected: set[str]) -> str:
    return ("!" if row.label in rejected else "") + chance(row.adjusted_p)


def _effect(row: TestRow) -> str:
    if row.effect is None:
        return "–"
    inside = "" if row.effect_low is None else f" ({number(row.effect_low, 3)} … {number(row.effect_high, 3)})"
    return f"{number(row.effect, 3)}{inside}\n{row.effect_unit}"


def power(record: RunRecord) -> str:
    """The least effect that each test would have shown."""
    if not record.power:
        return ""
    parts = list(dict.fromkeys(row.section.partition(",")[0] for row in record.power))
    tests: dict[tuple[str, str], dict[str, PowerRow]] = {}
    for row in record.power:
        part, _, first_cards = row.section.partition(",")
        name = row.test + (f" ({first_cards.strip()})" if first_cards else "")
        tests.setdefault((name, row.unit), {})[part] = row
    rows = [
        (name, unit, _range([row.samples for row in told.values()]),
         *(number(told[part].least_effect, 3) if part in told else "–" for part in parts))
        for (name, unit), told in tests.items()
    ]  # fmt: skip
    note = (
        "An effect of this size or more would have been found with 99 % probability, each test "
        f"at the strictest level of Holm's rule ({record.power[0].level:.1e})."
    )
    right = frozenset(range(2, 3 + len(parts)))
    heads = ("test", "effect is measured in", "decks", *parts)
    return paragraph(note) + table(heads, rows, caption="Power", numbers=right)


def _range(values: Sequence[int]) -> str:
    least, most = min(values), max(values)
    return f"{most:,}" if least == most else f"{least:,} … {most:,}"


def retest(record: RunRecord) -> str:
    """The tests in doubt: the first look, the second, and both together."""
    earlier, made = record.retest_of, record.verdict.retest
    if made is None or not made.tests:
        return ""
    note = f"{made.why[:1].upper()}{made.why[1:]}. Rule: {made.rule}."
    if earlier is not None:
        note = (
            f"This report is the re-test that the plan asks for. First record: SHA-256 {earlier.record_sha256}, of "
            f"{earlier.file_name} (SHA-256 {earlier.file_sha256}), {earlier.decks:,} decks. Same device: "
            f"{earlier.same_device}. Only the tests that it left in doubt were judged, on fresh decks. {note}"
        )
    rows = [
        (f"{row.label}\n{row.sees}", chance(row.first_adjusted_p), f"{row.samples:,}", chance(row.p),
         chance(row.adjusted_p), ("!" if row.rejected else "") + chance(row.combined_p))
        for row in made.tests
    ]  # fmt: skip
    heads = ("test", "first adjusted p", "fresh decks", "p", "adjusted p", "combined p")
    return paragraph(note) + table(heads, rows, caption="Re-test", numbers=frozenset({1, 2, 3, 4, 5}))


def practical(record: RunRecord) -> str:
    """What the counts are worth to a player."""
    if not record.practical:
        return ""
    rows = [
        (one.figure, one.section, number(one.expected), number(one.found), f"{number(one.low)} to {number(one.high)}",
         one.unit, f"{one.samples:,}")
        for one in record.practical
    ]  # fmt: skip
    note = (
        "A statistic says whether a deviation is more than chance; these figures say what it is worth. The intervals "
        "hold all true means together with 99 % probability."
    )
    heads = ("figure", "part", "expected", "found", "interval", "unit", "samples")
    return paragraph(note) + table(
        heads, rows, caption="Practical effect", numbers=frozenset({2, 3, 4, 6}), widths=(34, 12, 11, 11, 14, 10, 8)
    )
