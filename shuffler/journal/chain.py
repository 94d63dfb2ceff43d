"""The chain: each record's hash covers the one before, so that an edited, removed or inserted row is found. Pure."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from shuffler.journal.errors import JournalBroken

FORMAT = 3
NAME = "shuffler-journal"  # before the number, wherever the format is named
HASH_BYTES = 32
_sha256 = hashlib.sha256


class ChainRow(NamedTuple):
    """One record as the file has it."""

    seq: int
    at: bytes
    body: bytes
    hash: bytes


def chained(before: bytes, seq: int, at: bytes, body: bytes) -> bytes:
    """The hash of a record."""
    return _sha256(b"%b%d\0%b\0%b" % (before, seq, at, body)).digest()


def genesis(layouts: str) -> bytes:
    """Return the hash before record 1: it covers the format's number and the layouts of all entries."""
    return _sha256(f"{NAME}/{FORMAT}\0{layouts}".encode()).digest()


def verified(rows: Iterable[tuple[Any, ...]], head: bytes, after: int = 0) -> Iterator[ChainRow]:
    """The same rows, each once its hash was recomputed; raises JournalBroken at the first that does not follow."""
    before, expected = head, after + 1
    for seq, at, body, found in rows:
        if type(at) is not bytes or type(body) is not bytes or type(found) is not bytes:
            raise JournalBroken(f"record {seq} is not a record: its columns have other types")
        if seq != expected:
            raise JournalBroken(f"record {expected} is missing")
        before = chained(before, seq, at, body)
        if before != found:
            raise JournalBroken(f"record {seq} of {at.decode(errors='replace')} has been changed, or one before it")
        yield ChainRow(seq, at, body, found)
        expected = seq + 1
    if expected == 1:  # every journal begins with `JournalBegun`
        raise JournalBroken("record 1 is missing")
