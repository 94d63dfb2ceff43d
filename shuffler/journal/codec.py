"""A record's body: its entries as bytes and back. docs/journal-format.md describes it for other programs.

    kind (1 byte)   E entries, C a checkpoint among them, S a signature or a change of keys
    zlib of:        length of the JSON (u32, little-endian), the JSON (UTF-8), the tail
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from shuffler.journal.entries import Checkpoint, Entry, HeadSigned, KeyChanged
from shuffler.journal.errors import JournalBroken
from shuffler.journal.layouts import Misfit, Tail, decode
from shuffler.journal.writing import written

ENTRIES, CHECKPOINT, SEAL = b"E", b"C", b"S"
KIND_OF: Mapping[type | None, bytes] = {Checkpoint: CHECKPOINT, HeadSigned: SEAL, KeyChanged: SEAL}
MOST_BYTES = 1 << 26  # of a record unpacked: far more than any step of a table writes
LEVEL = 1  # a third of the time of level 6 for a tenth more bytes
MOST_STORED = 0xFFFF  # bytes that one block of deflate holds uncompressed


def encode_record(entries: Sequence[Entry]) -> bytes:
    """The body of a record."""
    chunks: list[bytes] = []
    text = written(entries, chunks).encode()
    marked = next(filter(KIND_OF.get, map(type, entries)), None)
    return KIND_OF.get(marked, ENTRIES) + _packed(len(text).to_bytes(4, "little") + text, b"".join(chunks))


def _packed(text: bytes, tail: bytes) -> bytes:
    """One zlib stream (RFC 1950) of both: the text compressed, the tail, being salts and hashes, stored as it is."""
    if not 0 < len(tail) <= MOST_STORED:
        return zlib.compress(text + tail, LEVEL)
    engine = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    size = len(tail)
    return b"".join((
        b"\x78\x01", engine.compress(text), engine.flush(zlib.Z_SYNC_FLUSH),
        b"\x01", size.to_bytes(2, "little"), (size ^ 0xFFFF).to_bytes(2, "little"), tail,
        zlib.adler32(tail, zlib.adler32(text)).to_bytes(4, "big"),
    ))  # fmt: skip


def decode_record(seq: int, body: bytes) -> list[Entry]:
    """The entries of a record; raises JournalBroken."""
    try:
        plains, tail = unpacked(body)
        found: list[Entry] = [decode("entries", plain, tail) for plain in plains]
        if not tail.used_up:
            raise Misfit("bytes are left over behind the last entry")
    except (Misfit, TypeError, ValueError, OverflowError, RecursionError) as problem:
        raise JournalBroken(f"record {seq} can't be read: {problem}") from None
    return found


def unpacked(body: bytes) -> tuple[list[Any], Tail]:
    """The JSON and the tail of a body; raises Misfit or ValueError."""
    if body[:1] not in (ENTRIES, CHECKPOINT, SEAL):
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
