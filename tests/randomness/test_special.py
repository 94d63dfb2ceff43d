"""Tail functions against scipy, which the product does not need at run time."""

import math

import pytest
import scipy.special
import scipy.stats

from randomness import special


@pytest.mark.parametrize("a", [0.5, 1.0, 2.5, 4.0, 25.0, 511.5, 3906.0, 16384.0])
@pytest.mark.parametrize("ratio", [0.2, 0.7, 0.95, 0.999, 1.0, 1.001, 1.05, 1.5, 3.0, 8.0])
def test_gamma_tail_is_scipys(a: float, ratio: float) -> None:
    expected = float(scipy.special.gammaincc(a, a * ratio))
    assert special.gamma_tail(a, a * ratio) == pytest.approx(expected, rel=1e-9, abs=1e-290)


def test_gamma_tail_ends() -> None:
    assert special.gamma_tail(3.0, 0.0) == 1.0
    assert special.gamma_tail(3.0, math.inf) == 0.0


def test_far_tail_keeps_relative_accuracy() -> None:
    expected = float(scipy.stats.chi2.sf(400.0, 6))
    assert 0.0 < expected < 1e-80
    assert special.chi_square_tail(400.0, 6) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("z", [-6.0, -1.3, 0.0, 0.4, 2.0, 9.0])
def test_normal_tails(z: float) -> None:
    assert special.normal_below(z) == pytest.approx(float(scipy.stats.norm.cdf(z)), rel=1e-12)
    assert special.normal_two_sided(z) == pytest.approx(2.0 * float(scipy.stats.norm.sf(abs(z))), rel=1e-12)


@pytest.mark.parametrize("samples", [20, 100, 2_000])
@pytest.mark.parametrize("scaled", [0.5, 0.8, 1.36, 1.63, 2.2])
def test_kolmogorov_tail_is_near_the_exact_law(samples: int, scaled: float) -> None:
    distance = scaled / math.sqrt(samples)
    assert special.kolmogorov_tail(distance, samples) == pytest.approx(
        float(scipy.stats.kstwo.sf(distance, samples)), rel=0.05, abs=2e-4
    )


@pytest.mark.parametrize(("freedom", "noncentrality"), [(5, 3.0), (9, 0.0), (51, 20.0), (2601, 300.0)])
@pytest.mark.parametrize("quantile", [0.01, 0.3, 0.9, 0.995])
def test_noncentral_chi_square_is_near_the_exact_law(freedom: int, noncentrality: float, quantile: float) -> None:
    law = scipy.stats.ncx2(freedom, noncentrality) if noncentrality else scipy.stats.chi2(freedom)
    x = float(law.ppf(quantile))
    assert special.noncentral_chi_square_below(x, freedom, noncentrality) == pytest.approx(quantile, abs=6e-3)


def test_noncentrality_interval_holds_the_truth_at_its_quantiles() -> None:
    freedom, truth = 51, 40.0
    for quantile, inside in ((0.5, True), (0.04, True), (0.96, True), (0.005, False), (0.995, False)):
        low, high = special.noncentrality_interval(float(scipy.stats.ncx2.ppf(quantile, freedom, truth)), freedom)
        assert (low <= truth <= high) is inside


def test_a_small_statistic_gives_zero_noncentrality() -> None:
    assert special.noncentrality_interval(10.0, 51) == special.Interval(low=0.0, high=0.0)
