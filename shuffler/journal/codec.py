"""A record's body: its entries as bytes and back. docs/journal-format.md describes it for other programs.

    kind (1 byte)   E entries, C a checkpoint among them, S a signature or a change of keys, L the layouts in force
    zlib of:        length of the JSON (u32, little-endian), the JSON (UTF-8), the tail
"""

import json
import zlib
from collections.abc import Sequence
from typing import Any

from shuffler.journal.entries import Checkpoint, Entry, HeadSigned, KeyChanged, SchemaInForce
from shuffler.journal.errors import JournalBroken
from shuffler.journal.layouts import VERSION, Misfit, Tail, current_layouts, decode, encode
from shuffler.journal.past import Past
from shuffler.journal.version1 import OldReader

ENTRIES, CHECKPOINT, SEAL, LAYOUTS = b"E", b"C", b"S", b"L"
KIND_OF = {Checkpoint: CHECKPOINT, HeadSigned: SEAL, KeyChanged: SEAL, SchemaInForce: LAYOUTS}
MOST_BYTES = 1 << 26  # of a record unpacked: far more than any step of a table writes
LEVEL = 3  # half of the time of level 6 for a twentieth more bytes
_dumps = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False).encode


def schema_in_force() -> SchemaInForce:
    """The entry that says how this version writes."""
    return SchemaInForce(VERSION, current_layouts())


def encode_record(entries: Sequence[Entry]) -> bytes:
    """The body of a record."""
    tail: list[bytes] = []
    text = _dumps([encode("entries", entry, tail) for entry in entries]).encode()
    kind = next((KIND_OF[type(entry)] for entry in entries if type(entry) in KIND_OF), ENTRIES)
    return kind + zlib.compress(b"".join((len(text).to_bytes(4, "little"), text, *tail)), LEVEL)


class Decoder:
    """Reads one journal's records in order; follows the schema as it changes."""

    def __init__(self) -> None:
        self._past: Past | None = None
        self.old = OldReader()

    @property
    def is_current(self) -> bool:
        """Whether the layouts in force are this version's."""
        return self._past is None

    def schema(self, found: SchemaInForce) -> None:
        """From here on these layouts are in force."""
        past = Past(found.layouts)
        self._past = None if past.is_current else past

    def decode(self, seq: int, body: bytes) -> list[Entry]:
        """The entries of a record; raises JournalBroken."""
        try:
            plains, tail = unpacked(body)
            found: list[Entry] = []
            if self._past is not None:
                plains, tail = self._past.modernise(plains, tail)
            for at, plain in enumerate(plains):
                entry: Entry = decode("entries", plain, tail)
                found.append(entry)
                if isinstance(entry, SchemaInForce):
                    self.schema(entry)
                    if self._past is not None and at + 1 < len(plains):
                        raise Misfit("a change of layouts must end its record")
            if not tail.used_up:
                raise Misfit("bytes are left over behind the last entry")
        except (Misfit, TypeError, ValueError, OverflowError, RecursionError) as problem:
            raise JournalBroken(f"record {seq} can't be read: {problem}") from None
        return found


def unpacked(body: bytes) -> tuple[list[Any], Tail]:
    """The JSON and the tail of a body; raises Misfit or ValueError."""
    if body[:1] not in (ENTRIES, CHECKPOINT, SEAL, LAYOUTS):
        raise Misfit(f"no record starts with the byte {body[:1].hex() or 'nothing'}")
    engine = zlib.decompressobj()
    try:
        data = engine.decompress(body[1:], MOST_BYTES)
    except zlib.error as problem:
        raise Misfit(str(problem)) from None
    if not engine.eof or engine.unused_data:
        raise Misfit("its compressed bytes are cut, too many or followed by others")
    length = int.from_bytes(data[:4], "little")
    if len(data) < 4 + length:
        raise Misfit("it is shorter than it says")
    plains = json.loads(data[4 : 4 + length])
    if type(plains) is not list:
        raise Misfit("it is no list of entries")
    return plains, Tail(data[4 + length :])
