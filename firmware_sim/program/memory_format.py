"""How the memory lies in its bytes: numbered, checked records behind a header; payloads are MessagePack. Pure.

    SBNV3\\n, then records:  mark (2)  number (4)  length (4)  CRC-32 (4)  payload
                            the CRC is over number, length and payload; numbers count up from 0, the header

So neither a block of zeros nor a record of another length or place passes for a record. Where a key is set the payload
of every record but the header is sealed.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import msgspec

from firmware_sim.errors import MemoryCorrupt, WrongMemory
from firmware_sim.program.records import VERSION, Value, fingerprint, read_value

NAME = b"SBNV"
MAGIC = b"%b%d\n" % (NAME, VERSION)
MARK = b"\xa7\x4e"
HEAD_BYTES = 14
LEAST_PAYLOAD = 1  # an empty map
_KEY_CHECK = b"the key of this memory"

Changes = dict[str, Value]  # None removes the key
Schema = Callable[[str, msgspec.Raw], Value]  # the value as its key's type, or MemoryCorrupt

_REMOVED = b"\xc0"  # nil
_encode = msgspec.msgpack.Encoder().encode
_transaction = msgspec.msgpack.Decoder(dict[str, msgspec.Raw])


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first record: what the others are, and what seals them."""

    schema: bytes  # the fingerprint of the keys and types
    salt: bytes  # empty where nothing is sealed
    check: bytes  # a known text, sealed


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
    return MAGIC + _framed(0, _encode(Header(schema=fingerprint(), salt=salt, check=check))), box


def record(number: int, changes: Changes, box: Box | None) -> bytes:
    """One transaction."""
    payload = _encode(changes)
    return _framed(number, payload if box is None else box.seal(number, payload))


def read(data: bytes, key: MemoryKey | None, schema: Schema = read_value) -> Contents:
    """Everything up to the first unsound byte; raises MemoryCorrupt where sound records follow that."""
    at, number, values = len(MAGIC), 0, Changes()
    box: Box | None = None
    while at < len(data):
        found = _sound_at(data, at, number)
        if found is None:
            break
        if number == 0:
            box = _box(found.payload, key)
        else:
            payload = found.payload if box is None else box.unseal(number, found.payload)
            if payload is None:
                raise MemoryCorrupt(f"record {number} at byte {at} was not sealed with this memory's key")
            apply(values, _changes(payload, schema, f"record {number}"))
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


def _box(payload: bytes, key: MemoryKey | None) -> Box | None:
    try:
        found = msgspec.msgpack.decode(payload, type=Header)
    except msgspec.MsgspecError as problem:
        raise MemoryCorrupt(f"its header is damaged: {problem}") from None
    if found.schema != fingerprint():
        raise MemoryCorrupt("this memory's records have other fields than this program's: erase it")
    if not found.salt:
        return None
    if key is None:
        raise WrongMemory("this memory is sealed: start with the key file that it was sealed with (--memory-key)")
    box = key.box(found.salt)
    if box.unseal(0, found.check) != _KEY_CHECK:
        raise WrongMemory("this memory is sealed with another key: start with the key file that it was sealed with")
    return box


def _changes(payload: bytes, schema: Schema, what: str) -> Changes:
    """The transaction in a payload that has passed its check."""
    try:
        packed = _transaction.decode(payload)
    except (msgspec.MsgspecError, RecursionError) as problem:
        raise MemoryCorrupt(f"{what} is no transaction: {problem}") from None
    return {name: None if bytes(value) == _REMOVED else schema(name, value) for name, value in packed.items()}
