"""Sections 2.11 and 2.12."""

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


@pytest.mark.parametrize("length", [0, 25])
def test_lengths_out_of_range_are_refused(length: int) -> None:
    bits = Bits([0, 1], compiled=False)
    with pytest.raises(BitsError, match="to 24 bits"):
        serial(bits, length=length)
    with pytest.raises(BitsError, match="to 24 bits"):
        approximate_entropy(bits, length=length)
