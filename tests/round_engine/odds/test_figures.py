"""Means and variances from outcomes."""

from fractions import Fraction

from round_engine.odds.figures import WagerEnd, expectation, variance


def outcome(ways: int, net: int) -> WagerEnd:
    return WagerEnd(name="", pays="", ways=ways, net=Fraction(net), hit=net > 0)


def test_mean_and_variance_of_a_fair_coin() -> None:
    coin = (outcome(1, 100), outcome(1, -100))
    assert expectation(coin, 2) == 0
    assert variance(coin, 2) == 10_000


def test_a_certain_result_has_no_variance() -> None:
    assert variance((outcome(7, -100),), 7) == 0
