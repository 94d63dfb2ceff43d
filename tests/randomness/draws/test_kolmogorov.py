"""The law of the Kolmogorov–Smirnov distance for data in cells."""

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats

from randomness.draws import named
from randomness.draws.kolmogorov import bridge_tail


@pytest.mark.parametrize("scaled", [0.3, 1.0, 2.5])
def test_two_cells_are_one_normal(scaled: float) -> None:
    """With two cells the bridge is seen once, at the middle, where its variance is 1/4."""
    assert bridge_tail(scaled, 2) == pytest.approx(2 * scipy.stats.norm.sf(2 * scaled), rel=1e-9)


@pytest.mark.parametrize("scaled", [0.5, 0.9, 1.4])
def test_three_cells_are_two_normals(scaled: float) -> None:
    covariance = [[2 / 9, 1 / 9], [1 / 9, 2 / 9]]
    inside = scipy.stats.multivariate_normal(mean=[0, 0], cov=covariance).cdf(
        [scaled, scaled], lower_limit=[-scaled, -scaled]
    )
    assert bridge_tail(scaled, 3) == pytest.approx(1 - inside, abs=1e-5)


def test_many_cells_come_near_the_continuous_law() -> None:
    """A grid of k cells sees about 0.5826 / sqrt(k) less (Chernoff 1965, Siegmund 1979)."""
    for scaled in (0.8, 1.2, 1.8):
        shifted = scipy.special.kolmogorov(scaled + 0.5826 / math.sqrt(128))
        assert bridge_tail(scaled, 128) == pytest.approx(shifted, rel=0.02)
        assert bridge_tail(scaled, 128) < scipy.special.kolmogorov(scaled)


def test_the_law_is_that_of_simulated_counts() -> None:
    rng = np.random.default_rng(2)
    n, k, runs = 5_000, 13, 4_000
    strays = np.cumsum(rng.multinomial(n, [1 / k] * k, size=runs), axis=1) / n - np.arange(1, k + 1) / k
    distances = np.abs(strays).max(axis=1) * math.sqrt(n)
    for scaled in (0.6, 1.0, 1.3):
        assert float(np.mean(distances >= scaled)) == pytest.approx(bridge_tail(scaled, k), abs=0.025)


@pytest.mark.parametrize("cells", [2, 3, 4, 8, 52])
def test_p_values_of_whole_counts_are_near_uniform_from_the_least_draws_on(cells: int) -> None:
    """At a number of draws that the cells divide, where every distance is a whole number of draws: the worst."""
    n = -(-named("kolmogorov-smirnov").least_draws(cells) // cells) * cells
    counts = np.random.default_rng(cells).multinomial(n, [1 / cells] * cells, size=20_000)
    strays = np.abs(np.cumsum(counts, axis=1)[:, :-1] - np.arange(1, cells) * (n // cells)).max(axis=1)
    steps, seen = np.unique(strays, return_counts=True)
    p = np.array([bridge_tail(step / math.sqrt(n), cells) for step in steps.tolist()])
    at_least = np.cumsum(seen[::-1])[::-1] / len(counts)
    assert max(np.abs(at_least - p).max(), np.abs(p - at_least + seen / len(counts)).max()) < 0.03


def test_ends() -> None:
    assert bridge_tail(0.0, 52) == 1.0
    assert 0.0 < bridge_tail(5.0, 52) < 1e-20
    assert bridge_tail(3.0, 52) < 2 * math.exp(-18)
