"""Weak generators: the recurrences are the published ones, whatever the request sizes."""

from itertools import pairwise

import numpy as np
import pytest

from randomness.errors import BadParameter
from randomness.sources import make_source, seeded_source
from randomness.weak.streams import BiasedBits, JavaRandom, Lcg, Minstd, Mt19937, Randu, ShortPeriod, StuckBit


class Seed:
    """A source that seeds with one number."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def generate(self, n: int) -> bytes:
        return self._seed.to_bytes(n, "little")


def numbers(data: bytes, width: int) -> list[int]:
    bits = "".join(f"{octet:08b}" for octet in data)
    return [int(bits[i : i + width], 2) for i in range(0, len(bits) - width + 1, width)]


def test_minstd_gives_park_and_millers_check_value() -> None:
    """Communications of the ACM 31 (1988) 1192: from seed 1, the 10,000th number is 1,043,618,065."""
    stream = numbers(Minstd().open(Seed(0)).generate(31 * 1250), 31)
    assert stream[0] == 16807
    assert stream[9_999] == 1_043_618_065


def test_randu_gives_its_well_known_start_and_lies_on_planes() -> None:
    stream = numbers(Randu().open(Seed(1)).generate(3100), 31)
    assert stream[:4] == [65539, 393225, 1769499, 7077969]
    assert all((6 * y - 9 * x - z) % 2**31 == 0 for x, y, z in zip(stream, stream[1:], stream[2:], strict=False))


def test_the_lcg_is_the_published_recurrence() -> None:
    stream = numbers(Lcg().open(Seed(0)).generate(40_000), 32)
    assert stream[:2] == [1013904223, 1196435762]
    assert all(y == (1664525 * x + 1013904223) % 2**32 for x, y in pairwise(stream))


def test_java_random_is_the_published_recurrence() -> None:
    """new Random(42).nextInt() gives -1170105035, then 234785527; the constructor mixes the seed."""
    stream = numbers(JavaRandom().open(Seed(42 ^ 0x5DEECE66D)).generate(8), 32)
    assert stream == [2**32 - 1_170_105_035, 234_785_527]


def test_mt19937_gives_its_well_known_10000th_number() -> None:
    """ISO C++ [rand.predef]: from seed 5489, the 10,000th number is 4,123,659,995."""
    words = np.frombuffer(Mt19937().open(Seed(5489)).generate(40_000), "<u4")
    assert words[9_999] == 4_123_659_995


@pytest.mark.parametrize(("kind", "width"), [(Lcg, 32), (Minstd, 31), (Randu, 31)])
def test_fewer_bits_are_the_upper_ones(kind: type[Lcg], width: int) -> None:
    whole = numbers(kind().open(Seed(77)).generate(width * 4), width)
    upper = numbers(kind(keep=8).open(Seed(77)).generate(32), 8)
    assert upper == [number >> (width - 8) for number in whole]


@pytest.mark.parametrize("name", ["lcg", "minstd", "randu:keep=5", "java-random", "mt19937", "short-period:period=100"])
def test_request_sizes_do_not_change_a_stream(name: str) -> None:
    whole = make_source(f"defect:{name}", seed=1).generate(70_000)
    source = make_source(f"defect:{name}", seed=1)
    assert b"".join(source.generate(n) for n in (1, 0, 7, 61, 30_000, 39_931)) == whole


def test_a_short_period_repeats() -> None:
    data = ShortPeriod(period=1000).open(seeded_source(1)).generate(5000)
    assert data[:1000] * 5 == data
    assert len({data[i : i + 8] for i in range(992)}) == 992


def test_a_stuck_bit_and_a_bias_reach_the_stream() -> None:
    stuck = np.frombuffer(StuckBit(bit=9, value=0).open(seeded_source(1)).generate(8000), "<u8")
    assert not (stuck & np.uint64(1 << 9)).any()
    ones = np.unpackbits(np.frombuffer(BiasedBits(bias=0.1).open(seeded_source(1)).generate(20_000), np.uint8)).mean()
    assert abs(ones - 0.6) < 0.01


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (Lcg, {"keep": 33}), (Minstd, {"keep": 0}), (Minstd, {"multiplier": 1}), (Randu, {"keep": 32}),
        (ShortPeriod, {"period": 0}), (StuckBit, {"bit": 64}), (StuckBit, {"value": 2}), (BiasedBits, {"bias": 1.0}),
    ],
)  # fmt: skip
def test_impossible_parameters_are_refused(kind: type, wrong: dict[str, float]) -> None:
    with pytest.raises(BadParameter):
        kind(**wrong)
