"""A device's log as a file: read over the wire whole, kept as JSON lines, checked without the device.

The first line of the file names the device and the head of the chain; a head that was written down elsewhere (the
counters, a table's journal) shows a tail that was cut together with it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from protocol import messages as m
from protocol.log_chain import HASH_BYTES, first_broken
from protocol.messages import LogLine
from shuffler.errors import ShufflerError
from shuffler.host.client import Client
from shuffler.host.printable import json_line

PAGE = 255
MAX_PAGES = 100_000


class BadLogFile(ShufflerError):
    """A file that is no exported log, with the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLog:
    """The lines that a device keeps, and the head of its chain."""

    serial: str
    profile: str
    head: bytes
    lines: tuple[LogLine, ...]

    def broken(self, head: bytes | None = None) -> int | None:
        """The number of the first line that does not follow from the one before, None where all is sound."""
        return first_broken(self.lines, head=head if head is not None else self.head)


def read_log(client: Client) -> DeviceLog:
    """All lines that the device still has, up to a head that it stated after the last of them."""
    info = client.ask(m.GetInfo(), m.Info)
    lines: list[LogLine] = []
    for _ in range(MAX_PAGES):
        page = client.ask(m.ReadLog(after=lines[-1].number if lines else 0, limit=PAGE), m.LogPage)
        lines += page.lines
        if not page.lines:
            counters = client.ask(m.GetCounters(), m.Counters)
            if counters.log_length == (lines[-1].number if lines else 0):
                return DeviceLog(serial=info.serial, profile=info.profile, head=counters.log_head, lines=tuple(lines))
    raise ShufflerError("the device writes its log faster than it can be read")


def to_text(log: DeviceLog) -> Iterator[str]:
    """The lines of a file."""
    yield json.dumps({"device": log.serial, "profile": log.profile, "head": log.head.hex(), "lines": len(log.lines)})
    for line in log.lines:
        row = {"number": line.number, "time_ms": line.time_ms, "text": line.text, "hash": line.hash.hex()}
        yield json_line(row)


def from_text(text: str) -> DeviceLog:
    """Back from a file; raises BadLogFile where it is none."""
    rows = [_row(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not rows:
        raise BadLogFile("the file is empty")
    first, *rest = rows
    try:
        return DeviceLog(
            serial=str(first["device"]),
            profile=str(first["profile"]),
            head=_hash(first["head"]),
            lines=tuple(map(_line, rest)),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as problem:
        raise BadLogFile(f"not a log as `shuffler device log` writes it: {problem}") from None


def _line(row: dict[str, Any]) -> LogLine:
    number, time_ms = int(row["number"]), int(row["time_ms"])
    str(row["text"]).encode()  # half of a surrogate pair is JSON, and no text
    if not (0 < number < 1 << 32 and 0 <= time_ms < 1 << 64):
        raise ValueError(f"line {number} at {time_ms} ms is none that a device writes")
    return LogLine(number=number, time_ms=time_ms, text=str(row["text"]), hash=_hash(row["hash"]))


def _row(number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise BadLogFile(f"line {number} is not JSON, as a line of an exported log is") from None
    if not isinstance(row, dict):
        raise BadLogFile(f"line {number} is not a JSON object")
    return row


def _hash(text: Any) -> bytes:
    value = bytes.fromhex(text)
    if len(value) != HASH_BYTES:
        raise ValueError(f"a hash has {HASH_BYTES} bytes, not {len(value)}")
    return value
