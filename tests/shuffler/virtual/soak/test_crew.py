"""Tables side by side: their reports add up to one."""

import os
import signal
import threading

import pytest

from proofs.kills import rules
from shuffler.virtual.soak.crew import SoakPlan, soak
from shuffler.virtual.soak.report import merged


@pytest.mark.slow
def test_two_tables_make_one_report() -> None:
    plan = SoakPlan(rules=rules(), seed=7, rate=0.2, seats=2)
    together = soak(plan, 61, workers=2)
    alone = merged([plan.table(0).run(31), plan.table(1).run(30)])
    assert together.rounds == alone.rounds == 61
    assert together.injections == alone.injections
    assert together.hold_book == alone.hold_book
    assert together.holds
    assert not together.stopped_early


@pytest.mark.slow
def test_ctrl_c_ends_it_with_a_report_of_what_was_played() -> None:
    said: list[int] = []

    def interrupt(done: int) -> None:
        said.append(done)
        if len(said) == 1:
            threading.Timer(0, os.kill, (os.getpid(), signal.SIGINT)).start()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background has it ignored
    try:
        report = soak(SoakPlan(rules=rules(), seed=7, rate=0.0, seats=1), 100_000, progress=interrupt)
    finally:
        signal.signal(signal.SIGINT, before)
    assert report.stopped_early
    assert 50 <= report.settled < 100_000
    assert report.problems == []
