"""Whole runs of a plan: an ideal device passes, a bad one does not, and the limit is that of the binomial law."""

import pytest

from proofs import plan_alarms
from randomness.decks import compiled_available

pytestmark = [
    pytest.mark.skipif(not compiled_available(), reason="numba is not installed"),
    pytest.mark.slow,
]


def test_an_ideal_device_passes_and_a_bad_one_fails() -> None:
    for mechanism, failed in (("ideal", 0), ("shelf:shelves=10", 1)):
        found = plan_alarms.plan_alarms(
            runs=1, decks=1_536, per_shard=512, seed=3, processes=1, mechanism=mechanism
        )
        assert found.failed == failed
        assert found.family > 150


@pytest.mark.parametrize(("runs", "level", "most"), [(1, 0.01, 1), (400, 0.01, 11), (100, 0.05, 13)])
def test_as_many_alarms_as_chance_gives_once_in_a_thousand(runs: int, level: float, most: int) -> None:
    assert plan_alarms.most_alarms(runs, level) == most
