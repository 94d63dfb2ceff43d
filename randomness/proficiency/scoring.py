"""Scoring: how many planted defects were found, by defect, against the power predicted; and how many false alarms."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from randomness.proficiency.answering import LabVerdict, SetAnswer
from randomness.proficiency.composing import KitKey, SetKey
from randomness.proficiency.errors import ProficiencyError
from randomness.proficiency.plants import LEVEL, PLANTS

CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class HitRate:
    """So many of so many, with the exact (Clopper-Pearson) interval."""

    hits: int
    of: int
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class PlantScore:
    """One kind of defect."""

    plant: str
    what: str
    found: HitRate
    predicted: float
    """Mean power predicted for these sets."""
    agrees: bool
    """Whether the predicted power lies in the interval."""


@dataclass(frozen=True, kw_only=True)
class KitScore:
    """A laboratory's score."""

    sets: int
    unanswered: tuple[str, ...]
    inconclusive: int
    found: HitRate
    predicted: float
    plants: tuple[PlantScore, ...]
    false_alarms: HitRate
    level: float
    """The battery's stated rate of false alarms, for which the powers are predicted."""

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def score(key: KitKey, answers: Iterable[SetAnswer]) -> KitScore:
    """Score answers; a set without an answer counts as not found, and as no false alarm."""
    said: dict[str, SetAnswer] = {}
    names = {one.name for one in key.sets}
    for answer in answers:
        if answer.name not in names:
            raise ProficiencyError(f"the kit has no set called {answer.name}")
        if answer.name in said:
            raise ProficiencyError(f"{answer.name} is answered twice")
        said[answer.name] = answer

    def alarm(one: SetKey) -> bool:
        return one.name in said and said[one.name].said is LabVerdict.DEFECTIVE

    planted = [one for one in key.sets if one.plant]
    fair = [one for one in key.sets if not one.plant]
    rows = []
    for kind in PLANTS:
        mine = [one for one in planted if one.plant == kind.name]
        if mine:
            found = share(sum(map(alarm, mine)), len(mine))
            predicted = math.fsum(one.power for one in mine) / len(mine)
            agrees = found.low <= predicted <= found.high
            rows.append(PlantScore(plant=kind.name, what=kind.what, found=found, predicted=predicted, agrees=agrees))
    return KitScore(
        sets=len(key.sets), unanswered=tuple(one.name for one in key.sets if one.name not in said),
        inconclusive=sum(one.said is LabVerdict.INCONCLUSIVE for one in said.values()),
        found=share(sum(map(alarm, planted)), len(planted)),
        predicted=math.fsum(one.power for one in planted) / max(1, len(planted)), plants=tuple(rows),
        false_alarms=share(sum(map(alarm, fair)), len(fair)), level=LEVEL,
    )  # fmt: skip


# ----- exact intervals ------------------------------------------------------------------------------------------------


def share(hits: int, of: int, confidence: float = CONFIDENCE) -> HitRate:
    """A share with its Clopper-Pearson interval."""
    tail = (1 - confidence) / 2
    low = 0.0 if hits == 0 else _root(lambda p: at_least(hits, of, p), tail)
    high = 1.0 if hits == of else 1 - _root(lambda p: at_least(of - hits, of, p), tail)
    return HitRate(hits=hits, of=of, low=low, high=high)


def at_least(hits: int, of: int, chance: float) -> float:
    """P(Binomial(of, chance) >= hits)."""
    if hits <= 0:
        return 1.0
    if chance <= 0 or chance >= 1:
        return float(chance >= 1)
    logs = (
        math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1)
        + k * math.log(chance) + (of - k) * math.log1p(-chance)
        for k in range(hits, of + 1)
    )  # fmt: skip
    return min(1.0, math.fsum(math.exp(one) for one in logs))


def _root(function: Any, wanted: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < wanted else (low, middle)
    return (low + high) / 2
