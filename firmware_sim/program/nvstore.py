"""The device's non-volatile memory: keys and small values, changed in transactions. Pure: a medium holds the bytes.

A cut at any byte leaves the state before the transaction or after it, never neither: a commit is one checked record
appended to the medium. When that has grown well past what it says, it is written anew in one step. An end that does not
check is dropped and noted under "unsound": what was lost may have been sent, so whoever runs on it starts a new epoch.
"""

from collections.abc import Callable
from typing import Final, Protocol

from firmware_sim.errors import MemoryCorrupt
from firmware_sim.program.memory_format import (
    MAGIC,
    Box,
    Changes,
    MemoryKey,
    Schema,
    apply,
    header,
    read,
    record,
    refusal,
)
from firmware_sim.program.records import UnsoundTail, Value, read_value

_COMPACT_FACTOR = 8
_COMPACT_FLOOR = 65536


class Medium(Protocol):
    """Where bytes survive: the seam at which tests cut the power."""

    def read(self) -> bytes:
        """All bytes written so far."""

    def append(self, data: bytes) -> None:
        """Add bytes at the end, durably; raises OSError with nothing added where that can't be done."""

    def replace(self, data: bytes) -> None:
        """Put these bytes in place of all others, durably, in one step; raises OSError with the old ones in place."""


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


class NvStore:
    """Keys and values; `put` stages, `commit` makes all staged changes last, `forget` drops them."""

    def __init__(
        self, medium: Medium | None = None, key: MemoryKey | None = None, schema: Schema = read_value
    ) -> None:
        """Without a medium nothing is serialised: values live as long as the object, commits cost nothing.

        With a key the medium is sealed; one that is not yet is written anew. What is read goes through the schema.
        Raises MemoryCorrupt where the medium is damaged and WrongMemory where it is sealed with another key.
        """
        self._medium = medium
        self._key = key
        self._box: Box | None = None
        self._values: Changes = {}
        self._staged: Changes = {}
        # Stage a change; None removes the key. The dictionary's own method: eighty calls a round fewer.
        self.put: Final[Callable[[str, Value], None]] = self._staged.__setitem__
        self._records = 0
        self._size = 0
        self._compact_at = _COMPACT_FLOOR
        self._is_behind = False  # the medium still holds what was found there: it is written anew with the next commit
        if medium is not None:
            self._load(medium, schema)

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

    @property
    def has_changes(self) -> bool:
        """Whether anything is staged."""
        return bool(self._staged)

    def forget(self) -> None:
        """Drop what is staged."""
        self._staged.clear()

    def commit(self) -> None:
        """Make all staged changes last, together; raises OSError, with all still staged, where the medium can't."""
        if self._is_behind:
            self._catch_up()
            return
        if not self._staged:
            return
        if self._medium is not None:
            written = record(self._records, self._staged, self._box)
            self._medium.append(written)
            self._size += len(written)
            self._records += 1
        values = self._values
        for name, value in self._staged.items():
            if value is None:
                values.pop(name, None)
            else:
                values[name] = value
        self._staged.clear()
        if self._size > self._compact_at:
            try:
                self._write_anew()
            except OSError:  # what was committed has lasted; there may be room for the rest later
                self._compact_at = self._size + _COMPACT_FLOOR

    def erase(self) -> None:
        """Start anew with nothing: what service does after corruption."""
        self._values.clear()
        self._staged.clear()
        if self._medium is not None:
            self._write_anew()

    def _catch_up(self) -> None:
        """Write everything, with what is staged, in one step."""
        after = dict(self._values)
        apply(after, self._staged)
        self._write_anew(after)
        self._values, self._is_behind = after, False
        self._staged.clear()

    def _write_anew(self, values: Changes | None = None) -> None:
        assert self._medium is not None
        values = self._values if values is None else values
        head, box = header(self._key)
        whole = head + (record(1, values, box) if values else b"")
        self._medium.replace(whole)
        self._size, self._records, self._box = len(whole), 1 + bool(values), box
        self._compact_at = max(_COMPACT_FLOOR, _COMPACT_FACTOR * len(whole))

    def _load(self, medium: Medium, schema: Schema) -> None:
        data = medium.read()
        if data.startswith(MAGIC):
            found = read(data, self._key, schema)
            self._values, self._records, self._box = found.values, found.records, found.box
            sound = found.sound_bytes if found.records else 0
            kept = bool(found.records) and (found.box is None) is (self._key is None)
        elif MAGIC.startswith(data):
            sound, kept = 0, False
        else:
            raise MemoryCorrupt(refusal(data))
        self._size = len(data)
        if sound < len(data):
            self._values["unsound"] = UnsoundTail(dropped=len(data) - sound)
        if sound < len(data) or not kept:
            try:
                self._write_anew()
            except OSError:
                self._is_behind = True
