"""The re-test of a file: the tests that its record left in doubt, on a second file of the same device, once.

A record asks for one when nothing was rejected and a test came within the plan's margin. The second file is judged by
the plan of the record and on those tests alone, by the p-values of both files; both digests are in the new record.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec

from randomness.certification import generator_bits
from randomness.certification.assemble import Evidence, assemble, retest_owed
from randomness.certification.decision import INTEGRITY, Judged, Verdict, decide, decide_again, look_again
from randomness.certification.engines import ShardEngine
from randomness.certification.errors import RetestError
from randomness.certification.generator_bits import BitSource
from randomness.certification.judging import judge
from randomness.certification.model import Cover, FileDescription, RetestOf, RunRecord
from randomness.certification.runs import Progress, RecordedSubject, Run, check_whole, count_all

DEVICE = ("serial", "model", "profile", "firmware", "program_sha256")
"""What a device says of itself, and what two files of one device have in common."""
COVER_DEVICE = ("client", "manufacturer", "model", "serial", "firmware", "firmware_sha256")
ONLY_WORD = "by the word of the laboratory: the files name no device"


def check_due(record: RunRecord) -> None:
    """Raise RetestError where a record, whose seal has been checked, asks for no re-test of a file."""
    verdict = record.verdict
    if record.retest_of is not None:
        raise RetestError("this record is a re-test itself: a second one would be a search for a pass")
    if not isinstance(record.subject, FileDescription):
        raise RetestError("this record is of a mechanism, which is tested again in the same run")
    if record.plan_sha256 != record.plan.digest():
        raise RetestError("the plan in the record does not have the digest that the record states")
    if verdict.outcome == Verdict.FAILED.value:
        raise RetestError("this record failed: a re-test is for tests in doubt, never for rejected ones")
    if not verdict.doubtful or not record.plan.retest_times:
        raise RetestError("this record leaves no test in doubt: there is nothing to test again")
    if len(verdict.missing) != 1 or verdict.retest is None:
        raise RetestError(f"this record is inconclusive whatever a re-test says: {verdict.missing[0]}")


def inherited(first: Cover, given: Cover) -> Cover:
    """The cover of the first record, with what is new in the second; the device must be the same."""
    said = {name: value for name in Cover.__struct_fields__ if (value := getattr(given, name))}
    for name in COVER_DEVICE:
        before = getattr(first, name)
        if before and said.get(name, before) != before:
            raise RetestError(f"the cover says {name} '{said[name]}', the first record '{before}': another device")
    return msgspec.structs.replace(first, **said)


def same_device(first: FileDescription, second: FileDescription) -> str:
    """How it is known that both files are of one device; raises RetestError where they are not."""
    before, now = first.provenance.get("device"), second.provenance.get("device")
    if not isinstance(before, dict) and not isinstance(now, dict):
        return ONLY_WORD
    if not isinstance(before, dict) or not isinstance(now, dict):
        which = "first" if isinstance(before, dict) else "second"
        raise RetestError(f"only the {which} file names its device: both must, or neither")
    shared = [key for key in DEVICE if key in before]
    for key in shared:
        if before[key] != now.get(key):
            raise RetestError(f"the first file is of {key} {before[key]}, the second of {now.get(key)}: another device")
    return f"both files name the same {', '.join(shared)}" if shared else ONLY_WORD


def retest(
    first: RunRecord,
    first_sha256: str,
    run: Run,
    engine: ShardEngine,
    *,
    claim: Callable[[str], None],
    keep: Path | None = None,
    resume: bool = False,
    stop: Callable[[], bool] = lambda: False,
    progress: Progress = lambda _decks: None,
    bits: BitSource | None = None,
) -> RunRecord:
    """Count the second file, then `claim` it as the one re-test, then judge. `claim` raises where there was another."""
    check_due(first)
    check_whole(run)
    subject = run.subject
    assert isinstance(first.subject, FileDescription)
    assert isinstance(subject, RecordedSubject)
    run = replace(run, plan=first.plan, cover=inherited(first.cover, run.cover))
    kind = subject.kind
    if (deck := (kind.words(), kind.dealing())) != (first.deck.words, first.deck.dealing):
        before = f"{first.deck.words}; {first.deck.dealing}"
        raise RetestError(f"the first file was of another deck: {before}\n  the second one is: {'; '.join(deck)}")
    totals = count_all(run, engine, keep=keep, resume=resume, stop=stop, progress=progress)
    second = subject.describe()
    device = same_device(first.subject, second)
    digests = {f"{section.battery.digest:016x}" for section in totals.sections.values()}
    first_digest = first.sample.sections["recorded"].data_digest
    if second.sha256 == first.subject.sha256 or first_digest in digests:
        raise RetestError("the second file holds the decks of the first: a re-test needs fresh ones")
    if totals.decks < first.sample.decks:
        raise RetestError(
            f"the second file has {totals.decks:,} decks: the plan asks for as many as the first, "
            f"{first.sample.decks:,}"
        )
    found = None
    if any(label.startswith(f"{generator_bits.SECTION}:") for label in first.verdict.doubtful):
        if bits is None:
            raise RetestError("tests on the generator's bits are in doubt: give fresh ones with --bits")
        found = generator_bits.run_bits(bits, stop=stop)
        if found is not None and first.bits is not None and found.record.sha256 == first.bits.sha256:
            raise RetestError("the bits are those of the first record: a re-test needs fresh ones")
    claim(second.sha256)
    judged = judge(run, totals)
    if found is not None:
        judged += [Judged(section=generator_bits.SECTION, result=result) for result in found.results]
    adjusted = {row.label: row.adjusted_p for row in first.results if row.adjusted_p is not None}
    doubtful = {label: adjusted[label] for label in first.verdict.doubtful}
    doubted = [one for one in judged if one.label in doubtful or one.result.test == INTEGRITY]
    try:
        looks = look_again(run.plan, doubtful, doubted)
    except LookupError as lost:
        why = f"the second file does not allow the test {lost}: record it in the form of the first"
        raise RetestError(why) from None
    alone = decide(
        run.plan, doubted, decks=totals.decks, malformed_rows=totals.malformed_rows, misread_share=totals.misread_share
    )
    decision = decide_again(alone, looks)
    open_runs = tuple(one.open for one in run.earlier if one.open and one.record_sha256 != first_sha256)
    decision = replace(decision, missing=(*(why for why in decision.missing if why != retest_owed(run)), *open_runs))
    if keep is not None:
        keep.unlink(missing_ok=True)
    return assemble(
        Evidence(
            run=run, totals=totals, judged=doubted, decision=decision, looks=looks,
            bits=None if found is None else found.record,
            retest_of=RetestOf(
                record_sha256=first_sha256, file_name=first.subject.name, file_sha256=first.subject.sha256,
                data_digest=first_digest, decks=first.sample.decks, doubtful=doubtful, same_device=device,
            ),
            first_results=first.results,
        )
    )  # fmt: skip
