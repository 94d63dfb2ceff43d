"""The calibration of the bit tests at its small size, and that it notices p-values that are not uniform."""

import numpy as np
import pytest

from proofs.bit_calibration import aes_bits, calibrate, families, far_tail, report
from randomness.bits import TESTS


def lopsided(seed: int, number: int, bits: int) -> np.ndarray:
    return aes_bits(seed, number, bits) | (
        aes_bits(seed, number + 1_000, bits) & aes_bits(seed, number + 2_000, bits) & 1
    )


@pytest.mark.slow
def test_all_188_p_values_are_uniform_on_ideal_bits() -> None:
    spreads = calibrate(sequences=16, workers=2)
    assert len({one.test for one in spreads}) == 188
    assert not [one for one in spreads if not one.uniform]
    assert (
        report(spreads).count("| none |")
        == len(families(spreads))
        == 15 + sum(test.corrected is not None for test in TESTS)
    )


@pytest.mark.slow
def test_the_far_tail_of_the_short_tests() -> None:
    found = far_tail(runs=100, workers=2)
    assert set(found) == {
        *("frequency", "block-frequency", "runs", "longest-run", "rank", "spectral", "approximate-entropy"),
        *("serial/1", "serial/2", "cumulative-sums/forward", "cumulative-sums/backward"),
    }
    assert {runs for runs, _ in found.values()} == {100}
    assert max(tiny for _, tiny in found.values()) <= 1
    biased = far_tail(runs=4, bits=1 << 16, source=lopsided, workers=1)
    assert biased["frequency"] == (4, 4)


@pytest.mark.slow
def test_lopsided_bits_are_not_called_uniform() -> None:
    spreads = calibrate(sequences=8, bits=100_000, source=lopsided, workers=1)
    assert {one.uniform for one in spreads if one.test == "frequency"} == {False}


def test_sequences_differ_by_number_and_seed_only() -> None:
    assert aes_bits(1, 0, 999).tolist() == aes_bits(1, 0, 999).tolist()
    assert aes_bits(1, 0, 999).tolist() != aes_bits(1, 1, 999).tolist()
    assert aes_bits(1, 0, 999).tolist() != aes_bits(2, 0, 999).tolist()
