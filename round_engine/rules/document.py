"""Rule files on the strict reader: money and percentages as people write them, and tables that share a common part."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, Self

from round_engine.errors import MoneyError, RuleFileError
from round_engine.money import Cents, parse_dollars
from round_engine.wagers.registry import METERED
from strict_toml import Document as TomlDocument
from strict_toml import Section as TomlSection
from strict_toml import Source
from strict_toml import parse_toml as parse_strictly

Path = tuple[str, ...]

_PERCENT = re.compile(r"(\d+)(?:\.(\d{1,2}))?%")

__all__ = ["Overlay", "RuleDocument", "RuleSection", "Source", "parse_toml"]


class RuleDocument(TomlDocument):
    """The merged content of one or several rule files, and what the later ones change in the first."""

    def __init__(self) -> None:
        super().__init__(RuleFileError)
        self.changed: dict[Path, Source] = {}  # what a later source says otherwise, or for the first time
        self._cited: dict[str, str] = {}  # what to call a source where it changes a rule

    def add(self, source: Source, without: tuple[str, ...] = (), *, is_main: bool = True, cited: str = "") -> None:
        """Lay a source over what is there; the main one is named in a refusal that belongs to no key."""
        before, self._cited[source.name] = self.name, cited
        super().add(source, without)
        if not is_main:
            self.name = before

    def merge(self, into: dict[str, Any], new: Mapping[str, Any], path: Path, source: Source) -> None:
        """Lay a table over another one, and remember what that changes."""
        for key, value in new.items():
            is_table = isinstance(value, Mapping) and isinstance(into.get(key), dict)
            is_new_wager = path == ("settings", "alive_after_fold") and key not in into
            if self.origin and not is_table and not is_new_wager and into.get(key) != value:
                self.changed[*path, str(key)] = source
        super().merge(into, new, path, source)

    def cite_changes(self) -> None:
        """Where a later source changes a rule and gives no clause of its own, the clause says so."""
        for path, source in list(self.changed.items()):
            for table, key in _clauses_of(path, self.data):
                if self.changed.get((*table, key)) is source or not isinstance(inner := self.at(table), dict):
                    continue
                cited = self._cited.get(source.name, "")
                told = f", changed by {cited}" if cited else ", changed"
                cites = inner.get(key, self._of_table(table))
                if isinstance(cites, str) and not cites.endswith(told):
                    inner[key] = cites + told

    def _of_table(self, row: Path) -> object:
        """The clause that a row of a paytable cites where it has none of its own."""
        table = self.at(row[:-1]) if row[0] == "paytables" else None
        return table.get("clause") if isinstance(table, dict) else None

    def at(self, path: Path) -> Any:
        """What stands at a path, if anything does."""
        found: Any = self.data
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        return found


CITED_FOR = {
    "settings": {
        "alive_after_fold": "forfeited", "misdeal_forfeits": "misdeal", "misdeal_progressive": "misdeal",
        "misdeal_after_jackpot": "misdeal", "tips": "tip_placed", "tip_play_equals_tip_ante": "tip_placed",
        "cap": "cap", "cap_counts_stakes": "cap", "cap_order": "cap", "cap_counts_awards": "cap",
    },
    "progressive": {
        "denomination": "collected", "seed": "reseeded", "seed_multiplies": "reseeded", "reserve": "reserved",
        "percentage_rounding": "meter_award", "meter_win_order": "meter_award", "several_meter_wins": "meter_award",
        "tray_wins_keyed": "tray_award", "folded_hands": "lost", "envy_needs_wager": "envy",
        "envy_own_other_spot": "envy", "envy_from_disqualified": "envy", "envy_multiplies": "envy",
        "envy_source": "envy", "backed_out_envy": "adjusted",
    },
}  # fmt: skip
"""The clause that postings cite for what a setting decides."""


def _clauses_of(path: Path, data: Mapping[str, Any]) -> Iterable[tuple[Path, str]]:
    """Where the clauses stand that a changed key bears on: table and key."""
    section, key = path[0], path[-1]
    if section in ("paytables", "showdown") and len(path) > 2:
        yield path[:-1], "clause"
        if key == "contribution":
            yield from _of_systems(path[1], "contributed", data)
    elif section == "settings" and len(path) > 1 and path[1] in CITED_FOR["settings"]:
        yield ("clauses",), CITED_FOR["settings"][path[1]]
    elif section in METERED and key in CITED_FOR["progressive"]:
        yield from _of_systems(section, CITED_FOR["progressive"][key], data)


def _of_systems(wager: str, clause: str, data: Mapping[str, Any]) -> Iterable[tuple[Path, str]]:
    yield (wager, "clauses"), clause
    for system in data.get(wager, {}).get("systems", {}):
        yield (wager, "systems", system, "clauses"), clause


def parse_toml(source: Source) -> dict[str, Any]:
    """The source as plain data; a syntax error names file and line."""
    return parse_strictly(source, RuleFileError)


class RuleSection(TomlSection):
    """One table of a rule file."""

    def money(self, key: str) -> Cents:
        """Dollars in quotes."""
        value = self.take(key)
        if not isinstance(value, str):
            self.refuse(f'{self.name(key)} must be dollars in quotes such as "$5", not {value!r}', key)
        try:
            return parse_dollars(value)
        except MoneyError as error:
            self.refuse(f"{self.name(key)}: {error}", key)

    def basis_points(self, key: str) -> int:
        """A percentage with at most two decimals."""
        value = self.take(key)
        found = _PERCENT.fullmatch(value) if isinstance(value, str) else None
        if found is None or int(found[1]) > 100:
            self.refuse(f'{self.name(key)} must be a percentage such as "14%" or "0.5%", not {value!r}', key)
        return int(found[1]) * 100 + int((found[2] or "").ljust(2, "0"))


class Overlay(RuleSection):
    """A section whose keys may come from the shared part; refusals name the line the key stands on."""

    def __init__(
        self, document: TomlDocument, path: Path, base: Path, data: dict[str, Any], own: dict[str, Any]
    ) -> None:
        super().__init__(document, path, data)
        self.base, self.own = base, own

    def refuse(self, problem: str, key: str | None = None) -> NoReturn:
        """Name the line in the shared part where the key stands there."""
        if key is not None and key not in self.own:
            self.document.refuse((*self.base, key), problem)
        super().refuse(problem, key)

    def section(self, key: str) -> Self | RuleSection:  # type: ignore[override]
        """A table within this one, or within the shared part."""
        return RuleSection(self.document, (*(self.path if key in self.own else self.base), key), self.take(key))
