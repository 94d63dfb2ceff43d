"""Sections 2.11 and 2.12."""

import numpy as np
import pytest

from randomness.bits import Bits, approximate_entropy, serial
from randomness.errors import BitsError


def test_2_11_4_the_small_example() -> None:
    """0011011101 with m = 3: differences 1.6 and 0.8, p = 0.808792 and 0.670320."""
    first, second = serial(Bits.from_text("0011011101", compiled=False), length=3, least_bits=0)
    assert (first.statistic, second.statistic) == pytest.approx((1.6, 0.8))
    assert (first.p, second.p) == pytest.approx((0.808792, 0.670320), abs=6e-7)


@pytest.mark.slow
def test_2_11_8_million_bits_of_e(e_bits: str) -> None:
    first, second = serial(Bits.from_text(e_bits, compiled=False), length=2)
    assert (first.p, second.p) == pytest.approx((0.843764, 0.561915), abs=6e-7)


def test_2_12_8_first_hundred_bits_of_pi(first_100_of_pi: Bits) -> None:
    (result,) = approximate_entropy(first_100_of_pi, length=2, least_bits=100)
    assert result.p == pytest.approx(0.235301, abs=6e-7)


def test_2_12_4_the_small_example() -> None:
    (result,) = approximate_entropy(Bits.from_text("0100110101", compiled=False), length=3, least_bits=0)
    assert result.p == pytest.approx(0.261961, abs=6e-7)


def test_the_corrected_entropy_has_the_mean_of_its_law() -> None:
    """At the least length the standard's statistic runs high by 2^m / 2n of its degrees of freedom."""
    rng = np.random.default_rng(11)
    length, n, runs = 6, 1 << 12, 1_500
    sequences = [Bits(rng.integers(0, 2, n, dtype=np.uint8), compiled=False) for _ in range(runs)]
    plain, better = (
        np.mean([approximate_entropy(bits, length=length, corrected=corrected)[0].statistic for bits in sequences])
        for corrected in (False, True)
    )
    error = 4 * np.sqrt(2 * 2**length / runs)
    assert plain / better == pytest.approx(1 + 2**length / (2 * n))
    assert better == pytest.approx(2**length, abs=error)


@pytest.mark.parametrize("length", [0, 25])
def test_lengths_out_of_range_are_refused(length: int) -> None:
    bits = Bits([0, 1], compiled=False)
    with pytest.raises(BitsError, match="to 24 bits"):
        serial(bits, length=length)
    with pytest.raises(BitsError, match="to 24 bits"):
        approximate_entropy(bits, length=length)
