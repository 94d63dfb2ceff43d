"""A TOML file, or several laid over one another, as data that remembers where each key came from."""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from strict_toml.bounds import excess
from strict_toml.lines import Path, key_lines

Refusal = Callable[[str, int | None, str], Exception]
"""Makes a room's own error from file, line and problem."""


@dataclass(frozen=True)
class Source:
    """The text of one file and what to call it in messages."""

    name: str
    text: str


class Document:
    """The merged content of one or several sources."""

    def __init__(self, refusal: Refusal) -> None:
        self.data: dict[str, Any] = {}
        self.origin: dict[Path, Source] = {}
        self.name = ""
        self._refusal = refusal

    def add(self, source: Source, without: tuple[str, ...] = ()) -> None:
        """Lay a source over what is there, but for some keys at the top; tables merge, values replace."""
        data = parse_toml(source, self._refusal)
        self.name = source.name
        self.merge(self.data, {key: value for key, value in data.items() if key not in without}, (), source)

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
                self._mark(here, value, source)

    def refuse(self, path: Path, problem: str) -> NoReturn:
        """Name the nearest known line and stop."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.origin:
                source = self.origin[path[:end]]
                raise self._refusal(source.name, key_lines(source.text).get(path[:end]), problem)
        raise self._refusal(self.name, None, problem)

    def _mark(self, path: Path, value: Any, source: Source) -> None:
        """Remember where a key and all keys under it came from."""
        self.origin[path] = source
        if isinstance(value, Mapping):
            for key, inner in value.items():
                self._mark((*path, str(key)), inner, source)
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                self._mark((*path, str(index)), inner, source)


def parse_toml(source: Source, refusal: Refusal) -> dict[str, Any]:
    """The source as plain data; a syntax error or too deep a nesting names file and line."""
    if (found_at := excess(source.text)) is not None:
        line, problem = found_at
        raise refusal(source.name, line, problem)
    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        raise refusal(source.name, int(found[1]) if found else None, f"not valid TOML: {error}") from None


def _own(value: Any) -> Any:
    return {key: _own(inner) for key, inner in value.items()} if isinstance(value, Mapping) else value
