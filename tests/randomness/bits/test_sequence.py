"""Bits come in as numbers, bytes or text, and refuse anything else."""

import numpy as np
import pytest

from randomness.bits import Bits
from randomness.errors import BitsError


def test_the_most_significant_bit_of_a_byte_comes_first() -> None:
    values = Bits.from_bytes(b"\x81\x40", compiled=False).values.tolist()
    assert "".join(map(str, values)) == "1000000101000000"


def test_text_may_be_broken_into_lines() -> None:
    assert Bits.from_text("01 1\n0\t1\r\n", compiled=False).values.tolist() == [0, 1, 1, 0, 1]


@pytest.mark.parametrize("text", ["0120", "01a", "2", "0.1"])
def test_text_that_is_not_bits_is_refused(text: str) -> None:
    with pytest.raises(BitsError, match="neither a zero nor a one"):
        Bits.from_text(text, compiled=False)


@pytest.mark.parametrize("values", [[0, 1, 2], [0, -1], np.array([[0, 1]]), np.array([0, 255], dtype=np.uint8)])
def test_values_that_are_not_bits_are_refused(values: object) -> None:
    with pytest.raises(BitsError):
        Bits(values, compiled=False)  # type: ignore[arg-type]


def test_counts_of_short_patterns_come_from_those_of_long_ones() -> None:
    values = np.random.default_rng(3).integers(0, 2, 777, dtype=np.uint8)
    first_long, first_short = Bits(values, compiled=False), Bits(values, compiled=False)
    first_long.circular_counts(9)
    assert first_long.circular_counts(4).tolist() == first_short.circular_counts(4).tolist()
    assert int(first_short.circular_counts(4).sum()) == 777


def test_ones_and_length() -> None:
    bits = Bits([1, 1, 0], compiled=False)
    assert (len(bits), bits.ones) == (3, 2)
