"""The compiled counts are the numpy counts, on random, lopsided and awkwardly long bits."""

import numpy as np
import pytest

from randomness.bits import compiled, counts

pytestmark = pytest.mark.slow  # compiling takes seconds where nothing is cached

CALLS = [
    ("circular_counts", (1,)),
    ("circular_counts", (5,)),
    ("circular_counts", (16,)),
    ("block_counts", (1_000, 9)),
    ("block_counts", (997, 4)),
    ("all_ones_counts", (1_032, 9)),
    ("longest_runs", (128,)),
    ("ranks", (32, 32)),
    ("ranks", (7, 19)),
    ("ranks", (64, 64)),
    ("complexities", (500,)),
    ("complexities", (63,)),
    ("complexities", (64,)),
    ("complexities", (9,)),
    ("distances", (7, 1_280)),
    ("distances", (6, 0)),
]


@pytest.mark.parametrize(("share", "n"), [(0.5, 30_011), (0.9, 20_000), (0.02, 20_007), (0.0, 12_000), (1.0, 12_000)])
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_compiled_is_plain(name: str, arguments: tuple[int, ...], share: float, n: int) -> None:
    bits = (np.random.default_rng(n).random(n) < share).astype(np.uint8)
    expected = getattr(counts, name)(bits, *arguments)
    found = getattr(compiled, name)(bits, *arguments)
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


def test_a_circle_shorter_than_the_pattern() -> None:
    bits = np.array([1, 0, 1], dtype=np.uint8)
    for length in (2, 3, 4, 7, 9):
        assert compiled.circular_counts(bits, length).tolist() == counts.circular_counts(bits, length).tolist()
