"""A whole certification: decks counted, bits tested, controls run, one decision, perhaps a re-test, one record."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from randomness.certification import checkpoint, generator_bits
from randomness.certification.controls import run_controls
from randomness.certification.decision import Decision, Judged, Verdict, decide
from randomness.certification.engines import Here, ShardEngine
from randomness.certification.errors import CertificationError, RunInterrupted
from randomness.certification.generator_bits import BitsFound, BitSource
from randomness.certification.judging import judge, outside_verdict
from randomness.certification.outside import described
from randomness.certification.record import finite, retest_owed, written
from randomness.certification.runs import KernelSubject, Progress, Run, count_all
from randomness.certification.totals import Totals
from randomness.outside import OutsideRun

RETEST = "re-test"
Turn = Callable[[str, int | None], None]


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
    outside: Callable[[], tuple[OutsideRun, ...]] = lambda: (),
) -> dict[str, Any]:
    """Count, test the generator's bits, run the controls, decide, re-test where the plan says so, write it all down.

    `turn` is told what comes next and how much of it there is, `progress` how much is done. `bits` are recorded ones;
    without them a mechanism's own generator is asked.
    """
    totals = count_all(run, engine, keep=keep, resume=resume, stop=stop, progress=progress)
    judged = judge(run, totals)
    if not totals.decks and not totals.malformed_rows:
        raise CertificationError(_nothing_tested(totals))
    if keep is not None:
        checkpoint.save(keep, run.identity(), totals.to_state())
    found = _bits(run, bits, totals, stop=stop, progress=progress, turn=turn)
    if found is not None:
        judged += [Judged(section=generator_bits.SECTION, result=result) for result in found.results]
    turn("negative controls", len(run.plan.controls))
    controls = run_controls(
        run.plan, lambda small: judge(small, count_all(small, Here())), kind=run.subject.kind, stop=stop,
        progress=progress,
    )  # fmt: skip
    if controls is None:
        raise RunInterrupted(totals.decks)
    turn("outside engines", None)
    said = outside()
    judged += [outside_verdict(one) for each in said for one in each.results()]
    decision = decide(run.plan, judged, decks=totals.decks, malformed_rows=totals.malformed_rows)
    decision = _with_retest_owed(run, _with_controls(decision, controls))
    second = _again(run, engine, decision, keep=keep, resume=resume, stop=stop, progress=progress, turn=turn)
    if keep is not None:
        keep.unlink(missing_ok=True)
    return {
        **written(run, totals, judged, decision, second),
        "outside": [described(each) for each in said],
        "bits": None if found is None else found.record,
        "controls": finite(controls),
        "retest_of": None,
    }


def _bits(
    run: Run, given: BitSource | None, totals: Totals, *, stop: Callable[[], bool], progress: Progress, turn: Turn
) -> BitsFound | None:
    """SP 800-22 on recorded bits, or on the generator behind a mechanism, on a stream that no shard uses."""
    plan, subject = run.plan, run.subject
    if given is None:
        if not isinstance(subject, KernelSubject) or not plan.bit_sequences:
            return None
        given = generator_bits.generator_bits(
            lambda: subject.generator(stream=1), sequences=plan.bit_sequences, length=plan.bit_length,
            describes="the generator behind the shuffles, on a stream of its own",
        )  # fmt: skip
    turn("SP 800-22", plan.bit_sequences or None)
    found = generator_bits.run_bits(given, progress=progress, stop=stop)
    if found is None:
        if stop():
            raise RunInterrupted(totals.decks)
        raise CertificationError("there are no bits to test")
    return found


def _with_controls(decision: Decision, controls: Sequence[dict[str, Any]]) -> Decision:
    """A battery that misses a planted defect can't pass anything."""
    missed = [f"negative control {row['mechanism']} was not found" for row in controls if not row["found"]]
    return replace(decision, failures=(*decision.failures, *missed))


def _with_retest_owed(run: Run, decision: Decision) -> Decision:
    """What can't be tested again here is open until it has been tested again elsewhere."""
    owed = decision.verdict is not Verdict.FAILED and decision.doubtful and run.plan.retest_times
    if not owed or run.subject.can_retest:
        return decision
    return replace(decision, missing=(*decision.missing, retest_owed(run)))


def _again(
    run: Run,
    engine: ShardEngine,
    decision: Decision,
    *,
    keep: Path | None,
    resume: bool,
    stop: Callable[[], bool],
    progress: Progress,
    turn: Turn,
) -> tuple[list[Judged], Decision] | None:
    """The re-test, where the plan's rule asks for one."""
    if not (
        decision.verdict is Verdict.PASSED and decision.doubtful and run.subject.can_retest and run.plan.retest_times
    ):
        return None
    turn(RETEST, run.subject.total(run.plan, run.decks))
    kept_too = None if keep is None else keep.with_name(keep.name + ".retest")
    fresh = count_all(
        run, engine, keep=kept_too, resume=resume and kept_too is not None and kept_too.exists(), stage=1,
        stop=stop, progress=progress,
    )  # fmt: skip
    doubted = [one for one in judge(run, fresh) if one.label in decision.doubtful]
    if kept_too is not None:
        kept_too.unlink(missing_ok=True)
    return doubted, decide(run.plan, doubted)


def _nothing_tested(totals: Totals) -> str:
    rows = []
    if totals.excluded_rows:
        rows.append(f"{totals.excluded_rows:,} rows are left out ({totals.excluded[0][1]}); --test counts them")
    return f"nothing could be tested: {totals.decks:,} decks" + "".join(f"\n  {row}" for row in rows)
