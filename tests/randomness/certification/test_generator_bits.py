"""The generator's bits in a run: one figure a test, valid, and a bad generator fails by them."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from randomness.certification import BitSource, KernelSubject, Run, RunInterrupted, certify, load_plan, local_engine
from randomness.certification.generator_bits import SECTION, generator_bits, run_bits
from randomness.result import Outcome
from randomness.sources import make_source

PLAN = replace(load_plan("quick"), decks=300, decks_per_shard=100, bit_sequences=2, bit_length=40_000, controls=(),
               retest_times=0)  # fmt: skip


def bits(name: str = "ctr", *, sequences: int = 3, length: int = 40_003) -> BitSource:
    return generator_bits(lambda: make_source(name, seed=5), sequences=sequences, length=length, describes=name)


def test_sequences_are_the_generators_bits_one_after_the_other() -> None:
    first, second = bits(sequences=2, length=8 * 70_000).sequences()
    source = make_source("ctr", seed=5)
    for sequence in (first, second):
        data = source.generate(65_536) + source.generate(70_000 - 65_536)
        assert np.packbits(sequence).tobytes() == data
    assert [len(sequence) for sequence in bits(length=999).sequences()] == [999] * 3


def test_every_test_is_one_figure_and_those_that_lack_bits_say_so() -> None:
    found = run_bits(bits())
    assert found is not None
    assert len(found.results) == len(found.record.tests) == 15
    by_name = {result.test: result for result in found.results}
    assert by_name["frequency"].outcome is Outcome.TESTED
    assert by_name["non-overlapping-template"].outcome is Outcome.TOO_FEW
    assert "at least 1,000,000" in by_name["non-overlapping-template"].unmet[0]
    assert found.record.bits == 3 * 40_003


def test_a_figure_is_the_least_p_value_times_how_many_there_are() -> None:
    """Over one sequence: cumulative-sums has two p-values, frequency one."""
    found = run_bits(bits(sequences=1))
    assert found is not None
    for result, row in zip(found.results, found.record.tests, strict=True):
        if result.test in ("frequency", "cumulative-sums"):
            assert result.p == pytest.approx(min(1.0, row.p_values * row.lowest_p))


@pytest.mark.slow
def test_figures_of_good_bits_are_valid_p_values() -> None:
    """Of 200 figures of each test at most a few are below 0.05: their bound is conservative, never the other way."""
    below = dict.fromkeys(("frequency", "runs", "cumulative-sums", "rank"), 0)
    for seed in range(200):
        found = run_bits(
            generator_bits(partial(make_source, "ctr", seed=seed), sequences=2, length=40_000, describes="")
        )
        assert found is not None
        for result in found.results:
            if result.test in below and result.p is not None:
                below[result.test] += result.p <= 0.05
    assert all(count <= 20 for count in below.values()), below  # 10 expected at most; 20 or more by chance: 0.2 %


def test_a_bad_generator_fails_the_run_and_the_test_is_named() -> None:
    run = Run(plan=PLAN, subject=KernelSubject(mechanism="defect:biased-bits:bias=0.05", seed=1))
    record = certify(run, local_engine(1))
    assert not record.verdict.passed
    assert f"{SECTION}: frequency" in record.verdict.rejected
    place = next(place for place in record.where_to_look if place.test == f"{SECTION}: frequency")
    assert place.sees == "more ones than zeros, or fewer"
    assert place.findings


def test_recorded_bits_go_before_the_generators_own() -> None:
    run = Run(plan=PLAN, subject=KernelSubject(mechanism="ideal", seed=1))
    given = BitSource(source="a file", sequences=lambda: [np.ones(5_000, np.uint8)])
    record = certify(run, local_engine(1), bits=given)
    assert record.bits.source == "a file"
    assert f"{SECTION}: frequency" in record.verdict.rejected


def test_a_stop_while_bits_are_tested_is_an_interruption() -> None:
    asked = iter([False] * 3)  # the three shards of the decks
    run = Run(plan=PLAN, subject=KernelSubject(mechanism="ideal", seed=1))
    with pytest.raises(RunInterrupted):
        certify(run, local_engine(1), stop=lambda: next(asked, True))
