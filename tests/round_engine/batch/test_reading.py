"""Cards read from decks, against the single-hand functions."""

import numpy as np
import pytest

from round_engine.batch.reading import paying_table, read
from round_engine.hands import best_five, category5_of_rank, rank3
from round_engine.hands.cards import parse_hand
from round_engine.rules.ruleset import Dealing
from round_engine.wagers.aspects import BEST_FIVE, SHOWDOWN
from round_engine.wagers.shown import AKQ_SPADES_RANK, paying_rank

QUEEN_HIGH = 112


@pytest.mark.parametrize("dealing", ["groups", "rotation"])
def test_ranks_showdowns_and_categories(dealing: Dealing) -> None:
    decks = np.random.default_rng(4).permuted(np.tile(np.arange(52, dtype=np.uint8), (300, 1)), axis=1)
    block = read(decks, 5, dealing, QUEEN_HIGH)
    shown, best = SHOWDOWN.of_block(block), BEST_FIVE.of_block(block)
    for row, deck in enumerate(decks.tolist()):
        hands = [deck[3 * at : 3 * at + 3] if dealing == "groups" else deck[at:15:5] for at in range(5)]
        dealer = rank3(*hands[4])
        assert block.dealer_ranks[row] == dealer
        for spot, hand in enumerate(hands[:4]):
            rank = rank3(*hand)
            assert block.ranks[row, spot] == rank
            assert block.paying[row, spot] == paying_rank(tuple(hand), rank)
            expected = 0 if dealer < QUEEN_HIGH else 1 if rank > dealer else 2 if rank == dealer else 3
            assert shown[row, spot] == expected
            assert best[row, spot] == category5_of_rank(best_five(hand + hands[4]))


def test_akq_of_spades_pays_apart_and_ties_with_the_others() -> None:
    deck = np.array([[*parse_hand("A♠ K♠ Q♠"), *parse_hand("A♥ K♥ Q♥")]], dtype=np.uint8)
    block = read(deck, 2, "groups", QUEEN_HIGH)
    assert block.paying[0, 0] == AKQ_SPADES_RANK
    assert block.ranks[0, 0] == block.dealer_ranks[0] == AKQ_SPADES_RANK - 1
    assert SHOWDOWN.of_block(block)[0, 0] == 2


def test_six_orders_of_akq_of_spades() -> None:
    assert np.count_nonzero(paying_table() == AKQ_SPADES_RANK) == 6
