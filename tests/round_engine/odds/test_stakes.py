"""Unit stakes are exact; real ones are whole cents, limited and capped."""

from dataclasses import replace
from fractions import Fraction

import pytest

from round_engine.errors import RuleError
from round_engine.money import Cents
from round_engine.odds.stakes import Stake, real_stake, unit_stake
from round_engine.rules import rulebook
from round_engine.rules.ruleset import Hand, Pay, PayRow

THREE_TO_TWO = PayRow(hand=Hand.PAIR, pay=Pay.TO_ONE, value=3, per=2, clause="test")


def test_a_unit_loses_nothing_to_rounding() -> None:
    assert unit_stake().pay(THREE_TO_TWO) == 150
    assert Stake(cents=Cents(1), real=False).pay(THREE_TO_TWO) == Fraction(3, 2)
    assert Stake(cents=Cents(1), real=True).pay(THREE_TO_TWO) == 1


def test_no_row_pays_nothing() -> None:
    assert unit_stake().pay(None) == 0


def test_the_cap_limits_winnings_and_where_it_counts_stakes_the_whole_payment() -> None:
    capped = Stake(cents=Cents(1000), real=True, cap=Cents(5000))
    assert capped.capped(Fraction(6000), 1000) == 5000
    assert replace(capped, cap_counts_stakes=True).capped(Fraction(6000), 1000) == 4000
    assert replace(capped, cap_counts_stakes=True).capped(Fraction(6000), 9000) == 0
    assert replace(capped, cap=None).capped(Fraction(6000)) == 6000


def test_a_ceiling_is_a_limit_where_none_is_posted() -> None:
    rules = rulebook.load("light-and-wonder", changes={"house": {"limit_ceiling": "$100"}})
    assert real_stake(rules, "ante", Cents(10_000)).cents == 10_000
    with pytest.raises(RuleError, match=r"ante takes at most \$100"):
        real_stake(rules, "ante", Cents(10_001))
