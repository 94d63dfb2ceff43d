"""A whole certification: decks counted, bits tested, controls run, one decision, perhaps a re-test, one record."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from randomness.certification import checkpoint, generator_bits
from randomness.certification.assemble import Evidence, assemble, retest_owed
from randomness.certification.controls import run_controls
from randomness.certification.decision import Decision, Judged, TwoLooks, Verdict, decide, decide_again, look_again
from randomness.certification.engines import Here, ShardEngine
from randomness.certification.errors import CertificationError, RunInterrupted
from randomness.certification.generator_bits import BitsFound, BitSource
from randomness.certification.judging import OUTSIDE, judge, outside_verdict
from randomness.certification.model import ControlPart, RunRecord
from randomness.certification.outside import described
from randomness.certification.runs import KernelSubject, Progress, Run, check_whole, count_all
from randomness.certification.totals import Totals
from randomness.outside import OutsideRun

RETEST = "re-test"
BIT_STREAMS = (1, 2)
"""The generator's stream of bits in the first look and in the re-test; no shard uses them."""
Turn = Callable[[str, int | None], None]
Outside = Callable[[int], tuple[OutsideRun, ...]]


@dataclass(frozen=True, kw_only=True)
class Following:
    """How a run is followed and stopped: `turn` is told what comes next and how much of it there is, `progress` how
    much is done, `stop` is asked between shards."""

    stop: Callable[[], bool] = lambda: False
    progress: Progress = lambda _done: None
    turn: Turn = lambda _what, _total: None


def certify(
    run: Run,
    engine: ShardEngine,
    *,
    keep: Path | None = None,
    resume: bool = False,
    stop: Callable[[], bool] = lambda: False,
    progress: Progress = lambda _decks: None,
    turn: Turn = lambda _what, _total: None,
    bits: BitSource | None = None,
    noise: Mapping[str, Any] | None = None,
    outside: Outside = lambda _look: (),
) -> RunRecord:
    """Count, test the generator's bits, run the controls, decide, re-test where the plan says so, write it all down.

    `bits` are recorded ones; without them a mechanism's own generator is asked.
    """
    check_whole(run)
    following = Following(stop=stop, progress=progress, turn=turn)
    totals = count_all(run, engine, keep=keep, resume=resume, stop=stop, progress=progress)
    judged = judge(run, totals)
    if not totals.decks and not totals.malformed_rows:
        raise CertificationError(_nothing_tested(totals))
    if keep is not None:
        checkpoint.save(keep, run.identity(), totals.to_state())
    found = _bits(run, bits, totals, following, look=0)
    judged += _bit_results(found)
    turn("negative controls", len(run.plan.controls))
    controls = run_controls(
        run.plan, lambda small: judge(small, count_all(small, Here())), kind=run.subject.kind, stop=stop,
        progress=progress,
    )  # fmt: skip
    if controls is None:
        raise RunInterrupted(totals.decks)
    turn("outside engines", None)
    said = outside(0)
    judged += [outside_verdict(one) for each in said for one in each.results()]
    decision = decide(
        run.plan, judged, decks=totals.decks, malformed_rows=totals.malformed_rows, misread_share=totals.misread_share
    )
    decision = _with_retest_owed(run, _with_controls(decision, controls), recorded_bits=bits is not None)
    decision = _with_earlier(run, decision)
    looks: tuple[TwoLooks, ...] = ()
    second = None
    if decision.verdict is Verdict.PASSED and retest_due(run, decision):
        looks, second = _again(run, engine, decision, following, keep=keep, resume=resume, outside=outside)
    if keep is not None:
        keep.unlink(missing_ok=True)
    return assemble(
        Evidence(
            run=run, totals=totals, judged=judged, decision=decision, looks=looks, second=second,
            bits=None if found is None else found.record, noise=noise,
            outside=tuple(described(each) for each in said), controls=controls,
        )
    )  # fmt: skip


def retest_due(run: Run, decision: Decision) -> bool:
    """Whether the plan's rule asks for a second look."""
    return bool(decision.doubtful and run.plan.retest_times)


def _bit_results(found: BitsFound | None) -> list[Judged]:
    return [] if found is None else [Judged(section=generator_bits.SECTION, result=one) for one in found.results]


def _bits(
    run: Run, given: BitSource | None, totals: Totals, following: Following, *, look: int
) -> BitsFound | None:
    """SP 800-22 on recorded bits, or on the generator behind a mechanism, on a stream that no shard uses."""
    plan, subject = run.plan, run.subject
    if given is None:
        if not isinstance(subject, KernelSubject) or not plan.bit_sequences:
            return None
        given = generator_bits.generator_bits(
            lambda: subject.generator(stream=BIT_STREAMS[look]), sequences=plan.bit_sequences, length=plan.bit_length,
            describes="the generator behind the shuffles, on a stream of its own",
        )  # fmt: skip
    following.turn("SP 800-22", plan.bit_sequences or None)
    found = generator_bits.run_bits(given, progress=following.progress, stop=following.stop)
    if found is None:
        if following.stop():
            raise RunInterrupted(totals.decks)
        raise CertificationError("there are no bits to test")
    return found


def _with_controls(decision: Decision, controls: Sequence[ControlPart]) -> Decision:
    """A battery that misses a planted defect can't pass anything."""
    missed = [f"negative control {row.mechanism} was not found" for row in controls if not row.found]
    return replace(decision, failures=(*decision.failures, *missed))


def _with_retest_owed(run: Run, decision: Decision, *, recorded_bits: bool) -> Decision:
    """A file stays open until a second one has been tested; so do recorded bits, which can't be drawn again here."""
    fixed = recorded_bits and any(label.startswith(f"{generator_bits.SECTION}:") for label in decision.doubtful)
    here = run.subject.can_retest and not fixed
    if decision.verdict is Verdict.FAILED or here or not retest_due(run, decision):
        return decision
    return replace(decision, missing=(*decision.missing, retest_owed(run)))


def _with_earlier(run: Run, decision: Decision) -> Decision:
    """A run on rows that failed before, or whose re-test is owed, can fail but not pass."""
    reasons = tuple(one.open for one in run.earlier if one.open)
    return replace(decision, missing=(*decision.missing, *reasons))


def _again(
    run: Run,
    engine: ShardEngine,
    decision: Decision,
    following: Following,
    *,
    keep: Path | None,
    resume: bool,
    outside: Outside,
) -> tuple[tuple[TwoLooks, ...], Decision]:
    """The re-test of a mechanism: fresh decks, fresh bits and fresh outside engines, as far as they are in doubt."""
    doubtful = {label: decision.collective.adjusted[label] for label in decision.doubtful}
    following.turn(RETEST, run.subject.total(run.plan, run.decks))
    kept_too = None if keep is None else keep.with_name(keep.name + ".retest")
    fresh = count_all(
        run, engine, keep=kept_too, resume=resume and kept_too is not None and kept_too.exists(), stage=1,
        stop=following.stop, progress=following.progress,
    )  # fmt: skip
    again = judge(run, fresh)
    if any(label.startswith(f"{generator_bits.SECTION}:") for label in doubtful):
        again += _bit_results(_bits(run, None, fresh, following, look=1))
    if any(label.startswith(f"{OUTSIDE}:") for label in doubtful):
        again += [outside_verdict(one) for each in outside(1) for one in each.results()]
    if kept_too is not None:
        kept_too.unlink(missing_ok=True)
    try:
        looks = look_again(run.plan, doubtful, again)
    except LookupError as lost:
        raise CertificationError(f"the re-test has no result for {lost}; run it again") from None
    return looks, decide_again(decide(run.plan, [one for one in again if one.label in doubtful]), looks)


def _nothing_tested(totals: Totals) -> str:
    rows = []
    if totals.excluded_rows:
        rows.append(f"{totals.excluded_rows:,} rows are excluded ({totals.excluded[0][1]}); --test counts marked ones")
    return f"nothing could be tested: {totals.decks:,} decks" + "".join(f"\n  {row}" for row in rows)
