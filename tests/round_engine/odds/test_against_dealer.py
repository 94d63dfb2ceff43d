"""Ante, play and bonus over all deals: the optimal decision, other decisions, and plain enumeration in C."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from round_engine.hands import ThreeCardCategory, category3_of_rank_array
from round_engine.hands.cards import parse_hand
from round_engine.hands.strategy import parse
from round_engine.money import Cents
from round_engine.odds.against_dealer import AnteGame, showdowns
from round_engine.odds.deals import DEALER_HANDS, DEALS, PLAYER_HANDS, ranks
from round_engine.odds.stakes import real_stake
from round_engine.rules import rulebook
from round_engine.rules.ruleset import Hand, PayRow, RuleSet, Showdown

QUEEN_HIGH = 112


def game(name: str = "light-and-wonder", bonus: str = "A", **changes: object) -> AnteGame:
    rules = rulebook.load(name, changes=changes or None)
    return AnteGame(rules, rules.paytables["ante_bonus"][bonus])


def bonus_tables() -> list[tuple[str, str]]:
    return [
        (name, table) for name in rulebook.RULE_SETS for table in rulebook.load(name).paytables["ante_bonus"]
    ]


@pytest.mark.parametrize(("name", "bonus"), bonus_tables())
def test_the_optimal_strategy_is_exactly_q_6_4(name: str, bonus: str) -> None:
    one = game(name, bonus)
    assert (one.optimal == one.decisions(parse("Q-6-4"))).all()
    assert one.decision.by_threshold
    assert one.decision.weakest_played == "high card Q-6-4"
    assert one.decision.strongest_folded == "high card Q-6-3"
    assert one.decision.weakest_played_value > -1 > one.decision.strongest_folded_value


def test_house_advantage_is_exact() -> None:
    assert game().odds().house_advantage == Fraction(13_733_780, DEALS)


def test_every_deal_ends_once() -> None:
    by_result = showdowns(QUEEN_HIGH).by_result
    assert (sum(by_result[result] for result in Showdown) == DEALER_HANDS).all()
    odds = game().odds()
    assert sum(outcome.ways for outcome in odds.outcomes) == odds.deals == DEALS


@pytest.mark.parametrize("worse", ["always", "never", "Q-6-3", "Q-6-5", "pair"])
def test_every_other_strategy_loses_more(worse: str) -> None:
    one = game()
    assert one.odds(parse(worse)).house_advantage > one.odds().house_advantage


def test_never_play_loses_the_ante_and_has_no_variance() -> None:
    odds = game().odds(parse("never"))
    assert (odds.house_advantage, odds.variance, odds.hit_frequency, odds.average_wager) == (1, 0, 0, 1)


def test_always_play_puts_up_two_units() -> None:
    odds = game().odds(parse("always"))
    assert odds.average_wager == 2
    assert odds.element_of_risk == odds.house_advantage / 2


def test_a_bonus_on_folded_hands_changes_nothing_under_q_6_4_and_something_under_never() -> None:
    plain, paid = game(), game(settings={"alive_after_fold": {"ante_bonus": True}})
    assert plain.odds().house_advantage == paid.odds().house_advantage
    bonus = Fraction(5 * 48 + 4 * 52 + 720, PLAYER_HANDS)
    assert paid.odds(parse("never")).house_advantage == 1 - bonus


def test_where_only_the_bonus_pays_only_the_hands_whose_bonus_pays_for_the_play_are_played() -> None:
    nothing = {result.value: {"pays": "nothing"} for result in Showdown}
    one = game(showdown={"ante": nothing, "play": nothing})
    # A straight's bonus of 1 pays for the play and no more: played or folded, one ante is lost.
    assert one.decision.weakest_played == "three of a kind 2-2-2"
    assert one.decision.strongest_folded == "straight A-K-Q"
    assert one.odds().house_advantage == 1 - Fraction(48 * (5 - 1) + 52 * (4 - 1), PLAYER_HANDS)


def test_where_nothing_pays_everything_is_folded() -> None:
    nothing = {result.value: {"pays": "nothing"} for result in Showdown}
    bonus = {hand: {"pays": "nothing"} for hand in ("straight_flush", "three_of_a_kind", "straight")}
    one = game(showdown={"ante": nothing, "play": nothing}, paytables={"ante_bonus": {"A": bonus}})
    assert one.decision.weakest_played == "none"
    assert one.odds().house_advantage == 1


def test_a_pay_with_a_denominator_stays_exact() -> None:
    half = game(paytables={"ante_bonus": {"A": {"straight": {"pays": "1 to 2"}}}})
    whole = game()
    assert half.odds().house_advantage - whole.odds().house_advantage == Fraction(720, PLAYER_HANDS) / 2


def test_another_qualifier_moves_the_threshold() -> None:
    one = game(game={"dealer_qualifies": {"with": "any hand"}})
    assert one.decision.by_threshold
    assert one.decision.weakest_played != "high card Q-6-4"
    # A dealer who always plays pays the play wager on weak hands too: the game turns to the player's favour.
    assert one.odds().house_advantage < 0


def test_a_stake_is_paid_in_whole_cents() -> None:
    rules = rulebook.load(
        "light-and-wonder", changes={"paytables": {"ante_bonus": {"A": {"straight": {"pays": "1 to 2"}}}}}
    )
    table = rules.paytables["ante_bonus"]["A"]
    odd = AnteGame(rules, table, real_stake(rules, "ante", Cents(101)))
    straight = [row.hand for row in table.rows].index(Hand.STRAIGHT)
    assert odd.net(Showdown.PLAYER_LOSES, straight) == -202 + 50


def test_the_cap_takes_from_the_whole_hand() -> None:
    rules = rulebook.load("ten-dollar-house", changes={"settings": {"cap": "$25"}})
    capped = AnteGame(rules, rules.paytable("ante_bonus"), real_stake(rules, "ante", Cents(1000)))
    straight_flush = 0
    assert capped.net(Showdown.PLAYER_WINS, straight_flush) == 2500
    assert capped.net(Showdown.PLAYER_LOSES, straight_flush) == -2000 + 2500
    assert capped.net(Showdown.PLAYER_WINS, -1) == 2000


def test_a_cap_that_counts_stakes_leaves_less() -> None:
    rules = rulebook.load("ten-dollar-house", changes={"settings": {"cap": "$25", "cap_counts_stakes": True}})
    capped = AnteGame(rules, rules.paytable("ante_bonus"), real_stake(rules, "ante", Cents(1000)))
    assert capped.net(Showdown.PLAYER_WINS, -1) == 500


def test_a_spades_row_takes_a_quarter_of_the_suited_akq() -> None:
    rules = rulebook.load("light-and-wonder")
    table = rules.paytables["ante_bonus"]["A"]
    spades = PayRow(hand=Hand.AKQ_SPADES, pay=table.rows[0].pay, value=50, clause="test")
    one = AnteGame(rules, replace(table, rows=(spades, *table.rows)))
    assert np.count_nonzero(one.bonus_rows == 0) == 1
    assert np.count_nonzero(one.bonus_rows == 1) == 47


def brute_force_totals(rules: RuleSet, counted: dict[tuple[str, ...], int]) -> Fraction:
    """The expected loss of ante A under Q-6-4 from the C program's counts alone."""
    bonus = {ThreeCardCategory.STRAIGHT_FLUSH: 5, ThreeCardCategory.THREE_OF_A_KIND: 4, ThreeCardCategory.STRAIGHT: 1}
    loss = 0
    for (kind, *where), ways in counted.items():
        if kind != "deal":
            continue
        category, plays, shown = map(int, where)
        result = (1, 2, 0, -2)[shown] if plays else -1
        loss -= ways * (result + bonus.get(ThreeCardCategory(category), 0) * plays)
    return Fraction(loss, DEALS)


@pytest.mark.slow
@pytest.mark.needs("gcc")
def test_all_deals_equal_brute_force_in_c(all_deals_in_c: dict[tuple[str, ...], int]) -> None:
    counted, one = all_deals_in_c, game()
    category = category3_of_rank_array(ranks())
    plays = one.decisions(parse("Q-6-4"))
    for kind in ThreeCardCategory:
        for played in (False, True):
            among = (category == kind) & (plays == played)
            for index, result in enumerate(Showdown):
                own = int(one.results[result][among].sum())
                assert own == counted["deal", str(kind.value), str(int(played)), str(index)]
    assert one.odds().house_advantage == brute_force_totals(one.rules, counted)


def test_the_least_qualifying_hand_is_queen_high() -> None:
    assert game().rules.least_qualifying_hand == parse_hand("Qh 3d 2c")
