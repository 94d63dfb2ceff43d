"""How our own battery answers a set: Holm's rule over all its tests at the stated level, certain tests first."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from randomness.decks import CERTAIN_TESTS, DeckBattery
from randomness.holm import holm
from randomness.proficiency.composing import Decks
from randomness.proficiency.plants import CARDS, LEVEL

CERTAIN_P = 1e-6
"""A certain test (integrity, repeats) fails below this."""
FACTORY = np.arange(CARDS, dtype=np.uint8)


class LabVerdict(StrEnum):
    """What a laboratory says of a set."""

    FAIR = "fair"
    DEFECTIVE = "defective"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, kw_only=True)
class SetAnswer:
    """One laboratory's answer to one set."""

    name: str
    said: LabVerdict
    because: str = ""
    """The test that found it, or any other remark."""


def answer_set(name: str, blocks: Iterable[Decks], *, compiled: bool | None = None) -> SetAnswer:
    """Count a set and judge it."""
    battery = DeckBattery(compiled=compiled)
    for decks in blocks:
        battery.update(decks, FACTORY)
    results = battery.evaluate()
    certain = [one.test for one in results if one.test in CERTAIN_TESTS and one.p is not None and one.p <= CERTAIN_P]
    tested = {one.test: one.p for one in results if one.test not in CERTAIN_TESTS and one.p is not None}
    found = [*certain, *holm(tested, LEVEL).rejected]
    return SetAnswer(
        name=name, said=LabVerdict.DEFECTIVE if found else LabVerdict.FAIR, because=found[0] if found else ""
    )
