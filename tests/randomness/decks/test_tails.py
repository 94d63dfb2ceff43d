"""Tail probabilities against scipy's."""

import numpy as np
import pytest
from scipy import stats

from randomness.decks.tails import (
    chi_square,
    equal_cells,
    gamma_tails,
    normal_quantile,
    normal_tails,
    sidak,
    sidak_part,
    upper_z,
)


@pytest.mark.parametrize("freedom", [1, 5, 40, 2601, 3_248_701])
@pytest.mark.parametrize("level", [0.5, 0.01, 1e-4, 1e-9])
def test_both_tails_of_chi_square(freedom: float, level: float) -> None:
    high, low = stats.chi2.isf(level, freedom), stats.chi2.ppf(level, freedom)
    assert gamma_tails(freedom / 2, high / 2).upper == pytest.approx(level, rel=1e-6)
    assert gamma_tails(freedom / 2, low / 2).lower == pytest.approx(level, rel=1e-6)


def test_the_law_of_the_card_by_position_sum_has_its_published_limits() -> None:
    law = chi_square((52 / 51, 2601))
    assert law.tails(2774.109).upper == pytest.approx(0.05, abs=1e-5)
    assert law.tails(2826.070).upper == pytest.approx(0.01, abs=1e-5)
    assert law.upper_quantile(0.05) == pytest.approx(2774.109, abs=1e-3)


def test_three_cumulants_stand_in_for_a_weighted_sum_of_chi_squares() -> None:
    parts = ((1 / 51, 102), (1.0, 1274), (53 / 51, 1275))
    rng = np.random.default_rng(1)
    sums = sum(w * rng.chisquare(f, 400_000) for w, f in parts)
    law = chi_square(*parts)
    for level in (0.5, 0.01, 0.001):
        seen = (sums > law.upper_quantile(level)).mean()
        assert seen == pytest.approx(level, abs=4 * np.sqrt(level / 400_000))


def test_cumulants_of_equal_cells_are_those_of_pearsons_sum() -> None:
    rng = np.random.default_rng(2)
    cells, samples = 20, 30
    counts = rng.multinomial(samples, [1 / cells] * cells, 400_000)
    sums = ((counts - samples / cells) ** 2 / (samples / cells)).sum(1)
    law = equal_cells(cells, samples)
    assert law.mean == pytest.approx(sums.mean(), rel=0.002)
    assert law.variance == pytest.approx(sums.var(), rel=0.01)
    assert law.third == pytest.approx(stats.skew(sums) * sums.std() ** 3, rel=0.05)


def test_a_moved_mean_is_found_with_the_power_asked_for() -> None:
    law = chi_square((1.0, 51))
    by = law.move_found(0.01, 0.8, 1.0)
    assert stats.ncx2.sf(stats.chi2.isf(0.01, 51), 51, by) == pytest.approx(0.8, abs=0.002)


@pytest.mark.parametrize("z", [-8.0, -1.0, 0.0, 3.0, 9.0])
def test_both_tails_of_the_normal_law(z: float) -> None:
    tails = normal_tails(z)
    assert tails.lower == pytest.approx(stats.norm.cdf(z), rel=1e-10)
    assert tails.upper == pytest.approx(stats.norm.sf(z), rel=1e-10)
    assert tails.two_sided == pytest.approx(min(1.0, 2 * stats.norm.sf(abs(z))), rel=1e-10)


def test_normal_quantiles_hold_far_out() -> None:
    assert upper_z(1e-12) == pytest.approx(stats.norm.isf(1e-12))
    assert normal_quantile(0.8) == pytest.approx(stats.norm.ppf(0.8))
    assert normal_quantile(0.0) < -36


def test_the_least_of_many_and_its_part_are_inverse() -> None:
    assert sidak(sidak_part(0.01, 2704), 2704) == pytest.approx(0.01)
    assert sidak(1e-12, 1000) == pytest.approx(1e-9)
    assert sidak(1.0, 3) == 1.0
