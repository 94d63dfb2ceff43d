"""Sums over decks: exact, Edgeworth and bound, each against an independent calculation."""

import numpy as np
import pytest
from scipy import stats

from randomness.decks import laws
from randomness.decks.sums import Law

FIXED = Law(laws.fixed_points(52))
COIN = Law((1, 1))


def test_moments_are_exact() -> None:
    valleys = Law(laws.valleys(52))
    assert str(valleys.exact_mean) == "50/3"
    assert str(valleys.exact_variance) == "106/45"
    assert str(Law(laws.inversions(52)).exact_variance) == "24089/6"
    assert Law(laws.right_guesses(52)).mean == pytest.approx(4.538043950697449)


@pytest.mark.parametrize("decks", [1, 2, 7, 40, 1000])
def test_a_sum_of_coins_is_binomial_at_every_value(decks: int) -> None:
    for total in range(0, decks + 1, max(1, decks // 20)):
        tails = COIN.tails(decks, total, 0.25)
        law = stats.binom(decks, 0.5)
        lower, upper = law.cdf(total - 1) + 0.25 * law.pmf(total), law.sf(total) + 0.75 * law.pmf(total)
        if min(lower, upper) > 1e-9:
            assert (tails.lower, tails.upper) == pytest.approx((lower, upper), rel=1e-6)


def test_a_sum_of_fixed_points_is_poisson_to_the_last_digit() -> None:
    tails = FIXED.tails(30, 45, 0.5)
    assert tails.upper == pytest.approx(stats.poisson(30).sf(45) + 0.5 * stats.poisson(30).pmf(45), rel=1e-9)


@pytest.mark.parametrize("z", [-4.5, -2.0, 0.0, 3.0, 5.0])
def test_long_sums_pass_smoothly_from_convolution_to_expansion(z: float) -> None:
    decks = 40_000
    total = round(decks * FIXED.mean + z * FIXED.deviation * decks**0.5)
    exact, expanded = FIXED.tails(decks, total, 0.3), FIXED._edgeworth(decks, total, 0.3)
    assert expanded.lower == pytest.approx(exact.lower, rel=2e-4)
    assert expanded.upper == pytest.approx(exact.upper, rel=2e-4)


def test_far_tails_are_bounded_from_above_and_stay_positive() -> None:
    for decks, total in ((30, 300), (1000, 1400), (10**6, 10**6 + 8000), (10**9, 10**9 + 300_000)):
        true, bound = stats.poisson(decks).sf(total - 1), FIXED.tails(decks, total, 0.5).upper
        assert 0 < true * 0.999 <= bound <= 1e-9
    assert COIN.tails(100, 100, 0.5).upper == pytest.approx(2.0**-100, rel=1e-6)
    assert COIN.tails(100, 0, 0.5).lower == pytest.approx(2.0**-100, rel=1e-6)


def test_randomised_p_values_are_uniform_even_for_one_deck() -> None:
    rng = np.random.default_rng(3)
    draws, chances = rng.choice(len(FIXED.pmf), 20_000, p=FIXED.pmf), rng.random(20_000)
    p = [FIXED.tails(1, int(x), u).two_sided for x, u in zip(draws, chances, strict=True)]
    assert stats.kstest(p, "uniform").pvalue > 0.001
