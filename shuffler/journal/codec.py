"""A record's body: its entries as bytes and back. docs/journal-format.md describes it for other programs.

    kind (1 byte)   E entries, C a checkpoint among them, S a signature or a change of keys
    zstd of:        MessagePack, an array of rows

A row is an array: a type's name, then its fields in order. Entries, operations and messages are rows. `rows.py` derives
them from the types; values inside a row are msgspec's.
"""

from collections.abc import Mapping, Sequence

import msgspec
import zstandard

from round_engine.errors import RoundEngineError
from shuffler.journal.entries import Checkpoint, Entry, HeadSigned, KeyChanged
from shuffler.journal.errors import JournalBroken
from shuffler.journal.rows import decode_rows, encode_rows

ENTRIES, CHECKPOINT, SEAL = b"E", b"C", b"S"
KIND_OF: Mapping[type | None, bytes] = {Checkpoint: CHECKPOINT, HeadSigned: SEAL, KeyChanged: SEAL}
MOST_BYTES = 1 << 26  # of a record unpacked: far more than any step of a table writes
LEVEL = 1


def compressor() -> zstandard.ZstdCompressor:
    """Return what packs records; one thread may use it."""
    return zstandard.ZstdCompressor(level=LEVEL)


def encode_record(entries: Sequence[Entry], packer: zstandard.ZstdCompressor | None = None) -> bytes:
    """Return the body of a record; `packer` is kept by whoever writes many."""
    marked = next(filter(KIND_OF.get, map(type, entries)), None)
    return KIND_OF.get(marked, ENTRIES) + (packer or compressor()).compress(encode_rows(entries))


def decode_record(seq: int, body: bytes) -> list[Entry]:
    """Return the entries of a record; raises JournalBroken."""
    try:
        return decode_rows(unpacked(body))
    except (msgspec.MsgspecError, zstandard.ZstdError, RoundEngineError, ValueError, RecursionError) as problem:
        raise JournalBroken(f"record {seq} can't be read: {problem}") from None


def unpacked(body: bytes) -> bytes:
    """Return the MessagePack in a body; raises ValueError or ZstdError."""
    if body[:1] not in (ENTRIES, CHECKPOINT, SEAL):
        raise ValueError(f"no record starts with the byte {body[:1].hex() or 'nothing'}")
    packed = body[1:]
    if not 0 <= zstandard.frame_content_size(packed) <= MOST_BYTES:
        raise ValueError(f"it has no length, or is longer than {MOST_BYTES} bytes")
    return zstandard.ZstdDecompressor().decompress(packed, allow_extra_data=False)
