"""The tests that gaming standards name, on drawn numbers, as one table; and all of them counted together."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from randomness.draws.accumulator import Accumulator, checked
from randomness.draws.correlations import InterplayCorrelation, SerialCorrelation
from randomness.draws.frequencies import Adjacency, Frequency, Overlaps, SerialPairs, SubSequences
from randomness.draws.groups import Duplicates, LargestOfFive, Permutation, Poisson, Poker, SmallestOfFive
from randomness.draws.kolmogorov import KolmogorovSmirnov
from randomness.draws.spectral import Spectral
from randomness.draws.waiting import CouponCollector, Gap, RunsAboutTheMiddle, RunsDown, RunsUp
from randomness.errors import DrawsError
from randomness.result import Null, Result


@dataclass(frozen=True, kw_only=True)
class DrawTest:
    """One test: what it sees, the clauses that name it, and how to count it."""

    name: str
    clauses: tuple[str, ...]
    sees: str
    law: str
    make: type[Accumulator]

    @property
    def null(self) -> Null:
        """How its p-value is known."""
        return self.make.null

    @property
    def least_bound(self) -> int:
        """It says nothing about numbers below a smaller bound."""
        return self.make.least_bound

    def least_draws(self, bound: int) -> int:
        """The draws from which on it gives a p-value, for numbers below the bound."""
        return self.accumulator(bound).least_draws

    def accumulator(self, bound: int) -> Accumulator:
        """Nothing counted yet."""
        return self.make(bound)  # type: ignore[call-arg]


# Clauses. GLI-19 v3.0 3.2.2 and GLI-11 suggest: chi-square, overlaps, coupon collector, runs, interplay correlation,
# serial correlation, duplicates. 25 CFR 547.14 and 58 Pa. Code 810a.5 list the others; N.J.A.C. 13:69E-1.28G asks for
# chi-square and runs; A.R.S.D. 48:02:08:02 for chi-square by position, runs, and correlation of positions and games.
_GLI = "GLI-19 3.2.2"
_CFR = "25 CFR 547.14"
_PA = "58 Pa. Code 810a.5"
_NJ = "N.J.A.C. 13:69E-1.28G"
_SD = "A.R.S.D. 48:02:08:02"


def _row(make: type[Accumulator], clauses: tuple[str, ...], sees: str, law: str) -> DrawTest:
    return DrawTest(name=make.name, clauses=clauses, sees=sees, law=law, make=make)


# fmt: off
TESTS: tuple[DrawTest, ...] = (
    _row(Frequency,            (_GLI, _CFR, _PA, _NJ, _SD), "a number too often or too rarely",
         "equal chances"),
    _row(KolmogorovSmirnov,    (_PA,),                  "a drift of the whole scale up or down",
         "Brownian bridge seen between cells"),
    _row(SerialPairs,          (_CFR, _PA),             "a number that prefers to follow another",
         "equal chances"),
    _row(Overlaps,             (_GLI, _PA),             "a draw that depends on the two before",
         "Good's difference of chi-squares"),
    _row(Adjacency,            (_PA,),                  "a step from draw to draw too often or too rarely",
         "equal chances"),
    _row(SubSequences,         (_CFR, _PA),             "a number favoured at every n-th draw, n dividing 12",
         "equal chances in each sub-sequence"),
    _row(Gap,                  (_CFR, _PA),             "a number that comes back too soon or too late",
         "geometric"),
    _row(CouponCollector,      (_GLI, _CFR, _PA),       "some numbers held back, or all dealt out in turn",
         "Stirling numbers"),
    _row(RunsUp,               (_GLI, _CFR, _PA, _NJ, _SD), "draws that rise too long or too short",
         "C(bound, r) / bound^r rise r times"),
    _row(RunsDown,             (_GLI, _CFR, _PA, _NJ, _SD), "draws that fall too long or too short",
         "C(bound, r) / bound^r fall r times"),
    _row(RunsAboutTheMiddle,   (_GLI, _CFR, _PA, _NJ, _SD), "draws that stay high or low too long or too short",
         "geometric, 1/2"),
    _row(Poker,                (_CFR, _PA),             "hands of five draws with wrong frequencies",
         "partitions of five"),
    _row(Permutation,          (_CFR, _PA),             "an order of four draws too often or too rarely",
         "1/24 each"),
    _row(LargestOfFive,        (_PA,),                  "high numbers too close together or too far apart",
         "((v + 1)^5 - v^5) / k^5"),
    _row(SmallestOfFive,       (_PA,),                  "low numbers too close together or too far apart",
         "((v + 1)^5 - v^5) / k^5 from above"),
    _row(Duplicates,           (_GLI,),                 "repeats within a group, too many or too few",
         "occupancy"),
    _row(Poisson,              (_PA,),                  "numbers that come in bursts, or too regularly",
         "binomial, nearly Poisson"),
    _row(InterplayCorrelation, (_GLI, _PA, _SD),        "draws of one game that move together",
         "independent correlations"),
    _row(SerialCorrelation,    (_GLI, _CFR, _PA, _SD),  "a draw that moves with one of the sixteen before",
         "independent correlations"),
    _row(Spectral,             (_CFR,),                 "a rhythm of 2 to 1,024 draws",
         "exponential power"),
)
# fmt: on


def named(name: str) -> DrawTest:
    """The test of that name."""
    for test in TESTS:
        if test.name == name:
            return test
    raise DrawsError(f"no such test: {name}; there are {', '.join(test.name for test in TESTS)}")


class DrawTallies:
    """Several tests counted over the same draws; merges and keeps as one."""

    def __init__(self, bound: int, names: Iterable[str] | None = None) -> None:
        chosen = [test.name for test in TESTS] if names is None else list(names)
        self.bound = bound
        self.tests = {name: named(name).accumulator(bound) for name in chosen}

    def update(self, draws: ArrayLike) -> None:
        """Count the next draws of the sequence in every test."""
        good = checked(draws, self.bound)
        for test in self.tests.values():
            test.feed(good)

    def merge(self, other: "DrawTallies") -> None:
        """Add what another object counted over another sequence."""
        if list(other.tests) != list(self.tests):
            raise DrawsError("only counts of the same tests can be merged")
        for name, test in self.tests.items():
            test.merge(other.tests[name])

    def to_state(self) -> dict[str, Any]:
        """Everything, as plain values."""
        return {"bound": self.bound, "tests": {name: test.to_state() for name, test in self.tests.items()}}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "DrawTallies":
        """The object that gave the state."""
        made = cls(int(state["bound"]), ())
        made.tests = {name: named(name).make.from_state(kept) for name, kept in state["tests"].items()}
        return made

    def evaluate(self) -> tuple[Result, ...]:
        """The result of every test, in the order of the table."""
        return tuple(test.evaluate() for test in self.tests.values())
