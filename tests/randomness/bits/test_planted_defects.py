"""For each of the fifteen a source built to fail it: a million bits of it give p below one in a million."""

from collections.abc import Callable

import numpy as np
import pytest

from randomness.bits import TESTS, Bits, named
from randomness.bits.engine import BitArray

N = 1_000_000
Source = Callable[[np.random.Generator], BitArray]


def even(rng: np.random.Generator) -> BitArray:
    return rng.integers(0, 2, N, dtype=np.uint8)


def ones_favoured(rng: np.random.Generator) -> BitArray:
    return (rng.random(N) < 0.503).astype(np.uint8)


def blocks_in_turn_heavy_and_light(rng: np.random.Generator) -> BitArray:
    heavy = (np.arange(N) // 128) % 2 == 0
    return (rng.random(N) < np.where(heavy, 0.52, 0.48)).astype(np.uint8)


def changing_too_rarely(rng: np.random.Generator) -> BitArray:
    return (np.cumsum(rng.random(N) < 0.497) % 2).astype(np.uint8)


def no_long_runs(rng: np.random.Generator) -> BitArray:
    """Every run of twelve ones is broken in its middle."""
    bits = even(rng)
    runs = np.flatnonzero(np.convolve(bits, np.ones(12, dtype=np.int64), "valid") == 12)
    bits[runs + 6] = 0
    return bits


def dependent_rows(rng: np.random.Generator) -> BitArray:
    """In every third matrix the last row is the sum of two others."""
    rows = even(rng)[: N // 1024 * 1024].reshape(-1, 32, 32)
    rows[::3, 31] = rows[::3, 0] ^ rows[::3, 7]
    return np.concatenate([rows.ravel(), even(rng)[: N - rows.size]])


def echo(rng: np.random.Generator) -> BitArray:
    """One bit in eight is the fifth before it: a ripple over the whole spectrum."""
    bits = even(rng).tolist()
    for i in np.flatnonzero(rng.random(N) < 1 / 8).tolist():
        bits[i] = bits[max(0, i - 5)]
    return np.array(bits, dtype=np.uint8)


def one_pattern_made_rare(rng: np.random.Generator) -> BitArray:
    """A third of all 000000011 become 000000111."""
    text = even(rng).tobytes()
    pattern, other = bytes([0] * 7 + [1, 1]), bytes([0] * 6 + [1, 1, 1])
    pieces = text.split(pattern)
    joined = [pieces[0]]
    for piece, spoil in zip(pieces[1:], rng.random(len(pieces) - 1) < 1 / 3, strict=True):
        joined += [other if spoil else pattern, piece]
    return np.frombuffer(b"".join(joined), dtype=np.uint8)


def runs_of_nine_broken(rng: np.random.Generator) -> BitArray:
    bits = even(rng)
    runs = np.flatnonzero(np.convolve(bits, np.ones(9, dtype=np.int64), "valid") == 9)
    bits[runs[rng.random(runs.size) < 0.3] + 4] = 0
    return bits


def blocks_repeated(rng: np.random.Generator) -> BitArray:
    blocks = even(rng)[: N // 7 * 7].reshape(-1, 7)
    for i in np.flatnonzero(rng.random(blocks.shape[0]) < 0.05):
        blocks[i] = blocks[max(0, i - 20)]
    return np.concatenate([blocks.ravel(), [0]]).astype(np.uint8)


def short_registers(rng: np.random.Generator) -> BitArray:
    """In one block of forty the second half follows a register of 100 steps: x^100 + x^63 + 1."""
    blocks = even(rng).reshape(-1, 500)
    for block in blocks[::40]:
        for i in range(100, 500):
            block[i] = block[i - 100] ^ block[i - 37]
    return blocks.ravel()


def parity_of_ten_followed(rng: np.random.Generator) -> BitArray:
    """A bit is the parity of the ten before it a little more often than not."""
    bits = even(rng).tolist()
    follow = (rng.random(N) < 0.05).tolist()
    parity = sum(bits[:10]) % 2
    for i in range(10, N):
        if follow[i]:
            bits[i] = parity
        parity ^= bits[i] ^ bits[i - 10]
    return np.array(bits, dtype=np.uint8)


def ones_first(rng: np.random.Generator) -> BitArray:
    return (rng.random(N) < np.where(np.arange(N) < N // 2, 0.506, 0.494)).astype(np.uint8)


def reflected_near_home(rng: np.random.Generator) -> BitArray:
    """The walk turns back at two steps from home, three times in four."""
    bits = even(rng).tolist()
    force = (rng.random(N) < 0.5).tolist()
    here = 0
    for i in range(N):
        if abs(here) == 2 and force[i]:
            bits[i] = 0 if here > 0 else 1
        here += 1 if bits[i] else -1
    return np.array(bits, dtype=np.uint8)


def held_near_home(rng: np.random.Generator) -> BitArray:
    """The walk turns back at six steps from home, nine times in ten."""
    bits = even(rng).tolist()
    force = (rng.random(N) < 0.8).tolist()
    here = 0
    for i in range(N):
        if abs(here) == 6 and force[i]:
            bits[i] = 0 if here > 0 else 1
        here += 1 if bits[i] else -1
    return np.array(bits, dtype=np.uint8)


PLANTED: dict[str, Source] = {
    "frequency": ones_favoured,
    "block-frequency": blocks_in_turn_heavy_and_light,
    "runs": changing_too_rarely,
    "longest-run": no_long_runs,
    "rank": dependent_rows,
    "spectral": echo,
    "non-overlapping-template": one_pattern_made_rare,
    "overlapping-template": runs_of_nine_broken,
    "universal": blocks_repeated,
    "linear-complexity": short_registers,
    "serial": parity_of_ten_followed,
    "approximate-entropy": parity_of_ten_followed,
    "cumulative-sums": ones_first,
    "random-excursions": reflected_near_home,
    "random-excursions-variant": held_near_home,
}


def lowest_p(name: str, values: BitArray) -> float:
    test = named(name)
    assert test is not None
    p_values = [result.p for result in test.run(Bits(values, compiled=False))]
    assert None not in p_values
    return min(p_values)  # type: ignore[type-var, return-value]


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_the_defect_is_found(name: str) -> None:
    rng = np.random.default_rng(2024)
    assert lowest_p(name, PLANTED[name](rng)) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_even_bits_pass_the_same_test(name: str) -> None:
    assert lowest_p(name, even(np.random.default_rng(77))) > 1e-4


def test_every_test_has_a_defect_of_its_own() -> None:
    assert set(PLANTED) == {test.name for test in TESTS}
