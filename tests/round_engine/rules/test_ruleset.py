"""Pay rows and what they come to."""

from fractions import Fraction

import pytest

from round_engine.errors import RuleError
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import Hand, Pay, PayRow
from round_engine.wagers import WAGERS


@pytest.mark.parametrize(
    ("pay", "value", "per", "paid", "text", "returns", "wins"),
    [
        (Pay.TO_ONE, 1000, 1, 505_000, "1,000 to 1", True, True),
        (Pay.FOR_ONE, 3, 2, 757, "3 for 2", False, True),
        (Pay.METER, 25, 1, 3, "25% of meter", False, True),
        (Pay.AMOUNT, 200_050, 1, 200_050, "$2,000.50", False, True),
        (Pay.AMOUNT, 5_000, 1, 5_000, "$50", False, True),
        (Pay.PUSH, 0, 1, 0, "push", True, False),
        (Pay.NOTHING, 0, 1, 0, "nothing", False, False),
    ],
)
def test_a_row(pay: Pay, value: int, per: int, paid: int, text: str, returns: bool, wins: bool) -> None:
    row = PayRow(hand=Hand.PAIR, pay=pay, value=value, per=per, clause="here")
    assert (row.paid(505, meter=15), str(row), row.returns_stake, row.wins) == (paid, text, returns, wins)
    assert row.label == f"pair {text}"


def test_odds_are_a_fraction() -> None:
    assert PayRow(hand=Hand.PAIR, pay=Pay.TO_ONE, value=3, per=2, clause="here").odds == Fraction(3, 2)


def test_a_wager_that_is_not_on_the_layout_has_no_paytable() -> None:
    rules = load("ten-dollar-house")
    assert not WAGERS["progressive"].is_offered(rules)
    assert WAGERS["play"].is_offered(rules)
    with pytest.raises(RuleError, match="has no progressive wager on this layout"):
        rules.paytable("progressive")


def test_a_row_that_is_not_there() -> None:
    assert load("south-dakota").paytable("pair_plus").row(Hand.AKQ_SPADES) is None
