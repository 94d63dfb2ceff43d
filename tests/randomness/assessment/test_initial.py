"""The initial estimate: which estimators run on what, and the lowest of them."""

import numpy as np
import pytest

from randomness.assessment import Samples, assess

RNG = np.random.default_rng(313)


def test_bits_go_through_ten_samples_through_seven_and_their_bits_through_ten() -> None:
    bits = assess(Samples.from_bytes(RNG.integers(0, 2, 7_000, dtype=np.uint8).tobytes()))
    assert (len(bits.literal), len(bits.bitstring), bits.h_bitstring) == (10, 0, None)
    nibbles = assess(Samples.from_bytes(RNG.integers(0, 16, 7_000, dtype=np.uint8).tobytes()))
    assert (len(nibbles.literal), len(nibbles.bitstring)) == (7, 10)
    assert nibbles.h_bitstring is not None
    assert nibbles.assessed == min(nibbles.h_original, 4 * nibbles.h_bitstring)


def test_what_can_not_be_made_is_left_out_and_says_why() -> None:
    found = assess(Samples.from_bytes(RNG.integers(0, 256, 600, dtype=np.uint8).tobytes()))
    unmet = {(of, each.name): each.unmet for of, each in found.estimates() if each.min_entropy is None}
    assert unmet["Bitstring", "Compression"] == "4,800 bits; the estimate needs 6,012 at the least"
    assert unmet["Literal", "MultiMCW"] == "600 samples; the estimate needs 4,096 at the least"
    assert unmet["Literal", "t-Tuple"] == "no sample occurs 35 times"
    assert 0.0 < found.h_original < 8.0


def test_a_claim_below_what_was_measured_counts() -> None:
    samples = Samples.from_bytes(RNG.integers(0, 4, 7_000, dtype=np.uint8).tobytes())
    assert assess(samples, claimed=0.5).assessed == 0.5
    assert assess(samples, claimed=2.0).assessed == assess(samples).assessed < 2.0


@pytest.mark.parametrize(
    ("name", "estimator"),
    [
        ("lopsided", "Most Common Value"),
        ("counting", "Lag"),
        ("sticky", "MultiMMC"),
        ("copied", "LRS"),
        ("drifting", "MultiMCW"),
        ("patterned", "LZ78Y"),
    ],
)
def test_each_kind_of_weakness_is_seen(name: str, estimator: str) -> None:
    n = 20_000
    even = RNG.integers(0, 8, n)
    weak = {
        "lopsided": np.where(RNG.random(n) < 0.5, 3, even),
        "counting": np.where(RNG.random(n) < 0.2, even, np.arange(n) * 3 % 8),
        "sticky": np.repeat(even, 3)[:n],
        "copied": np.concatenate([even[: n // 2], even[: n // 2]]),
        "drifting": (even // 6 + np.arange(n) // 700) % 8,
        "patterned": np.where(RNG.random(n) < 0.1, even, np.tile([0, 1, 1, 2, 7, 1, 1, 5], n)[:n]),
    }[name]
    good = assess(Samples.from_bytes(even.astype(np.uint8).tobytes(), 3))
    found = assess(Samples.from_bytes(weak.astype(np.uint8).tobytes(), 3))
    entropies = {each.name: each.min_entropy for each in found.literal}
    before = {each.name: each.min_entropy for each in good.literal}
    assert entropies[estimator] < 0.8 * before[estimator]  # type: ignore[operator]


def test_progress_is_told() -> None:
    heard: list[str] = []
    assess(Samples.from_bytes(RNG.integers(0, 4, 5_000, dtype=np.uint8).tobytes()), progress=heard.append)
    assert "collision, bit string" in heard
    assert heard[-1] == "LZ78Y"
