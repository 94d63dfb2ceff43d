"""The memory benchmark makes a whole run and says what it held."""

import pytest

from benchmarks import bench_memory


@pytest.mark.slow
def test_a_run_says_its_decks_and_its_memory() -> None:
    found = bench_memory.measure(3_000, workers=1)
    assert found["decks"] == 3_000
    assert found["parent"] > 10
