"""A rule file as data that remembers where each key came from, and sections of it that must be read to the last key."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from round_engine.errors import MoneyError, RuleFileError
from round_engine.money import Cents, parse_dollars
from round_engine.toml_lines import key_lines

Path = tuple[str, ...]

_PERCENT = re.compile(r"(\d+)(?:\.(\d{1,2}))?%")


@dataclass(frozen=True)
class Source:
    """The text of one rule file and what to call it in messages."""

    name: str
    text: str


class Document:
    """The merged content of one or several sources."""

    def __init__(self) -> None:
        self.data: dict[str, Any] = {}
        self.origin: dict[Path, Source] = {}
        self.name = ""

    def add(self, source: Source, without: tuple[str, ...] = ()) -> None:
        """Lay a source over what is there, but for some keys at the top; tables merge, values replace."""
        data = {key: value for key, value in parse_toml(source).items() if key not in without}
        self.name = source.name
        self.merge(self.data, data, (), source)

    def add_changes(self, changes: Mapping[str, Any], name: str) -> None:
        """Lay a mapping over what is there."""
        self.merge(self.data, changes, (), Source(name, ""))

    def merge(self, into: dict[str, Any], new: Mapping[str, Any], path: Path, source: Source) -> None:
        """Lay a table over another one."""
        for key, value in new.items():
            here = (*path, str(key))
            if isinstance(value, Mapping) and isinstance(into.get(key), dict):
                self.merge(into[key], value, here, source)
            else:
                into[key] = _own(value)
                self.mark(here, value, source)

    def mark(self, path: Path, value: Any, source: Source) -> None:
        """Remember where a key and all keys under it came from."""
        self.origin[path] = source
        if isinstance(value, Mapping):
            for key, inner in value.items():
                self.mark((*path, str(key)), inner, source)

    def refuse(self, path: Path, problem: str) -> NoReturn:
        """Name the nearest known line and stop."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.origin:
                source = self.origin[path[:end]]
                raise RuleFileError(source.name, key_lines(source.text).get(path[:end]), problem)
        raise RuleFileError(self.name, None, problem)


def _own(value: Any) -> Any:
    return {key: _own(inner) for key, inner in value.items()} if isinstance(value, Mapping) else value


def parse_toml(source: Source) -> dict[str, Any]:
    """The source as plain data; a syntax error names file and line."""
    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        raise RuleFileError(source.name, int(found[1]) if found else None, f"not valid TOML: {error}") from None


class Section:
    """One table of a document; every key must be taken, and `finish` refuses the rest."""

    def __init__(self, document: Document, path: Path, data: Any) -> None:
        self.document, self.path = document, path
        if not isinstance(data, dict):
            self.refuse(f"{self.title} must be a table")
        self.left: dict[str, Any] = dict(data)

    @property
    def title(self) -> str:
        return ".".join(self.path) or "the file"

    def refuse(self, problem: str, key: str | None = None) -> NoReturn:
        self.document.refuse((*self.path, key) if key is not None else self.path, problem)

    def take(self, key: str) -> Any:
        if key not in self.left:
            self.refuse(f"{self.title} lacks {str(key)!r}")
        return self.left.pop(key)

    def text(self, key: str, default: str | None = None) -> str:
        if default is not None and key not in self.left:
            return default
        value = self.take(key)
        if not isinstance(value, str) or not value:
            self.refuse(f"{self.title}.{key} must be a text, not {value!r}", key)
        return value

    def flag(self, key: str, default: bool | None = None) -> bool:
        if default is not None and key not in self.left:
            return default
        value = self.take(key)
        if not isinstance(value, bool):
            self.refuse(f"{self.title}.{key} must be true or false, not {value!r}", key)
        return value

    def whole(self, key: str, least: int, most: int) -> int:
        value = self.take(key)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.refuse(f"{self.title}.{key} must be a whole number from {least} to {most}, not {value!r}", key)
        return value

    def choice(self, key: str, among: Iterable[str]) -> str:
        value, options = self.take(key), tuple(among)
        if value not in options:
            self.refuse(f"{self.title}.{key} must be one of {', '.join(options)}, not {value!r}", key)
        return str(value)

    def money(self, key: str) -> Cents:
        value = self.take(key)
        try:
            return parse_dollars(value) if isinstance(value, str) else self.refuse_money(key, value)
        except MoneyError as error:
            self.refuse(f"{self.title}.{key}: {error}", key)

    def refuse_money(self, key: str, value: object) -> NoReturn:
        self.refuse(f'{self.title}.{key} must be dollars in quotes such as "$5", not {value!r}', key)

    def basis_points(self, key: str) -> int:
        value = self.take(key)
        found = _PERCENT.fullmatch(value) if isinstance(value, str) else None
        if found is None or int(found[1]) > 100:
            self.refuse(f'{self.title}.{key} must be a percentage such as "14%" or "0.5%", not {value!r}', key)
        return int(found[1]) * 100 + int((found[2] or "").ljust(2, "0"))

    def section(self, key: str) -> "Section":
        return Section(self.document, (*self.path, key), self.take(key))

    def sections(self) -> Iterable[tuple[str, "Section"]]:
        for key in list(self.left):
            yield key, self.section(key)

    def finish(self) -> None:
        for key in self.left:
            self.refuse(f"{self.title} has an unknown key {key!r}", key)


class Overlay(Section):
    """A section whose keys may come from the shared part; refusals name the line the key stands on."""

    def __init__(self, document: Document, path: Path, base: Path, data: dict[str, Any], own: dict[str, Any]) -> None:
        super().__init__(document, path, data)
        self.base, self.own = base, own

    def refuse(self, problem: str, key: str | None = None) -> NoReturn:
        if key is not None and key not in self.own:
            self.document.refuse((*self.base, key), problem)
        super().refuse(problem, key)

    def section(self, key: str) -> Section:
        return Section(self.document, (*(self.path if key in self.own else self.base), key), self.take(key))
