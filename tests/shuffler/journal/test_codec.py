"""A record's body: its kind, zstd, rows; anything else is a broken journal."""

import msgspec
import pytest
import zstandard

from shuffler.journal import JournalBroken
from shuffler.journal.codec import CHECKPOINT, ENTRIES, MOST_BYTES, SEAL, decode_record, encode_record
from shuffler.journal.entries import Entry, HeadSigned, KeyChanged, Remark

SIGNED = HeadSigned(seq=1, head=bytes(32), key=b"k", signature=b"")
CHANGED = KeyChanged(old=b"", new=b"k", signature=b"")


@pytest.mark.parametrize(
    ("entries", "kind"),
    [([Remark("", "", "")], ENTRIES), ([SIGNED], SEAL), ([Remark("", "", ""), CHANGED], SEAL), ([], ENTRIES)],
)
def test_the_first_byte_says_what_is_among_the_entries(entries: list[Entry], kind: bytes) -> None:
    body = encode_record(entries)
    assert body[:1] == kind != CHECKPOINT
    assert decode_record(1, body) == entries


def test_text_that_repeats_is_packed() -> None:
    assert len(encode_record([Remark("R1", "a", "again " * 100)])) < 100


EMPTY = zstandard.compress(msgspec.msgpack.encode([]))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"E",
        b"X" + EMPTY,
        b"E" + EMPTY[:-1],
        b"E" + EMPTY + b"x",
        b"E" + zstandard.compress(b"\xc1"),
        b"E" + zstandard.compress(b"\x90\x90"),
        b"E" + zstandard.compress(b"\x91" * 5000),
        b"E" + zstandard.compress(b""),
        b"E" + zstandard.compress(bytes(MOST_BYTES + 1)),
        b"E" + zstandard.ZstdCompressor(write_content_size=False).compress(msgspec.msgpack.encode([])),
    ],
)
def test_what_is_no_body_is_a_broken_journal(data: bytes) -> None:
    with pytest.raises(JournalBroken, match="record 7 can't be read"):
        decode_record(7, data)
