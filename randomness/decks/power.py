"""What a sample could have found: the least effect of each test, and the decks that an effect needs."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from randomness.decks.registry import deck_test
from randomness.decks.rows.base import DeckTest

# "Passed" is reported beside what would have been found with this probability.
REPORTED_POWER = 0.99


@dataclass(frozen=True, kw_only=True)
class Power:
    """The least effect that one test finds, at this level and sample size, with this probability."""

    test: str
    samples: int
    level: float
    power: float
    least_effect: float
    unit: str


def power(test: DeckTest | str, samples: int, level: float, *, probability: float = REPORTED_POWER) -> Power:
    """`samples` are the decks that the test counted (on a sub-sample fewer than were shuffled)."""
    row = deck_test(test) if isinstance(test, str) else test
    return Power(
        test=row.name,
        samples=samples,
        level=level,
        power=probability,
        least_effect=row.judge.least_effect(samples, level, probability),
        unit=row.unit,
    )


def power_table(samples: Iterable[tuple[str, int]], level: float) -> tuple[Power, ...]:
    """One row for each (test, decks it counted) with enough decks to be judged at all."""
    return tuple(power(name, many, level) for name, many in samples if many >= deck_test(name).least)


def decks_needed(test: DeckTest | str, effect: float, level: float, *, probability: float = 0.80) -> int:
    """Decks with which a true effect (in the test's unit) is found with that probability; never under its least."""
    row = deck_test(test) if isinstance(test, str) else test
    if effect == 0.0:
        return 2**62
    return max(row.least, math.ceil(min(row.judge.decks_for(abs(effect), level, probability), 2.0**62)))
