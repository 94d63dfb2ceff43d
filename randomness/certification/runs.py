"""A certification run: a subject, a plan, an engine; shards counted, checkpoints left, a record at the end."""

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from randomness.certification import checkpoint
from randomness.certification.engines import ShardEngine
from randomness.certification.errors import CheckpointError, PartialError, RunInterrupted
from randomness.certification.model import (
    Cover,
    EarlierRun,
    FileDescription,
    KernelDescription,
    RunSettings,
    open_table,
)
from randomness.certification.plan import Plan
from randomness.certification.recorded import Recorded
from randomness.certification.shards import (
    BATCH,
    RecordedShard,
    Shard,
    ShardPlan,
    kernel_shards,
)
from randomness.certification.totals import Totals
from randomness.decks.kinds import STANDARD, DeckKind
from randomness.kernels import parse
from randomness.source import RandomSource
from randomness.sources import make_source, names_a_weak_source

CHECKPOINT_EVERY_S = 2.0
# A long run remembers many decks: what writing them takes is kept to a twentieth of the time.
CHECKPOINT_SHARE = 20.0


@dataclass(frozen=True, kw_only=True)
class KernelSubject:
    """The emulated device's shuffle: a mechanism (or a planted defect) and the seed of its generator."""

    mechanism: str
    seed: int
    entropy: str = "given"
    profile: str = ""
    not_promised: tuple[str, ...] = ()
    """Tests that the profile declares not applicable."""
    kind: DeckKind = STANDARD
    deck_options: tuple[str, ...] = ()
    """What the command line said of the deck."""

    can_resume = True
    can_retest = True
    deck_known: ClassVar[str] = "as given"
    notes: ClassVar[tuple[str, ...]] = ()
    """What a reader of the report should know of how the decks were read."""

    def generator(self, stream: int = 0) -> RandomSource:
        """The generator behind the shuffles, on a stream that no shard uses; a bad one, if that is the defect."""
        name = self.mechanism if names_a_weak_source(self.mechanism) else "ctr"
        return make_source(name, seed=self.seed, stream=(1 << 60) + stream)

    def describe(self) -> KernelDescription:
        """For the record."""
        kernel = parse(self.mechanism)
        return KernelDescription(
            mechanism=self.mechanism,
            describes=kernel.describe(),
            planted_defect=kernel.name.startswith("defect:"),
            profile=self.profile,
            seed=str(self.seed),
            seed_from=self.entropy,
            generator="CTR_DRBG AES-256, one stream for each shard",
            shuffles_a_request=BATCH,
            declared_not_applicable=self.not_promised,
        )

    def identity(self) -> dict[str, Any]:
        """What a checkpoint must match."""
        return {"mechanism": self.mechanism, "seed": str(self.seed), "not_applicable": self.not_promised}

    def total(self, plan: Plan, decks: int | None) -> int:
        """Decks of the run."""
        return plan.decks if decks is None else decks

    def shards(self, plan: Plan, decks: int | None, *, skip: int, stage: int) -> Iterator[Shard]:
        """All but the first `skip`."""
        every = kernel_shards(
            plan, self.total(plan, decks), self.mechanism, self.seed, kind=self.kind, stage=stage
        )
        return (shard for shard in every if shard.number >= skip)


@dataclass(frozen=True, kw_only=True)
class RecordedSubject:
    """Decks recorded from any machine."""

    recorded: Recorded
    not_promised: tuple[str, ...] = ()

    can_retest = False

    @property
    def kind(self) -> DeckKind:
        """The deck that every row should hold."""
        return self.recorded.kind

    @property
    def deck_known(self) -> str:
        """How the deck is known."""
        return self.recorded.deck_known

    @property
    def deck_options(self) -> tuple[str, ...]:
        """What the command line said of it."""
        return self.recorded.said.options()

    @property
    def can_resume(self) -> bool:
        """A pipe can't be read twice."""
        return not self.recorded.piped

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the report should know of how the decks were read."""
        return self.recorded.notes

    def describe(self) -> FileDescription:
        """For the record; complete once everything is read."""
        return FileDescription(
            name=self.recorded.name,
            sha256=self.recorded.digest(),
            bytes=self.recorded.bytes,
            form=self.recorded.form.value,
            read_as=open_table(self.recorded.layout.described()),
            provenance=open_table(self.recorded.provenance),
            provenance_continued=tuple(open_table(part) for part in self.recorded.stretches),
            test_run=self.recorded.test,
            declared_not_applicable=self.not_promised,
        )

    def identity(self) -> dict[str, Any]:
        """What a checkpoint must match; known before the first row is read."""
        return {
            "sha256": self.recorded.digest(), "test_run": self.recorded.test, "not_applicable": self.not_promised,
        }  # fmt: skip

    def total(self, plan: Plan, decks: int | None) -> int | None:  # noqa: ARG002
        """Rows, as far as known."""
        about = self.recorded.about()
        return about if decks is None or about is None else min(about, decks)

    def shards(self, plan: Plan, decks: int | None, *, skip: int, stage: int) -> Iterator[Shard]:  # noqa: ARG002
        """All but the first `skip`, which are read and passed over."""
        wanted = ShardPlan.of(plan, self.total(plan, decks), self.kind)
        for number, block in enumerate(self.recorded.blocks(plan.decks_per_shard, most=decks)):
            if number >= skip:
                yield RecordedShard(number=number, block=block, wanted=wanted)


Subject = KernelSubject | RecordedSubject


NO_SETTINGS, NO_COVER = RunSettings(), Cover()


@dataclass(frozen=True, kw_only=True)
class Run:
    """What is to be done. The result depends on nothing else: not on the engine, not on interruptions."""

    plan: Plan
    subject: Subject
    plan_chosen: str = ""
    """Why this plan was chosen, where none was named."""
    settings: RunSettings = NO_SETTINGS
    cover: Cover = NO_COVER
    earlier: tuple[EarlierRun, ...] = ()
    """Earlier runs on the same rows, as far as they are known."""

    @property
    def decks(self) -> int | None:
        """How many decks to count; None for the plan's, or all of a file."""
        return self.settings.decks

    @property
    def counted(self) -> Plan:
        """The plan less what is declared not applicable (the record lists that as such)."""
        left = tuple(test for test in self.plan.deck_tests if test not in self.subject.not_promised)
        return replace(self.plan, deck_tests=left)

    def identity(self, stage: int = 0) -> str:
        """A digest of plan, subject, decks and code: what a checkpoint must match."""
        said = {
            "plan": self.plan.digest(),
            "subject": self.subject.identity(),
            "decks": self.decks,
            "kind": self.subject.kind.to_state(),
            "code": code_digest(),
            "stage": stage,
        }
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


Progress = Callable[[int], None]


def check_whole(run: Run) -> None:
    """Raise PartialError where a run would read a part of a file that was not asked for as such."""
    if isinstance(run.subject, KernelSubject) or run.decks is None:
        return
    file = run.subject.recorded
    if run.settings.partial:
        return
    rows = file.count_rows()
    if rows is None:
        raise PartialError(f"--decks {run.decks} may leave rows of a pipe unread", run.decks)
    if rows > run.decks:
        raise PartialError(f"{file.name} has {rows:,} rows and --decks asks for {run.decks:,}", run.decks)


def count_all(
    run: Run,
    engine: ShardEngine,
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
    saved, pause = time.monotonic(), CHECKPOINT_EVERY_S
    results = engine.run(run.subject.shards(run.counted, run.decks, skip=totals.shards, stage=stage))
    try:
        for counted in results:
            totals.add(counted)
            progress(totals.decks)
            stopped = stop()
            if keep is not None and (stopped or time.monotonic() - saved >= pause):
                began = time.monotonic()
                checkpoint.save(keep, identity, totals.to_state())
                saved = time.monotonic()
                pause = max(CHECKPOINT_EVERY_S, CHECKPOINT_SHARE * (saved - began))
            if stopped:
                raise RunInterrupted(totals.decks)
    finally:
        results.close()
    return totals


@cache
def code_digest() -> str:
    """SHA-256 over every source file of the room, by name: what did the testing."""
    root = Path(__file__).parent.parent
    whole = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".toml", ".json") and "__pycache__" not in path.parts:
            whole.update(path.relative_to(root).as_posix().encode() + b"\0")
            whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()
