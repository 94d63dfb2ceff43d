"""What `shuffler certify` says of a finished run, on standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from randomness.certification import RunRecord
    from randomness.certification.model import PlacePart

MOST_PLACES = 12
_WORDS = {
    "passed": "[bold green]PASSED[/]",
    "failed": "[bold red]FAILED[/]",
    "inconclusive": "[bold yellow]INCONCLUSIVE[/]: neither passed nor failed",
}


def show(record: RunRecord) -> None:
    """Sample, readings, bits, controls, verdict and where to look."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    verdict, sample = record.verdict, record.sample
    many = "1 deck" if sample.decks == 1 else f"{sample.decks:,} decks"
    console.print(
        f"{many}, plan {record.plan.name}: {verdict.family} statistics, Holm's rule at {verdict.level:g}."
    )
    if verdict.level_note:
        console.print(f"Level: {verdict.level_note}.", markup=False)
    for group in verdict.not_performed:
        console.print(
            f"{group.count} tests not performed ({group.why}): {', '.join(group.tests)}.", markup=False
        )
    for reading in record.readings:
        console.print(
            f"Each statistic alone at {reading.confidence:.0%}: {len(reading.below)} below, "
            f"{reading.expected:.1f} expected; an ideal device shows one or more "
            f"{reading.chance_of_an_alarm:.0%} of the time."
        )
    for line in _beside(record):
        console.print(line, markup=False)
    for row in sample.malformed[:MOST_PLACES]:
        console.print(f"  row {row.row}: {row.reason}", markup=False)
    if sample.excluded_rows:
        console.print(f"{sample.excluded_rows:,} rows excluded: {sample.excluded[0].reason}.")
    if verdict.retest is not None and verdict.retest.passed is not None:
        console.print(f"Re-tested ({verdict.retest.why}): {len(verdict.retest.tests)} statistics.", markup=False)
    if record.settings.partial:
        total = "an unknown number of" if sample.rows_in_file is None else f"{sample.rows_in_file:,}"
        console.print(f"Partial use of the file: {sample.rows_read:,} of {total} rows.")
    if sample.misreads.cards:
        console.print(f"{sample.misreads.cards:,} cards in {sample.misreads.rows:,} rows were not read.")
    for run in record.earlier_runs:
        console.print(f"Tested before: {run.of}, plan {run.plan}: {run.outcome}.", markup=False)
    _show_verdict(console, record)
    console.print(f"Again: {record.reproduce}", markup=False, soft_wrap=True)


def _beside(record: RunRecord) -> Iterator[str]:
    """The generator's bits, the controls and what looks wrong with a file's form, a line each."""
    from shuffler.lab.certificate.sections import outside_words

    bits, controls = record.bits, record.controls
    if bits is not None:
        yield (
            f"SP 800-22 on {bits.sequences:,} × {bits.length:,} bits: {bits.below_0_01} of "
            f"{bits.p_values:,} p-values below 0.01, {bits.expected_below_0_01:.1f} expected."
        )
    for each in record.outside:
        yield f"{each.command}: {outside_words(each)} ({each.verdicts} verdicts)."
    if controls:
        yield f"Negative controls: {sum(row.found for row in controls)} of {len(controls)} found."
    yield from (f"Note: {note}." for note in record.verdict.notes)


def _show_verdict(console: Console, record: RunRecord) -> None:
    verdict = record.verdict
    console.print(_WORDS[verdict.outcome])
    if verdict.outcome == "inconclusive":
        for reason in verdict.missing:
            console.print(f"  {reason}", markup=False)
        if verdict.doubtful:
            console.print(f"  in doubt: {', '.join(verdict.doubtful)}", markup=False)
        if verdict.retest is not None and verdict.retest.passed is None:
            console.print("  shuffler certify --retest-of RECORD --from SECOND decides it (RECORD: --json or --html)")
    if verdict.outcome != "failed":
        return
    for failure in verdict.failures:
        console.print(f"  {failure}", markup=False)
    if verdict.rejected:
        console.print(f"  {len(verdict.rejected)} statistics rejected:")
    for place in record.where_to_look[:MOST_PLACES]:
        console.print(f"  {place.test}: {place.sees}", markup=False)
        for finding in place.findings[:2]:
            console.print(f"      {finding.place}: {_compared(finding)}", markup=False)
    if len(record.where_to_look) > MOST_PLACES:
        console.print(f"  and {len(record.where_to_look) - MOST_PLACES} more (--html or --json)")


def _compared(finding: PlacePart) -> str:
    """What was seen, what was expected, and by how much it is off, as far as each is known."""
    said = "?" if finding.observed is None else f"{finding.observed:,.6g}"
    if finding.expected is not None:
        said += f", expected {finding.expected:,.6g}"
    return said if finding.z is None else f"{said}, z = {finding.z:+.1f}"
