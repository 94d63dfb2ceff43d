"""Wagers and variants from public rules: exact odds against counts that share no code with the engine."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
import pytest

from round_engine.batch import Stakes, settle_rounds
from round_engine.errors import RuleFileError
from round_engine.hands import rank3
from round_engine.hands.cards import parse_hand
from round_engine.hands.strategy import parse
from round_engine.money import Cents
from round_engine.odds import AnteGame, odds_of, together_odds
from round_engine.odds.against_dealer import NO_BONUS
from round_engine.round.settlement import settle
from round_engine.round.state import Spot
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import RuleSet
from round_engine.wagers import WAGERS
from round_engine.wagers.paybook import PayBook
from round_engine.wagers.shown import paying_rank
from tests.round_engine.support import NINES, bet, net, new_table, played

CEILING = {"house": {"limit_ceiling": "$300"}}


# --- a second way to count -------------------------------------------------------------------------------------------


def order_of(hand: tuple[int, ...]) -> tuple[int, ...]:
    """A three-card hand as a sortable value: kind (0 high card … 5 straight flush), then its cards."""
    ranks = sorted((face % 13 for face in hand), reverse=True)
    suited = len({face // 13 for face in hand}) == 1
    if ranks == [12, 1, 0]:
        run = 1
    else:
        run = ranks[0] if ranks[0] - ranks[2] == 2 and len(set(ranks)) == 3 else 0
    if run:
        return (5 if suited else 3), run
    many = Counter(ranks).most_common()
    if many[0][1] == 3:
        return 4, ranks[0]
    if many[0][1] == 2:
        return 1, many[0][0], many[1][0]
    return (2 if suited else 0), *ranks


class Deals(NamedTuple):
    """Of the 18,424 dealer hands against each player hand: how many do not qualify, are lower, equal, higher."""

    kinds: list[int]
    lower: list[int]
    unqualified: list[int]
    beaten: list[int]
    tied: list[int]


@pytest.fixture(scope="module")
def deals() -> Deals:
    """Every player hand beside every dealer hand, by masks."""
    hands = list(combinations(range(52), 3))
    orders = [order_of(hand) for hand in hands]
    places = {order: place for place, order in enumerate(sorted(set(orders)))}
    rank = np.array([places[order] for order in orders], dtype=np.int16)
    queen = min(place for order, place in places.items() if order[0] > 0 or order[1] >= 10)
    mask = np.array([sum(1 << face for face in hand) for hand in hands], dtype=np.uint64)
    found = Deals([order[0] for order in orders], [], [], [], [])
    for own, cards in zip(rank, mask, strict=True):
        dealers = rank[mask & cards == 0]
        found.lower.append(int((dealers < own).sum()))
        found.unqualified.append(int((dealers < queen).sum()))
        found.beaten.append(int(((dealers >= queen) & (dealers < own)).sum()))
        found.tied.append(int(((dealers >= queen) & (dealers == own)).sum()))
    return found


# --- mini-royal ------------------------------------------------------------------------------------------------------


def test_a_mini_royal_row_pays_50_to_1_and_lowers_the_edge_to_7_10_percent() -> None:
    pays = {0: -1, 1: 1, 2: 3, 3: 6, 4: 30, 5: 40}
    total = 0
    for hand in combinations(range(52), 3):
        kind = order_of(hand)
        total += 50 if kind == (5, 12) else pays[kind[0]]
    (odds,) = odds_of(load("mini-royal"), "pair_plus", "mini-royal")
    assert odds.house_advantage == Fraction(-total, 22_100)
    assert f"{float(odds.house_advantage):.2%}" == "7.10%"  # as printed by the source of the rule file
    assert [end.ways for end in odds.outcomes if end.name == "akq suited"] == [4]


# --- prime -----------------------------------------------------------------------------------------------------------


def test_prime_equals_a_count_of_sets_of_six() -> None:
    all_six = 2 * comb(26, 6) * comb(6, 3)  # sets of one colour, and which three of them are the player's
    three = 2 * comb(26, 3) * comb(49, 3) - all_six
    (odds,) = odds_of(load("south-dakota", sides=["prime"]), "prime")
    assert [end.ways for end in odds.outcomes] == [all_six, three, odds.deals - three - all_six]
    assert odds.house_advantage == 1 - Fraction(5 * all_six + 4 * three, comb(52, 3) * comb(49, 3))
    assert f"{float(odds.house_advantage):.3%}" == "3.621%"


def test_prime_is_paid_and_taken() -> None:
    red, black_dealer = "Ah 9d 4h", "Ks Qc 2c"
    for own, dealer, result in ((red, black_dealer, 3), (red, "Kh Qd 2d", 4), ("Ah 9d 4c", black_dealer, -1)):
        table = new_table(sides=["prime"])
        postings = played(table, [bet(1, ante=500, prime=200)], {1: own}, dealer)
        of_prime = [one for one in postings if one.wager == "prime"]
        assert net(of_prime, "player:p1") == result * 200
        assert of_prime[-1].clause == "Prime (14)"


# --- super royal -----------------------------------------------------------------------------------------------------


def test_a_super_royal_table_equals_counts_of_sets_of_six() -> None:
    straight_flush, royal = 9 * 4 * 46, 4 * 47  # the sixth card must not lengthen the straight flush upwards
    runs = [set(range(low, low + 5)) for low in range(9)] + [{12, 0, 1, 2, 3}]
    with_a_run = sum(any(run <= set(ranks) for run in runs) for ranks in combinations(range(13), 6))
    expected = {
        "super royal diamonds": 1,
        "super royal": 3,
        "royal flush": royal - 4,
        "straight flush": straight_flush,
        "four of a kind": 13 * comb(48, 2),
        "full house": comb(13, 2) * 4 * 4 + 13 * 4 * 12 * comb(4, 2) * 44,
        "flush": 4 * (comb(13, 6) + comb(13, 5) * 39) - straight_flush - royal,
        # Six different ranks, or five and a pair; less those with five of one suit.
        "straight": with_a_run * (4**6 - 4 * (6 * 3 + 1)) + 10 * 5 * (comb(4, 2) * 4**4 - 4 * 3),
        "three of a kind": 13 * 4 * comb(12, 3) * 4**3,
    }
    rules = load("super-royal", changes=CEILING)
    (odds,) = odds_of(rules, "six_card_bonus", "super-royal")
    assert {end.name: end.ways for end in odds.outcomes if end.hit} == expected
    pays = dict(zip(expected, (1_000_000, 100_000, 1000, 200, 50, 20, 15, 10, 5), strict=True))
    fixed = ("super royal diamonds", "super royal")
    back = sum(ways * (pays[name] if name in fixed else 5 * pays[name] + 5) for name, ways in expected.items())
    assert (odds.stake, odds.house_advantage) == (500, 1 - Fraction(back, 5 * comb(52, 6)))


@pytest.mark.parametrize(
    ("own", "dealer", "won"),
    [
        ("Ad Kd Qd", "Jd Td 9d", 100_000_000),
        ("Ah Kh Qh", "Jh Th 9h", 10_000_000),
        ("Ah Kh Qh", "Jh Th 8h", 1000 * 500),
        ("Ah Kh Qh", "Jh Th 9d", 1000 * 500),
    ],
)
def test_a_super_royal_needs_all_six_cards(own: str, dealer: str, won: int) -> None:
    book = PayBook(load("super-royal", changes=CEILING))
    postings = settle(book, [spot_of(parse_hand(own), {"six_card_bonus": 500})], *shown(parse_hand(dealer)))
    assert [one.amount for one in postings if one.entry == "won"] == [won]


def test_a_fixed_sum_above_odds_needs_a_maximum_that_keeps_it_above() -> None:
    with pytest.raises(RuleFileError, match="more on a large stake"):
        load("super-royal", changes={"limits": {"six_card_bonus": {"maximum": "$101"}}})


# --- Florida ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_florida_pair_plus_equals_every_deal(deals: Deals) -> None:
    pays = {1: 1, 2: 4, 3: 6, 4: 30, 5: 40}
    total = sum(
        -18_424 if kind == 0 else pays[kind] * lower for kind, lower in zip(deals.kinds, deals.lower, strict=True)
    )
    (odds,) = odds_of(load("florida"), "pair_plus", "florida")
    assert odds.house_advantage == Fraction(-total, 22_100 * 18_424)
    pushed = sum(18_424 - lower for kind, lower in zip(deals.kinds, deals.lower, strict=True) if kind)
    assert [end.ways for end in odds.outcomes if end.name == "dealer not beaten"] == [pushed]


@pytest.mark.slow
def test_no_ante_bonus_equals_every_deal(deals: Deals) -> None:
    total = 0
    for unqualified, beaten, tied in zip(deals.unqualified, deals.beaten, deals.tied, strict=True):
        lost = 18_424 - unqualified - beaten - tied
        total += max(-18_424, unqualified + 2 * beaten - 2 * lost)
    (odds,) = odds_of(load("florida"), "ante", "none")
    assert odds.house_advantage == Fraction(-total, 22_100 * 18_424)
    assert AnteGame(load("florida"), NO_BONUS).decision.by_threshold


def test_florida_pair_plus_pays_against_a_lower_hand_and_pushes_against_others() -> None:
    for own, dealer, result in (("9s 9h 5c", "8c 8d 4h", 500), ("9s 9h 5c", "Tc Td 4h", 0), ("Ks 9h 5c", NINES, -500)):
        table = new_table("florida", **CEILING)
        postings = played(table, [bet(1, ante=500, pair_plus=500)], {1: own}, dealer)
        assert net([one for one in postings if one.wager == "pair_plus"], "player:p1") == result
        assert not [one for one in postings if one.wager == "ante_bonus"]


# --- all of them in the batch and together ---------------------------------------------------------------------------


def spot_of(cards: tuple[int, ...], stakes: dict[str, int], *, folded: bool = False) -> Spot:
    rank = rank3(*cards)
    spot = Spot(
        wagers=bet(1, "x", **stakes), account="x", dealt=3, cards=cards, rank=rank, paying=paying_rank(cards, rank),
        folded=folded,
    )  # fmt: skip
    spot.stakes = Stakes(stakes=stakes).ended(folded=folded)
    return spot


def shown(dealer: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    return dealer, rank3(*dealer)


LAYOUTS = {"florida": ["prime"], "mini-royal": ["prime"], "super-royal": []}
STAKES = {"ante": 500, "pair_plus": 700, "six_card_bonus": 900}


def rules_of(name: str) -> RuleSet:
    return load(name, sides=LAYOUTS[name], changes=CEILING)


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_batch_pays_what_the_settlement_pays(name: str) -> None:
    rules = rules_of(name)
    stakes = STAKES | ({"prime": 300} if "prime" in LAYOUTS[name] else {})
    strategy, book = parse("Q-6-4"), PayBook(rules)
    decks = np.random.default_rng(3).permuted(np.tile(np.arange(52, dtype=np.uint8), (1500, 1)), axis=1)[:, :6]
    decks[:3] = [parse_hand(six) for six in ("Ad Kd Qd Jd Td 9d", "Ah Kh Qh Jh Th 9h", "Ac Kc Qc Js Ts 9s")]
    batch = settle_rounds(rules, decks, [Stakes(stakes=stakes)], strategy=strategy)
    for row, deck in enumerate(decks.tolist()):
        cards, dealer = tuple(deck[:3]), tuple(deck[3:])
        folded = not strategy.plays[rank3(*cards)]
        spot = spot_of(cards, stakes, folded=folded)
        paid = sum(one.amount for one in settle(book, [spot], *shown(dealer)) if one.target == "x")
        assert batch.net[row, 0] == paid - sum(spot.stakes.values())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "wager"), [("florida", "pair_plus"), ("florida", "ante")])
def test_alone_in_a_mix_a_wager_has_its_own_odds(name: str, wager: str) -> None:
    rules = rules_of(name)
    (alone,) = odds_of(rules, wager, rules.house.paytables.get(WAGERS[wager].table_name, "none"), stake=Cents(500))
    mixed = together_odds(rules, {wager: Cents(500)})
    assert mixed.house_advantage == alone.house_advantage
