"""What a laboratory's statistician would plant: defects of time, dispersion, repeats and single places.

Two parts. Named: each defect in files of 50,000 decks (a repeated deck in 10^6), ten seeds, certified as
`shuffler certify --from` would by plan `standard`; nine of ten must fail, and where a place is known it must be named.
Ladder: decks that the best single test needs for the defect (from a pilot sample, or stated), and the step of a ladder
of half decades at which the battery finds it by Holm's rule; the first step at or above twice the prediction is the
latest allowed.

`python -m proofs.laboratory` runs in full and writes docs/evidence/laboratory.md; `--defect` picks a few, `--seeds`
makes it smaller, `--keep FILE` writes each finished row down and goes on from there.
"""

import argparse
import json
import math
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from proofs import evidence
from proofs.lab_defects import DEFECTS, LONG, LabDefect, defect_of
from proofs.sensitivity import LADDER, LEVEL, SHARE_FOUND, Rung, alarms, allowed, climb_ladder, predict
from randomness.certification import Run, certify, load_plan, local_engine
from randomness.certification.recorded import Recorded
from randomness.certification.runs import RecordedSubject
from randomness.decks import DeckBattery
from randomness.result import Result

PLAN = "standard"
SEED = 20_261_117
SEEDS = 10
MOST_MISSED = 0.1
PILOT = 200_000
TRIES = 5
TOP = 316_228

Say = Callable[[str], None]


# ----- one file -------------------------------------------------------------------------------------------------------


def certified(job: tuple[str, int, int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a certification of so many decks with this defect rejects, and the places it names."""
    what, decks, seed = job
    made = defect_of(what).make(decks, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "decks.npz"
        inputs = {} if made.inputs is None else {"inputs": made.inputs}
        np.savez(path, decks=made.decks, **inputs)
        plan = replace(load_plan(PLAN), controls=())
        if decks >= LONG:  # what comes twice is found by checks that belong to every plan
            plan = replace(plan, deck_tests=plan.deck_tests[:3], draw_tests=())
        record = certify(Run(plan=plan, subject=RecordedSubject(recorded=Recorded(str(path)))), local_engine(1))
    places = tuple(found.place for place in record.where_to_look for found in place.findings)
    broken = [place.test for place in record.where_to_look if "repeated-" in place.test]
    return (*broken, *record.verdict.rejected), places


def results(job: tuple[str, int, int]) -> tuple[Result, ...]:
    """The deck battery's results alone."""
    what, decks, seed = job
    made = defect_of(what).make(decks, seed)
    battery = DeckBattery(planned=decks)
    battery.update(made.decks, made.inputs)
    return battery.evaluate()


def deck_alarms(job: tuple[str, int, int]) -> tuple[str, ...]:
    """Tests that fail on one file."""
    return alarms(results(job))


# ----- named sizes ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Named:
    """One defect at its named size."""

    what: str
    decks: int
    found: int
    located: int
    tried: int
    by: str

    @property
    def good(self) -> bool:
        """At least nine of ten found, and located where there is a place."""
        enough = self.tried - math.floor(MOST_MISSED * self.tried)
        return self.found >= enough and (self.located < 0 or self.located >= enough)


def named(defect: LabDefect, pool: ProcessPoolExecutor, *, seeds: int, seed: int, say: Say) -> Named:
    """So many files of the named size."""
    jobs = [(defect.what, defect.decks, seed + number) for number in range(seeds)]
    names, found, located = Counter[str](), 0, 0
    for number, (rejected, places) in enumerate(pool.map(certified, jobs), start=1):
        if rejected:
            found += 1
            names[rejected[0].partition(": ")[2]] += 1
            located += any(defect.place in place for place in places)
        say(f"  {defect.what}: {number} files, {found} found, {located} located")
    by = names.most_common(1)[0][0] if names else ""
    return Named(what=defect.what, decks=defect.decks, found=found, located=located if defect.place else -1,
                 tried=seeds, by=by)  # fmt: skip


# ----- the ladder -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Climbed:
    """One defect on the ladder."""

    what: str
    predicted: float
    predicted_by: str
    found_at: int | None
    found: int
    tried: int
    by: str
    as_predicted: bool


def climbed(defect: LabDefect, pool: ProcessPoolExecutor, *, seed: int, tries: int, top: int, pilot: int,
            say: Say) -> Climbed:  # fmt: skip
    """Predict, then climb."""
    predicted, why = defect.stated, defect.why
    if predicted is None:
        foreseen = predict(pool.submit(results, (defect.what, pilot, seed - 1)).result())
        predicted, why = (math.inf, "no test") if foreseen is None else (foreseen.decks, foreseen.test)
    ladder = [step for step in LADDER if step <= top]

    def stand(step: int) -> Rung:
        names, found = Counter[str](), 0
        for caught in pool.map(deck_alarms, [(defect.what, step, seed + 1_000 * step + n) for n in range(tries)]):
            if caught:
                found += 1
                names[caught[0]] += 1
        say(f"  {defect.what}: {step:,} decks, {found} of {tries} (predicted {predicted:,.0f})")
        return Rung(size=step, found=found, tried=tries, by=names.most_common(1)[0][0] if names else "")

    rung = climb_ladder(predicted, ladder, stand)
    return Climbed(
        what=defect.what, predicted=predicted, predicted_by=why, found_at=rung.size if rung.seen else None,
        found=rung.found, tried=rung.tried, by=rung.by, as_predicted=rung.seen and rung.size <= allowed(predicted),
    )  # fmt: skip


# ----- the record -----------------------------------------------------------------------------------------------------


def report(rows: Sequence[Named], steps: Sequence[Climbed]) -> str:
    """The body of the record."""
    wrong = [row.what for row in rows if not row.good] + [row.what for row in steps if not row.as_predicted]
    lines = [
        f"Files certified by plan `{PLAN}` (level 1 % for the whole family) as `shuffler certify --from` does; those "
        f"of {LONG:,} decks with three of its deck tests, since decks that come twice are looked for by every plan. "
        "Found: the run fails. Located: a place to look at names it.",
        "",
        "| defect | decks | found | located | most often first |",
        "|---|---:|---|---|---|",
    ]
    for row in rows:
        located = "" if row.located < 0 else f"{row.located} of {row.tried}"
        lines.append(f"| {row.what} | {row.decks:,} | {row.found} of {row.tried} | {located} | {row.by} |")
    lines += [
        "",
        f"The ladder: decks that the best single test needs for {SHARE_FOUND:.0%}, and where the battery finds it by "
        f"Holm's rule at {LEVEL:.0%}; allowed is the first step at or above twice the prediction.",
        "",
        "| defect | predicted | by | found at | replicates | most often first | within 2× |",
        "|---|---:|---|---:|---|---|---|",
    ]
    for step in steps:
        at = "not found" if step.found_at is None else f"{step.found_at:,}"
        lines.append(
            f"| {step.what} | {step.predicted:,.0f} | {step.predicted_by} | {at} | {step.found} of {step.tried} "
            f"| {step.by} | {'yes' if step.as_predicted else 'NO'} |"
        )
    lines += ["", f"Not as it should be: {', '.join(wrong)}." if wrong else "Every defect is found as it should be."]
    return "\n".join(lines)


class Kept:
    """Finished rows in a file of JSON lines."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else []
        self._rows = {made["key"]: made["row"] for made in map(json.loads, lines)}

    def done(self, key: str, make: Callable[[], Named | Climbed]) -> dict[str, object]:
        """The row of that key, made now if it is not there yet."""
        if key not in self._rows:
            self._rows[key] = asdict(make())
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as out:
                    out.write(json.dumps({"key": key, "row": self._rows[key]}) + "\n")
        return dict(self._rows[key])


def _say(line: str) -> None:
    print(line, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Find what a laboratory's statistician would plant.")
    parser.add_argument("--defect", action="append", help="only defects with this in their name; nothing is recorded")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="files of the named size")
    parser.add_argument("--tries", type=int, default=TRIES, help="files on each step of the ladder")
    parser.add_argument("--top", type=int, default=TOP, help="last step of the ladder")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, help="write finished rows here, and go on from what is there")
    asked = parser.parse_args()
    chosen = [d for d in DEFECTS if asked.defect is None or any(part in d.what for part in asked.defect)]
    kept, began = Kept(asked.keep), time.monotonic()
    rows, steps = [], []
    with ProcessPoolExecutor(asked.processes) as pool:
        for defect in chosen:
            row = kept.done(
                f"named {defect.what}",
                lambda d=defect: named(d, pool, seeds=asked.seeds, seed=asked.seed, say=_say),  # type: ignore[misc]
            )
            rows.append(Named(**row))  # type: ignore[arg-type]
        for defect in chosen:
            if defect.ladder:
                step = kept.done(
                    f"ladder {defect.what}",
                    lambda d=defect: climbed(  # type: ignore[misc]
                        d, pool, seed=asked.seed, tries=asked.tries, top=asked.top, pilot=PILOT, say=_say
                    ),
                )
                steps.append(Climbed(**step))  # type: ignore[arg-type]
    body = report(rows, steps)
    print(body)
    print(f"{time.monotonic() - began:.0f} s", flush=True)
    if asked.defect is None:
        command = "make proof-laboratory"
        if (asked.seeds, asked.tries, asked.top) != (SEEDS, TRIES, TOP):
            command = f"python -m proofs.laboratory --seeds {asked.seeds} --tries {asked.tries} --top {asked.top}"
        evidence.record("laboratory", command=command, seed=asked.seed, body=body)
    good = all(row.good for row in rows) and all(step.as_predicted for step in steps)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
