"""Pair plus and six card bonus: exact figures of the shipped tables, caps, and rows that pay nothing."""

from fractions import Fraction

import pytest

from round_engine.errors import RuleError
from round_engine.money import Cents
from round_engine.odds import odds_of, table_odds
from round_engine.rules import rulebook
from round_engine.rules.ruleset import WagerName
from round_engine.wagers import WAGERS


@pytest.mark.parametrize(
    ("table", "advantage"),
    [
        # 1 - the sum over rows of ways × pays / 22,100, counted by hand from 48 / 52 / 720 / 1,096 / 3,744.
        ("A", 1 - Fraction(48 * 41 + 52 * 31 + 720 * 7 + 1096 * 5 + 3744 * 2, 22_100)),
        ("B", 1 - Fraction(48 * 41 + 52 * 26 + 720 * 7 + 1096 * 5 + 3744 * 2, 22_100)),
        ("C", 1 - Fraction(48 * 41 + 52 * 31 + 720 * 6 + 1096 * 5 + 3744 * 2, 22_100)),
        ("D", 1 - Fraction(48 * 41 + 52 * 31 + 720 * 7 + 1096 * 4 + 3744 * 2, 22_100)),
    ],
)
def test_pair_plus(table: str, advantage: Fraction) -> None:
    rules = rulebook.load("light-and-wonder")
    odds = table_odds(rules, WAGERS["pair_plus"], rules.paytables["pair_plus"][table])
    assert odds.house_advantage == advantage
    assert odds.hit_frequency == Fraction(22_100 - 16_440, 22_100)
    assert sum(outcome.ways for outcome in odds.outcomes) == 22_100


def test_variance_from_the_definition() -> None:
    rules = rulebook.load("light-and-wonder")
    odds = table_odds(rules, WAGERS["pair_plus"], rules.paytables["pair_plus"]["A"])
    squares = Fraction(48 * 40**2 + 52 * 30**2 + 720 * 6**2 + 1096 * 4**2 + 3744 + 16_440, 22_100)
    assert odds.variance == squares - odds.house_advantage**2
    assert odds.standard_deviation == pytest.approx(float(odds.variance) ** 0.5)


def test_six_card_bonus_lists_what_pays_nothing() -> None:
    rules = rulebook.load("ten-dollar-house")
    odds = table_odds(rules, WAGERS["six_card_bonus"], rules.paytables["six_card_bonus"]["TCP-6B2"])
    assert {outcome.name: outcome.ways for outcome in odds.outcomes if not outcome.hit} == {
        "two pair": 2_532_816,
        "pair": 9_730_740,
        "high card": 6_612_900,
    }
    assert sum(outcome.ways for outcome in odds.outcomes) == 20_358_520


def test_the_cap_costs_half_the_royal_flush_at_ten_dollars() -> None:
    rules = rulebook.load("ten-dollar-house")
    (free,) = odds_of(rules, "six_card_bonus")
    (capped,) = odds_of(rules, "six_card_bonus", stake=Cents(1000))
    assert capped.house_advantage - free.house_advantage == Fraction(188 * 500, 20_358_520)
    assert capped.notes == ("the cap cuts royal flush",)
    (small,) = odds_of(rules, "six_card_bonus", stake=Cents(500))
    assert (small.house_advantage, small.notes) == (free.house_advantage, ())


def test_a_row_that_pays_nothing_is_no_hit() -> None:
    changes = {"paytables": {"pair_plus": {"D": {"pair": {"pays": "nothing"}}}}}
    (odds,) = odds_of(rulebook.load("ten-dollar-house", changes=changes), "pair_plus")
    assert odds.hit_frequency == Fraction(48 + 52 + 720 + 1096, 22_100)


@pytest.mark.parametrize(
    ("wager", "stake", "problem"),
    [
        ("six_card_bonus", 499, "at least \\$5"),
        ("six_card_bonus", 1001, "at most \\$10"),
        ("ante", 1001, "at most \\$10"),
        ("pair_plus", 0, "more than \\$0"),
    ],
)
def test_stakes_outside_the_limits_are_refused(wager: WagerName, stake: int, problem: str) -> None:
    with pytest.raises(RuleError, match=problem):
        odds_of(rulebook.load("ten-dollar-house"), wager, stake=Cents(stake))
