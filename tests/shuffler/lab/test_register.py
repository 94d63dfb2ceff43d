"""The register: rows tested before are known again, and a record is re-tested once, wherever its file lies."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from randomness.certification import (
    CertificationError,
    Recorded,
    RecordedSubject,
    RetestError,
    Run,
    RunRecord,
    certify,
    load_plan,
    local_engine,
)
from shuffler.lab.register import NAME, Register

PLAN = replace(
    load_plan("quick"), name="small", decks_per_shard=200, bit_sequences=0, controls=(), least_decks=1,
    deck_tests=("suit-runs", "colour-runs"), draw_tests=(), retest_times=0,
)  # fmt: skip


def decks(many: int) -> np.ndarray:
    return np.random.default_rng(7).permuted(np.tile(np.arange(52, dtype=np.uint8), (many, 1)), axis=1)


def run_of(path: Path, register: Register, plan: object = PLAN) -> Run:
    file = Recorded(str(path), marks=register.sizes())
    run = Run(plan=plan, subject=RecordedSubject(recorded=file))  # type: ignore[arg-type]
    return replace(run, earlier=register.earlier(run))


def certified(path: Path, register: Register, plan: object = PLAN) -> RunRecord:
    run = run_of(path, register, plan)
    record = certify(run, local_engine(1))
    register.enter(run, record)
    return record


@pytest.fixture
def file(tmp_path: Path) -> Path:
    np.savetxt(tmp_path / "decks.csv", decks(300), fmt="%d", delimiter=",")
    return tmp_path / "decks.csv"


def test_the_same_run_again_is_no_second_look(file: Path, tmp_path: Path) -> None:
    register = Register(tmp_path / "r")
    first = certified(file, register)
    assert first.earlier_runs == ()
    assert certified(file, register) == first


def test_another_plan_on_the_same_data_is_said_and_a_failure_is_not_forgotten(file: Path, tmp_path: Path) -> None:
    register = Register(tmp_path / "r")
    strict = replace(PLAN, name="strict", level=0.49, retest_first=0.4, retest_below=0.49)
    bad = decks(300)
    bad[:, :2] = np.sort(bad[:, :2], axis=1)
    harsh = replace(PLAN, name="harsh", deck_tests=("group-order",))
    np.savetxt(file, bad, fmt="%d", delimiter=",")
    assert certified(file, register, harsh).verdict.outcome == "failed"
    copy = tmp_path / "renamed.csv"
    copy.write_bytes(file.read_bytes())
    second = certified(copy, register)
    assert second.verdict.outcome == "inconclusive"
    assert [(run.plan, run.outcome, run.of) for run in second.earlier_runs] == [("harsh", "failed", "the same file")]
    assert second.verdict.missing[0].startswith("the same file failed by plan harsh")
    assert len(certified(copy, register, strict).earlier_runs) == 2


def test_a_longer_file_after_a_failed_one_cannot_pass(file: Path, tmp_path: Path) -> None:
    """Going on with a collection until it passes is a search for a pass."""
    register = Register(tmp_path / "r")
    bad = decks(600)
    bad[:300, :3] = np.sort(bad[:300, :3], axis=1)
    harsh = replace(PLAN, name="harsh", deck_tests=("group-order",))
    np.savetxt(file, bad[:300], fmt="%d", delimiter=",")
    assert certified(file, register, harsh).verdict.outcome == "failed"
    with open(file, "a", encoding="utf-8") as more:
        np.savetxt(more, bad[300:], fmt="%d", delimiter=",")
    longer = certified(file, register)
    assert longer.verdict.outcome == "inconclusive"
    assert longer.earlier_runs[0].of == "the beginning of this file"


def test_a_re_test_is_claimed_once_and_the_same_one_may_be_repeated(tmp_path: Path) -> None:
    Register(tmp_path).claim("aa", "bb")
    Register(tmp_path).claim("aa", "bb")
    Register(tmp_path).claim("cc", "bb")
    with pytest.raises(RetestError, match=r"record aa… has been re-tested, on a file with SHA-256 bb…"):
        Register(tmp_path).claim("aa", "cc")
    (tmp_path / NAME).write_text("nonsense\n")
    with pytest.raises(CertificationError, match="damaged at line 1"):
        Register(tmp_path).claim("aa", "bb")
    (tmp_path / "file").write_text("")
    with pytest.raises(CertificationError, match="can't write the register"):
        Register(tmp_path / "file").claim("aa", "bb")
