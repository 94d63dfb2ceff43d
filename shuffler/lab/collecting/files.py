"""Collected data on disk. Decks: JSON lines that `certify --from` reads. Bits: raw bytes, their provenance beside.

A line is written in one piece, so that breaking off at any moment leaves a file of whole lines; what a crash of the
machine may have torn is cut off when the collection goes on.
"""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from shuffler.lab.collecting.decks import CollectedDeck
from shuffler.lab.collecting.errors import CollectionFile
from shuffler.lab.collecting.provenance import now

SYNC_EVERY_S = 2.0
LONGEST_LINE = 65536
_SAME = ("serial", "profile", "firmware", "program_sha256")
_DECK = b'{"deck":'
_HEAD = b'{"provenance":'


class DeckFile:
    """A file of decks, new or gone on with; every stretch of collecting opens and closes with a line of provenance."""

    def __init__(self, path: Path, provenance: Mapping[str, Any], *, resume: bool) -> None:
        self.path = path
        self.decks = 0
        self._started = 0
        self._synced = time.monotonic()
        self._file = _opened(path, resume=resume)
        try:
            if resume:
                self._go_on(provenance)
            self._started = self.decks
            self._write({"provenance": dict(provenance)})
        except BaseException:
            self._file.close()
            raise

    def write(self, deck: CollectedDeck) -> None:
        """One deck."""
        known = {} if deck.input is None else {"input": list(deck.input)}
        self._write({"deck": list(deck.cards), **known, "shuffle": deck.shuffle} | dict.fromkeys(deck.marks, True))
        self.decks += 1
        if time.monotonic() - self._synced > SYNC_EVERY_S:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def close(self, why: str, left_out: Mapping[str, int]) -> None:
        """The last line of this stretch."""
        said = {"ended": now(), "because": why, "decks": self.decks - self._started, "left_out": dict(left_out)}
        try:
            self._write({"provenance": said})
            os.fsync(self._file.fileno())
        finally:
            self._file.close()

    def _write(self, row: Mapping[str, Any]) -> None:
        line = json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        try:
            self._file.write(line)
        except OSError as error:
            raise CollectionFile(f"can't write {self.path}: {error.strerror}") from None

    def _go_on(self, provenance: Mapping[str, Any]) -> None:
        """Count what is there, cut off a torn last line, and make sure that it is of the same device."""
        whole = 0
        first: dict[str, Any] | None = None
        self._file.seek(0)
        with open(self.path, "rb") as there:
            while line := there.readline(LONGEST_LINE):
                if not line.endswith(b"\n"):
                    break
                if whole == 0 and line.startswith(_HEAD):
                    with contextlib.suppress(ValueError):
                        first = json.loads(line)["provenance"]
                whole += len(line)
                self.decks += line.startswith(_DECK)
        if first is None and whole:
            raise CollectionFile(f"{self.path} was not written by `shuffler collect`: choose another file")
        if first is not None:
            old, new = first.get("device", {}), provenance["device"]
            for key in _SAME:
                if old.get(key) != new[key]:
                    what = f"{key.replace('_', ' ')} {old.get(key)}, this device has {new[key]}"
                    raise CollectionFile(f"{self.path} is of {what}: choose another file")
        self._file.truncate(whole)
        self._file.seek(whole)


class BitFile:
    """Raw bytes, and when it is closed a file beside with where they come from and their digest."""

    def __init__(self, path: Path, provenance: Mapping[str, Any], *, marks: tuple[str, ...]) -> None:
        self.path = path
        self.bytes = 0
        self._said = {**provenance, **dict.fromkeys(marks, True)}
        self._hash = hashlib.sha256()
        self._file = _opened(path, resume=False)

    def write(self, data: bytes) -> None:
        """The next bytes."""
        try:
            self._file.write(data)
        except OSError as error:
            raise CollectionFile(f"can't write {self.path}: {error.strerror}") from None
        self._hash.update(data)
        self.bytes += len(data)

    def close(self, why: str) -> Path:
        """Ends the file and writes the one beside it."""
        os.fsync(self._file.fileno())
        self._file.close()
        ended = {"ended": now(), "because": why, "bytes": self.bytes, "sha256": self._hash.hexdigest()}
        beside = provenance_beside(self.path)
        text = json.dumps({"provenance": {**self._said, **ended}}, indent=1, ensure_ascii=False) + "\n"
        try:
            beside.write_text(text, encoding="utf-8")
        except OSError as error:
            raise CollectionFile(f"can't write {beside}: {error.strerror}") from None
        return beside


def provenance_beside(path: Path) -> Path:
    """Where the provenance of a file of bits stands."""
    return path.with_name(path.name + ".provenance.json")


def _opened(path: Path, *, resume: bool) -> BinaryIO:
    """A new file, or with `resume` one to go on with; never one that would be written over."""
    try:
        flags = os.O_RDWR | os.O_CREAT | (0 if resume else os.O_EXCL)
        return os.fdopen(os.open(path, flags, 0o644), "rb+", buffering=0)
    except FileExistsError:
        raise CollectionFile(f"{path} is there already: continue it with --resume, or choose another name") from None
    except OSError as error:
        raise CollectionFile(f"can't write {path}: {error.strerror}") from None
