"""Outside engines in a run: their verdicts are part of the family, and of the record."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from randomness.certification import (
    CertificationError,
    KernelSubject,
    Recorded,
    RecordedSubject,
    Run,
    certify,
    load_plan,
)
from randomness.certification.engines import local_engine
from randomness.certification.outside import outside_of
from randomness.outside import OutsideRun, OutsideVerdict, ToolAssessment, engines_named

PLAN = replace(
    load_plan("quick"), bit_sequences=0, controls=(), decks=300, decks_per_shard=100, retest_times=0, least_decks=1
)
RUN = Run(plan=PLAN, subject=KernelSubject(mechanism="ideal", seed=21))


def told(p: Iterable[float]) -> tuple[OutsideRun, ...]:
    verdicts = tuple(OutsideVerdict(test="t", p=one, assessment=ToolAssessment.FAILED, two_sided=False) for one in p)
    return (OutsideRun(engine="e", version="1", command=("e",), bytes_fed=8, seconds=1.0, verdicts=verdicts),)


@pytest.mark.slow
def test_an_outside_verdict_counts_in_the_family_and_stands_in_the_record() -> None:
    good = certify(RUN, local_engine(1), outside=lambda _look: told([0.4]))
    assert good.verdict.passed
    assert good.outside[0].verdicts == 1
    bad = certify(RUN, local_engine(1), outside=lambda _look: told([0.4, 1e-9]))
    assert bad.verdict.rejected == ("generator, outside engines: e/t#2",)
    assert bad.verdict.family == good.verdict.family + 1


def test_recorded_decks_have_no_generator(tmp_path: object) -> None:
    run = replace(RUN, subject=RecordedSubject(recorded=Recorded("-")))
    with pytest.raises(CertificationError, match="recorded decks have none"):
        outside_of(run, engines_named("ent"), limit_seconds=1)
    assert outside_of(run, (), limit_seconds=1)(0) == ()


def test_the_generator_asked_is_the_one_behind_the_shuffles() -> None:
    ideal = KernelSubject(mechanism="ideal", seed=4).generator().generate(64)
    assert ideal == KernelSubject(mechanism="riffle:passes=3", seed=4).generator().generate(64)
    assert ideal != KernelSubject(mechanism="defect:lcg", seed=4).generator().generate(64)


@pytest.mark.slow
@pytest.mark.needs("ent")
def test_ent_fails_a_stuck_bit_and_passes_the_product() -> None:
    for mechanism, passed in (("ideal", True), ("defect:stuck-bit", False)):
        run = replace(RUN, subject=KernelSubject(mechanism=mechanism, seed=4))
        record = certify(run, local_engine(1), outside=outside_of(run, engines_named("ent"), limit_seconds=60))
        assert (not any("outside" in label for label in record.verdict.rejected)) is passed
