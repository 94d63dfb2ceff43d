"""Proof: a million rounds with every fault in the catalogue; books to the cent, holds against exact odds."""

import argparse
import pickle
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

from proofs import evidence
from proofs.kills import rules
from shuffler.cli.compiled import build
from shuffler.virtual.soak.crew import SoakPlan
from shuffler.virtual.soak.report import SoakReport, merged, signs_text

TABLE_ROUNDS = 10_000


def render(report: SoakReport) -> str:
    """The report as Markdown."""
    lines = [
        f"{report.rounds:,} rounds: {report.settled:,} settled, {report.void:,} void, {report.out_of_balance} cents "
        f"out of balance, {len(report.problems)} problems.",
        "",
        f"Faults cleared {report.cleared:,}; a technician came {report.attended:,} times and switched off and on "
        f"{report.power_cycles:,} times.",
        "",
        "| injection | injected | noticed | recovered | rounds void | how it showed |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for name, row in sorted(report.injections.items()):
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


def run(plan: SoakPlan, rounds: int, workers: int, keep: Path) -> SoakReport:
    """So many rounds at tables of `TABLE_ROUNDS` each; a table that is finished is kept, so that a run can go on."""
    keep.mkdir(parents=True, exist_ok=True)
    shares = [min(TABLE_ROUNDS, rounds - start) for start in range(0, rounds, TABLE_ROUNDS)]
    files = [keep / f"seed{plan.seed}-rate{plan.rate:g}-table{at}-{share}.pickle" for at, share in enumerate(shares)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        open_tables = {
            pool.submit(_one_table, plan, at, share, file): file
            for at, (share, file) in enumerate(zip(shares, files, strict=True))
            if not file.exists()
        }
        for finished in as_completed(open_tables):
            if (problem := finished.exception()) is not None:
                pool.shutdown(wait=False, cancel_futures=True)
                raise RuntimeError(f"{open_tables[finished].stem} came to no end") from problem
            done = sum(file.exists() for file in files)
            print(f"{done} of {len(files)} tables", file=sys.stderr, flush=True)
    report = merged(pickle.loads(file.read_bytes()) for file in files)
    report.judge(plan.rules, plan.seats - 1)
    return report


def _one_table(plan: SoakPlan, number: int, rounds: int, file: Path) -> None:
    report = plan.table(number).run(rounds)
    beside = file.with_suffix(".part")
    beside.write_bytes(pickle.dumps(report))
    beside.replace(file)


def took(seconds: float, workers: int) -> str:
    """How long the tables took that were played now."""
    spent = getrusage(RUSAGE_CHILDREN)
    return (
        f"{seconds / 60:.0f} minutes at {workers} tables side by side, {(spent.ru_utime + spent.ru_stime) / 60:.0f} "
        f"minutes of processor time ({build()})."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1_000_000)
    parser.add_argument("--rate", type=float, default=0.01, help="chance of one injection before each round")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2, help="tables side by side")
    parser.add_argument("--keep", type=Path, help="a folder for finished tables, to go on from")
    options = parser.parse_args()
    plan = SoakPlan(rules=rules(), seed=options.seed, rate=options.rate)
    began = time.monotonic()
    with TemporaryDirectory() as folder:
        report = run(plan, options.rounds, options.workers, options.keep or Path(folder))
    body = "\n".join((render(report), "", took(time.monotonic() - began, options.workers)))
    print(body)
    command = f"make proof-soak ({options.rounds:,} rounds at tables of {TABLE_ROUNDS:,}, rate {options.rate:g})"
    evidence.record("soak", command=command, seed=options.seed, body=body)
    raise SystemExit(bool(report.problems) or any(row.p_holm < 0.001 for row in report.holds))


if __name__ == "__main__":
    main()
