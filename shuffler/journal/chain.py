"""The chain: each record's hash covers the one before, so that an edited, removed or inserted row is found. Pure."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from shuffler.journal.errors import JournalBroken

FORMAT_1 = "shuffler-journal/1"
FORMAT = "shuffler-journal/2"
GENESIS_1 = hashlib.sha256(FORMAT_1.encode()).digest()
GENESIS = hashlib.sha256(FORMAT.encode()).digest()
BODY_1 = b"["  # a record of 0.1.0 is a JSON array as it is; those of this format start with a letter
HASH_BYTES = 32
_sha256 = hashlib.sha256


class Row(NamedTuple):
    """One record as the file has it."""

    seq: int
    at: bytes
    body: bytes
    hash: bytes

    @property
    def is_old(self) -> bool:
        """Whether 0.1.0 wrote it."""
        return self.body[:1] == BODY_1


def chained(before: bytes, seq: int, at: bytes, body: bytes) -> bytes:
    """The hash of a record."""
    return _sha256(b"%b%d\0%b\0%b" % (before, seq, at, body)).digest()


def genesis(first_body: bytes) -> bytes:
    """What the first record's hash is chained to."""
    return GENESIS_1 if first_body[:1] == BODY_1 else GENESIS


def verified(rows: Iterable[tuple[Any, ...]], after: int = 0, head: bytes | None = None) -> Iterator[Row]:
    """The same rows, each once its hash was recomputed; raises JournalBroken at the first that does not follow."""
    before, expected = head, after + 1
    for seq, at, body, found in rows:
        if type(at) is not bytes or type(body) is not bytes or type(found) is not bytes:
            raise JournalBroken(f"record {seq} is not a record: its columns have other types")
        if seq != expected:
            raise JournalBroken(f"record {expected} is missing")
        before = chained(genesis(body) if before is None else before, seq, at, body)
        if before != found:
            raise JournalBroken(f"record {seq} of {at.decode(errors='replace')} has been changed, or one before it")
        yield Row(seq, at, body, found)
        expected = seq + 1
