"""Negative controls: found under every plan of the product, and a battery that is blind passes nothing."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from randomness.certification import (
    PLANS,
    KernelSubject,
    Recorded,
    RecordedSubject,
    Run,
    certify,
    load_plan,
    local_engine,
)
from randomness.certification.controls import run_controls, seed_of
from randomness.certification.engines import Here
from randomness.certification.judging import judge
from randomness.certification.plan import NegativeControl
from randomness.certification.runs import count_all

pytestmark = pytest.mark.slow
SMALL = replace(load_plan("quick"), decks=300, decks_per_shard=100, bit_sequences=0, retest_times=0, least_decks=1)


@pytest.mark.parametrize("name", [plan for plan in PLANS if plan != "full"])  # the tests of full are standard's
def test_every_control_of_a_plan_is_found(name: str) -> None:
    rows = run_controls(load_plan(name), lambda run: judge(run, count_all(run, Here())))
    assert rows is not None
    assert len(rows) >= 10
    assert [row.mechanism for row in rows if not row.found] == []
    assert all(row.by for row in rows)


def test_a_control_that_is_not_found_fails_the_run_and_is_named() -> None:
    plan = replace(SMALL, controls=(NegativeControl(mechanism="ideal", size=200),))
    record = certify(Run(plan=plan, subject=KernelSubject(mechanism="ideal", seed=3)), local_engine(1))
    assert record.verdict.failures == ("negative control ideal was not found",)
    assert record.verdict.outcome == "failed"


def test_controls_run_beside_recorded_decks_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    np.save(tmp_path / "d.npy", rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (300, 1)), axis=1))
    plan = replace(SMALL, controls=(NegativeControl(mechanism="shelf:shelves=10", size=64),))
    subject = RecordedSubject(recorded=Recorded(str(tmp_path / "d.npy")))
    record = certify(Run(plan=plan, subject=subject), local_engine(1))
    assert [row.found for row in record.controls] == [True]
    assert record.verdict.passed


def test_seeds_come_from_the_plan_and_the_defect() -> None:
    other = replace(SMALL, level=0.02)
    assert len({seed_of(SMALL, "a"), seed_of(SMALL, "b"), seed_of(other, "a")}) == 3
    assert seed_of(SMALL, "a") == seed_of(replace(SMALL), "a")
