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


def layouts(path: Path) -> str:
    """The field names of every entry, as the file says."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
        try:
            (found,) = database.execute("SELECT value FROM meta WHERE key = 'layouts'").fetchone()
        except (sqlite3.Error, TypeError) as problem:
            raise Unsound(f"no layouts are in the file: {problem}") from None
        return str(found)


def rows(path: Path) -> Iterator[Row]:
    """Every row, in order, once its hash was found to follow from the one before."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
        database.text_factory = bytes
        try:
            meta = dict(database.execute("SELECT key, value FROM meta"))
            before, expected = hashlib.sha256(meta[b"format"] + b"\0" + meta[b"layouts"]).digest(), 1
            for row in map(Row._make, database.execute("SELECT seq, at, body, hash FROM records ORDER BY seq")):
                if row.seq != expected:
                    raise Unsound(f"record {expected} is missing")
                before = hashlib.sha256(before + str(row.seq).encode() + b"\0" + row.at + b"\0" + row.body).digest()
                if before != row.hash:
                    raise Unsound(f"record {row.seq}: its hash does not follow")
                yield row
                expected += 1
        except (sqlite3.Error, TypeError, KeyError) as problem:
            raise Unsound(f"record {expected}: {problem}") from None
