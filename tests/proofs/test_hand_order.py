"""The proof of the hand order, small; and all sets of six against the C program's own evaluator."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from benchmarks import brute_force
from proofs import hand_order
from round_engine.hands import FIVE_CARD_RANKS, best_five_array, rank3
from round_engine.odds.deals import SIX_CARD_SETS


@pytest.mark.slow
def test_a_part_of_the_sets_of_six_ranks_as_phevaluator_ranks_it() -> None:
    found = hand_order.run(step=97)
    assert found.different == ()
    assert found.three_card_hands == 22_100
    assert found.six_card_sets > 100_000


@pytest.mark.slow
def test_a_wrong_rank_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def off_by_one(faces: np.ndarray, *, compiled: bool) -> np.ndarray:
        return best_five_array(faces, compiled=compiled) + (compiled & (faces[:, 5] == 50))

    monkeypatch.setattr(hand_order, "best_five_array", off_by_one)
    assert hand_order.run(step=1_000).different


@pytest.mark.slow
def test_a_wrong_rank_of_three_cards_in_one_order_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_order, "rank3", lambda one, two, three: rank3(one, two, three) + ((one, two) == (51, 50)))
    assert {cards[:2] for cards in hand_order.run(step=2_000).different} == {(51, 50)}


def sets_of_six() -> Iterator[np.ndarray]:
    """All C(52, 6) sets in lexicographic order, those with the same two lowest cards together."""
    fours = np.array(list(combinations(range(50), 4)), dtype=np.uint8)
    above = [fours[fours[:, 3] < 51 - second] + np.uint8(second + 1) for second in range(52)]
    for first, second in combinations(range(48), 2):
        sets = np.empty((len(above[second]), 6), dtype=np.uint8)
        sets[:, 0], sets[:, 1], sets[:, 2:] = first, second, above[second]
        yield sets


@pytest.mark.slow
@pytest.mark.needs("gcc")
def test_all_sets_of_six_rank_as_an_evaluator_in_c_ranks_them(tmp_path: Path) -> None:
    theirs = brute_force.ranks(brute_force.compile_to(tmp_path))
    # Equal orders: each of our ranks belongs to one of their values, and both rise together.
    value_of_rank = np.zeros(FIVE_CARD_RANKS, dtype=np.uint32)
    compared = 0
    for sets in sets_of_six():
        ours, values = best_five_array(sets), theirs[compared : compared + len(sets)]
        fresh = value_of_rank[ours] == 0
        value_of_rank[ours[fresh]] = values[fresh]
        assert (value_of_rank[ours] == values).all()
        compared += len(sets)
    assert compared == len(theirs) == SIX_CARD_SETS
    met = value_of_rank[value_of_rank > 0].astype(np.int64)
    assert (np.diff(met) > 0).all()
