"""Beyond the standard: congruential generators told by their words."""

from collections.abc import Iterator

import numpy as np
import pytest

from randomness.bits import Bits, congruential
from randomness.bits.congruential import LEAST_BITS, Reading, recurrence, words
from randomness.result import Outcome


def states(multiplier: int, increment: int, modulus: int, x: int) -> Iterator[int]:
    while True:
        x = (multiplier * x + increment) % modulus
        yield x


def packed(multiplier: int, increment: int, modulus: int, size: int, before: str = "") -> Bits:
    source = states(multiplier, increment, modulus, 12_345)
    return Bits.from_text(before + "".join(format(next(source), f"0{size}b") for _ in range(400)), compiled=False)


@pytest.mark.parametrize(
    ("multiplier", "increment", "modulus", "size"),
    [
        (16_807, 0, 2**31 - 1, 31),  # MINSTD
        (48_271, 0, 2**31 - 1, 32),  # the same modulus in 32-bit words
        (1_664_525, 1_013_904_223, 2**32, 32),
        (25_214_903_917, 11, 2**48, 48),  # drand48
        (6_364_136_223_846_793_005, 1_442_695_040_888_963_407, 2**64, 64),
    ],
)
@pytest.mark.parametrize("before", ["", "1", "0110100"])
def test_the_recurrence_is_named(multiplier: int, increment: int, modulus: int, size: int, before: str) -> None:
    (result,) = congruential(packed(multiplier, increment, modulus, size, before))
    assert result.p is not None
    assert result.p < 1e-15
    assert result.findings[0].place == (
        f"{size}-bit words from bit {len(before)} follow x -> {multiplier} x + {increment} mod {modulus}"
    )


def test_words_with_the_lowest_byte_first() -> None:
    source = states(1_664_525, 1_013_904_223, 2**32, 1)
    data = np.array([next(source) for _ in range(200)], dtype="<u4").tobytes()
    (result,) = congruential(Bits.from_bytes(b"\x07" + data, compiled=False))
    assert result.findings[0].place.startswith("32-bit words from bit 8, lowest byte first follow x -> 1664525 x")


def test_a_counter_is_found_too() -> None:
    (result,) = congruential(Bits.from_text("".join(format(n, "032b") for n in range(99, 400)), compiled=False))
    assert result.p is not None
    assert result.p < 1e-6
    assert "differ by the same step" in result.findings[0].place


def test_random_bits_have_no_recurrence() -> None:
    p_values = [
        congruential(Bits(np.random.default_rng(seed).integers(0, 2, LEAST_BITS, dtype=np.uint8), compiled=False))[0].p
        for seed in range(40)
    ]
    assert min(p_values) > 0.05  # type: ignore[type-var]


def test_a_cut_state_is_not_seen() -> None:
    """Sixteen of 31 bits: said here so that nobody thinks otherwise."""
    source = states(16_807, 0, 2**31 - 1, 1)
    text = "".join(format(next(source) >> 15, "016b") for _ in range(400))
    assert congruential(Bits.from_text(text, compiled=False))[0].p == 1.0


def test_too_few_bits() -> None:
    (result,) = congruential(Bits([0, 1] * 500, compiled=False))
    assert result.outcome is Outcome.TOO_FEW


def test_words_are_cut_from_the_first_bit() -> None:
    assert words(0b1011_0001_1111_0000, 16, Reading(4, 0, False), 4) == [11, 1, 15, 0]
    assert words(0xAABBCCDD, 32, Reading(16, 0, True), 2) == [0xBBAA, 0xDDCC]


def test_words_that_follow_nothing() -> None:
    assert recurrence([1, 5, 2, 8, 3, 9], 1_000_003) is None
