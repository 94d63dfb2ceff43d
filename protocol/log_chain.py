"""The chain of the device's log: each line's hash covers the line and the hash before it, so no line can be changed,
left out or put between unseen. A cut tail is seen by the head, which goes out with the counters."""

import hashlib
from collections.abc import Sequence

from protocol.messages import LogLine

HASH_BYTES = 32
GENESIS = bytes(HASH_BYTES)  # stands before line 1
_DOMAIN = b"shuffler-bench/log/1\0"


def chain(previous: bytes, number: int, time_ms: int, text: str) -> bytes:
    """The hash of a line."""
    return hashlib.sha256(
        _DOMAIN + previous + number.to_bytes(4, "little") + time_ms.to_bytes(8, "little") + text.encode()
    ).digest()


def first_broken(lines: Sequence[LogLine], *, head: bytes | None = None) -> int | None:
    """The number of the first line that does not follow from the one before it, None where all do.

    Line 1 must follow from nothing; where older lines were dropped the first one given is taken as it is. With the
    head from the counters a cut tail counts as broken at the number after the last line.
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
