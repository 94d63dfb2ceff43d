"""SP 800-90B 5.2.5: is the longest repeated string longer than independent samples would have it?"""

import math
from dataclasses import dataclass

from randomness.assessment.chi_square import proportions
from randomness.assessment.samples import Series

LEVEL = 0.001


@dataclass(frozen=True, kw_only=True)
class LongestRepeat:
    """The longest string that occurs twice, and the chance that one so long does."""

    length: int
    collision_chance: float
    p: float

    @property
    def passed(self) -> bool:
        """At the level of the standard."""
        return self.p >= LEVEL


def longest_repeat(series: Series) -> LongestRepeat:
    """All pairs of strings of that length are taken as independent, as the standard does."""
    collision = math.fsum(share * share for share in proportions(series).tolist())
    length = int(series.engine.depths(series.values, series.alphabet).max(initial=0))
    strings = len(series) - length + 1
    equal = math.exp(length * math.log(collision)) if length else 1.0
    none = math.log1p(-equal) * (strings * (strings - 1) // 2) if equal < 1.0 else -math.inf
    return LongestRepeat(length=length, collision_chance=collision, p=-math.expm1(none))
