"""Proof: a million rounds with every fault in the catalogue; books to the cent, holds against exact odds."""

import argparse
import time

from firmware_sim.emulator import Build
from firmware_sim.profile import load as load_profile
from proofs import evidence
from proofs.kills import rules
from round_engine.strategy import parse
from shuffler.bots import Bot, by_strategy
from shuffler.memory_books import MemoryBooks
from shuffler.soak import Soak, SoakReport

SEATS = 7


def run(rounds: int, seed: int, rate: float) -> SoakReport:
    """Play so many rounds."""
    decide = by_strategy(parse("Q-6-4"))
    bots = [Bot(spot=spot, decide=decide) for spot in range(1, SEATS + 1)]
    build = Build(profile=load_profile("i-deal-style"), serial="SOAK", seed=seed)
    return Soak(rules(), MemoryBooks(), bots, build, seed=seed, rate=rate).run(rounds)


def render(report: SoakReport, seconds: float) -> str:
    """The report as Markdown."""
    lines = [
        f"{report.rounds:,} rounds: {report.settled:,} settled, {report.void:,} void, {report.out_of_balance} cents "
        f"out of balance, {len(report.problems)} problems; {report.rounds / seconds:,.0f} rounds a second.",
        "",
        f"Faults cleared {report.cleared:,}; a technician came {report.attended:,} times and switched off and on "
        f"{report.power_cycles:,} times.",
        "",
        "| trouble injected | times | fault raised | times |",
        "|---|---|---|---|",
    ]
    left, right = sorted(report.injected.items()), sorted(report.raised.items())
    for at in range(max(len(left), len(right))):
        cells = [*(left[at] if at < len(left) else ("", "")), *(right[at] if at < len(right) else ("", ""))]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    lines += ["", "| wager | rounds | observed hold | exact | error | p | p (Holm) |", "|---|---|---|---|---|---|---|"]
    for row in report.holds:
        lines.append(
            f"| {row.wager} | {row.rounds:,} | {row.observed:.4%} | {row.exact:.4%} | {row.error:.4%} | {row.p:.4f} "
            f"| {row.p_holm:.4f} |"
        )
    for wager, (seen, expected, p) in report.jackpots.items():
        lines += ["", f"{wager}: {seen} whole-meter awards, {expected:.2f} expected, Poisson p {p:.4f}."]
    lines += ["", "Void rounds:", *(f"- {count:,}: {why}" for why, count in report.void_reasons.most_common())]
    return "\n".join(lines + [f"- PROBLEM: {problem}" for problem in report.problems])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1_000_000)
    parser.add_argument("--rate", type=float, default=0.01, help="chance of one trouble before each round")
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    started = time.perf_counter()
    report = run(options.rounds, options.seed, options.rate)
    body = render(report, time.perf_counter() - started)
    print(body)
    command = f"make proof-soak (rounds {options.rounds:,}, rate {options.rate:g})"
    evidence.record("soak", command=command, seed=options.seed, body=body)
    raise SystemExit(bool(report.problems) or any(row.p_holm < 0.001 for row in report.holds))


if __name__ == "__main__":
    main()
