"""The hash chain of the device's log. Each line's hash covers the line and the previous hash, so that a changed,
missing or inserted line is detected. The head, which the counters report, reveals a truncated log.

The log also holds the head of the host's journal, as a line of a fixed form."""

import hashlib
import re
from collections.abc import Sequence

from protocol.messages import LogLine, NoteHead

HASH_BYTES = 32
GENESIS = bytes(HASH_BYTES)  # the hash before line 1
_DOMAIN = b"shuffler-bench/log/1\0"
_HEAD_LINE = re.compile(r"journal ([0-9a-f]{32}) record ([0-9]{1,20}) head ([0-9a-f]{64})", re.ASCII)


def chain(previous: bytes, number: int, time_ms: int, text: str) -> bytes:
    """Return the hash of a line."""
    return hashlib.sha256(
        _DOMAIN + previous + number.to_bytes(4, "little") + time_ms.to_bytes(8, "little") + text.encode()
    ).digest()


def first_broken(lines: Sequence[LogLine], *, head: bytes | None = None) -> int | None:
    """Return the number of the first line that breaks the chain; None if all hold.

    Line 1 must follow from GENESIS. If older lines were dropped, the first given line is accepted as it is. With the
    head from the counters, a truncated log is broken at the number after the last line.
    """
    previous: LogLine | None = None
    for line in lines:
        if line.number == 1:
            sound = line.hash == chain(GENESIS, 1, line.time_ms, line.text)
        elif previous is not None:
            sound = line.number == previous.number + 1 and line.hash == chain(
                previous.hash, line.number, line.time_ms, line.text
            )
        else:
            sound = line.number > 1
        if not sound:
            return line.number
        previous = line
    if head is not None and head != (previous.hash if previous is not None else GENESIS):
        return previous.number + 1 if previous is not None else 1
    return None


def head_line(note: NoteHead) -> str:
    """Return the line of the log for a journal's head."""
    return f"journal {note.journal.hex()} record {note.record} head {note.hash.hex()}"


def read_head_line(text: str) -> NoteHead | None:
    """Return the journal's head in a line; None if the line is about something else."""
    found = _HEAD_LINE.fullmatch(text)
    if found is None:
        return None
    journal, record, head = found.groups()
    return NoteHead(journal=bytes.fromhex(journal), record=int(record), hash=bytes.fromhex(head))
