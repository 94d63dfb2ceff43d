"""What `shuffler certify` says of a finished run, on standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

MOST_PLACES = 12


def show(record: dict[str, Any]) -> None:
    """Sample, readings, bits, controls, verdict and where to look."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    verdict, sample = record["verdict"], record["sample"]
    console.print(
        f"{sample['decks']:,} decks, plan {record['plan']['name']}: {verdict['family']} figures, Holm at "
        f"{verdict['level']:g}; {len(verdict['untested'])} could not be tested (--json lists them)."
    )
    for reading in record["readings"]:
        console.print(
            f"Each figure alone at {reading['confidence']:.0%}: {len(reading['below'])} below, "
            f"{reading['expected']:.1f} expected; an ideal device shows one or more "
            f"{reading['chance_of_an_alarm']:.0%} of the time."
        )
    for line in _beside(record):
        console.print(line, markup=False)
    for row in sample["malformed"][:MOST_PLACES]:
        console.print(f"  row {row['row']}: {row['reason']}", markup=False)
    if sample["excluded_rows"]:
        console.print(f"{sample['excluded_rows']:,} rows left out: {sample['excluded'][0]['reason']}.")
    if verdict["retest"] is not None:
        console.print(f"Re-test: {verdict['retest']['why']}.", markup=False)
    _show_verdict(console, record)
    console.print(f"Again: {record['reproduce']}", markup=False, soft_wrap=True)


def _beside(record: dict[str, Any]) -> Iterator[str]:
    """The generator's bits, the controls and what looks wrong with a file's form, a line each."""
    from shuffler.certificate.sections import outside_words

    bits, controls = record["bits"], record["controls"]
    if bits is not None:
        yield (
            f"SP 800-22 on {bits['sequences']:,} × {bits['length']:,} bits: {bits['below_0_01']} of "
            f"{bits['p_values']:,} p-values below 0.01, {bits['expected_below_0_01']:.1f} expected."
        )
    for each in record["outside"]:
        yield f"{each['command']}: {outside_words(each)} ({each['verdicts']} verdicts)."
    if controls:
        yield f"Negative controls: {sum(row['found'] for row in controls)} of {len(controls)} found."
    yield from (f"Note: {hint}." for hint in record["verdict"]["hints"])


def _show_verdict(console: Console, record: dict[str, Any]) -> None:
    verdict = record["verdict"]
    if verdict["passed"]:
        console.print("[bold green]PASSED[/]")
        return
    console.print("[bold red]FAILED[/]")
    for failure in verdict["failures"]:
        console.print(f"  {failure}", markup=False)
    if verdict["rejected"]:
        console.print(f"  {len(verdict['rejected'])} figures rejected. Where to look:")
    for place in record["where_to_look"][:MOST_PLACES]:
        console.print(f"  {place['test']}: {place['sees']}", markup=False)
        for finding in place["findings"][:2]:
            z = "" if finding["z"] is None else f", z = {finding['z']:+.1f}"
            console.print(
                f"      {finding['place']}: {finding['observed']:,.6g}, expected {finding['expected']:,.6g}{z}",
                markup=False,
            )
    if len(record["where_to_look"]) > MOST_PLACES:
        console.print(f"  and {len(record['where_to_look']) - MOST_PLACES} more (--html or --json)")
