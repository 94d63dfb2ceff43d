"""The figures that the documents print, beside the exact ones.

Each row: where it is printed, what it speaks of, and how it is printed. The last digit printed is what it is rounded
to; averages of a top award are round numbers and marked as approximate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Final

from round_engine.errors import RuleError
from round_engine.odds.catalogue import odds_of
from round_engine.odds.figures import WagerOdds
from round_engine.rules.ruleset import RuleSet, WagerName


class Quantity(StrEnum):
    """What a printed figure measures."""

    HOUSE_ADVANTAGE = "house advantage"
    HIT_FREQUENCY = "hit frequency"
    TOP_ODDS = "one top award in"
    AVERAGE_TOP = "average top award"


class Agreement(StrEnum):
    """How a printed figure stands to the exact one."""

    AGREES = "agrees"
    APPROXIMATE = "approximate"
    DIFFERS = "differs"


@dataclass(frozen=True, kw_only=True)
class Printed:
    """One figure as a document prints it."""

    place: str
    wager: WagerName
    paytable: str
    quantity: Quantity
    text: str
    rounded_to: Decimal
    """One unit of the last digit that means something."""
    approximate: bool = False

    @property
    def value(self) -> Fraction:
        """In units: 3.37 % is 0.0337, $4,000 is 4000."""
        return Fraction(Decimal(self.text)) * self._unit

    @property
    def _unit(self) -> Fraction:
        return Fraction(1, 100) if self.quantity in (Quantity.HOUSE_ADVANTAGE, Quantity.HIT_FREQUENCY) else Fraction(1)

    @property
    def step(self) -> Fraction:
        """One unit of the last digit, in units of `value`."""
        return Fraction(self.rounded_to) * self._unit

    def shown(self) -> str:
        """As the document writes it."""
        return _SHOWN[self.quantity].format(Decimal(self.text))


_SHOWN: Final[Mapping[Quantity, str]] = {
    Quantity.HOUSE_ADVANTAGE: "{} %",
    Quantity.HIT_FREQUENCY: "{} %",
    Quantity.TOP_ODDS: "{:,} to 1",
    Quantity.AVERAGE_TOP: "${:,}",
}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A printed figure, the exact one, and what is between them."""

    printed: Printed
    exact: Fraction

    @property
    def difference(self) -> Fraction:
        return self.exact - self.printed.value

    @property
    def verdict(self) -> Agreement:
        if abs(self.difference) <= self.printed.step / 2:
            return Agreement.AGREES
        return Agreement.APPROXIMATE if self.printed.approximate else Agreement.DIFFERS

    @property
    def nearest(self) -> str:
        """The exact figure rounded as the printed one is, half a step upwards."""
        steps = (self.exact / self.printed.step + Fraction(1, 2)).__floor__()
        value = Decimal(steps) * self.printed.rounded_to
        return _SHOWN[self.printed.quantity].format(value)


def _row(
    place: str, wager: WagerName, paytable: str, quantity: Quantity, text: str, rounded_to: str = "",
    about: bool = False,
) -> Printed:
    digits = text.partition(".")[2]
    unit = Decimal(rounded_to) if rounded_to else Decimal(1).scaleb(-len(digits))
    return Printed(
        place=place, wager=wager, paytable=paytable, quantity=quantity, text=text, rounded_to=unit, approximate=about
    )


_ADVANTAGE, _HIT, _TOP, _AVERAGE = Quantity
_ANTE, _SIX, _PROGRESSIVE, _BAD_BEAT = "ante", "six_card_bonus", "progressive", "bad_beat"

# fmt: off
PRINTED: Final = (
    _row("004 Summary, Par per Ante", _ANTE, "TCP-01", _ADVANTAGE, "3.37"),
    _row("004 Summary, Par per Ante", _ANTE, "TCP-02", _ADVANTAGE, "3.37"),
    _row("004 Summary, Par per Ante", _ANTE, "TCP-03", _ADVANTAGE, "3.61"),
    _row("004 Summary, Par per Ante", _ANTE, "TCP-04", _ADVANTAGE, "3.61"),
    _row("004 Summary, Par per Ante", _ANTE, "TCP-05", _ADVANTAGE, "3.83"),
    _row("004 Summary, Par per Ante", _ANTE, "TCP-06", _ADVANTAGE, "3.83"),
    _row("004 Summary, Par per Ante", _ANTE, "TCP-07", _ADVANTAGE, "3.37"),
    _row("004 Summary, Par per Ante", _ANTE, "TCP-08", _ADVANTAGE, "3.61"),
    _row("004 Summary, Par per Ante", _ANTE, "TCP-09", _ADVANTAGE, "3.83"),
    _row("004 Summary, Par per Ante", _ANTE, "TCP-10", _ADVANTAGE, "3.37"),
    _row("004 Summary, Par per Ante", _ANTE, "TCP-11", _ADVANTAGE, "3.61"),
    _row("004 Summary, Par per Ante", _ANTE, "TCP-12", _ADVANTAGE, "3.83"),
    _row("004 6CB (4) and paytable page", _SIX, "TCP-6B1", _ADVANTAGE, "10.23"),
    _row("004 6CB (4) and paytable page", _SIX, "TCP-6B2", _ADVANTAGE, "15.28"),
    _row("004 6CB (4) and paytable page", _SIX, "TCP-6B3", _ADVANTAGE, "6.74"),
    _row("004 6CB (4) and paytable page", _SIX, "TCP-6B4", _ADVANTAGE, "8.56"),
    _row("004 6CB (4)",                   _SIX, "TCP-6B1", _HIT, "7.2798"),
    _row("004 6CB (4)",                   _SIX, "TCP-6B2", _HIT, "7.2798"),
    _row("004 6CB (4)",                   _SIX, "TCP-6B3", _HIT, "7.2798"),
    _row("004 6CB (4)",                   _SIX, "TCP-6B4", _HIT, "7.2798"),
    _row("004 6CB paytable page",         _SIX, "TCP-6B1", _HIT, "7.28"),
    _row("004 6CB paytable page",         _SIX, "TCP-6B2", _HIT, "7.28"),
    _row("004 6CB paytable page",         _SIX, "TCP-6B3", _HIT, "7.28"),
    _row("004 6CB paytable page",         _SIX, "TCP-6B4", _HIT, "7.28"),
    _row("004 GM (3), Nexus (3), last page (Hold)", _PROGRESSIVE, "1", _ADVANTAGE, "22.33"),
    _row("004 GM (3), Nexus (3), last page (Hold)", _PROGRESSIVE, "2", _ADVANTAGE, "22.85"),
    _row("004 GM (3), Nexus (3)",            _PROGRESSIVE, "1", _HIT, "3.72"),
    _row("004 last page",                    _PROGRESSIVE, "1", _HIT, "3.71"),
    _row("004 GM (3), Nexus (3), last page", _PROGRESSIVE, "2", _HIT, "0.45"),
    _row("004 GM (3), Nexus (3)",            _PROGRESSIVE, "1", _TOP, "22100"),
    _row("004 GM (3), Nexus (3)",            _PROGRESSIVE, "2", _TOP, "22100"),
    _row("004 GM (3), Nexus (3)",            _PROGRESSIVE, "1", _AVERAGE, "4000", "1000", about=True),
    _row("004 GM (3), Nexus (3)",            _PROGRESSIVE, "2", _AVERAGE, "5000", "1000", about=True),
    _row("003 (3)", _BAD_BEAT, "TCP-BBP01", _ADVANTAGE, "24.4"),
    _row("003 (3)", _BAD_BEAT, "TCP-BBP01", _HIT, "6.59"),
    _row("003 (3)", _BAD_BEAT, "TCP-BBP01", _TOP, "514000", "1000"),
    _row("003 (3)", _BAD_BEAT, "TCP-BBP01", _AVERAGE, "105000", "1000", about=True),
)
# fmt: on

REMARKS: Final[Mapping[tuple[str, str, str], str]] = {
    ("TCP-6B1", _ADVANTAGE, "10.23"): "10.22479 % rounds to 10.22 %, the last printed digit is off",
    ("1", _HIT, "3.72"): "a misprint, 820 of 22,100 hands; the last page of the same document has 3.71 %",
}
"""What to say of a figure that does not agree, by paytable, quantity and text."""


def compare(rules: RuleSet) -> list[Comparison]:
    """Every printed figure against its exact value, under rules that offer all the paytables they speak of."""
    known: dict[tuple[WagerName, str], WagerOdds] = {}
    comparisons: list[Comparison] = []
    for printed in PRINTED:
        key = printed.wager, printed.paytable
        if key not in known:
            (known[key],) = odds_of(rules, *key)
        comparisons.append(Comparison(printed=printed, exact=_exact(known[key], printed.quantity)))
    return comparisons


def _exact(odds: WagerOdds, quantity: Quantity) -> Fraction:
    if quantity is Quantity.HOUSE_ADVANTAGE:
        return odds.house_advantage
    if quantity is Quantity.HIT_FREQUENCY:
        return odds.hit_frequency
    if odds.meter is None:
        raise RuleError(f"{odds.wager} {odds.paytable} has no meter")
    return 1 / odds.meter.top_probability if quantity is Quantity.TOP_ODDS else odds.meter.average_top / 100
