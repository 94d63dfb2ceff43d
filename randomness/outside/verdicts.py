"""What an outside engine said, as values."""

import math
from dataclasses import dataclass
from enum import Enum

from randomness.result import Null, Outcome, Result


class ToolAssessment(Enum):
    """dieharder's words, used for all engines."""

    PASSED = "passed"
    WEAK = "weak"
    FAILED = "failed"


# dieharder's own limits, on either side: weak below 0.005, failed below 0.000001 (its options -W and -X).
_WEAK = 0.005
_FAILED = 0.000001


def assess(p: float) -> ToolAssessment:
    """The word for a p-value whose both ends are bad news."""
    extreme = min(p, 1.0 - p)
    if extreme < _FAILED:
        return ToolAssessment.FAILED
    return ToolAssessment.WEAK if extreme < _WEAK else ToolAssessment.PASSED


@dataclass(frozen=True, kw_only=True)
class OutsideVerdict:
    """One test of one engine; `p` is None where there is none, and `two_sided` where both its ends are bad news."""

    test: str
    p: float | None
    assessment: ToolAssessment
    detail: str = ""
    two_sided: bool = True

    def p_value(self) -> float | None:
        """p such that only small values are bad news."""
        if self.p is None or math.isnan(self.p):
            return None
        return min(1.0, 2.0 * min(self.p, 1.0 - self.p)) if self.two_sided else self.p


@dataclass(frozen=True, kw_only=True)
class OutsideRun:
    """One call of one engine. `unmet` says why there are no verdicts, or not all."""

    engine: str
    version: str
    command: tuple[str, ...]
    bytes_fed: int
    seconds: float
    verdicts: tuple[OutsideVerdict, ...]
    unmet: tuple[str, ...] = ()

    @property
    def worst(self) -> ToolAssessment | None:
        """The worst word of all verdicts."""
        order = (ToolAssessment.FAILED, ToolAssessment.WEAK, ToolAssessment.PASSED)
        said = {verdict.assessment for verdict in self.verdicts}
        return next((word for word in order if word in said), None)

    def results(self) -> tuple[Result, ...]:
        """The same in the shape of every other test; names that an engine gives twice are numbered."""
        if not self.verdicts:
            return (Result(test=self.engine, outcome=Outcome.NOT_APPLICABLE, samples=self.bytes_fed, unmet=self.unmet),)
        seen: dict[str, int] = {}
        results = []
        for verdict in self.verdicts:
            seen[verdict.test] = seen.get(verdict.test, 0) + 1
            number = f"#{seen[verdict.test]}" if seen[verdict.test] > 1 else ""
            p = verdict.p_value()
            results.append(
                Result(
                    test=f"{self.engine}/{verdict.test}{number}",
                    outcome=Outcome.TESTED if p is not None else Outcome.NOT_APPLICABLE,
                    samples=self.bytes_fed,
                    p=p,
                    null=None if p is None else Null.ASYMPTOTIC,
                    unmet=() if p is not None else ("the engine gives no p-value",),
                )
            )
        return tuple(results)
