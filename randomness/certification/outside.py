"""Outside engines in a run: the generator behind the shuffles through dieharder and its like."""

from collections.abc import Callable, Sequence

from randomness.certification.errors import CertificationError
from randomness.certification.model import OutsidePart
from randomness.certification.runs import KernelSubject, Run
from randomness.outside import OutsideEngine, OutsideRun, run_engines

OUTSIDE_STREAMS = (0, 3)
"""The generator's stream in the first look and in the re-test."""


def outside_of(
    run: Run, engines: Sequence[OutsideEngine], *, limit_seconds: float
) -> Callable[[int], tuple[OutsideRun, ...]]:
    """What a run calls, with the look's number, once its decks are counted. A file has no generator to ask."""
    subject = run.subject
    if not engines:
        return lambda _look: ()
    if not isinstance(subject, KernelSubject):
        raise CertificationError("--outside needs a generator's bits; recorded decks have none (see shuffler bits)")
    return lambda look: run_engines(
        engines, subject.generator(stream=OUTSIDE_STREAMS[look]), limit_seconds=limit_seconds
    )


def described(each: OutsideRun) -> OutsidePart:
    """For the record, without what differs from run to run (seconds, and bytes left in a pipe)."""
    return OutsidePart(
        engine=each.engine,
        version=each.version,
        command=" ".join(each.command),
        verdicts=len(each.verdicts),
        worst=None if each.worst is None else each.worst.value,
        unmet=each.unmet,
    )
