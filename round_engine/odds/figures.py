"""What is known of a wager: every outcome with its exact number of ways, and the figures that follow from them.

Money is exact: cents as fractions, so that a pay of 3 to 2 on a stake of one unit loses nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt

from round_engine.money import Cents
from round_engine.rules.ruleset import WagerName


@dataclass(frozen=True, kw_only=True)
class WagerEnd:
    """One way a wager can end."""

    name: str
    pays: str
    """As the rules say it: `40 to 1`, `push`, `100% of meter`."""
    ways: int
    net: Fraction
    """What the player is up or down by at the stake, in cents, all stakes of the wager counted."""
    hit: bool
    """Whether the rules pay something beside a returned stake."""


@dataclass(frozen=True, kw_only=True)
class MeterFigures:
    """Where a progressive wager's return comes from in the long run, as fractions of the wager."""

    contribution: Fraction
    """The share of each wager that the meter and its reserve take; all of it is won some day."""
    seeding: Fraction
    """The house's seed for the next meter, spread over the wagers between two top awards."""
    tray: Fraction
    """Awards that do not come off the meter."""
    envy: Fraction
    """Envy bonuses received for hands of `others`."""
    others: int
    seed: Cents
    top_probability: Fraction
    average_top: Fraction
    """The mean meter when it is won in full, in cents."""
    share_won: Fraction
    """The mean share of the meter that one wager wins."""
    break_even: Fraction | None
    """The meter, in cents, at which the next wager has no house advantage; None where nothing is paid from it."""

    def advantage_at(self, meter: int, denomination: int) -> Fraction:
        """The house advantage of the next wager while the meter stands at so many cents, the wager's share included."""
        return 1 - self.tray - self.envy - self.share_won * meter / denomination


@dataclass(frozen=True, kw_only=True)
class WagerOdds:
    """Everything exact about one wager on one paytable."""

    rule_set: str
    fingerprint: str = ""
    wager: WagerName
    paytable: str
    clause: str
    stake: Cents
    strategy: str | None = None
    deals: int
    outcomes: tuple[WagerEnd, ...]
    house_advantage: Fraction
    """The expected loss for each unit of the first stake."""
    variance: Fraction | None
    """Of the net result, in squared units of the first stake; None where it is not known exactly."""
    average_wager: Fraction = Fraction(1)
    """All stakes put up, in units of the first; more than one where a second is added after the cards are seen."""
    meter: MeterFigures | None = None
    designators: tuple[str, ...] = ()
    """Names under which a document lists this paytable together with another wager's: TCP-01 … TCP-12."""
    notes: tuple[str, ...] = ()

    @cached_property
    def hit_frequency(self) -> Fraction:
        """How often the wager wins."""
        return Fraction(sum(outcome.ways for outcome in self.outcomes if outcome.hit), self.deals)

    @cached_property
    def element_of_risk(self) -> Fraction:
        """The expected loss for each unit put up."""
        return self.house_advantage / self.average_wager

    @property
    def standard_deviation(self) -> float | None:
        return None if self.variance is None else sqrt(self.variance)

    def probability(self, outcome: WagerEnd) -> Fraction:
        return Fraction(outcome.ways, self.deals)


def expectation(outcomes: Iterable[WagerEnd], deals: int) -> Fraction:
    """The mean net result in cents."""
    return sum((outcome.net * outcome.ways for outcome in outcomes), Fraction(0)) / deals


def variance(outcomes: tuple[WagerEnd, ...], deals: int) -> Fraction:
    """The variance of the net result in squared cents."""
    mean = expectation(outcomes, deals)
    return sum((outcome.net**2 * outcome.ways for outcome in outcomes), Fraction(0)) / deals - mean**2
