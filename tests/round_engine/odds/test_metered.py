"""Progressive and bad beat in the long run, against the arithmetic written out, a played-out meter, and C."""

from fractions import Fraction

import numpy as np
import pytest

from round_engine.errors import RuleError
from round_engine.odds import WagerOdds, metered_odds
from round_engine.odds.deals import DEALS, PLAYER_HANDS
from round_engine.odds.metered import row_ways
from round_engine.rules import rulebook
from round_engine.rules.ruleset import RuleSet, WagerName


def rules(name: str = "light-and-wonder", **changes: object) -> RuleSet:
    return rulebook.load(name, sides=rulebook.SIDE_WAGERS, changes=changes or None)


def odds(wager: WagerName = "progressive", table: str = "1", others: int = 6, **changes: object) -> WagerOdds:
    one = rules(**changes)
    return metered_odds(one, one.paytables[wager][table], others)


def test_progressive_paytable_1_row_by_row() -> None:
    tray = Fraction(3 * 500 + 44 * 70 + 52 * 60 + 720 * 6, 22_100)
    seed, envy = Fraction(1000, 22_100), 6 * Fraction(100 + 3 * 25, 22_100)
    one = odds()
    assert one.house_advantage == 1 - tray - Fraction(14, 100) - seed - envy
    assert one.meter is not None
    assert (one.meter.tray, one.meter.seeding, one.meter.envy) == (tray, seed, envy)
    assert one.meter.average_top == 100 * (1000 + Fraction(14, 100) * 22_100) == 409_400
    assert one.hit_frequency == Fraction(820, 22_100)
    assert sum(outcome.ways for outcome in one.outcomes) == one.deals == PLAYER_HANDS


def test_fewer_others_pay_less_envy() -> None:
    assert odds(others=0).house_advantage - odds().house_advantage == 6 * Fraction(175, 22_100)


def test_at_the_break_even_meter_the_next_wager_is_fair() -> None:
    one = odds()
    assert one.meter is not None
    assert one.meter.break_even is not None
    assert one.meter.advantage_at(int(one.meter.break_even), one.stake) == 0
    assert one.meter.advantage_at(100_000, one.stake) > one.house_advantage


def test_everything_multiplies_with_the_denomination_where_the_document_says_so() -> None:
    five = odds(progressive={"denomination": "$5"})
    assert five.house_advantage == odds().house_advantage
    assert five.meter is not None
    assert five.meter.average_top == 5 * 409_400
    dakota = rulebook.load("south-dakota", changes={"progressive": {"denomination": "$5"}})
    fixed_seed = metered_odds(dakota, dakota.paytables["progressive"]["1"])
    assert fixed_seed.house_advantage > odds().house_advantage


def test_a_reserve_is_given_back_like_a_contribution() -> None:
    with_reserve = odds(progressive={"reserve": "2%"})
    assert odds().house_advantage - with_reserve.house_advantage == Fraction(2, 100)
    assert with_reserve.variance is None
    assert with_reserve.meter is not None
    assert with_reserve.meter.average_top == 409_400 + 2 * 22_100


def test_envy_from_the_meter_costs_the_house_nothing_more() -> None:
    from_meter = odds(progressive={"envy_source": "meter"})
    assert from_meter.house_advantage == odds(others=0).house_advantage
    assert from_meter.meter is not None
    assert from_meter.meter.average_top < 409_400


def test_disqualified_folds_cost_nothing_under_the_optimal_strategy() -> None:
    nexus = odds(house={"systems": {"progressive": "nexus"}})
    assert nexus.house_advantage == odds().house_advantage


def test_disqualified_folds_count_for_a_bad_beat_no_more_than_a_pair() -> None:
    # Every hand in a row of the bad beat is a pair or better, and those are always played.
    strict = odds("bad_beat", "TCP-BBP01", bad_beat={"folded_hands": "disqualified"})
    assert strict.house_advantage == odds("bad_beat", "TCP-BBP01").house_advantage


def test_bad_beat_balance_of_the_meter() -> None:
    one = odds("bad_beat", "TCP-BBP01")
    ways = {outcome.name: outcome.ways for outcome in one.outcomes}
    top, quarter = Fraction(ways["top straight flush"], DEALS), Fraction(ways["straight flush"], DEALS)
    assert one.meter is not None
    mean = one.meter.average_top / 100
    # What goes in, 26 cents a wager and $10,000 with each full award, is what comes out.
    assert Fraction(26, 100) + top * 10_000 == mean * (top + quarter / 4)
    assert sum(ways.values()) == DEALS


def test_variance_of_a_full_award_meter_equals_the_geometric_law() -> None:
    # The meter when won is seed + contribution × G, G geometric with p = 1/22,100.
    p = Fraction(1, 22_100)
    mean, spread = 1000 + Fraction(14, 100) / p, Fraction(14, 100) ** 2 * (1 - p) / p**2
    square = p * (spread + mean**2)
    square += Fraction(3 * 500**2 + 44 * 70**2 + 52 * 60**2 + 720 * 6**2, 22_100)
    award = p * mean + Fraction(3 * 500 + 44 * 70 + 52 * 60 + 720 * 6, 22_100)
    assert odds().variance == square - award**2


def test_mean_and_variance_of_a_shared_meter_equal_a_played_out_one() -> None:
    # A meter that is won often, so that a simulation settles.
    table = {
        "contribution": "20%",
        "top_straight_flush": {"pays": "100% of meter"},
        "straight_flush": {"pays": "100% of meter"},
        "three_of_a_kind": {"pays": "100% of meter"},
        "straight": {"pays": "50% of meter"},
        "flush": {"pays": "25% of meter"},
        "pair": {"pays": "$2"},
    }
    one = odds("bad_beat", "TCP-BBP01", paytables={"bad_beat": {"TCP-BBP01": table}}, bad_beat={"seed": "$10"})
    assert one.meter is not None
    chances = [outcome.ways / DEALS for outcome in one.outcomes]
    rng = np.random.default_rng(8)
    drawn = rng.choice(len(chances), p=chances, size=400_000)
    meter, at_deal = 1000.0, []
    for row in drawn.tolist():
        meter += 20
        at_deal.append(meter)
        meter = 1000.0 if row <= 2 else meter * 0.5 if row == 3 else meter * 0.75 if row == 4 else meter
    assert np.mean(at_deal) == pytest.approx(float(one.meter.average_top), rel=0.02)
    shares = np.array([1, 1, 1, 0.5, 0.25, 0, 0])
    awards = shares[drawn] * np.array(at_deal) + np.where(drawn == 5, 200.0, 0.0)
    assert one.variance is not None
    assert awards.var() / 100**2 == pytest.approx(float(one.variance), rel=0.1)


@pytest.mark.slow
@pytest.mark.needs("gcc")
def test_bad_beats_equal_brute_force_in_c(all_deals_in_c: dict[tuple[str, ...], int]) -> None:
    table = rules().paytables["bad_beat"]["TCP-BBP01"]
    assert row_ways(table).by_class == [all_deals_in_c["beat", str(kind)] for kind in (6, 5, 4, 3, 2, 1)]


def test_a_layout_without_the_wager_is_refused() -> None:
    plain = rulebook.load("ten-dollar-house")
    table = rules().paytables["progressive"]["1"]
    with pytest.raises(RuleError, match="has no progressive"):
        metered_odds(plain, table)


def test_a_negative_number_of_others_is_refused() -> None:
    with pytest.raises(RuleError, match="other bettors"):
        odds(others=-1)
