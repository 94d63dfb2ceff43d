"""Sensitivity of the deck battery: how many decks each planted defect needs until it is found, and by which test.

Found means: in at least 80 % of the replicates Holm's rule over the whole battery rejects at the plan's level (1 %), or
a certain test (integrity, repeats) fails. Each defect climbs a ladder of sample sizes, half a decade a step, until it
is found. Beside it stands the prediction: the effect of each test, measured once on a separate large sample (or stated
from theory, where no such sample could show it), turned into decks by that test's own power function.

`python -m proofs.sensitivity` runs in full and writes docs/evidence/sensitivity.md; `--defect` picks a few, `--top`
lowers the ladder.
"""

import argparse
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from proofs import evidence
from randomness.decks import CERTAIN_TESTS, DECK_TESTS, DeckBattery, decks_needed, sub_sample
from randomness.holm import holm
from randomness.kernels import parse
from randomness.result import Result
from randomness.sources import make_source

LEVEL = 0.01
SHARE_FOUND = 0.80
SEED = 20_260_102
TOP = 10_000_000
LADDER = tuple(round(10 ** (half / 2)) for half in range(2, 15))
PILOT = 2_000_000
PILOT_P = 1e-10
CERTAIN_P = 1e-6
CHUNK = 1 << 16
FACTORY = np.arange(52, dtype=np.uint8)


@dataclass(frozen=True, kw_only=True)
class Defect:
    """A planted defect: what it is, the kernel that has it, and what theory says where a large sample shows nothing."""

    what: str
    kernel: str
    stated: float | None = None
    why: str = ""


def _repeats(decks: float) -> float:
    """Decks until a repeat is seen with 80 %: 1 - exp(-N²/2M) of M possible decks."""
    return math.sqrt(2 * decks * math.log(5))


BITS_ONLY = "deck tests do not see it; for the bit battery, outside testers or code review"

DEFECTS = (
    *(Defect(what=f"riffle, {k} pass{'es' if k > 1 else ''}", kernel=f"riffle:passes={k}") for k in range(1, 11)),
    *(Defect(what=f"shelf, {m} shelves", kernel=f"shelf:shelves={m}") for m in (4, 10, 20, 30, 50, 100, 200, 300)),
    Defect(what="one cell +100 % (1.92 points)", kernel="defect:favoured-cell:card=20,position=30,relative=1"),
    Defect(what="one cell +50 % (0.96 points)", kernel="defect:favoured-cell:card=20,position=30,relative=1/2"),
    Defect(what="one cell +10 % (0.19 points)", kernel="defect:favoured-cell:card=20,position=30,relative=1/10"),
    Defect(what="one cell +0.1 % (0.0019 points)", kernel="defect:favoured-cell:card=20,position=30,relative=1/1000",
           stated=1.5e9, why="1/effect²: 10,000 times the decks of 10 %"),
    Defect(what="one card +50 % in the first 3 (2.88 points)", kernel="defect:favoured-card:card=20,relative=1/2"),
    Defect(what="one card +10 % in the first 3 (0.58 points)", kernel="defect:favoured-card:card=20,relative=1/10"),
    Defect(what="one position +50 % of 4 cards (3.85 points)",
           kernel="defect:favoured-position:position=30,relative=1/2"),
    Defect(what="one position +10 % of 4 cards (0.77 points)",
           kernel="defect:favoured-position:position=30,relative=1/10"),
    Defect(what="rack, feed order kept", kernel="rack:order=feed"),
    *(Defect(what=f"sticky pairs, 1 in {n:,} cards", kernel=f"ideal:sticky=1/{n}") for n in (10, 100, 1000, 10_000)),
    Defect(what="rack, dead compartment", kernel="rack:dead=2"),
    Defect(what="rack, compartment dead 1 time in 10", kernel="rack:dead=2,dead_rate=1/10"),
    Defect(what="rack, compartment dead 1 time in 100", kernel="rack:dead=2,dead_rate=1/100"),
    Defect(what="Sattolo", kernel="defect:sattolo"),
    Defect(what="naive swap", kernel="defect:naive-swap"),
    Defect(what="modulo bias, 6 bits", kernel="defect:modulo:bits=6"),
    Defect(what="modulo bias, 8 bits", kernel="defect:modulo:bits=8"),
    Defect(what="modulo bias, 15 bits", kernel="defect:modulo:bits=15", stated=3.9e7,
           why="noncentrality 6.0e-6 a deck: for code review"),
    Defect(what="modulo bias, 16 bits", kernel="defect:modulo:bits=16", stated=1.4e8,
           why="noncentrality 1.7e-6 a deck: for code review"),
    Defect(what="LCG, 32 bits a step", kernel="defect:lcg", stated=math.inf, why=BITS_ONLY),
    Defect(what="MINSTD", kernel="defect:minstd", stated=math.inf, why=BITS_ONLY),
    Defect(what="RANDU", kernel="defect:randu", stated=math.inf, why=BITS_ONLY),
    Defect(what="one stuck bit in 64", kernel="defect:stuck-bit", stated=math.inf, why=BITS_ONLY),
    Defect(what="32-bit seed", kernel="defect:small-seed:bits=32", stated=_repeats(2**32), why="whole decks repeat"),
    Defect(what="20-bit seed", kernel="defect:small-seed:bits=20", stated=_repeats(2**20), why="whole decks repeat"),
    Defect(what="clock seed, milliseconds of the day", kernel="defect:clock-seed:tick_ms=1",
           stated=_repeats(86_400_000), why="whole decks repeat"),
    Defect(what="clock seed, seconds of the day", kernel="defect:clock-seed:tick_ms=1000", stated=_repeats(86_400),
           why="whole decks repeat"),
    Defect(what="memory: a position keeps its card, 10 %", kernel="defect:memory:rate=1/10,position=5"),
    Defect(what="memory: a position keeps its card, 1 %", kernel="defect:memory:rate=1/100,position=5"),
    Defect(what="top card kept, 10 %", kernel="defect:top-card-kept:rate=1/10"),
    Defect(what="top card kept, 1 %", kernel="defect:top-card-kept:rate=1/100"),
    Defect(what="wrong card in 1 deck of 100", kernel="defect:wrong-card:rate=1/100",
           stated=math.log(5) * 100, why="one bad deck is enough"),
)  # fmt: skip


def replicates(decks: int) -> int:
    """A hundred where they cost nothing (to 1,000 decks), twenty to 10^5, ten to 10^6, five above."""
    return 100 if decks <= 1_000 else 20 if decks <= 100_000 else 10 if decks <= 1_000_000 else 5


# ----- one sample -----------------------------------------------------------------------------------------------------


def results(kernel: str, decks: int, seed: int, stream: int) -> tuple[Result, ...]:
    """The battery's results on decks shuffled from factory order by a kernel."""
    machine, source = parse(kernel), make_source("ctr", seed=seed, stream=stream)
    battery = DeckBattery(planned=decks)
    for start in range(0, decks, CHUNK):
        many = min(CHUNK, decks - start)
        battery.update(machine.permutations(52, many, source).astype(np.uint8, copy=False), FACTORY)
    return battery.evaluate()


def alarms(given: Sequence[Result], level: float = LEVEL) -> tuple[str, ...]:
    """Tests that fail, the strongest first: certain ones, then by Holm's rule."""
    certain = [r.test for r in given if r.test in CERTAIN_TESTS and r.p is not None and r.p <= CERTAIN_P]
    tested = {r.test: r.p for r in given if r.test not in CERTAIN_TESTS and r.p is not None}
    return (*certain, *holm(tested, level).rejected)


def _alarms(job: tuple[str, int, int, int]) -> tuple[str, ...]:
    return alarms(results(*job))


# ----- prediction -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Decks that the best single test needs, and which test that is."""

    decks: float
    test: str


def predict(pilot: Sequence[Result]) -> Prediction | None:
    """From the effects of one large sample; None where no test is sure of one."""
    best: Prediction | None = None
    for result in pilot:
        if result.test not in DECK_TESTS or result.p is None or result.effect is None or result.p > PILOT_P:
            continue
        test = DECK_TESTS[result.test]
        counted = decks_needed(test, result.effect, LEVEL / len(DECK_TESTS), probability=SHARE_FOUND)
        decks = counted
        for _ in range(3):  # a sub-sampled test needs more decks shuffled than it counts
            decks = counted * sub_sample(test.every, decks)
        if best is None or decks < best.decks:
            best = Prediction(decks=float(decks), test=result.test)
    return best


# ----- the ladder -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Row:
    """One defect's line of the table."""

    what: str
    predicted: float
    predicted_by: str
    found_at: int | None
    found: int
    tried: int
    found_by: str
    as_predicted: bool


def allowed(predicted: float) -> float:
    """The first step of the ladder at or above twice the prediction."""
    return next((step for step in LADDER if step >= 2 * predicted), math.inf)


def climb(
    defect: Defect, pool: ProcessPoolExecutor, *, top: int = TOP, seed: int = SEED, pilot: int = PILOT,
    tries: Callable[[int], int] = replicates, say: Callable[[str], None] = lambda _: None,
) -> Row:  # fmt: skip
    """Predict, then climb until found or at the top."""
    measured = predict(pool.submit(results, defect.kernel, pilot, seed, 0).result())
    predicted, by = (measured.decks, measured.test) if measured else (math.inf, "no test")
    if defect.stated is not None and (measured is None or defect.stated < predicted):
        predicted, by = defect.stated, defect.why
    found, tried, names = 0, 0, Counter[str]()
    for step in (step for step in LADDER if step <= top):
        tried = tries(step)
        jobs = [(defect.kernel, step, seed, 1_000_000 * (1 + LADDER.index(step)) + n) for n in range(tried)]
        caught = [names_ for names_ in pool.map(_alarms, jobs) if names_]
        found, names = len(caught), Counter(each[0] for each in caught)
        say(f"  {defect.what}: {step:,} decks, {found} of {tried}")
        if found >= SHARE_FOUND * tried:
            return Row(
                what=defect.what, predicted=predicted, predicted_by=by, found_at=step, found=found, tried=tried,
                found_by=names.most_common(1)[0][0], as_predicted=step <= allowed(predicted),
            )  # fmt: skip
    return Row(
        what=defect.what, predicted=predicted, predicted_by=by, found_at=None, found=found, tried=tried,
        found_by="", as_predicted=allowed(predicted) > top,
    )  # fmt: skip


def report(rows: Sequence[Row], top: int) -> str:
    def number(decks: float) -> str:
        return "never" if math.isinf(decks) else f"{decks:,.0f}" if decks < 1e7 else f"{decks:.1e}"

    lines = [
        f"Level {LEVEL:.0%} for the whole battery of {len(DECK_TESTS)} tests by Holm's rule; decks shuffled from "
        f"factory order, ladder to {top:,}. A defect is found when at least {SHARE_FOUND:.0%} of the replicates alarm. "
        "Predicted: decks that the best single test needs for that at its share of the level.",
        "",
        "| defect | predicted | by | found at | replicates | most often first | within 2× |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        found = f"{row.found_at:,}" if row.found_at is not None else f"not to {top:,}"
        lines.append(
            f"| {row.what} | {number(row.predicted)} | {row.predicted_by} | {found} | {row.found} of {row.tried} "
            f"| {row.found_by} | {'yes' if row.as_predicted else 'NO'} |"
        )
    wrong = [row.what for row in rows if not row.as_predicted]
    lines += ["", f"Not as predicted: {', '.join(wrong)}." if wrong else "Every defect is as predicted."]
    return "\n".join(lines)


def _say(line: str) -> None:
    print(line, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="How many decks each planted defect needs until it is found.")
    parser.add_argument("--defect", action="append", help="only defects with this in their name; nothing is recorded")
    parser.add_argument("--top", type=int, default=TOP, help="last step of the ladder")
    parser.add_argument("--pilot", type=int, default=PILOT)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    chosen = [d for d in DEFECTS if asked.defect is None or any(part in d.what for part in asked.defect)]
    rows = []
    with ProcessPoolExecutor(asked.processes) as pool:
        for defect in chosen:
            began = time.monotonic()
            rows.append(climb(defect, pool, top=asked.top, seed=asked.seed, pilot=asked.pilot, say=_say))
            print(f"{rows[-1]}  {time.monotonic() - began:.0f} s", flush=True)
    body = report(rows, asked.top)
    print(body)
    if asked.defect is None:
        evidence.record("sensitivity", command="make proof-sensitivity", seed=asked.seed, body=body)
    return 0 if all(row.as_predicted for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
