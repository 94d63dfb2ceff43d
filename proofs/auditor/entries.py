"""Entries of a record as dictionaries by field name: zstd, MessagePack, the layouts that the file holds."""

import json
from collections.abc import Iterator
from typing import Any

import msgpack
import zstandard

from proofs.auditor.file import Row, Unsound

Named = dict[str, Any]
POSTING = ("entry", "spot", "wager", "amount", "source", "target", "row", "clause", "note")


class Reader:
    """Reads records by the layouts in the file."""

    def __init__(self, layouts: str) -> None:
        try:
            self._layouts: dict[str, dict[str, list[str]]] = json.loads(layouts)
        except ValueError as problem:
            raise Unsound(f"the layouts in the file are damaged: {problem}") from None

    def entries(self, row: Row) -> Iterator[Named]:
        try:
            for plain in msgpack.unpackb(zstandard.ZstdDecompressor().decompress(row.body[1:])):
                yield self._of("entries", plain)
        except (ValueError, KeyError, TypeError, IndexError, zstandard.ZstdError) as problem:
            raise Unsound(f"record {row.seq} can't be read: {problem!r}") from None

    def _of(self, section: str, plain: list[Any]) -> Named:
        layout = self._layouts[section][plain[0]]
        found = {"name": plain[0]}
        for text, value in zip(layout, plain[1:], strict=True):
            name, _, mark = text.partition(":")
            found[name] = self._value(name, mark, value)
        return found

    def _value(self, name: str, mark: str, value: Any) -> Any:
        if name == "postings":
            return [dict(zip(POSTING, one, strict=True)) for one in value]
        if not mark:
            return value
        if mark.startswith("["):
            return [self._of(mark[1:-1], one) for one in value]
        return self._of(mark, value)
