"""The device's non-volatile memory: keys and small values, changed in transactions.

A cut at any byte leaves the state before the transaction or after it, never neither: a commit is one checksummed record
appended to a log; a torn record at the end is as if it had never been written. When the log has grown well past what it
says, it is written anew beside the old one and takes its place in one rename.
"""

import json
import os
import zlib
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any, Protocol

from firmware_sim.errors import MemoryCorrupt

Value = Any  # None, bool, int, str, bytes, and lists or dicts of them; None removes the key

_MAGIC = b"SBNV1\n"
_COMPACT_FACTOR = 8
_COMPACT_FLOOR = 65536


class Medium(Protocol):
    """Where bytes survive: the seam at which tests cut the power."""

    def read(self) -> bytes:
        """All bytes written so far."""

    def append(self, data: bytes) -> None:
        """Add bytes at the end, durably."""

    def replace(self, data: bytes) -> None:
        """Put these bytes in place of all others, durably, in one step."""


class VolatileMedium:
    """Bytes in a buffer: a device that is never switched off for good."""

    def __init__(self, data: bytes = b"") -> None:
        self._data = bytearray(data)

    def read(self) -> bytes:
        return bytes(self._data)

    def append(self, data: bytes) -> None:
        self._data += data

    def replace(self, data: bytes) -> None:
        self._data = bytearray(data)


class FileMedium:
    """Bytes in a file; `durable=False` leaves flushing to the operating system (a process kill loses nothing)."""

    def __init__(self, path: Path, *, durable: bool = True) -> None:
        self._path = path
        self._durable = durable
        self._file = path.open("ab")

    def read(self) -> bytes:
        return self._path.read_bytes()

    def append(self, data: bytes) -> None:
        end = self._file.tell()
        try:
            self._file.write(data)
            self._file.flush()
            if self._durable:
                os.fsync(self._file.fileno())
        except OSError:
            os.truncate(self._path, end)  # a half-written record must not stand in the way of the next
            raise

    def replace(self, data: bytes) -> None:
        beside = self._path.with_name(self._path.name + ".new")
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, self._path)
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self._file.close()
        self._file = self._path.open("ab")

    def close(self) -> None:
        """Let the file go."""
        self._file.close()


class NvStore:
    """Keys and values; `put` stages, `commit` makes all staged changes last, `forget` drops them."""

    def __init__(self, medium: Medium | None = None) -> None:
        """Without a medium nothing is serialised: values live as long as the object, commits cost nothing."""
        self._medium = medium
        self._values: dict[str, Value] = {}
        self._staged: dict[str, Value] = {}
        self._size = 0
        self._compact_at = _COMPACT_FLOOR
        if medium is not None:
            self._load(medium)

    def get(self, key: str, default: Value = None) -> Value:
        """The value as staged, else as committed."""
        if key in self._staged:
            value = self._staged[key]
            return default if value is None else value
        return self._values.get(key, default)

    def keys(self, prefix: str) -> list[str]:
        """The keys that start so, staged changes counted."""
        names = {key for key in self._values if key.startswith(prefix)} | {
            key for key in self._staged if key.startswith(prefix)
        }
        return sorted(key for key in names if self.get(key) is not None)

    def put(self, key: str, value: Value) -> None:
        """Stage a change; None removes the key."""
        self._staged[key] = value

    def forget(self) -> None:
        """Drop what is staged."""
        self._staged.clear()

    def commit(self) -> None:
        """Make all staged changes last, together."""
        if not self._staged:
            return
        if self._medium is not None:
            record = _record(self._staged)
            self._medium.append(record)
            self._size += len(record)
        for key, value in self._staged.items():
            if value is None:
                self._values.pop(key, None)
            else:
                self._values[key] = value
        self._staged.clear()
        if self._size > self._compact_at:
            self._compact()

    def erase(self) -> None:
        """Start anew with nothing: what service does after corruption."""
        self._values.clear()
        self._staged.clear()
        if self._medium is not None:
            self._medium.replace(_MAGIC)
            self._size = len(_MAGIC)

    def _compact(self) -> None:
        assert self._medium is not None
        whole = _MAGIC + _record(self._values)
        self._medium.replace(whole)
        self._size = len(whole)
        self._compact_at = max(_COMPACT_FLOOR, _COMPACT_FACTOR * len(whole))

    def _load(self, medium: Medium) -> None:
        data = medium.read()
        if not data or _MAGIC.startswith(data):
            medium.replace(_MAGIC)
            self._size = len(_MAGIC)
            return
        if not data.startswith(_MAGIC):
            raise MemoryCorrupt("not a memory file of this device")
        at = len(_MAGIC)
        while at < len(data):
            changes, after = _parse(data, at)
            if changes is None:
                break
            for key, value in changes.items():
                if value is None:
                    self._values.pop(key, None)
                else:
                    self._values[key] = value
            at = after
        self._size = at
        if at < len(data):
            _refuse_if_more_follows(data, at)
            medium.replace(data[:at])


def _record(changes: dict[str, Value]) -> bytes:
    payload = json.dumps(changes, default=_pack, separators=(",", ":")).encode()
    return len(payload).to_bytes(4, "little") + zlib.crc32(payload).to_bytes(4, "little") + payload


def _parse(data: bytes, at: int) -> tuple[dict[str, Value] | None, int]:
    """The record at an offset and the offset behind it; None where it is torn or broken."""
    if at + 8 > len(data):
        return None, at
    length = int.from_bytes(data[at : at + 4], "little")
    payload = data[at + 8 : at + 8 + length]
    if len(payload) < length or zlib.crc32(payload) != int.from_bytes(data[at + 4 : at + 8], "little"):
        return None, at
    changes: dict[str, Value] = json.loads(payload, object_hook=_unpack)
    return changes, at + 8 + length


def _refuse_if_more_follows(data: bytes, at: int) -> None:
    """A torn record is the last thing in the file; a broken one with whole records behind it is corruption."""
    if at + 8 <= len(data):
        length = int.from_bytes(data[at : at + 4], "little")
        behind = at + 8 + length
        if behind < len(data) and _parse(data, behind)[0] is not None:
            raise MemoryCorrupt(f"the record at byte {at} fails its check and others follow it")


def _pack(value: object) -> object:
    if isinstance(value, bytes):
        return {"b64": b64encode(value).decode()}
    raise TypeError(f"the store keeps no {type(value).__name__}")


def _unpack(value: dict[str, Any]) -> object:
    return b64decode(value["b64"]) if value.keys() == {"b64"} else value
