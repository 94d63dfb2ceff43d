"""Sensitivity: how many decks each planted defect needs until it is found, and by which test.

Found means: in at least 80 % of the replicates Holm's rule over the whole battery rejects at the plan's level (1 %), or
a certain test (integrity, repeats) fails. Beside it stands the prediction: the effect of each test, measured once on a
separate large sample (or stated from theory, where no such sample could show it), turned into decks by that test's own
power function.

Each defect climbs a ladder of sample sizes, half a decade a step. Rungs that the prediction makes pointless are
skipped: the climb begins a decade below it and goes on until the defect is found; found at the first rung tried, it
goes down until it is not. What is predicted to be out of reach is tried at the top alone. A rung is left as soon as
too many of its replicates have missed.

`python -m proofs.sensitivity` runs in full and writes docs/evidence/sensitivity.md; `--defect` picks a few, `--top`
lowers the ladder, `--keep FILE` writes each finished row down and goes on from there.
"""

import argparse
import json
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from proofs import evidence, plots
from proofs.planted import BIT_DEFECTS, DEFECTS, BitDefect, Defect
from randomness.bits import BEYOND, TESTS, Bits
from randomness.bits.battery import BitBattery
from randomness.decks import CERTAIN_TESTS, DECK_TESTS, IN_FULL, DeckBattery, decks_needed
from randomness.holm import holm
from randomness.kernels import parse
from randomness.result import Result
from randomness.sources import make_source

LEVEL = 0.01
SHARE_FOUND = 0.80
SEED = 20_260_102
TOP = 10_000_000
LADDER = tuple(round(10 ** (half / 2)) for half in range(2, 15))
BIT_LADDER = tuple(round(10 ** (half / 2)) // 8 * 8 for half in range(6, 14))
BIT_REPLICATES = 20
PILOTS = (20_000, 200_000, 2_000_000)
PILOT_P = 1e-10
CERTAIN_P = 1e-6
CHUNK = 1 << 15
FACTORY = np.arange(52, dtype=np.uint8)

Say = Callable[[str], None]
Tries = Callable[[int], int]


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


def deck_alarms(job: tuple[str, int, int, int]) -> tuple[str, ...]:
    """The alarms of one replicate: kernel, decks, seed, stream."""
    return alarms(results(*job))


def bit_alarms(job: tuple[str, int, int, int]) -> tuple[str, ...]:
    """The same for the bit battery: generator, bits, seed, stream."""
    source, bits, seed, stream = job
    battery = BitBattery((*TESTS, *BEYOND))
    battery.add(Bits.from_bytes(make_source(source, seed=seed, stream=stream).generate(bits // 8)))
    return tuple(name.split(",")[0].split("/")[0] for name in battery.verdict(LEVEL).collective.rejected)


# ----- prediction -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Decks that the best single test needs, and which test that is."""

    decks: float
    test: str


def shuffled_for(counted: int, most: int) -> int:
    """Decks to shuffle so that a test with this sub-sample counts so many, in this and every longer run."""
    return counted if counted <= IN_FULL else IN_FULL + (counted - IN_FULL) * most


def predict(pilot: Sequence[Result]) -> Prediction | None:
    """From the effects of one large sample; None where no test is sure of one."""
    best: Prediction | None = None
    for result in pilot:
        if result.test not in DECK_TESTS or result.p is None or result.effect is None or result.p > PILOT_P:
            continue
        test = DECK_TESTS[result.test]
        counted = decks_needed(test, result.effect, LEVEL / len(DECK_TESTS), probability=SHARE_FOUND)
        decks = float(shuffled_for(counted, test.every))
        if best is None or decks < best.decks:
            best = Prediction(decks=decks, test=result.test)
    return best


def foresee(defect: Defect, pool: ProcessPoolExecutor, *, seed: int, pilots: Sequence[int]) -> Prediction:
    """What is stated, or what a pilot sample shows: larger ones until one holds ten times what it predicts."""
    stated = Prediction(decks=math.inf if defect.stated is None else defect.stated, test=defect.why or "no test")
    for pilot in pilots:
        if stated.decks * 10 <= pilot or (defect.stated is not None and pilot > pilots[0]):
            break
        measured = predict(pool.submit(results, defect.kernel, pilot, seed, 0).result())
        if measured is not None and measured.decks < stated.decks:
            stated = measured if defect.stated is None or measured.decks * 10 <= pilot else stated
            if measured.decks * 10 <= pilot:
                break
    return stated


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


@dataclass(frozen=True, kw_only=True)
class Rung:
    """What happened at one size."""

    size: int
    found: int
    tried: int
    by: str

    @property
    def seen(self) -> bool:
        return self.found >= SHARE_FOUND * self.tried > 0


def allowed(predicted: float, ladder: Sequence[int] = LADDER) -> float:
    """The first step of the ladder at or above twice the prediction."""
    return next((step for step in ladder if step >= 2 * predicted), math.inf)


def stand_on(size: int, jobs: Iterable[tuple[str, int, int, int]], tries: int, alarm: Callable[..., tuple[str, ...]],
             pool: ProcessPoolExecutor, abreast: int) -> Rung:  # fmt: skip
    """Replicates of one size, as many at a time as there are processes, until the misses decide or all are done."""
    most_misses = tries - math.ceil(SHARE_FOUND * tries)
    names = Counter[str]()
    found = done = 0
    for group in in_groups(jobs, abreast):
        for caught in pool.map(alarm, group):
            done += 1
            if caught:
                found += 1
                names[caught[0]] += 1
        if done - found > most_misses:
            break
    return Rung(size=size, found=found, tried=done, by=names.most_common(1)[0][0] if names else "")


def in_groups(jobs: Iterable[tuple[str, int, int, int]], size: int) -> Iterator[list[tuple[str, int, int, int]]]:
    """Lists of so many."""
    group: list[tuple[str, int, int, int]] = []
    for job in jobs:
        group.append(job)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group


def climb_ladder(predicted: float, ladder: Sequence[int], stand: Callable[[int], Rung]) -> Rung:
    """The lowest rung on which the defect is seen, or the top one where it is not."""
    if predicted > ladder[-1]:
        return stand(ladder[-1])
    start = next(place for place, step in enumerate(ladder) if step >= min(predicted / 10, ladder[-1]))
    rung = stand(ladder[start])
    if rung.seen:
        for step in reversed(ladder[:start]):
            lower = stand(step)
            if not lower.seen:
                break
            rung = lower
        return rung
    for step in ladder[start + 1 :]:
        rung = stand(step)
        if rung.seen:
            break
    return rung


def row(what: str, foreseen: Prediction, rung: Rung, ladder: Sequence[int]) -> Row:
    """The line of the table."""
    latest = allowed(foreseen.decks, ladder)
    return Row(
        what=what, predicted=foreseen.decks, predicted_by=foreseen.test, found_at=rung.size if rung.seen else None,
        found=rung.found, tried=rung.tried, found_by=rung.by if rung.seen else "",
        as_predicted=rung.size <= latest if rung.seen else latest > ladder[-1],
    )  # fmt: skip


def climb(
    defect: Defect, pool: ProcessPoolExecutor, *, top: int = TOP, seed: int = SEED, pilots: Sequence[int] = PILOTS,
    tries: Tries = replicates, abreast: int = 1, say: Say = lambda _: None,
) -> Row:  # fmt: skip
    """Predict, then climb until found or at the top."""
    ladder = [step for step in LADDER if step <= top]
    foreseen = foresee(defect, pool, seed=seed, pilots=pilots)

    def stand(step: int) -> Rung:
        many = tries(step)
        jobs = ((defect.kernel, step, seed, 1_000_000 * (1 + LADDER.index(step)) + n) for n in range(many))
        # Small replicates go out all at once: what a process is sent costs more than what it does.
        rung = stand_on(step, jobs, many, deck_alarms, pool, many if step <= 10_000 else abreast)
        say(f"  {defect.what}: {step:,} decks, {rung.found} of {rung.tried} (predicted {foreseen.decks:,.0f})")
        return rung

    return row(defect.what, foreseen, climb_ladder(foreseen.decks, ladder, stand), ladder)


def climb_bits(
    defect: BitDefect, pool: ProcessPoolExecutor, *, top: int = BIT_LADDER[-1], seed: int = SEED,
    tries: int = BIT_REPLICATES, say: Say = lambda _: None,
) -> Row:  # fmt: skip
    """The same in bits: one sequence a replicate, the fifteen tests and what stands beyond them."""
    ladder = [step for step in BIT_LADDER if step <= top]

    def stand(step: int) -> Rung:
        jobs = ((defect.source, step, seed, 1_000_000 * (1 + BIT_LADDER.index(step)) + n) for n in range(tries))
        rung = stand_on(step, jobs, tries, bit_alarms, pool, tries)
        say(f"  {defect.what}: {step:,} bits, {rung.found} of {rung.tried}")
        return rung

    foreseen = Prediction(decks=defect.predicted, test=defect.why)
    return row(defect.what, foreseen, climb_ladder(defect.predicted, ladder, stand), ladder)


# ----- the record -----------------------------------------------------------------------------------------------------


def _number(size: float) -> str:
    return "never" if math.isinf(size) else f"{size:,.0f}" if size < 1e7 else f"{size:.1e}"


def table(rows: Sequence[Row], top: int) -> list[str]:
    """One line a defect."""
    lines = [
        "| defect | predicted | by | found at | replicates | most often first | within 2× |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in rows:
        found = f"{one.found_at:,}" if one.found_at is not None else f"not to {top:,}"
        lines.append(
            f"| {one.what} | {_number(one.predicted)} | {one.predicted_by} | {found} | {one.found} of {one.tried} "
            f"| {one.found_by} | {'yes' if one.as_predicted else 'NO'} |"
        )
    return lines


def report(rows: Sequence[Row], bit_rows: Sequence[Row], top: int) -> str:
    """The body of the record."""
    wrong = [one.what for one in (*rows, *bit_rows) if not one.as_predicted]
    return "\n".join(
        [
            f"Level {LEVEL:.0%} for the whole battery of {len(DECK_TESTS)} tests by Holm's rule; decks shuffled from "
            f"factory order; ladder of half decades from {LADDER[0]} to {top:,}. A defect is found when at least "
            f"{SHARE_FOUND:.0%} of the replicates alarm. Predicted: decks that the best single test needs for that at "
            "its share of the level. Within 2×: found at the first step of the ladder at or above twice the prediction "
            "or lower, or predicted to be out of reach and not found.",
            "",
            "Skipped: rungs more than a decade below a prediction, unless the lowest one tried finds the defect (then "
            "down until it does not); all but the top one, for what is predicted to be out of reach. Replicates: 100 "
            "to 1,000 decks, 20 to 10^5, 10 to 10^6, 5 above; a rung is left once more than a fifth have missed.",
            "",
            "![predicted and found](sensitivity.svg)",
            "",
            *table(rows, top),
            "",
            f"Generators whose fault decks do not show, on the bit battery ({len(TESTS)} tests of SP 800-22 and "
            f"{len(BEYOND)} beyond, one sequence, Holm's rule at {LEVEL:.0%}); sizes in bits.",
            "",
            *table(bit_rows, BIT_LADDER[-1]),
            "",
            f"Not as predicted: {', '.join(wrong)}." if wrong else "Every defect is as predicted.",
        ]
    )


class Kept:
    """Finished rows in a file of JSON lines, so that a proof that was stopped goes on."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.rows: dict[str, Row] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                made = json.loads(line)
                self.rows[made["key"]] = Row(**made["row"])

    def done(self, key: str, make: Callable[[], Row]) -> Row:
        """The row of that key, made now if it is not there yet."""
        if key not in self.rows:
            self.rows[key] = made = make()
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as out:
                    out.write(json.dumps({"key": key, "row": asdict(made)}) + "\n")
        return self.rows[key]


def _say(line: str) -> None:
    print(line, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="How many decks each planted defect needs until it is found.")
    parser.add_argument("--defect", action="append", help="only defects with this in their name; nothing is recorded")
    parser.add_argument("--top", type=int, default=TOP, help="last step of the ladder")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, help="write finished rows here, and go on from what is there")
    asked = parser.parse_args()

    def chosen(what: str) -> bool:
        return asked.defect is None or any(part in what for part in asked.defect)

    kept, began = Kept(asked.keep), time.monotonic()
    with ProcessPoolExecutor(asked.processes) as pool:

        def decks(defect: Defect) -> Row:
            return climb(defect, pool, top=asked.top, seed=asked.seed, abreast=asked.processes, say=_say)

        def bits(defect: BitDefect) -> Row:
            return climb_bits(defect, pool, seed=asked.seed, say=_say)

        rows = [kept.done(d.kernel, lambda d=d: decks(d)) for d in DEFECTS if chosen(d.what)]  # type: ignore[misc]
        bit_rows = [kept.done(f"bits {d.source}", lambda d=d: bits(d)) for d in BIT_DEFECTS if chosen(d.what)]  # type: ignore[misc]
    body = report(rows, bit_rows, asked.top)
    print(body)
    print(f"{time.monotonic() - began:.0f} s", flush=True)
    if asked.defect is None:
        path = evidence.record("sensitivity", command="make proof-sensitivity", seed=asked.seed, body=body)
        points = [(one.what, one.predicted, one.found_at) for one in rows]
        path.with_suffix(".svg").write_text(plots.predicted_and_found(points, LADDER), encoding="utf-8")
    return 0 if all(one.as_predicted for one in (*rows, *bit_rows)) else 1


if __name__ == "__main__":
    raise SystemExit(main())
