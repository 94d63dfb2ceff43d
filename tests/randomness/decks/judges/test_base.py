"""The numbers behind randomised p-values."""

import numpy as np
from scipy import stats

from randomness.decks.judges.base import Chance


def test_chance_repeats_for_a_seed_and_is_uniform_over_seeds() -> None:
    assert Chance(5).uniform() == Chance(5).uniform()
    first = [Chance(seed).uniform() for seed in range(20_000)]
    assert 0 < min(first) < max(first) < 1
    assert stats.kstest(first, "uniform").pvalue > 0.001


def test_splitmix_gives_its_published_numbers() -> None:
    # The reference generator seeded with 1234567 begins 6457827717110365317, 3203168211198807973.
    chance = Chance(1234567)
    expected = [6457827717110365317, 3203168211198807973]
    np.testing.assert_allclose([chance.uniform() for _ in expected], [x / 2**64 for x in expected], rtol=1e-12)
