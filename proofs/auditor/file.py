"""The rows of a journal and its hash chain: SQL and SHA-256."""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    seq: int
    at: bytes
    body: bytes
    hash: bytes


class Unsound(Exception):
    """The file can't be audited any further; the text says where."""


def rows(path: Path) -> Iterator[Row]:
    """Every row, in order, once its hash was found to follow from the one before."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
        database.text_factory = bytes
        try:
            before, expected = b"", 1
            for row in map(Row._make, database.execute("SELECT seq, at, body, hash FROM records ORDER BY seq")):
                if row.seq != expected:
                    raise Unsound(f"record {expected} is missing")
                if not before:
                    old = row.body.startswith(b"[")
                    before = hashlib.sha256(b"shuffler-journal/1" if old else b"shuffler-journal/2").digest()
                before = hashlib.sha256(before + str(row.seq).encode() + b"\0" + row.at + b"\0" + row.body).digest()
                if before != row.hash:
                    raise Unsound(f"record {row.seq}: its hash does not follow")
                yield row
                expected += 1
        except (sqlite3.Error, TypeError) as problem:
            raise Unsound(f"record {expected}: {problem}") from None
