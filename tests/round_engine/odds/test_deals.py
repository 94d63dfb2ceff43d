"""Counts of deals against plain enumeration."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from benchmarks import brute_force
from round_engine.hands import FiveCardCategory, category5_of_rank_array, rank3
from round_engine.odds.deals import (
    DEALER_HANDS,
    DEALS,
    PLAYER_HANDS,
    SIX_CARD_SETS,
    dealer_hands_below,
    hands,
    ranks,
    six_card_counts,
)


def six_card_categories() -> list[int]:
    counts = np.zeros(len(FiveCardCategory), dtype=np.int64)
    np.add.at(counts, category5_of_rank_array(np.arange(len(six_card_counts()))), six_card_counts())
    return counts.tolist()


def test_sizes() -> None:
    assert (PLAYER_HANDS, DEALER_HANDS, DEALS, SIX_CARD_SETS) == (22_100, 18_424, 407_170_400, 20_358_520)
    assert hands().shape == (PLAYER_HANDS, 3)


@pytest.mark.parametrize("player", [(0, 1, 2), (0, 13, 26), (10, 24, 50), (49, 50, 51)])
def test_dealer_hands_below_equals_enumeration(player: tuple[int, int, int]) -> None:
    index = hands().tolist().index(list(player))
    dealers = [rank3(*dealer) for dealer in combinations(sorted(set(range(52)) - set(player)), 3)]
    for limit in (0, 1, 112, rank3(*player), rank3(*player) + 1, 740, 741):
        assert dealer_hands_below(limit)[index] == sum(rank < limit for rank in dealers)


def test_a_limit_for_each_hand() -> None:
    own = ranks().astype(np.int64)
    wins, not_losses = dealer_hands_below(own), dealer_hands_below(own + 1)
    # Player and dealer are exchangeable, so each wins as often as the other.
    assert wins.sum() == DEALS - not_losses.sum() == 203_359_936
    assert (not_losses - wins).sum() == 450_528


def test_every_set_of_six_is_counted_once() -> None:
    assert six_card_counts().sum() == SIX_CARD_SETS


def test_counts_cannot_be_changed_by_a_user() -> None:
    with pytest.raises(ValueError, match="read-only"):
        six_card_counts()[0] = 1


@pytest.mark.slow
@pytest.mark.needs("gcc")
def test_sets_of_six_equal_brute_force_in_c(tmp_path: Path) -> None:
    counted = brute_force.counts(brute_force.compile_to(tmp_path), "sixes")
    assert six_card_categories() == [counted["six", str(category.value)] for category in FiveCardCategory]
