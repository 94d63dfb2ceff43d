"""Wagers together on one spot: the same figures by another way of counting, and caps that bind the sum."""

from fractions import Fraction

import pytest

from round_engine.errors import RuleError
from round_engine.hands.strategy import parse
from round_engine.money import Cents
from round_engine.odds import odds_of, together_odds
from round_engine.odds.deals import DEALS
from round_engine.rules import rulebook
from round_engine.rules.ruleset import RuleSet, WagerName

pytestmark = pytest.mark.slow

TEN = Cents(1000)
SETTLED = ("ante", "pair_plus", "six_card_bonus")
ALL = dict.fromkeys(SETTLED, TEN)


def house(**settings: object) -> RuleSet:
    return rulebook.load("ten-dollar-house", changes={"settings": settings} if settings else None)


@pytest.mark.parametrize("wager", SETTLED)
def test_one_wager_alone_equals_its_own_odds(wager: WagerName) -> None:
    alone = together_odds(house(), {wager: TEN})
    (own,) = odds_of(house(), wager, stake=TEN)
    assert alone.house_advantage == own.house_advantage
    assert alone.variance == own.variance * TEN**2
    assert alone.hit_frequency == own.hit_frequency
    assert sum(alone.distribution.values()) == DEALS


def test_without_a_cap_losses_add_up() -> None:
    free = house(cap="none")
    each = sum(odds_of(free, wager, stake=TEN)[0].house_advantage * TEN for wager in SETTLED)
    assert together_odds(free, ALL).expected_loss == each


def test_the_cap_binds_the_sum_of_the_wagers() -> None:
    capped = together_odds(house(), ALL)
    assert max(capped.distribution) == 500_000
    assert capped.capped == 20 * 188  # every royal flush: 407,170,400 deals are 20 for each set of six
    assert capped.expected_loss > together_odds(house(cap="none"), ALL).expected_loss


def test_a_cap_that_binds_only_the_sum() -> None:
    tight = house(cap="$410")
    alone = together_odds(tight, {"pair_plus": TEN})
    both = together_odds(tight, {"ante": TEN, "pair_plus": TEN})
    assert alone.capped == 0
    assert both.capped > 0


def test_folding_forfeits_pair_plus_where_the_rules_say_so() -> None:
    never = parse("never")
    stakes = {"ante": TEN, "pair_plus": TEN}
    stands = together_odds(house(), stakes, strategy=never)
    forfeits = together_odds(house(alive_after_fold={"pair_plus": False}), stakes, strategy=never)
    assert forfeits.distribution == {Fraction(-2000): DEALS}
    assert stands.expected_loss == TEN + odds_of(house(), "pair_plus")[0].house_advantage * TEN


def test_six_card_bonus_survives_a_fold_unless_the_rules_say_otherwise() -> None:
    never = parse("never")
    stakes = {"ante": TEN, "six_card_bonus": TEN}
    assert together_odds(house(), stakes, strategy=never).hit_frequency > 0
    assert together_odds(house(alive_after_fold={"six_card_bonus": False}), stakes, strategy=never).hit_frequency == 0


def test_a_forced_fold_of_every_hand_below_a_pair_costs_the_ante() -> None:
    stakes = {"ante": TEN, "pair_plus": TEN}
    literal = together_odds(house(forced_fold="every-pair-plus"), stakes)
    assert literal.expected_loss == together_odds(house(), stakes, strategy=parse("pair")).expected_loss


def test_another_paytable_can_be_named() -> None:
    rules = rulebook.load("light-and-wonder")
    one = together_odds(rules, {"pair_plus": TEN}, tables={"pair_plus": "D"})
    assert one.paytables == {"pair_plus": "D"}
    assert one.house_advantage == Fraction(402, 5525)
    with pytest.raises(RuleError, match="no paytable Z"):
        together_odds(rules, {"pair_plus": TEN}, tables={"pair_plus": "Z"})


def test_what_is_not_on_the_layout_is_refused() -> None:
    with pytest.raises(RuleError, match="has no progressive on this layout"):
        together_odds(house(), {"progressive": Cents(100)})
    with pytest.raises(RuleError, match="name stakes for some of"):
        together_odds(house(), {})
