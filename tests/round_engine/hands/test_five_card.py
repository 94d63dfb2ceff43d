"""Best five of six: the look-up's promises, the order in words, and phevaluator on a sample."""

import random
from collections import Counter

import pytest

from round_engine.hands import FIVE_CARD_RANKS, FiveCardCategory, HandError, best_five, category5_of_rank, lowest_rank5
from round_engine.hands.five_card import RANK_BITS, RANK_WEIGHTS, tables

RANKS = "23456789TJQKA"
SUITS = "cdhs"

# Distinct five-card hands of each category, from counting rank patterns: C(13,5) - 10 = 1,277 high cards and flushes,
# 13 C(12,3) pairs, C(13,2) 11 two pairs, 13 C(12,2) threes, 13 × 12 full houses and fours.
DISTINCT = {
    FiveCardCategory.HIGH_CARD: 1_277,
    FiveCardCategory.PAIR: 2_860,
    FiveCardCategory.TWO_PAIR: 858,
    FiveCardCategory.THREE_OF_A_KIND: 858,
    FiveCardCategory.STRAIGHT: 10,
    FiveCardCategory.FLUSH: 1_277,
    FiveCardCategory.FULL_HOUSE: 156,
    FiveCardCategory.FOUR_OF_A_KIND: 156,
    FiveCardCategory.STRAIGHT_FLUSH: 9,
    FiveCardCategory.ROYAL_FLUSH: 1,
}


def cards(text: str) -> list[int]:
    return [SUITS.index(card[1]) * 13 + RANKS.index(card[0]) for card in text.split()]


def test_ranks_are_divided_among_categories() -> None:
    assert Counter(category5_of_rank(rank) for rank in range(FIVE_CARD_RANKS)) == DISTINCT


def test_no_two_sets_of_six_ranks_share_a_sum() -> None:
    # 13 boxes of at most four: coefficient of x^6 in (1 + x + x² + x³ + x⁴)^13.
    ways = [1, 0, 0, 0, 0, 0, 0]
    for _ in range(13):
        ways = [sum(ways[total - count] for count in range(min(4, total) + 1)) for total in range(7)]
    assert len(tables().rank_by_sum) == ways[6] == 18_395
    assert 4 * RANK_WEIGHTS[12] + 2 * RANK_WEIGHTS[11] < 1 << RANK_BITS


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("As Ks Qs Js Ts 9s", FiveCardCategory.ROYAL_FLUSH),
        ("As Ks Qs Js Ts Td", FiveCardCategory.ROYAL_FLUSH),
        ("9s Ks Qs Js Ts Ad", FiveCardCategory.STRAIGHT_FLUSH),
        ("As 2s 3s 4s 5s Kd", FiveCardCategory.STRAIGHT_FLUSH),
        ("As Ad Ac Ah Ks Kd", FiveCardCategory.FOUR_OF_A_KIND),
        ("As Ad Ac Kh Ks Kd", FiveCardCategory.FULL_HOUSE),
        ("As Ad Ac Kh Ks Qd", FiveCardCategory.FULL_HOUSE),
        ("As 2s 3s 4s 5d 7s", FiveCardCategory.FLUSH),
        ("As 2d 3s 4c 5d 5s", FiveCardCategory.STRAIGHT),
        ("2s 2d 2c 4c 5d 6s", FiveCardCategory.THREE_OF_A_KIND),
        ("2s 2d 3c 3h 4d 4s", FiveCardCategory.TWO_PAIR),
        ("2s 2d 3c 4h 7d 9s", FiveCardCategory.PAIR),
        ("Qs Kd Ac 2h 3d 4s", FiveCardCategory.HIGH_CARD),
    ],
)
def test_category(text: str, category: FiveCardCategory) -> None:
    assert category5_of_rank(best_five(cards(text))) is category


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        pytest.param("2s 2d 3c 3h 4d 4s", "3s 3d 4c 4h 2d 8s", id="third pair is a weaker kicker"),
        pytest.param("2s 3s 4s 5s 7s 9d", "2s 3s 4s 5s 7s 8s", id="sixth card of the suit improves a flush"),
        pytest.param("As 2d 3s 4c 5d 9s", "2s 3d 4s 5c 6d 9s", id="wheel is the lowest straight"),
    ],
)
def test_order(worse: str, better: str) -> None:
    assert best_five(cards(worse)) < best_five(cards(better))


def test_equal_full_houses_tie_whatever_the_sixth_card() -> None:
    assert best_five(cards("As Ad Ac Kh Ks Qd")) == best_five(cards("As Ad Ac Kh Ks Kd"))


def test_the_weakest_rank_of_a_category() -> None:
    assert lowest_rank5(FiveCardCategory.ROYAL_FLUSH) == FIVE_CARD_RANKS - 1
    assert lowest_rank5(FiveCardCategory.PAIR) == 1_277


@pytest.mark.parametrize("count", [0, 5, 7])
def test_another_number_of_cards_is_refused(count: int) -> None:
    with pytest.raises(HandError, match="six cards"):
        best_five(list(range(count)))


def test_rank_equals_phevaluator_on_a_sample() -> None:
    evaluator = pytest.importorskip("phevaluator.evaluator")
    rng = random.Random(20)
    for _ in range(3_000):
        chosen = rng.sample(range(52), 6)
        texts = [RANKS[face % 13] + SUITS[face // 13] for face in chosen]
        assert best_five(chosen) == FIVE_CARD_RANKS - evaluator.evaluate_cards(*texts)
