"""How the memory lies in its bytes: numbered, checked records behind a header; values as JSON. Pure.

    SBNV2\\n, then records:  mark (2)  number (4)  length (4)  CRC-32 (4)  payload
                            the CRC is over number, length and payload; numbers count up from 0, the header

So neither a block of zeros nor a record of another length or place passes for a record. Where a key is set the payload
of every record but the header is sealed.
"""

import json
import zlib
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from firmware_sim.errors import MemoryCorrupt, WrongMemory
from firmware_sim.program.records import VERSION, from_plain, is_record, to_plain

NAME = b"SBNV"
MAGIC = b"%b%d\n" % (NAME, VERSION)
MARK = b"\xa7\x4e"
HEAD_BYTES = 14
LEAST_PAYLOAD = 2  # "{}"
_KEY_CHECK = b"the key of this memory"

Value = Any  # None, bool, int, str, bytes, records, and lists or dicts of them; None removes the key
Changes = dict[str, Value]


class Box(Protocol):
    """Seals the records of one file."""

    def seal(self, number: int, data: bytes) -> bytes:
        """What is written instead."""

    def unseal(self, number: int, data: bytes) -> bytes | None:
        """What was sealed; None where this is not it."""


class MemoryKey(Protocol):
    """What seals a memory: a box for each file, by the salt in its header."""

    def new_salt(self) -> bytes:
        """For a file that is written anew."""

    def box(self, salt: bytes) -> Box:
        """For the file with this salt."""


class Contents(NamedTuple):
    """What a file holds: its values, where its sound records end, and how they are sealed."""

    values: Changes
    records: int
    sound_bytes: int
    box: Box | None


@dataclass(frozen=True, slots=True)
class _Sound:
    payload: bytes
    behind: int


def header(key: MemoryKey | None) -> tuple[bytes, Box | None]:
    """The first bytes of a new file, and what seals the rest of it."""
    salt = b"" if key is None else key.new_salt()
    box = None if key is None else key.box(salt)
    check = b"" if box is None else box.seal(0, _KEY_CHECK)
    plain = {"version": VERSION, "salt": salt, "check": check}
    return MAGIC + _framed(0, _dumped(plain)), box


def record(number: int, changes: Changes, box: Box | None) -> bytes:
    """One transaction."""
    payload = _dumped(changes)
    return _framed(number, payload if box is None else box.seal(number, payload))


def read(data: bytes, key: MemoryKey | None) -> Contents:
    """Everything up to the first unsound byte; raises MemoryCorrupt where sound records follow that."""
    at, number, values = len(MAGIC), 0, Changes()
    box: Box | None = None
    while at < len(data):
        found = _sound_at(data, at, number)
        if found is None:
            break
        if number == 0:
            box = _box(_loaded(found.payload, "the header"), key)
        else:
            payload = found.payload if box is None else box.unseal(number, found.payload)
            if payload is None:
                raise MemoryCorrupt(f"record {number} at byte {at} was not sealed with this memory's key")
            apply(values, _loaded(payload, f"record {number}"))
        at, number = found.behind, number + 1
    if at < len(data):
        refuse_if_sound_follows(data, at, lambda place: _sound_at(data, place) is not None, MARK)
    return Contents(values, number, at, box)


def refusal(data: bytes) -> str:
    """Why bytes that do not start with MAGIC are not read."""
    number = data[len(NAME) :].split(b"\n", 1)[0]
    if data.startswith(NAME) and number.isdigit() and len(number) < 9:
        return f"this memory was written in version {int(number)}; this program reads version {VERSION}: erase it"
    return "not a memory file of this device"


def apply(values: Changes, changes: Changes) -> None:
    """A transaction happens to the values."""
    for name, value in changes.items():
        if value is None:
            values.pop(name, None)
        else:
            values[name] = value


def refuse_if_sound_follows(data: bytes, at: int, is_sound: Callable[[int], bool], mark: bytes) -> None:
    """What is unsound at the end may be a write that was cut; before sound records it is damage."""
    place = at
    while (place := data.find(mark, place + 1) if mark else place + 1) != -1 and place < len(data):
        if is_sound(place):
            raise MemoryCorrupt(f"the record at byte {at} fails its check and others follow it")


def _framed(number: int, payload: bytes) -> bytes:
    counted = number.to_bytes(4, "little") + len(payload).to_bytes(4, "little")
    return MARK + counted + zlib.crc32(payload, zlib.crc32(counted)).to_bytes(4, "little") + payload


def _sound_at(data: bytes, at: int, number: int | None = None) -> _Sound | None:
    """The record that begins here, of this number or of any; None where there is none or it is broken."""
    if data[at : at + 2] != MARK or at + HEAD_BYTES > len(data):
        return None
    counted = data[at + 2 : at + 10]
    length = int.from_bytes(counted[4:], "little")
    behind = at + HEAD_BYTES + length
    if length < LEAST_PAYLOAD or behind > len(data):
        return None
    if number is not None and int.from_bytes(counted[:4], "little") != number:
        return None
    payload = data[at + HEAD_BYTES : behind]
    if zlib.crc32(payload, zlib.crc32(counted)) != int.from_bytes(data[at + 10 : at + HEAD_BYTES], "little"):
        return None
    return _Sound(payload, behind)


def _box(plain: Changes, key: MemoryKey | None) -> Box | None:
    if plain.get("version") != VERSION or not isinstance(plain.get("salt"), bytes):
        raise MemoryCorrupt(f"its header is none of version {VERSION}")
    if not plain["salt"]:
        return None
    if key is None:
        raise WrongMemory("this memory is sealed: start with the key file that it was sealed with (--memory-key)")
    box = key.box(plain["salt"])
    if box.unseal(0, plain.get("check") or b"") != _KEY_CHECK:
        raise WrongMemory("this memory is sealed with another key: start with the key file that it was sealed with")
    return box


def _dumped(changes: Changes) -> bytes:
    return json.dumps(changes, default=_pack, separators=(",", ":")).encode()


def _loaded(payload: bytes, what: str) -> Changes:
    """A payload that has passed its check; what it says must still be something."""
    try:
        changes = json.loads(payload, object_hook=_unpack)
    except (ValueError, RecursionError) as problem:
        raise MemoryCorrupt(f"{what} says nothing: {problem}") from None
    if not isinstance(changes, dict):
        raise MemoryCorrupt(f"{what} is no list of changes")
    return changes


def _pack(value: object) -> object:
    if isinstance(value, bytes):
        return {"b64": b64encode(value).decode()}
    if is_record(value):
        return to_plain(value)  # type: ignore[arg-type]
    raise TypeError(f"the store keeps no {type(value).__name__}")


def _unpack(value: dict[str, Any]) -> object:
    if value.keys() == {"b64"}:
        try:
            return b64decode(value["b64"], validate=True)
        except (TypeError, NotBase64) as problem:
            raise MemoryCorrupt(f"bytes that are none: {problem}") from None
    return from_plain(value) if "record" in value else value
