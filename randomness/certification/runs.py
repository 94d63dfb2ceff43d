"""A certification run: a subject, a plan, an engine; shards counted, checkpoints left, a record at the end."""

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from randomness.certification import checkpoint
from randomness.certification.engines import Engine
from randomness.certification.errors import CheckpointError, Interrupted
from randomness.certification.plan import Plan
from randomness.certification.recorded import Recorded
from randomness.certification.shards import (
    BATCH,
    RecordedShard,
    Shard,
    Wanted,
    kernel_shards,
)
from randomness.certification.totals import Totals
from randomness.kernels import parse
from randomness.source import RandomSource
from randomness.sources import make_source, names_a_weak_source

CHECKPOINT_EVERY_S = 2.0


@dataclass(frozen=True, kw_only=True)
class KernelSubject:
    """The emulated device's shuffle: a mechanism (or a planted defect) and the seed of its generator."""

    mechanism: str
    seed: int
    entropy: str = "given"
    profile: str = ""
    not_promised: tuple[str, ...] = ()
    """Tests that the profile declares not applicable."""

    can_resume = True
    can_retest = True
    hint = ""

    def generator(self, stream: int = 0) -> RandomSource:
        """The generator behind the shuffles, on a stream that no shard uses; a bad one, if that is the defect."""
        name = self.mechanism if names_a_weak_source(self.mechanism) else "ctr"
        return make_source(name, seed=self.seed, stream=(1 << 60) + stream)

    def describe(self) -> dict[str, Any]:
        """For the record."""
        kernel = parse(self.mechanism)
        return {
            "kind": "kernel",
            "mechanism": self.mechanism,
            "describes": kernel.describe(),
            "planted_defect": kernel.name.startswith("defect:"),
            "profile": self.profile,
            "declared_not_applicable": list(self.not_promised),
            "seed": str(self.seed),
            "seed_from": self.entropy,
            "generator": "CTR_DRBG AES-256, one stream for each shard",
            "shuffles_a_request": BATCH,
        }

    def total(self, plan: Plan, decks: int | None) -> int:
        """Decks of the run."""
        return plan.decks if decks is None else decks

    def shards(self, plan: Plan, decks: int | None, *, skip: int, stage: int) -> Iterator[Shard]:
        """All but the first `skip`."""
        every = kernel_shards(plan, self.total(plan, decks), self.mechanism, self.seed, stage=stage)
        return (shard for shard in every if shard.number >= skip)


@dataclass(frozen=True, kw_only=True)
class RecordedSubject:
    """Decks recorded from any machine."""

    recorded: Recorded
    not_promised: tuple[str, ...] = ()

    can_retest = False

    @property
    def can_resume(self) -> bool:
        """A pipe can't be read twice."""
        return not self.recorded.piped

    @property
    def hint(self) -> str:
        """What looks wrong with the form of the record; known once it is being read."""
        return self.recorded.hint

    def describe(self) -> dict[str, Any]:
        """For the record; complete once everything is read."""
        return {
            "kind": "recorded decks",
            "name": self.recorded.name,
            "form": self.recorded.form.value,
            "sha256": self.recorded.digest(),
            "provenance": self.recorded.provenance,
            "provenance_continued": list(self.recorded.stretches),
            "declared_not_applicable": list(self.not_promised),
            "test_run": self.recorded.test,
        }

    def total(self, plan: Plan, decks: int | None) -> int | None:  # noqa: ARG002
        """Rows, as far as known."""
        about = self.recorded.about()
        return about if decks is None or about is None else min(about, decks)

    def shards(self, plan: Plan, decks: int | None, *, skip: int, stage: int) -> Iterator[Shard]:  # noqa: ARG002
        """All but the first `skip`, which are read and passed over."""
        wanted = Wanted.of(plan, self.total(plan, decks))
        left = decks
        for number, block in enumerate(self.recorded.blocks(plan.decks_per_shard)):
            if left is not None:
                block = block.first(left)
                left -= block.rows
            if number >= skip:
                yield RecordedShard(number=number, block=block, wanted=wanted)
            if left == 0:
                return


Subject = KernelSubject | RecordedSubject


@dataclass(frozen=True, kw_only=True)
class Run:
    """What is to be done. The result depends on nothing else: not on the engine, not on interruptions."""

    plan: Plan
    subject: Subject
    decks: int | None = None
    plan_file: str = ""
    """The file of a plan that is none of the product's, for the command that repeats the run."""

    @property
    def counted(self) -> Plan:
        """The plan less what is declared not applicable (the record lists that as such)."""
        left = tuple(test for test in self.plan.deck_tests if test.name not in self.subject.not_promised)
        return replace(self.plan, deck_tests=left)

    def identity(self, stage: int = 0) -> str:
        """A digest of plan, subject, decks and code: what a checkpoint must match."""
        subject = self.subject.describe()  # form and provenance of a record are known only once it is being read
        said = {
            "plan": self.plan.digest(),
            "subject": {
                key: value
                for key, value in subject.items()
                if key not in ("form", "provenance", "provenance_continued")
            },
            "decks": self.decks,
            "code": code_digest(),
            "stage": stage,
        }
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


Progress = Callable[[int], None]


def count_all(
    run: Run,
    engine: Engine,
    *,
    keep: Path | None = None,
    resume: bool = False,
    stage: int = 0,
    stop: Callable[[], bool] = lambda: False,
    progress: Progress = lambda _decks: None,
) -> Totals:
    """Count every shard. `keep` names the checkpoint: written every few seconds, and when `stop` says so, between
    shards, so that what is on disk is always whole shards."""
    identity = run.identity(stage) if keep is not None else ""
    totals = Totals(run.plan)
    if resume:
        if keep is None or not run.subject.can_resume:
            raise CheckpointError("a run on standard input can't be resumed: record the decks into a file first")
        totals = Totals.from_state(run.plan, checkpoint.load(keep, identity))
    progress(totals.decks)
    saved = time.monotonic()
    results = engine.run(run.subject.shards(run.counted, run.decks, skip=totals.shards, stage=stage))
    try:
        for counted in results:
            totals.add(counted)
            progress(totals.decks)
            stopped = stop()
            if keep is not None and (stopped or time.monotonic() - saved >= CHECKPOINT_EVERY_S):
                checkpoint.save(keep, identity, totals.to_state())
                saved = time.monotonic()
            if stopped:
                raise Interrupted(totals.decks)
    finally:
        results.close()
    return totals


def code_digest() -> str:
    """SHA-256 over every source file of the room, by name: what did the testing."""
    root = Path(__file__).parent.parent
    whole = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".toml", ".json") and "__pycache__" not in path.parts:
            whole.update(path.relative_to(root).as_posix().encode() + b"\0")
            whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()
