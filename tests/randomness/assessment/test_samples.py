"""How bytes become samples."""

import pytest

from randomness.assessment import Samples
from randomness.errors import AssessmentError


def test_the_width_is_that_of_the_largest_sample_unless_told() -> None:
    assert Samples.from_bytes(bytes([0, 1, 0])).width == 1
    assert Samples.from_bytes(bytes([0, 9, 3])).width == 4
    assert Samples.from_bytes(bytes([0, 9, 3]), 8).width == 8


def test_values_are_renumbered_in_their_order_and_bits_are_not() -> None:
    samples = Samples.from_bytes(bytes([9, 2, 12, 2]))
    assert samples.symbols.values.tolist() == [1, 0, 2, 0]
    assert samples.symbols.alphabet == 3
    assert samples.renumbered
    assert samples.bits.values.tolist() == [1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0]


def test_two_values_are_their_own_bit_string() -> None:
    samples = Samples.from_bytes(bytes([8, 0, 8]), 4)
    assert samples.binary
    assert samples.symbols.values.tolist() == [1, 0, 1]


def test_column_by_column() -> None:
    turned = Samples.from_bytes(bytes([1, 2, 3, 5, 6, 7])).transposed(2)
    assert turned.raw.tolist() == [1, 5, 2, 6, 3, 7]
    assert turned.symbols.values.tolist() == [0, 3, 1, 4, 2, 5]


@pytest.mark.parametrize(
    ("data", "width", "said"),
    [
        (b"", None, "0 sample"),
        (b"\0", None, "1 sample"),
        (b"\7\7\7", None, "every sample is 7: no entropy"),
        (b"\1\2\0", 9, "1 to 8 bits, not 9"),
        (b"\1\2\x10", 4, "sample 2 is 16, which has more than 4 bits"),
    ],
)
def test_what_can_not_be_assessed(data: bytes, width: int | None, said: str) -> None:
    with pytest.raises(AssessmentError, match=said):
        Samples.from_bytes(data, width)
