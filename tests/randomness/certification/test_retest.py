"""The re-test of a file: due only where a record asks for it, on fresh decks of the same device, judged by both."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from randomness.certification import (
    Cover,
    Judged,
    KernelSubject,
    Recorded,
    RecordedSubject,
    RetestError,
    Run,
    RunRecord,
    certify,
    check_due,
    load_plan,
    local_engine,
    retest,
)
from randomness.certification.decision import combined_p, decide, decide_again, look_again
from randomness.certification.model import FileDescription
from randomness.certification.retest import inherited, same_device
from randomness.outside import OutsideRun, OutsideVerdict, ToolAssessment
from randomness.result import Outcome, Result

DECKS = 1_500
PLAN = replace(
    load_plan("quick"), name="eager", decks_per_shard=300, bit_sequences=0, controls=(), least_decks=1_000,
    retest_below=0.999999,
)  # fmt: skip
QUICK = load_plan("quick")


def changed(value: Any, **changes: Any) -> Any:
    return msgspec.structs.replace(value, **changes)


# ----- two looks ------------------------------------------------------------------------------------------------------


def judged(test: str, p: float | None) -> Judged:
    outcome = Outcome.TESTED if p is not None else Outcome.TOO_FEW
    return Judged(section="s", result=Result(test=test, outcome=outcome, samples=9, p=p, statistic=1.0))


def both(first: dict[str, float], second: dict[str, float | None]) -> str:
    again = [judged(test, p) for test, p in second.items()]
    looks = look_again(QUICK, {f"s: {test}": p for test, p in first.items()}, again)
    return decide_again(decide(QUICK, again), looks).verdict.value


def test_two_doubtful_results_in_a_row_are_a_rejection() -> None:
    assert both({"a": 0.02}, {"a": 0.02}) == "failed"
    assert both({"a": 0.02}, {"a": 0.04}) == "passed"
    assert both({"a": 0.0499}, {"a": 0.011}) == "failed"
    assert both({"a": 0.02, "b": 0.03}, {"a": 0.9, "b": 0.9}) == "passed"
    assert both({"a": 0.02, "b": 0.03}, {"a": 0.01, "b": 0.9}) == "failed"


def test_a_doubtful_statistic_that_is_not_tested_again_does_not_pass() -> None:
    with pytest.raises(LookupError, match="s: b"):
        both({"a": 0.02, "b": 0.03}, {"a": 0.9})
    assert both({"a": 0.02}, {"a": None}) == "inconclusive"


@pytest.mark.parametrize("name", ["quick", "standard", "full", "gli-style"])
def test_both_looks_together_keep_the_level(name: str) -> None:
    """P(p <= a) + the part of the unit square where a < p <= b and the combination rejects, exactly."""
    plan = load_plan(name)
    product = (plan.level - plan.retest_first) / math.log(plan.retest_below / plan.retest_first)
    assert combined_p(plan, 0.02, product / 0.02) == pytest.approx(plan.level)
    assert product <= plan.retest_first  # so the chance of a rejection falls with the first p, and uniform is the worst
    level = plan.retest_first + product * math.log(plan.retest_below / plan.retest_first)
    assert level == pytest.approx(plan.level)


def test_the_level_holds_over_many_ideal_pairs_of_looks() -> None:
    plan, rng = replace(QUICK, level=0.1, retest_first=0.08, retest_below=0.4), np.random.default_rng(5)
    tests, runs, failed = 20, 4_000, 0
    for first in rng.random((runs, tests)):
        decision = decide(plan, [judged(f"t{n}", float(p)) for n, p in enumerate(first)])
        if decision.doubtful and not decision.collective.rejected:
            doubtful = {label: decision.collective.adjusted[label] for label in decision.doubtful}
            again = [judged(label.removeprefix("s: "), float(rng.random())) for label in doubtful]
            failed += any(look.rejected for look in look_again(plan, doubtful, again))
        failed += bool(decision.collective.rejected)
    assert 0.07 * runs < failed < (0.1 + 3.5 * math.sqrt(0.09 / runs)) * runs


# ----- a mechanism ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_bits_and_outside_engines_in_doubt_are_again() -> None:
    plan = replace(
        QUICK, name="bits", decks=600, decks_per_shard=200, starts=("factory",), deck_tests=("suit-runs",),
        draw_tests=(), bit_sequences=1, bit_length=20_000, controls=(), least_decks=1, retest_below=0.999999,
    )  # fmt: skip
    asked: list[int] = []

    def outside(look: int) -> tuple[OutsideRun, ...]:
        asked.append(look)
        verdicts = tuple(
            OutsideVerdict(test=f"t{n}", p=0.4 + n / 10, assessment=ToolAssessment.PASSED, two_sided=False)
            for n in range(3)
        )
        return (OutsideRun(engine="e", version="1", command=("e",), bytes_fed=8, seconds=1.0, verdicts=verdicts),)

    run = Run(plan=plan, subject=KernelSubject(mechanism="ideal", seed=2))
    for seed in range(20):
        run = replace(run, subject=KernelSubject(mechanism="ideal", seed=seed))
        record = certify(run, local_engine(1), outside=outside)
        if any(label.startswith("generator") for label in record.verdict.doubtful):
            break
    assert record.verdict.retest is not None
    assert {row.label for row in record.verdict.retest.tests} == set(record.verdict.doubtful)
    first = {row.label: row.p for row in record.results}
    for row in record.verdict.retest.tests:
        if "SP 800-22" in row.label:
            assert row.p != first[row.label]
    assert (1 in asked) == any("outside" in label for label in record.verdict.doubtful)


# ----- a file ---------------------------------------------------------------------------------------------------------


def decks(seed: int, many: int = DECKS) -> np.ndarray:
    return np.random.default_rng(seed).permuted(np.tile(np.arange(52, dtype=np.uint8), (many, 1)), axis=1)


def run_of(tmp_path: Path, name: str, rows: np.ndarray) -> Run:
    np.save(tmp_path / name, rows)
    return Run(plan=PLAN, subject=RecordedSubject(recorded=Recorded(str(tmp_path / name))))


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    run = run_of(tmp_path_factory.mktemp("first"), "first.npy", decks(18))
    return certify(replace(run, cover=Cover(serial="7", operator="O")), local_engine(1))


def again(first: RunRecord, run: Run) -> RunRecord:
    return retest(first, "ab" * 32, run, local_engine(1), claim=lambda _: None)


@pytest.mark.slow
def test_a_file_with_tests_in_doubt_is_open_until_it_is_again(first: RunRecord) -> None:
    assert first.verdict.outcome == "inconclusive"
    assert first.verdict.doubtful, "the seed gives no doubtful test: choose another"
    assert "re-test" in first.verdict.missing[0]
    check_due(first)


@pytest.mark.slow
def test_the_doubtful_tests_alone_are_judged_on_the_second_file(first: RunRecord, tmp_path: Path) -> None:
    claimed: list[str] = []
    run = run_of(tmp_path, "second.npy", decks(2, DECKS + 700))
    record = retest(first, "ab" * 32, run, local_engine(1), claim=claimed.append)
    assert record.verdict.outcome == "passed"
    assert {row.label for row in record.results} == {*first.verdict.doubtful, "recorded: deck-integrity"}
    assert record.sample.rows_read == record.sample.rows_in_file == DECKS + 700
    assert record.retest_of is not None
    assert record.retest_of.record_sha256 == "ab" * 32
    assert record.cover == first.cover
    assert isinstance(record.subject, FileDescription)
    assert record.subject.sha256 == claimed[0]
    assert {row.verdict for row in record.clauses} & {"inconclusive"} <= {"inconclusive"}
    with pytest.raises(RetestError, match="a re-test itself"):
        check_due(record)


@pytest.mark.slow
def test_a_second_file_that_confirms_a_doubtful_test_fails(first: RunRecord, tmp_path: Path) -> None:
    bad = decks(3)
    for deck in bad[::2]:
        at = int(np.flatnonzero(deck == 36)[0])
        deck[[at, 6]] = deck[[6, at]]
    record = again(first, run_of(tmp_path, "b.npy", bad))
    assert record.verdict.outcome == "failed"
    assert record.verdict.rejected
    assert "not met" in {row.verdict for row in record.clauses}


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "why"), [
    (decks(18), "holds the decks of the first"),
    (decks(18)[::-1], "holds the decks of the first"),  # the same decks in another file
    (decks(2, DECKS - 1), "has 1,499 decks: the plan asks for as many as the first, 1,500"),
])  # fmt: skip
def test_what_is_no_second_file_is_refused_before_it_counts_as_the_one(
    rows: np.ndarray, why: str, first: RunRecord, tmp_path: Path
) -> None:
    claimed: list[str] = []
    with pytest.raises(RetestError, match=why):
        retest(first, "ab" * 32, run_of(tmp_path, "x.npy", rows), local_engine(1), claim=claimed.append)
    assert claimed == []


@pytest.mark.slow
def test_a_record_that_asks_for_no_re_test_gets_none(first: RunRecord) -> None:
    verdict = first.verdict
    for change, why in (
        ({"verdict": changed(verdict, outcome="failed")}, "this record failed"),
        ({"verdict": changed(verdict, doubtful=())}, "no test in doubt"),
        ({"verdict": changed(verdict, missing=("too few", *verdict.missing))}, "inconclusive whatever a re-test says"),
        ({"plan": replace(first.plan, level=0.05)}, "does not have the digest"),
    ):
        with pytest.raises(RetestError, match=why):
            check_due(changed(first, **change))


# ----- the same device ------------------------------------------------------------------------------------------------


def source(device: dict[str, Any] | None) -> FileDescription:
    return FileDescription(
        name="f", sha256="00", bytes=1, form="CSV", read_as={}, provenance={} if device is None else {"device": device},
        provenance_continued=(), test_run=False,
    )  # fmt: skip


def test_a_re_test_of_another_device_is_refused() -> None:
    one = {"serial": "A", "model": "M", "firmware": "1"}
    assert "the same serial, model, firmware" in same_device(source(one), source(dict(one)))
    assert "by the word of the laboratory" in same_device(source(None), source(None))
    with pytest.raises(RetestError, match="serial A, the second of B: another device"):
        same_device(source(one), source(one | {"serial": "B"}))
    with pytest.raises(RetestError, match="only the first file names its device"):
        same_device(source(one), source(None))


def test_a_re_test_inherits_the_cover() -> None:
    first = Cover(serial="7", laboratory="L", issued="1")
    assert inherited(first, Cover(issued="2", serial="7")) == Cover(serial="7", laboratory="L", issued="2")
    with pytest.raises(RetestError, match="serial '8', the first record '7': another device"):
        inherited(first, Cover(serial="8"))
