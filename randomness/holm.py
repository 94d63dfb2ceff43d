"""Many p-values, one verdict: Holm's step-down rule, which holds whatever the dependence between the tests.

S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979) 65–70.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Collective:
    """The verdict on all tests together: passed when nothing is rejected at the family-wise level."""

    level: float
    tests: int
    adjusted: Mapping[str, float]
    rejected: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is rejected."""
        return not self.rejected


def holm(p_values: Mapping[str, float], level: float) -> Collective:
    """Adjusted p-values by name, lowest first, and the names rejected at `level` for the whole family."""
    ordered = sorted(p_values.items(), key=lambda item: item[1])
    adjusted: dict[str, float] = {}
    highest = 0.0
    for place, (name, p) in enumerate(ordered):
        highest = min(1.0, max(highest, p * (len(ordered) - place)))
        adjusted[name] = highest
    rejected = tuple(name for name, p in adjusted.items() if p <= level)
    return Collective(level=level, tests=len(ordered), adjusted=adjusted, rejected=rejected)


def chance_of_an_alarm(tests: int, level: float) -> float:
    """How often at least one of so many independent tests alarms on ideal data when each is read at `level` alone."""
    return float(1.0 - (1.0 - level) ** tests)
