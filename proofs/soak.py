"""Proof: a million rounds with every fault in the catalogue; books to the cent, holds against exact odds."""

import argparse
import sys
import time
from collections.abc import Callable

from proofs import evidence
from proofs.kills import rules
from shuffler.soak_crew import SoakPlan, soak
from shuffler.soak_report import SoakReport, signs_text


def render(report: SoakReport, seconds: float) -> str:
    """The report as Markdown."""
    lines = [
        f"{report.rounds:,} rounds: {report.settled:,} settled, {report.void:,} void, {report.out_of_balance} cents "
        f"out of balance, {len(report.problems)} problems; {report.rounds / seconds:,.0f} rounds a second.",
        "",
        f"Faults cleared {report.cleared:,}; a technician came {report.attended:,} times and switched off and on "
        f"{report.power_cycles:,} times.",
        "",
        "| trouble | injected | noticed | recovered | rounds void | how it showed |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for name, row in sorted(report.troubles.items()):
        numbers = " | ".join(f"{number:,}" for number in (row.injected, row.noticed, row.recovered, row.void))
        lines.append(f"| {name} | {numbers} | {signs_text(row)} |")
    lines += ["", "| wager | rounds | observed hold | exact | error | p | p (Holm) |", "|---|---|---|---|---|---|---|"]
    for hold in report.holds:
        lines.append(
            f"| {hold.wager} | {hold.rounds:,} | {hold.observed:.4%} | {hold.exact:.4%} | {hold.error:.4%} "
            f"| {hold.p:.4f} | {hold.p_holm:.4f} |"
        )
    for wager, (seen, expected, p) in report.jackpots.items():
        lines += ["", f"{wager}: {seen} whole-meter awards, {expected:.2f} expected, Poisson p {p:.4f}."]
    lines += ["", "Void rounds:", *(f"- {count:,}: {why}" for why, count in report.void_reasons.most_common())]
    return "\n".join(lines + [f"- PROBLEM: {problem}" for problem in report.problems])


def _say(rounds: int) -> Callable[[int], None]:
    """Progress on standard error, a line for each hundredth."""
    said = 0

    def say(done: int) -> None:
        nonlocal said
        if done * 100 // rounds > said:
            said = done * 100 // rounds
            print(f"{done:,} of {rounds:,} rounds", file=sys.stderr, flush=True)

    return say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1_000_000)
    parser.add_argument("--rate", type=float, default=0.01, help="chance of one trouble before each round")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2, help="tables side by side")
    options = parser.parse_args()
    started = time.perf_counter()
    plan = SoakPlan(rules=rules(), seed=options.seed, rate=options.rate)
    report = soak(plan, options.rounds, options.workers, _say(options.rounds))
    body = render(report, time.perf_counter() - started)
    print(body)
    command = f"make proof-soak ({options.rounds:,} rounds at {options.workers} tables, rate {options.rate:g})"
    evidence.record("soak", command=command, seed=options.seed, body=body)
    raise SystemExit(bool(report.problems) or any(row.p_holm < 0.001 for row in report.holds))


if __name__ == "__main__":
    main()
