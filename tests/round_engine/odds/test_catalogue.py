"""Finding wagers and paytables of a rule set."""

import pytest

from round_engine.errors import RuleError
from round_engine.money import Cents
from round_engine.odds import all_odds, odds_of, wagers_of
from round_engine.rules import rulebook


def test_every_offered_table_of_every_wager() -> None:
    rules = rulebook.load("light-and-wonder", sides=rulebook.SIDE_WAGERS)
    assert [(odds.wager, odds.paytable) for odds in all_odds(rules)] == [
        *(("ante", name) for name in "ABC"),
        *(("pair_plus", name) for name in "ABCD"),
        *(("six_card_bonus", f"TCP-6B{number}") for number in range(1, 5)),
        ("prime", "A"),
        *(("progressive", name) for name in "12"),
        ("bad_beat", "TCP-BBP01"),
    ]


def test_a_house_without_a_progressive_has_none() -> None:
    assert wagers_of(rulebook.load("ten-dollar-house")) == ("ante", "pair_plus", "six_card_bonus")


def test_a_designator_names_both_tables() -> None:
    rules = rulebook.load("light-and-wonder")
    assert [odds.paytable for odds in odds_of(rules, "ante", "TCP-12")] == ["C"]
    assert [odds.paytable for odds in odds_of(rules, "pair_plus", "TCP-12")] == ["D"]


def test_a_table_knows_its_designators() -> None:
    (odds,) = odds_of(rulebook.load("light-and-wonder"), "ante", "C")
    assert odds.designators == ("TCP-05", "TCP-06", "TCP-09", "TCP-12")


def test_what_is_not_there_is_refused_with_what_is() -> None:
    rules = rulebook.load("ten-dollar-house")
    with pytest.raises(RuleError, match="no paytable B for ante; it has C"):
        odds_of(rules, "ante", "B")
    with pytest.raises(RuleError, match="has no progressive; it has ante, pair_plus, six_card_bonus"):
        odds_of(rules, "progressive")
    with pytest.raises(RuleError, match="play has no odds of its own"):
        odds_of(rules, "play")


def test_a_meter_takes_its_denomination_only() -> None:
    rules = rulebook.load("light-and-wonder")
    assert odds_of(rules, "progressive", "1", stake=Cents(100))[0].stake == 100
    with pytest.raises(RuleError, match=r"every progressive wager on this meter is \$1, not \$5"):
        odds_of(rules, "progressive", stake=Cents(500))
