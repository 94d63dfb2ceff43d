"""CRC-32C by its published values."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.crc import CHECK, NAME, SIZE, crc32c, is_compiled

POLYNOMIAL_REFLECTED = 0x82F63B78  # 0x1EDC6F41, Castagnoli


def bitwise(data: bytes) -> int:
    """The definition, bit by bit."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (POLYNOMIAL_REFLECTED if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def test_the_check_value_over_the_digits() -> None:
    assert NAME == "crc-32c"
    assert crc32c(b"123456789") == CHECK == 0xE3069283 == bitwise(b"123456789")


@pytest.mark.parametrize(
    ("data", "value"),
    [
        # RFC 3720, appendix B.4
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
        (b"", 0),
    ],
)
def test_the_test_patterns_of_rfc_3720(data: bytes, value: int) -> None:
    assert crc32c(data) == value


@given(st.binary(max_size=100))
def test_any_bytes_give_what_the_definition_gives(data: bytes) -> None:
    assert crc32c(data) == bitwise(data) < 1 << 8 * SIZE


def test_the_compiled_extension_is_there_where_everything_must_be() -> None:
    if os.environ.get("SHUFFLER_REQUIRE_ALL"):
        assert is_compiled(), "crcmod was built without a C compiler: frames are checked some 18 times slower"
    else:
        assert is_compiled() in (True, False)
