"""What every judge can do: turn cells into a p-value, an effect with its interval, places to look, and a power."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from randomness.result import Finding, Null

Cells = NDArray[np.signedinteger[Any]]

# Intervals of effects are two-sided at this confidence.
CONFIDENCE = 0.99
CONFIDENCE_Z = 2.5758293035489004

MOST_FINDINGS = 5

_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_STEP = 0x9E3779B97F4A7C15
_WORD = 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The statistic and its p-value."""

    statistic: float
    p: float


@dataclass(frozen=True, kw_only=True)
class DeckEffect:
    """How far from the null, in the judge's unit, with its interval."""

    value: float
    low: float
    high: float


class Chance:
    """Uniform numbers for randomised p-values: a fixed function of the test and the data, so that a run repeats.

    SplitMix64 (Steele, Lea, Flood 2014).
    """

    def __init__(self, seed: int) -> None:
        self._state = seed & _WORD

    def uniform(self) -> float:
        """The next number strictly between 0 and 1."""
        self._state = (self._state + _STEP) & _WORD
        z = self._state
        z = ((z ^ (z >> 30)) * _MIX_1) & _WORD
        z = ((z ^ (z >> 27)) * _MIX_2) & _WORD
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53 + 2.0**-54


class Judge(Protocol):
    """Knows one law. Cells are those of one tally, `decks` how many decks went into it."""

    @property
    def null(self) -> Null: ...

    @property
    def unit(self) -> str: ...

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement: ...

    def effect(self, cells: Cells, decks: int) -> DeckEffect: ...

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]: ...

    def least_effect(self, decks: int, level: float, power: float) -> float:
        """The effect found with probability `power` at this level."""
        ...

    def decks_for(self, effect: float, level: float, power: float) -> float:
        """The number of decks with which that effect is found with probability `power` at this level."""
        ...


def strongest(findings: list[Finding]) -> tuple[Finding, ...]:
    """The few that stand out most."""
    return tuple(sorted(findings, key=lambda finding: -abs(finding.z))[:MOST_FINDINGS])
