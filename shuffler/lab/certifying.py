"""A certification run as a process of its own: `python -m shuffler.lab.certifying`, one request, progress by lines.

The request comes as one line of JSON on standard input; each line on standard output is JSON too: where the run is, and
at the end its verdict or why there is none. RunRecord and report are files. Whoever started it ends it by ending the
process, or by no longer reading.
"""

import json
import secrets
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from randomness.certification import KernelSubject, Run, RunRecord, RunSettings, certify, load_plan, local_engine
from randomness.errors import RandomnessError
from randomness.kernels import parse
from shuffler.lab.certificate import write

SEED_BITS = 128
PLACES = 8  # of where to look, in the verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to certify, and where record and report go."""

    mechanism: str
    plan: str
    json_file: str
    html_file: str
    profile: str = ""
    decks: int | None = None
    seed: int | None = None

    def to_line(self) -> bytes:
        """For standard input."""
        return json.dumps(asdict(self)).encode() + b"\n"


def run_of(request: Request) -> Run:
    """The run; raises RandomnessError where plan or mechanism are not known."""
    parse(request.mechanism)
    given = request.seed is not None
    subject = KernelSubject(
        mechanism=request.mechanism, seed=request.seed if request.seed is not None else secrets.randbits(SEED_BITS),
        entropy="given by the control API" if given else "operating system", profile=request.profile,
    )  # fmt: skip
    return Run(plan=load_plan(request.plan), subject=subject, settings=RunSettings(decks=request.decks))


def verdict_of(record: RunRecord) -> dict[str, Any]:
    """What the record says, in short."""
    verdict = record.verdict
    return {
        "outcome": verdict.outcome, "decks": record.sample.decks, "statistics": verdict.family,
        "level": verdict.level, "rejected": len(verdict.rejected), "missing": list(verdict.missing),
        "where_to_look": [f"{one.test}: {one.sees}" for one in record.where_to_look[:PLACES]],
        "reproduce": record.reproduce,
    }  # fmt: skip


def main(lines_in: TextIO, lines_out: TextIO) -> None:
    """One request, one run."""
    request = Request(**json.loads(lines_in.readline()))

    def say(**line: Any) -> None:
        lines_out.write(json.dumps(line) + "\n")
        lines_out.flush()

    try:
        run = run_of(request)
        say(stage="decks", total=run.subject.total(run.plan, run.decks))
        record = certify(
            run, local_engine(1), progress=lambda done: say(done=done),
            turn=lambda stage, total: say(stage=stage, total=total),
        )  # fmt: skip
        write(record, json_file=Path(request.json_file), html_file=Path(request.html_file))
        say(verdict=verdict_of(record))
    except RandomnessError as problem:
        say(problem=str(problem))
    except BrokenPipeError:
        sys.stderr.close()  # nobody reads any more: there is nothing to say at exit either


if __name__ == "__main__":
    main(sys.stdin, sys.stdout)
