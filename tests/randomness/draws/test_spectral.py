"""The threshold of the spectral test is right for coins and dice as for large numbers."""

import math

import numpy as np
import pytest

from randomness.draws import named


@pytest.mark.parametrize("bound", [2, 3, 6, 52, 1 << 30])
def test_the_power_exceeds_twice_its_mean_exp_minus_two_of_the_time(bound: int) -> None:
    tally = named("spectral").accumulator(bound)
    tally.update(np.random.default_rng(bound).integers(0, bound, 1_024 * 400))
    judged = tally.cells[tally.frequencies()]  # type: ignore[attr-defined]
    share = judged.sum() / (judged.size * 400)
    error = math.sqrt(0.117 / (judged.size * 400))
    assert share == pytest.approx(math.exp(-2), abs=4 * error)


def test_lattice_frequencies_are_left_out() -> None:
    judged = named("spectral").accumulator(6).frequencies().tolist()  # type: ignore[attr-defined]
    assert len(judged) == 510
    assert not {0, 256, 512} & set(judged)


def test_a_period_is_named() -> None:
    draws = np.random.default_rng(1).integers(0, 6, 1_024 * 150)
    draws[::8] = 5
    tally = named("spectral").accumulator(6)
    tally.update(draws)
    result = tally.evaluate()
    assert result.p is not None
    assert result.p < 1e-10
    assert result.findings[0].place in {"a period of 8 draws", "a period of 2.667 draws"}
