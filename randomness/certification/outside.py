"""Outside engines in a run: the generator behind the shuffles through dieharder and its like."""

from collections.abc import Callable, Sequence
from typing import Any

from randomness.certification.errors import CertificationError
from randomness.certification.runs import KernelSubject, Run
from randomness.outside import OutsideEngine, OutsideRun, run_engines


def outside_of(
    run: Run, engines: Sequence[OutsideEngine], *, limit_seconds: float
) -> Callable[[], tuple[OutsideRun, ...]]:
    """What a run calls once its decks are counted. A record of decks has no generator to ask."""
    subject = run.subject
    if not engines:
        return lambda: ()
    if not isinstance(subject, KernelSubject):
        raise CertificationError("--outside needs a generator's bits; recorded decks have none (see shuffler bits)")
    return lambda: run_engines(engines, subject.generator(), limit_seconds=limit_seconds)


def described(each: OutsideRun) -> dict[str, Any]:
    """For the record, without what differs from run to run (seconds, and bytes left in a pipe)."""
    return {
        "engine": each.engine,
        "version": each.version,
        "command": " ".join(each.command),
        "verdicts": len(each.verdicts),
        "worst": None if each.worst is None else each.worst.value,
        "unmet": list(each.unmet),
    }
