"""The benchmark counts what a long run counts."""

from itertools import islice

import pytest

from benchmarks import bench_decks
from randomness.certification import load_plan
from randomness.certification.shards import MOST_GROWTH


def test_shards_are_those_of_a_run_of_a_billion_decks() -> None:
    plan = load_plan(bench_decks.PLAN)
    for start in bench_decks.STARTS:
        (shard,) = islice(bench_decks.shards_of(plan, start), 1)
        assert shard.start == start
        assert shard.decks == plan.decks_per_shard * MOST_GROWTH
        assert set(shard.wanted.deck_tests) == set(plan.deck_tests)


def test_turns_measure_every_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_decks, "TURNS", 2)
    done = {"one": 0, "two": 0}

    def work(name: str) -> int:
        done[name] += 1
        return bench_decks.spin(20_000) + 1

    rates = bench_decks.in_turns({"one": lambda: work("one"), "two": lambda: work("two")})
    assert done == {"one": 3, "two": 3}
    assert all(rate > 0 for each in rates.values() for rate in each)
