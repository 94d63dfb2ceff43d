"""The register of a laboratory: which rows were certified by which plan, and which records were re-tested.

One append-only file of JSON lines, keyed by digests: a copied or renamed file or record is known again. A run on rows
that were tested before says so; a re-test happens once.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from randomness.certification import EarlierRun, RecordedSubject, RetestError, Run
from randomness.certification.errors import CertificationError
from randomness.certification.model import FileDescription, Part, RunRecord
from shuffler.lab.certificate import record_digest

FOLDER = "SHUFFLER_REGISTER"
NAME = "certifications.jsonl"


class RunEntry(Part, frozen=True, kw_only=True, tag="run", tag_field="kind"):
    """One certification of a file."""

    identity: str
    """Digest of plan, file, number of decks and code: the same run again is no second look."""
    data_sha256: str
    data_bytes: int
    rows: int
    plan: str
    plan_sha256: str
    record_sha256: str
    outcome: str
    retest_owed: bool
    retest_of: str = ""


class RetestEntry(Part, frozen=True, kw_only=True, tag="re-test", tag_field="kind"):
    """A record, and the one file that it is re-tested on."""

    record_sha256: str
    second_sha256: str


_Entry = RunEntry | RetestEntry


def default_folder() -> Path:
    """The folder named by SHUFFLER_REGISTER, else one in the user's data."""
    if named := os.environ.get(FOLDER):
        return Path(named)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "shuffler"


class Register:
    """A register in a folder; the file is made when something is entered."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or default_folder()) / NAME

    # ----- runs

    def sizes(self) -> frozenset[int]:
        """Sizes of the files that were certified: where a longer file may begin like one of them."""
        return frozenset(entry.data_bytes for entry in self._entries() if isinstance(entry, RunEntry))

    def earlier(self, run: Run) -> tuple[EarlierRun, ...]:
        """Runs on these rows, or on the first ones of this file, before the same run was first made."""
        if not isinstance(run.subject, RecordedSubject) or run.subject.recorded.bytes is None:
            return ()
        file, identity = run.subject.recorded, run.identity()
        beginnings = dict(file.beginnings)
        beginnings[file.bytes or 0] = file.digest()
        entries = list(self._entries())
        closed = {
            entry.retest_of for entry in entries if isinstance(entry, RunEntry) and entry.outcome == "passed"
        }  # fmt: skip
        found: dict[str, EarlierRun] = {}
        for entry in entries:
            if not isinstance(entry, RunEntry):
                continue
            if entry.identity == identity:
                break
            if beginnings.get(entry.data_bytes) == entry.data_sha256:
                found[entry.record_sha256] = _earlier(entry, same=entry.data_bytes == file.bytes, closed=closed)
        return tuple(found.values())

    def enter(self, run: Run, record: RunRecord) -> None:
        """Note a finished run on a file; a pipe and a mechanism leave nothing that could be tested twice."""
        if not isinstance(record.subject, FileDescription) or record.subject.bytes is None:
            return
        verdict = record.verdict
        self._add(
            RunEntry(
                identity=run.identity(), data_sha256=record.subject.sha256, data_bytes=record.subject.bytes,
                rows=record.sample.rows_read, plan=record.plan.name, plan_sha256=record.plan_sha256,
                record_sha256=record_digest(record), outcome=verdict.outcome,
                retest_owed=verdict.retest is not None and verdict.retest.passed is None,
                retest_of="" if record.retest_of is None else record.retest_of.record_sha256,
            )
        )  # fmt: skip

    # ----- re-tests

    def claim(self, record_sha256: str, second_sha256: str) -> None:
        """Name the second file; raises RetestError where another one was named before."""
        entry = RetestEntry(record_sha256=record_sha256, second_sha256=second_sha256)
        with self._locked() as file:
            for before in _read(file, self.path):
                if isinstance(before, RetestEntry) and before.record_sha256 == record_sha256:
                    if before == entry:
                        return
                    raise RetestError(
                        f"record {record_sha256[:16]}… has been re-tested, on a file with SHA-256 "
                        f"{before.second_sha256[:16]}…: a re-test is made once"
                    )
            _append(file, entry)

    # ----- the file

    def _entries(self) -> Iterator[_Entry]:
        try:
            with open(self.path, "rb") as file:
                yield from _read(file, self.path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise CertificationError(f"can't read the register {self.path}: {error.strerror}") from None

    def _add(self, entry: RunEntry) -> None:
        with self._locked() as file:
            if entry not in _read(file, self.path):
                _append(file, entry)

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "ab+") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                file.seek(0)
                yield file
        except OSError as error:
            raise CertificationError(
                f"can't write the register {self.path}: {error.strerror}; name another folder with {FOLDER}"
            ) from None


def _earlier(entry: RunEntry, *, same: bool, closed: set[str]) -> EarlierRun:
    of = "the same file" if same else "the beginning of this file"
    name = f"record {entry.record_sha256[:16]}…"
    open_for = ""
    if entry.outcome == "failed":
        open_for = f"{of} failed by plan {entry.plan} ({name})"
    elif entry.retest_owed and entry.record_sha256 not in closed:
        open_for = f"a re-test is owed for {of} ({name}): certify --retest-of RECORD --from SECOND"
    return EarlierRun(
        record_sha256=entry.record_sha256, plan=entry.plan, plan_sha256=entry.plan_sha256, rows=entry.rows, of=of,
        outcome=entry.outcome, open=open_for,
    )  # fmt: skip


def _read(file: BinaryIO, path: Path) -> Iterator[_Entry]:
    for number, line in enumerate(file, 1):
        try:
            yield msgspec.json.decode(line, type=_Entry)
        except msgspec.MsgspecError as error:
            raise CertificationError(f"the register {path} is damaged at line {number}: {error}") from None


def _append(file: BinaryIO, entry: _Entry) -> None:
    file.write(msgspec.json.encode(entry) + b"\n")
    file.flush()
    os.fsync(file.fileno())

