"""Correlations with exactly known mean and variance."""

from fractions import Fraction

import numpy as np
import pytest

from randomness.draws import named
from randomness.draws.correlations import cut_moments, shift_for


@pytest.mark.parametrize("bound", [2, 6, 52, 4_096, 4_097, 10_000, 123_457])
def test_moments_are_those_of_all_numbers(bound: int) -> None:
    values = [number >> shift_for(bound) for number in range(bound)]
    mean = Fraction(sum(values), bound)
    assert cut_moments(bound).mean == mean
    assert cut_moments(bound).variance == Fraction(sum(v * v for v in values), bound) - mean**2
    assert max(values) < 4_096


def test_values_stay_below_twelve_bits_for_any_bound() -> None:
    for bound in ((1 << 40) + 1, 1 << 62):
        assert (bound - 1) >> shift_for(bound) < 4_096


def test_a_copy_at_one_lag_is_a_correlation_of_one() -> None:
    block = np.random.default_rng(1).integers(0, 52, 9)
    tally = named("serial-correlation").accumulator(52)
    tally.update(np.tile(block, 1_000))
    ninth = tally.correlations()[8]  # type: ignore[attr-defined]
    variance = float(cut_moments(52).variance)
    assert ninth == pytest.approx(float(np.mean((block - 25.5) ** 2)) / variance, rel=1e-3)


def test_correlations_agree_with_numpy() -> None:
    draws = np.random.default_rng(2).integers(0, 52, 50_000)
    tally = named("interplay-correlation").accumulator(52)
    tally.update(draws)
    games = draws.reshape(-1, 5) - 25.5
    expected = [np.mean(games[:, i] * games[:, j]) * 12 / (52**2 - 1) for i in range(5) for j in range(i + 1, 5)]
    assert tally.correlations() == pytest.approx(expected, abs=1e-12)  # type: ignore[attr-defined]
