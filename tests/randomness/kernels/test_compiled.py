"""The numba twins on their own: ready dice in, orders out (the kernels' test compares whole runs)."""

import numpy as np
import pytest

from randomness.kernels.dice import plan_dice, roll_vector
from randomness.kernels.ideal import Ideal
from randomness.source import read_words
from randomness.sources import seeded_source

pytestmark = pytest.mark.slow


def test_dice_and_fisher_yates_equal_the_numpy_twins() -> None:
    pytest.importorskip("numba")
    from randomness.kernels import compiled

    plan = plan_dice(range(2, 53))
    words = read_words(seeded_source(1), 4 * 500).reshape(500, 4)
    dice, accepted = roll_vector(plan, words)
    compiled_dice = np.empty((500, 51), np.uint32)
    compiled_accepted = np.empty(500, np.bool_)
    bounds, starts = np.array(plan.bounds, np.uint64), np.array(plan.starts, np.int64)
    thresholds = np.array(plan.thresholds, np.uint64)
    compiled.roll(words, bounds, starts, thresholds, compiled_dice, compiled_accepted)
    assert (dice == compiled_dice.T).all()
    assert (compiled_accepted == accepted).all()
    assert not accepted.all()
    order, fused = np.empty((500, 52), np.uint8), np.empty((500, 52), np.uint8)
    compiled.fisher_yates(compiled_dice, order)
    compiled.ideal(words, starts, thresholds, fused, compiled_accepted)
    assert (order == Ideal().vector(52, dice)).all()
    assert (fused == order).all()
