"""The generator's bits, outside engines and the negative controls."""

from randomness.certification.model import BitRow, OutsidePart, RunRecord, TestRow
from shuffler.lab.certificate.html import chance, facts, paragraph, table
from shuffler.lab.certificate.sections.statistics import adjusted
from shuffler.lab.certificate.sections.subject import told

_VERDICT_HEADS = ("verdict", "p", "adjusted p", "not completed because")
_BITS, _ENGINES = "generator, SP 800-22", "generator, outside engines"


def bits(record: RunRecord) -> str:
    """SP 800-22."""
    given = record.bits
    if given is None:
        return ""
    rejected = set(record.verdict.rejected)
    statistics = {row.test: row for row in record.results if row.section == _BITS}
    note = (
        f"{given.sequences:,} sequences of {given.length:,} bits: {given.source}. Constants "
        f"{given.constants}. {given.below_0_01} of {given.p_values:,} p-values are below the standard's 0.01, "
        f"{given.expected_below_0_01:.1f} expected. Each test is one statistic of the family: the least of its "
        "p-values over all sequences, with the second level of section 4.2, times how many they are."
    )
    rows = [_bit_row(one, statistics[one.test], rejected, many=given.sequences > 1) for one in given.tests]
    heads = (
        "test", "section", "p-values", "lowest p", "below 0.01", "lowest share passed", "uniformity", "statistic's p",
        "adjusted p",
    )  # fmt: skip
    origin = {"name": given.name, "file_sha256": given.file_sha256, "provenance": given.provenance}
    where = [("bits, SHA-256", given.sha256), *told("bits", origin)]
    shown = table(heads, rows, caption="SP 800-22", numbers=frozenset(range(2, 9)))
    return paragraph(note) + shown + facts(where)


def _bit_row(one: BitRow, statistic: TestRow, rejected: set[str], *, many: bool) -> tuple[str, ...]:
    section = one.clause.rpartition(" ")[2]
    if not one.p_values:
        return (f"{one.test}\nnot tested: {'; '.join(one.unmet)}", section, *["–"] * 7)
    least = f"\nleast {max(0.0, one.share_low or 0.0):.4f}" if many else ""
    return (
        f"{one.test}\n{one.sees}", section, f"{one.p_values:,}", chance(one.lowest_p),
        str(one.below_0_01), f"{one.lowest_share or 0.0:.4f}{least}", chance(one.lowest_uniformity),
        chance(statistic.p), adjusted(statistic, rejected),
    )  # fmt: skip


def outside_words(each: OutsidePart) -> str:
    """The worst verdict of an outside engine, and whatever kept it from its end."""
    return "; ".join([*([each.worst] if each.worst else []), *each.unmet])


def outside(record: RunRecord) -> str:
    """What dieharder and its like said."""
    if not record.outside:
        return ""
    rejected = set(record.verdict.rejected)
    calls = [
        (each.engine, each.version, each.command, f"{each.verdicts}",
         ("!" if each.worst == "failed" else "") + (each.worst or "–"), "; ".join(each.unmet))
        for each in record.outside
    ]  # fmt: skip
    verdicts = [
        (row.test, chance(row.p), adjusted(row, rejected), "; ".join(row.unmet))
        for row in record.results if row.section == _ENGINES
    ]  # fmt: skip
    note = (
        "Fed with the generator behind the shuffles, on a stream of its own. "
        "Every p-value is a statistic of the family."
    )
    heads = ("program", "version", "command", "verdicts", "worst verdict", "not completed because")
    return (
        paragraph(note)
        + table(heads, calls, caption="External programs", numbers=frozenset({3}))
        + table(_VERDICT_HEADS, verdicts, caption="Verdicts", numbers=frozenset({1, 2}))
    )


def controls(record: RunRecord) -> str:
    """Planted defects that this build of the battery was shown."""
    if not record.controls:
        return ""
    rows = [
        (f"{row.mechanism}\n{row.describes}", f"{row.size:,} {row.of}",
         "found" if row.found else "!NOT FOUND", row.by or "–", chance(row.adjusted_p))
        for row in record.controls
    ]  # fmt: skip
    note = (
        "Planted defects under the tests and the rule of this plan, by the program that made this report, from "
        "emulated mechanisms whose input order is known. A battery that misses one of them can't pass a run."
    )
    heads = ("planted defect", "shown in", "result", "found by", "adjusted p")
    return paragraph(note) + table(heads, rows, caption="Negative controls", numbers=frozenset({1, 4}))
