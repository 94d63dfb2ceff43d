"""What counts are worth to a player: figures that can be computed by hand, and the paytable that they stand on."""

import numpy as np
import pytest

from randomness.certification.practical import _DEALS, PAIR_PLUS, advantage, practical
from randomness.certification.shards import Counter, ShardPlan
from randomness.certification.totals import RunSection
from round_engine.hands import ThreeCardCategory


def section(decks: np.ndarray, inputs: np.ndarray) -> RunSection:
    counter = Counter(ShardPlan(deck_tests=("riffle-guess", "hand-categories"), draw_tests=(), planned=None))
    counter.count(decks, inputs)
    return RunSection(battery=counter.battery, draws=counter.draws)


def test_the_house_edge_of_the_paytable_is_the_known_one() -> None:
    assert len(PAIR_PLUS) == len(ThreeCardCategory)
    assert sum(_DEALS) == 22_100
    assert advantage(_DEALS) == pytest.approx(-0.0232, abs=5e-5)


def test_an_ideal_shuffle_gives_the_expected_figures_and_no_shuffle_others() -> None:
    order = np.arange(52, dtype=np.uint8)
    ideal = np.random.default_rng(3).permuted(np.tile(order, (4_000, 1)), axis=1)
    for decks, good in ((ideal, True), (np.tile(order, (4_000, 1)), False)):
        guessed, bet = practical({"factory": section(decks, order)})
        assert guessed.expected == pytest.approx(4.538, abs=1e-3)
        assert (guessed.low < guessed.expected < guessed.high) is good
        assert (guessed.found > 50) is not good
        assert (bet.low <= bet.expected <= bet.high) is good
