"""Where a journal's head is noted outside the journal, so that a file that was set back or rewritten is found.

One place is for one journal.

An anchor is only as good as the place: a second path under the same user stops nobody who reaches both.
"""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from shuffler.journal.errors import JournalBroken, JournalUnwritable
from strict_toml import read_bounded_text

COMMAND_S = 30.0
MOST_BYTES = 1 << 30  # of a file of heads: five million


class Head(NamedTuple):
    """A record and its hash, in one journal."""

    journal: bytes  # the instance of its host
    seq: int
    hash: bytes


class Anchor(Protocol):
    """A place that takes heads."""

    @property
    def name(self) -> str:
        """For the books."""

    def note(self, head: Head) -> None:
        """Take it; raises JournalUnwritable."""

    def noted(self) -> Sequence[Head]:
        """What was noted, oldest first, where the place can be asked."""


class PathAnchor:
    """A file to which a line is added for each head: JSON with journal, seq and head."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    @property
    def name(self) -> str:
        return f"file {self.path}"

    def note(self, head: Head) -> None:
        line = json.dumps({"journal": head.journal.hex(), "seq": head.seq, "head": head.hash.hex()})
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as problem:
            raise JournalUnwritable(f"{self.path}: the head can't be noted there ({problem.strerror})") from None

    def noted(self) -> list[Head]:
        return read_anchors(self.path)


class CommandAnchor:
    """A program that is run with the head: COMMAND JOURNAL SEQ HASH, all in one argument each."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = tuple(command)

    @property
    def name(self) -> str:
        return f"command {self.command[0]}"

    def note(self, head: Head) -> None:
        argv = [*self.command, head.journal.hex(), str(head.seq), head.hash.hex()]
        try:
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=COMMAND_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise JournalUnwritable(f"{self.command[0]}: the head can't be noted by it ({problem})") from None
        if done.returncode:
            raise JournalUnwritable(f"{self.command[0]}: the head can't be noted by it (exit code {done.returncode})")

    def noted(self) -> list[Head]:
        return []


def read_anchors(path: Path) -> list[Head]:
    """The heads in an anchor file, oldest first; a last line that was cut by a crash is left out."""
    try:
        text = read_bounded_text(path, MOST_BYTES) if path.exists() else ""
    except OSError as problem:
        raise JournalBroken(f"{path}: can't be read as a file of heads: {problem.strerror}") from None
    except ValueError as problem:
        raise JournalBroken(f"{path}: can't be read as a file of heads: {problem}") from None
    heads = []
    complete = text[: text.rfind("\n") + 1]
    for number, line in enumerate(complete.splitlines(), 1):
        try:
            row = json.loads(line)
            heads.append(Head(bytes.fromhex(row["journal"]), int(row["seq"]), bytes.fromhex(row["head"])))
        except (ValueError, KeyError, TypeError):
            raise JournalBroken(f"{path}: line {number} is no head") from None
    return heads
