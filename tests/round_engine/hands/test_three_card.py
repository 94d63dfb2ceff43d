"""Three-card order, against the documents' words and against pokerkit over all 22,100 hands."""

from collections import Counter
from itertools import combinations, permutations

import pytest

from round_engine.hands import (
    ACE,
    JACK,
    THREE_CARD_RANKS,
    ThreeCardCategory,
    category3,
    category3_of_rank,
    dealer_qualifies,
    lowest_rank3,
    lowest_rank3_with_high_card,
    name_of_rank3,
    rank3,
)

RANKS = "23456789TJQKA"
SUITS = "cdhs"


def hand(text: str) -> tuple[int, int, int]:
    first, second, third = (SUITS.index(card[1]) * 13 + RANKS.index(card[0]) for card in text.split())
    return first, second, third


def test_every_hand_counted_by_category() -> None:
    counts = Counter(category3(*cards) for cards in combinations(range(52), 3))
    assert counts == {
        ThreeCardCategory.STRAIGHT_FLUSH: 48,
        ThreeCardCategory.THREE_OF_A_KIND: 52,
        ThreeCardCategory.STRAIGHT: 720,
        ThreeCardCategory.FLUSH: 1_096,
        ThreeCardCategory.PAIR: 3_744,
        ThreeCardCategory.HIGH_CARD: 16_440,
    }


def test_ranks_are_dense() -> None:
    assert {rank3(*cards) for cards in combinations(range(52), 3)} == set(range(THREE_CARD_RANKS))


def test_order_equals_pokerkit_on_all_hands() -> None:
    pokerkit = pytest.importorskip("pokerkit")
    texts = [RANKS[face % 13] + SUITS[face // 13] for face in range(52)]
    peers = [
        (pokerkit.RhodeIslandHoldemHand("".join(texts[face] for face in cards)).entry.index, rank3(*cards))
        for cards in combinations(range(52), 3)
    ]
    pairs = sorted(set(peers))
    assert len(pairs) == THREE_CARD_RANKS
    assert [ours for _, ours in pairs] == sorted(ours for _, ours in pairs)


def test_the_order_of_cards_in_the_hand_does_not_matter() -> None:
    for cards in combinations(range(0, 52, 3), 3):
        assert len({rank3(*order) for order in permutations(cards)}) == 1


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param("2c 3c 4c", "Ac Ad Ah", id="straight flush over three of a kind"),
        pytest.param("2c 2d 2h", "Ac Kd Qh", id="three of a kind over straight"),
        pytest.param("Ac 2d 3h", "Ac Kc Jc", id="straight over flush"),
        pytest.param("2c 3c 5c", "Ac Ad Kh", id="flush over pair"),
        pytest.param("2c 2d 3h", "Ac Kd Jh", id="pair over high card"),
        pytest.param("2c 3d 4h", "Ac 2d 3h", id="3-2-A is the lowest straight"),
        pytest.param("Ac Kd Qh", "Kc Qd Jh", id="ace high straight"),
        pytest.param("Ac Kd 3h", "Ac Qd Jh", id="second card breaks the tie"),
        pytest.param("2c 2d Ah", "2c 2d Kh", id="kicker breaks the pair"),
    ],
)
def test_order(better: str, worse: str) -> None:
    assert rank3(*hand(better)) > rank3(*hand(worse))


def test_king_ace_deuce_is_no_straight() -> None:
    assert category3(*hand("Kc Ad 2h")) is ThreeCardCategory.HIGH_CARD


def test_suits_never_break_a_tie() -> None:
    assert rank3(*hand("Ac Kd Jh")) == rank3(*hand("As Kh Jd"))


def test_queen_three_deuce_is_the_lowest_hand_that_qualifies() -> None:
    assert dealer_qualifies(*hand("Qc 3d 2h"))
    assert not dealer_qualifies(*hand("Jc Td 8h"))
    assert dealer_qualifies(*hand("2c 2d 3h"))
    assert rank3(*hand("Qc 3d 2h")) == rank3(*hand("Jc Td 8h")) + 1


def test_another_qualifier_can_be_set() -> None:
    assert dealer_qualifies(*hand("Jc 3d 2h"), high=JACK)
    assert not dealer_qualifies(*hand("Kc Qd Th"), high=ACE)


def test_a_rank_tells_its_category_and_name() -> None:
    assert category3_of_rank(0) is ThreeCardCategory.HIGH_CARD
    assert category3_of_rank(THREE_CARD_RANKS - 1) is ThreeCardCategory.STRAIGHT_FLUSH
    assert name_of_rank3(0) == "high card 5-3-2"
    assert name_of_rank3(rank3(*hand("4s Qd 6c"))) == "high card Q-6-4"
    assert name_of_rank3(rank3(*hand("Kc 9d 9h"))) == "pair 9-9-K"
    assert name_of_rank3(lowest_rank3(ThreeCardCategory.STRAIGHT)) == "straight 3-2-A"
    assert name_of_rank3(lowest_rank3_with_high_card(ACE)) == "high card A-4-2"
