"""The proficiency kit, answered by two laboratories: our battery, and a script with one chi-square test.

A kit is made on disk and answered twice, from its files alone. Our battery must find each planted defect as often as
its own power statements predict, and raise false alarms no more often than stated. The script, written without the
battery, shows that any laboratory can be scored. `python -m proofs.proficiency` writes docs/evidence/proficiency.md.
"""

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from proofs import evidence
from proofs.plan_alarms import most_alarms
from randomness.proficiency import PLANTS, KitScore, LabVerdict, PlantScore, SetAnswer, compose
from randomness.proficiency.scoring import share
from shuffler.lab.proficiency import answers_of, make_kit, read_answers, score_kit, write_answers

SEED = 20_261_118
SETS = 700
DECKS = 10_000
FAIR = 0.25
SCRIPT_LEVEL = 0.01
Say = Callable[[str], None]


def chi_square_laboratory(folder: Path) -> list[SetAnswer]:
    """Another laboratory: the chi-square of card by position and nothing else, by the normal approximation."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    answers = []
    for one in manifest["sets"]:
        path = folder / one["file"]
        decks = np.load(path) if path.suffix == ".npy" else np.loadtxt(path, dtype=np.uint8, delimiter=",")
        expected = len(decks) / 52
        counts = np.stack([np.bincount(decks[:, place], minlength=52) for place in range(52)])
        freedom = 51 * 51
        statistic = float(((counts - expected) ** 2).sum() / expected) * 51 / 52
        p = math.erfc((statistic - freedom) / math.sqrt(2 * freedom) / math.sqrt(2)) / 2
        said = LabVerdict.DEFECTIVE if p < SCRIPT_LEVEL else LabVerdict.FAIR
        answers.append(SetAnswer(name=one["name"], said=said, because=f"chi-square p {p:.3g}"))
    return answers


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Of both laboratories."""

    battery: KitScore
    script: KitScore

    @property
    def held(self) -> bool:
        """Our battery finds as predicted, by defect and in all, and its false alarms fit their level."""
        ours = self.battery
        in_all = ours.found.low <= ours.predicted <= ours.found.high
        quiet = ours.false_alarms.hits <= most_alarms(ours.false_alarms.of, ours.level)
        return in_all and quiet and all(map(wide, ours.plants))


def measure(folder: Path, *, sets: int, decks: int, fair: float = FAIR, form: str = "npy", say: Say) -> Scores:
    """Make a kit there, answer it twice through files, score both."""
    kit, key_file = folder / "kit", folder / "kit.key.json"
    make_kit(kit, key_file, compose(sets, decks, SEED, fair=fair), bytes(32), form=form, say=lambda _: None)
    say(f"  made {sets} sets")
    found = {}
    for name, answers in (
        ("battery", list(answers_of(kit, say=lambda _: None))),
        ("script", chi_square_laboratory(kit)),
    ):
        path = folder / f"{name}.csv"
        write_answers(path, answers)
        found[name] = score_kit(kit, key_file, read_answers(path))
        say(f"  {name}: {found[name].found}")
    return Scores(battery=found["battery"], script=found["script"])


def wide(one: PlantScore) -> bool:
    """Whether a prediction lies in an interval of which all of the table hold together at 95 %."""
    interval = share(one.found.hits, one.found.of, 1 - 0.05 / len(PLANTS))
    return interval.low <= one.predicted <= interval.high


def table(result: KitScore) -> list[str]:
    """One laboratory's score."""
    lines = [
        "| defect | sets | found | rate | 95 % interval | predicted | agrees |",
        "|---|---:|---:|---:|---|---:|---|",
    ]
    for one in result.plants:
        found = one.found
        lines.append(
            f"| {one.plant}: {one.what} | {found.of} | {found.hits} | {found.hits / found.of:.3f} "
            f"| {found.low:.3f} to {found.high:.3f} | {one.predicted:.3f} | {'yes' if one.agrees else 'no'} |"
        )
    found = result.found
    agrees = "yes" if found.low <= result.predicted <= found.high else "no"
    lines.append(
        f"| all defects | {found.of} | {found.hits} | {found.hits / found.of:.3f} "
        f"| {found.low:.3f} to {found.high:.3f} | {result.predicted:.3f} | {agrees} |"
    )
    alarms = result.false_alarms
    lines.append(
        f"| fair sets (false alarms) | {alarms.of} | {alarms.hits} | {alarms.hits / alarms.of:.3f} "
        f"| {alarms.low:.3f} to {alarms.high:.3f} | {result.level:.3f} or less "
        f"| {'yes' if alarms.low <= result.level else 'no'} |"
    )
    return lines


def report(scores: Scores, *, sets: int, decks: int) -> str:
    """The body of the record."""
    return "\n".join([
        f"A kit of {sets} sets of {decks:,} decks each, made and answered through its files. Predicted: the power that "
        "the battery states for its test of that defect, at its share of the family's level of 0.01; the sets have a "
        "predicted power of 0.5, 0.8 or 0.95. Intervals are exact (Clopper-Pearson), each at 95 %.",
        "",
        "## Our battery",
        "",
        *table(scores.battery),
        "",
        "## Another laboratory: a script with one chi-square test of card by position, level 0.01",
        "",
        "Predicted is our battery's power: what this laboratory misses by having one test.",
        "",
        *table(scores.script),
        "",
        "Seven intervals at 95 % miss one true value or more in 30 proofs of 100; together at 95 % they are wider: "
        f"{sum(wide(one) for one in scores.battery.plants)} of {len(scores.battery.plants)} defects agree at "
        f"{1 - 0.05 / len(scores.battery.plants):.1%} each.",
        "",
        f"Held: **{'yes' if scores.held else 'NO'}**.",
    ])  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=SETS)
    parser.add_argument("--decks", type=int, default=DECKS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scores = measure(Path(folder), sets=options.sets, decks=options.decks, say=lambda text: print(text, flush=True))
    body = report(scores, sets=options.sets, decks=options.decks)
    evidence.record("proficiency", command="python -m proofs.proficiency", seed=SEED, body=body)
    return 0 if scores.held else 1


if __name__ == "__main__":
    sys.exit(main())
