"""Entries of a record as dictionaries by field name: zlib, JSON, the layouts that the file holds."""

import json
import zlib
from collections.abc import Iterator
from typing import Any

from proofs.auditor.file import Row, Unsound

Named = dict[str, Any]


class Reader:
    """Reads records by the layouts in the file."""

    def __init__(self, layouts: str) -> None:
        try:
            self._layouts: dict[str, dict[str, list[str]]] = json.loads(layouts)
        except ValueError as problem:
            raise Unsound(f"the layouts in the file are damaged: {problem}") from None
        self._tail = b""

    def entries(self, row: Row) -> Iterator[Named]:
        try:
            data = zlib.decompress(row.body[1:])
            length = int.from_bytes(data[:4], "little")
            self._tail = data[4 + length :]
            for plain in json.loads(data[4 : 4 + length]):
                yield self._of("entries", plain)
            if self._tail:
                raise Unsound(f"record {row.seq}: bytes are left over")
        except (ValueError, KeyError, TypeError, IndexError, zlib.error) as problem:
            raise Unsound(f"record {row.seq} can't be read: {problem!r}") from None

    def _of(self, section: str, plain: list[Any]) -> Named:
        return {"name": plain[0]} | self._fields(self._layouts[section][plain[0]], plain[1:])

    def _fields(self, layout: list[str], plain: list[Any]) -> Named:
        if len(layout) != len(plain):
            raise ValueError(f"{len(plain)} fields for {layout}")
        found = {}
        for text, value in zip(layout, plain, strict=True):
            name, _, mark = text.partition(":")
            found[name] = self._value(mark, value)
        return found

    def _value(self, mark: str, value: Any) -> Any:
        if not mark or value is None:
            return value
        if mark == "bytes":
            taken, self._tail = self._tail[:value], self._tail[value:]
            if len(taken) != value:
                raise ValueError("the tail is too short")
            return taken
        if mark in ("operation", "message"):
            return self._of(mark + "s", value)
        if mark.startswith("["):
            return [self._value(mark[1:-1], one) for one in value]
        return self._fields(self._layouts["records"][mark], value)
