"""Meters to the part of a cent, awards and their rounding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from round_engine.meters.awards import Meter, award, contribute
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import Hand, Pay, PayRow, ProgressiveRules

METER = Meter(wager="bad_beat", amount=1_000_003)


def rules(**changes: object) -> ProgressiveRules:
    return load("ten-dollar-house", sides=["bad-beat"], changes={"bad_beat": changes}).progressives["bad_beat"]


def row(percent: int) -> PayRow:
    return PayRow(hand=Hand.STRAIGHT_FLUSH, pay=Pay.METER, value=percent, clause="here")


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=50), st.integers(0, 10_000), st.integers(0, 10_000))
def test_no_part_of_a_cent_is_lost_in_contributions(stakes: list[int], rate: int, reserve: int) -> None:
    meter = METER
    for stake in stakes:
        given_ = contribute(meter, contribution_bp=rate, reserve_bp=reserve, stake=stake)
        assert given_.meter.amount == meter.amount + given_.to_meter
        assert given_.meter.reserve == meter.reserve + given_.to_reserve
        meter = given_.meter
    assert (meter.amount - METER.amount) * 10_000 + meter.carry == sum(stakes) * rate
    assert meter.reserve * 10_000 + meter.reserve_carry == sum(stakes) * reserve


@pytest.mark.parametrize(("rounding", "prize"), [("down", 250_000), ("nearest", 250_001), ("up", 250_001)])
def test_a_percentage_is_rounded_as_the_setting_says(rounding: str, prize: int) -> None:
    given_ = award(rules(percentage_rounding=rounding), row(25), METER)  # 250,000.75 cents
    assert given_.prize == prize
    assert given_.meter.amount == METER.amount - prize


@pytest.mark.parametrize(("rounding", "prize"), [("down", 10_000), ("nearest", 10_000), ("up", 10_001)])
def test_nearest_goes_down_below_the_half(rounding: str, prize: int) -> None:
    assert award(rules(percentage_rounding=rounding), row(1), METER).prize == prize  # 10,000.03 cents


def test_all_of_the_meter_restarts_it_at_the_seed_plus_the_reserve() -> None:
    given_ = award(rules(), row(100), Meter(wager="bad_beat", amount=1_234_567, reserve=89, carry=5))
    assert (given_.prize, given_.seed, given_.from_reserve) == (1_234_567, 1_000_000, 89)
    assert given_.meter == Meter(wager="bad_beat", amount=1_000_089, reserve=0, carry=5, floor=1_000_000)


def test_a_fixed_sum_leaves_the_meter_alone() -> None:
    fixed = PayRow(hand=Hand.PAIR, pay=Pay.AMOUNT, value=400, clause="here")
    assert award(rules(), fixed, METER).meter is METER
    assert award(rules(), fixed, METER).prize == 400
