"""Engines driven: real ones where installed, small stand-ins for what real ones seldom do."""

import sys
from dataclasses import replace

import pytest

from randomness import seeded_source
from randomness.errors import EntropyUnavailable, OutsideError
from randomness.outside import ToolAssessment, dieharder, ent, rngtest, run_engine, run_engines
from randomness.outside.engines import OutsideEngine


class Constant:
    """The worst source there is."""

    def generate(self, n: int) -> bytes:
        return bytes(n)


class Failing:
    def generate(self, n: int) -> bytes:
        raise EntropyUnavailable("the noise source gave nothing")


def stand_in(program: str, engine: OutsideEngine | None = None) -> OutsideEngine:
    """A Python program in the place of an engine."""
    return replace(engine or dieharder(0), program=sys.executable, arguments=("-c", program))


@pytest.mark.needs("dieharder")
@pytest.mark.slow
@pytest.mark.parametrize("test", [0, 15, 100])
def test_dieharder_finishes_on_the_generator_and_passes_it(test: int) -> None:
    run = run_engine(dieharder(test), seeded_source(2026, stream=test), limit_seconds=240)
    assert run.version.startswith("3.31")
    assert run.unmet == ()
    assert run.verdicts
    assert run.worst is ToolAssessment.PASSED
    assert run.bytes_fed > 10_000_000


@pytest.mark.needs("dieharder")
@pytest.mark.slow
def test_dieharder_fails_a_constant_source() -> None:
    run = run_engine(dieharder(100), Constant(), limit_seconds=240)
    assert run.worst is ToolAssessment.FAILED


@pytest.mark.needs("ent")
def test_ent_on_a_few_bytes() -> None:
    run = run_engine(ent(1 << 20), seeded_source(3))
    assert run.bytes_fed == 1 << 20
    assert [verdict.test for verdict in run.verdicts] == ["chi-square", "mean", "pi", "serial-correlation"]
    assert run.worst is not ToolAssessment.FAILED
    assert run_engine(ent(1 << 16), Constant()).worst is ToolAssessment.FAILED


@pytest.mark.needs("rngtest")
def test_rngtest_on_a_few_blocks() -> None:
    assert run_engine(rngtest(200), seeded_source(3)).worst is ToolAssessment.PASSED
    assert run_engine(rngtest(200), Constant()).worst is ToolAssessment.FAILED


def test_an_engine_that_is_not_installed() -> None:
    absent = replace(ent(), program="no-such-engine-here")
    with pytest.raises(OutsideError, match="no-such-engine-here is not installed"):
        run_engine(absent, Constant())
    (run,) = run_engines([absent], Constant())
    assert run.verdicts == ()
    assert "not installed" in run.unmet[0]


ONE_ROW = "print('        diehard_runs|   0|    100000|     100|0.5|  PASSED  ', flush=True)"


def test_an_engine_that_does_not_end_is_stopped_and_keeps_its_verdicts() -> None:
    endless = stand_in(f"{ONE_ROW}\nimport sys\nwhile sys.stdin.buffer.read(65536): pass")
    run = run_engine(endless, Constant(), limit_seconds=4)  # long enough for a busy machine to start the stand-in
    assert run.unmet == ("stopped after 4 s",)
    assert [verdict.p for verdict in run.verdicts] == [0.5]


def test_an_engine_stopped_before_its_first_verdict_has_none() -> None:
    silent = stand_in("import time; time.sleep(60)")
    run = run_engine(silent, Constant(), limit_seconds=0.3)
    assert run.verdicts == ()
    assert run.unmet


def test_an_engine_that_breaks_is_an_error_with_its_words() -> None:
    with pytest.raises(OutsideError, match="ended with 3: out of cheese"):
        run_engine(stand_in("import sys; print('out of cheese', file=sys.stderr); sys.exit(3)"), Constant())


def test_an_engine_that_closes_the_pipe_early_is_no_error() -> None:
    run = run_engine(stand_in(f"import sys; sys.stdin.buffer.read(10); {ONE_ROW}"), Constant())
    assert run.worst is ToolAssessment.PASSED


def test_a_failing_source_is_the_callers_error() -> None:
    with pytest.raises(EntropyUnavailable):
        run_engine(stand_in(f"import sys; sys.stdin.buffer.read(); {ONE_ROW}"), Failing())


def test_progress_is_told() -> None:
    told: list[int] = []
    program = f"import sys, time; sys.stdin.buffer.read(1000); time.sleep(0.4); {ONE_ROW}"
    run_engine(stand_in(program), Constant(), progress=told.append)
    assert told
    assert told[-1] > 0
