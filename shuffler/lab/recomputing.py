"""Does the data give the figures of a report? The run is made again from its record and compared value by value."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from randomness.certification import (
    KernelSubject,
    Recorded,
    RecordedSubject,
    ReportError,
    Run,
    RunRecord,
    certify,
    local_engine,
    retest,
)
from randomness.certification.model import FileDescription, KernelDescription
from randomness.certification.runs import code_digest
from randomness.decks.kinds import KindSettings
from shuffler.lab.certificate import Checked, load_record
from shuffler.lab.recorded_bits import recorded

MOST_SHOWN = 8
NOT_COMPARED = ("cover", "seal", "outside", "noise", "earlier_runs", "reproduce", "settings")
"""Given, not computed; or made by other programs."""


def recompute(report: Path, data: Path | None, *, bits: Path | None = None, first: Path | None = None) -> Checked:
    """Make the run of a report again, on `data` where it is of a file."""
    record = load_record(report)
    run = _run(record, data)
    given = None if bits is None else recorded(bits, record.plan, test=False)
    if record.retest_of is not None:
        if first is None:
            raise ReportError("the report is a re-test: recompute its first record, and this one with `certify`")
        again = retest(load_record(first), record.retest_of.record_sha256, run, local_engine(1), claim=lambda _: None)
    else:
        again = certify(run, local_engine(1), bits=given)
    said = []
    if record.tool.code_sha256 != code_digest():
        theirs, ours = record.tool.code_sha256[:16], code_digest()[:16]
        said.append(f"by another version of the program: code {theirs}… in the report, {ours}… here")
    found = list(differences(_compared(record), _compared(again)))
    if not found:
        return Checked(good=True, said=(*said, "recomputed: every figure is the same"))
    more = [f"and {len(found) - MOST_SHOWN} more"] if len(found) > MOST_SHOWN else []
    return Checked(good=False, said=(*said, f"DIFFERENT in {len(found)} values:", *found[:MOST_SHOWN], *more))


def _run(record: RunRecord, data: Path | None) -> Run:
    about = record.subject
    said = options_of(record.settings.deck)
    if isinstance(about, KernelDescription):
        subject = KernelSubject(
            mechanism=about.mechanism, seed=int(about.seed), entropy=about.seed_from, profile=about.profile,
            not_promised=about.declared_not_applicable, kind=said.kind(), deck_options=record.settings.deck,
        )  # fmt: skip
        return _like(record, Run(plan=record.plan, subject=subject))
    assert isinstance(about, FileDescription)
    if data is None:
        raise ReportError("the report is of a file: give it with --against FILE")
    file = Recorded(str(data), test=about.test_run, said=said)
    if file.digest() != about.sha256:
        raise ReportError(f"{data} is another file: SHA-256 {file.digest()}, the report's is {about.sha256}")
    recorded_subject = RecordedSubject(recorded=file, not_promised=about.declared_not_applicable)
    return _like(record, Run(plan=record.plan, subject=recorded_subject))


def _like(record: RunRecord, run: Run) -> Run:
    return Run(
        plan=run.plan, subject=run.subject, plan_chosen=record.plan_chosen, settings=record.settings,
        cover=record.cover, earlier=record.earlier_runs,
    )  # fmt: skip


def options_of(options: tuple[str, ...]) -> KindSettings:
    """The deck as the command line said it."""
    values: dict[str, Any] = {}
    flags = {
        "--told-apart": ("told_apart", True), "--not-told-apart": ("told_apart", False), "--dealer": ("dealer", True),
        "--no-dealer": ("dealer", False),
    }  # fmt: skip
    for option in options:
        name, _, value = option.partition(" ")
        if name in flags:
            values[flags[name][0]] = flags[name][1]
        else:
            values[name.removeprefix("--")] = value if name == "--ranks" else int(value)
    return KindSettings(**values)


def _compared(record: RunRecord) -> dict[str, Any]:
    """Every computed value; a file may have another name."""
    said: dict[str, Any] = msgspec.to_builtins(record)
    for name in NOT_COMPARED:
        said.pop(name, None)
    said["tool"] = {}
    said["subject"].pop("name", None)
    return said


def differences(old: Any, new: Any, where: str = "") -> Iterator[str]:
    """Each value that is not the same, by its place in the record."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from differences(old.get(key), new.get(key), f"{where}.{key}" if where else str(key))
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple) and len(old) == len(new):
        for n, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{where}[{n}]")
    elif old != new:
        yield f"  {where}: the report has {_short(old)}, the data give {_short(new)}"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
