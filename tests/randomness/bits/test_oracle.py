"""Quick and slow twins give the same p-values on random, lopsided and sticky bits, not only on published examples."""

from collections.abc import Callable
from functools import partial

import bits_oracle as oracle
import numpy as np
import pytest

import randomness.bits as quick
from randomness.bits import Bits
from randomness.result import Outcome

Test = Callable[..., tuple[object, ...]]

# name, bits, parameters of both twins, parameters of the quick one only
TWINS: list[tuple[str, int, dict[str, object], dict[str, object]]] = [
    ("frequency", 1_000, {}, {}),
    ("frequency", 101, {}, {}),
    ("block_frequency", 3_000, {}, {}),
    ("block_frequency", 1_007, {"block": 10}, {}),
    ("runs", 1_000, {}, {}),
    ("longest_run", 200, {}, {}),
    ("longest_run", 7_000, {}, {}),
    ("longest_run", 750_000, {}, {}),
    ("rank", 40_000, {}, {}),
    ("rank", 5_000, {"rows": 8, "columns": 8}, {}),
    ("rank", 5_000, {"rows": 5, "columns": 9}, {}),
    ("spectral", 1_000, {}, {}),
    ("spectral", 1_023, {}, {}),
    ("non_overlapping_template", 12_345, {}, {"least_bits": 0}),
    ("non_overlapping_template", 2_000, {"templates": ["001", "011", "100", "110"], "blocks": 5}, {"least_bits": 0}),
    ("overlapping_template", 30_000, {}, {"least_bits": 0}),
    ("overlapping_template", 9_000, {"length": 4, "block": 90}, {"least_bits": 0}),
    ("universal", 387_840, {}, {}),
    ("universal", 40_000, {"length": 6, "warm_up": 640}, {}),
    ("universal", 30_000, {"length": 7, "warm_up": 3}, {}),
    ("linear_complexity", 3_200, {"block": 64}, {"least_bits": 0}),
    ("linear_complexity", 3_150, {"block": 63}, {"least_bits": 0}),
    ("linear_complexity", 3_000, {}, {"least_bits": 0}),
    ("congruential", 2_700, {}, {}),
    ("word_complexity", 2_600, {"words": 40}, {}),
    ("word_complexity", 3_300, {"words": 50, "most_words": 77}, {}),
    ("serial", 5_000, {"length": 3}, {}),
    ("serial", 5_000, {"length": 2}, {}),
    ("serial", 30_000, {}, {"least_bits": 0}),
    ("approximate_entropy", 5_000, {"length": 2}, {}),
    ("approximate_entropy", 70_000, {}, {}),
    ("cumulative_sums", 1_000, {}, {}),
    ("cumulative_sums", 137, {}, {}),
    ("random_excursions", 20_000, {}, {"least_bits": 0, "least_cycles": 1}),
    ("random_excursions_variant", 20_000, {}, {"least_bits": 0, "least_cycles": 1}),
]


def even(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(0, 2, n, dtype=np.uint8)


def lopsided(rng: np.random.Generator, n: int) -> np.ndarray:
    return (rng.random(n) < 0.53).astype(np.uint8)


def sticky(rng: np.random.Generator, n: int) -> np.ndarray:
    return (np.cumsum(rng.random(n) < 0.4) % 2).astype(np.uint8)


@pytest.mark.parametrize("source", [even, lopsided, sticky])
@pytest.mark.parametrize(("name", "n", "shared", "own"), TWINS)
def test_twins_agree(
    name: str,
    n: int,
    shared: dict[str, object],
    own: dict[str, object],
    source: Callable[[np.random.Generator, int], np.ndarray],
) -> None:
    values = source(np.random.default_rng([n, len(name)]), n)
    slow = partial(getattr(oracle, name), **shared)(values.tolist())
    results = partial(getattr(quick, name), **shared, **own)(Bits(values, compiled=False))
    assert [result.outcome for result in results] == [Outcome.TESTED] * len(slow)
    assert [result.p for result in results] == pytest.approx(list(slow), rel=1e-7, abs=1e-12)


def test_every_test_of_the_registry_has_its_twin_compared() -> None:
    assert {name.replace("_", "-") for name, *_ in TWINS} == {test.name for test in (*quick.TESTS, *quick.BEYOND)}


def test_scan_and_skip_is_not_a_sliding_count_for_periodic_templates() -> None:
    """The reason why periodic templates are refused: in 111111 the pattern 111 is found twice, not four times."""
    assert oracle._scan_and_skip([1] * 6, "111", 1) != oracle._scan_and_skip([1, 1, 1, 0, 0, 0], "111", 1)
    assert "111" not in quick.aperiodic_templates(3)
