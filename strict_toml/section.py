"""One table of a document: every key must be taken, each is checked as it is, and `finish` refuses the rest."""

from collections.abc import Iterable
from math import isfinite
from typing import Any, NoReturn, Self

from strict_toml.document import Document
from strict_toml.lines import Path


class Section:
    """A table that must be read to its last key."""

    def __init__(self, document: Document, path: Path, data: Any) -> None:
        self.document, self.path = document, path
        if not isinstance(data, dict):
            self.refuse(f"{self.title} must be a table")
        self.left: dict[str, Any] = dict(data)
        self._known: dict[str, None] = {}

    @property
    def title(self) -> str:
        """The table's name in messages."""
        return _spoken(self.path) or "the file"

    def refuse(self, problem: str, key: str | None = None) -> NoReturn:
        """Say what is wrong with this table or one of its keys, with file and line."""
        self.document.refuse((*self.path, key) if key is not None else self.path, problem)

    def name(self, key: str) -> str:
        """A key as messages call it."""
        return _spoken((*self.path, key))

    # ---------------------------------------------------------------------------------------------------------- values

    def has(self, key: str) -> bool:
        """Whether an optional key is there."""
        self._known[key] = None
        return key in self.left

    def take(self, key: str) -> Any:
        """A value as it is; refuses a missing key."""
        if not self.has(key):
            self.refuse(f"{self.title} lacks {str(key)!r}")
        return self.left.pop(key)

    def text(self, key: str, default: str | None = None) -> str:
        """A text that is not empty."""
        if default is not None and not self.has(key):
            return default
        value = self.take(key)
        if not isinstance(value, str) or not value:
            self.refuse(f"{self.name(key)} must be a text, not {value!r}", key)
        return value

    def flag(self, key: str, default: bool | None = None) -> bool:
        """True or false."""
        if default is not None and not self.has(key):
            return default
        value = self.take(key)
        if not isinstance(value, bool):
            self.refuse(f"{self.name(key)} must be true or false, not {value!r}", key)
        return value

    def whole(self, key: str, least: int, most: int, default: int | None = None) -> int:
        """A whole number within bounds."""
        if default is not None and not self.has(key):
            return default
        value = self.take(key)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.refuse(f"{self.name(key)} must be a whole number from {least} to {most}, not {value!r}", key)
        return value

    def number(self, key: str, least: float, most: float, default: float | None = None) -> float:
        """A number within bounds."""
        if default is not None and not self.has(key):
            return default
        value = self.take(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            self.refuse(f"{self.name(key)} must be a number, not {value!r}", key)
        if not least <= value <= most:
            self.refuse(f"{self.name(key)} must be from {least:g} to {most:g}, not {value!r}", key)
        return float(value)

    def choice(self, key: str, among: Iterable[str]) -> str:
        """One of a few words."""
        value, options = self.take(key), tuple(among)
        if value not in options:
            self.refuse(f"{self.name(key)} must be one of {', '.join(options)}, not {value!r}", key)
        return str(value)

    # ---------------------------------------------------------------------------------------------------------- tables

    def section(self, key: str) -> Self:
        """A table within this one."""
        return type(self)(self.document, (*self.path, key), self.take(key))

    def sections(self) -> Iterable[tuple[str, Self]]:
        """Every key that is left, as a table."""
        for key in list(self.left):
            yield key, self.section(key)

    def rows(self, key: str) -> list[Self]:
        """An array of tables, written as [[key]]; empty where there is none."""
        if not self.has(key):
            return []
        value = self.take(key)
        if not isinstance(value, list):
            self.refuse(f"write each {key} as [[{self.name(key)}]]", key)
        return [type(self)(self.document, (*self.path, key, str(index)), row) for index, row in enumerate(value)]

    def finish(self) -> None:
        """Refuse whatever has not been taken."""
        for key in self.left:
            self.refuse(f"{self.title} has an unknown key {key!r}; it may have {', '.join(self._known)}", key)


def _spoken(path: Path) -> str:
    """A path as people write it; rows of an array count from 1."""
    parts = (f"[{int(part) + 1}]" if part.isdigit() and index else f".{part}" for index, part in enumerate(path))
    return "".join(parts).removeprefix(".")
