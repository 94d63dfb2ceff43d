"""The tables of a bench: each on one of its devices, with a journal file of its own."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from round_engine.rules.ruleset import RuleSet
from shuffler.api.devices import Devices, utc_now
from shuffler.api.hub import Hub
from shuffler.api.loop_table import Joining, LoopTable
from shuffler.api.problems import conflict, not_found
from shuffler.api.table_views import table_view
from shuffler.journal import SqliteJournal
from shuffler.journal.entries import Entry
from shuffler.journal.export import named
from shuffler.journal.restart import reopen

MAX_TABLES = 100


class Tables:
    """All tables by name; publishes the view of each that has changed, and every entry of its journal."""

    def __init__(self, hub: Hub, devices: Devices) -> None:
        self._hub = hub
        self._devices = devices
        self._all: dict[str, LoopTable] = {}
        self._shown: dict[str, dict[str, Any]] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._made = 0
        devices.used_by = self._user

    def __iter__(self) -> Iterator[LoopTable]:
        return iter(self._all.values())

    def get(self, name: str) -> LoopTable:
        """By name; a problem where there is none."""
        found = self._all.get(name)
        if found is None:
            raise not_found(f"there is no table {name!r} on this bench")
        return found

    def on(self, serial: str) -> LoopTable | None:
        """The table that a device is at."""
        return next((table for table in self if table.served.place.build.serial == serial), None)

    def create(
        self,
        name: str | None,
        serial: str,
        rules_name: str,
        rules: RuleSet,
        path: Path | None,
        *,
        join: Joining | None = None,
    ) -> LoopTable:
        """Open a table on a device; an existing journal is continued. Raises the journal's and the engine's errors.

        `join` where its meters are shared with others.
        """
        if len(self._all) >= MAX_TABLES:
            raise conflict(f"a bench holds {MAX_TABLES} tables: remove one first")
        device = self._devices.get(serial)
        self._made += 1
        name = name or f"table-{self._made}"
        if name in self._all:
            raise conflict(f"there is a table {name!r} already")
        if (other := self.on(serial)) is not None:
            raise conflict(f"{serial} is at {other.name} already")
        books = SqliteJournal(path or self._file(name), clock=utc_now, settings={"rules": rules_name})
        try:
            if join is None and (links := books.position.meters.links):
                names = ", ".join(link.meter for link in links.values())
                raise conflict(f"{books.path}: its meters are shared ({names}): give their server with --meters")
            opened = reopen(books, rules, rules_name=rules_name, resume=join is not None)
            live = LoopTable(
                name, device.served, opened.table, books, last_round=opened.last_round,
                device_rounds=opened.device_rounds, changed=self._changed, told=self._told, join=join,
            )  # fmt: skip
        except BaseException:
            books.close()
            raise
        self._all[name] = live
        self._hub.publish("tables", "", list(self._all))
        return live

    async def remove(self, name: str) -> None:
        """Close a table; its journal file stays where it was put, and goes where nobody asked for one."""
        live = self.get(name)
        del self._all[name]
        self._shown.pop(name, None)
        await live.close()
        if self._folder is not None and live.books.path.parent == Path(self._folder.name):
            for path in live.books.path.parent.glob(f"{live.books.path.name}*"):
                path.unlink(missing_ok=True)
        self._hub.publish("tables", "", list(self._all))

    async def close(self) -> None:
        """Close all."""
        for name in list(self._all):
            await self.remove(name)
        if self._folder is not None:
            self._folder.cleanup()

    def now(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Every table as it is, for a stream that begins."""
        return [("table", live.name, table_view(live)) for live in self]

    def refresh(self, live: LoopTable) -> None:
        """Publish what has changed."""
        view = table_view(live)
        if view != self._shown.get(live.name):
            self._shown[live.name] = view
            self._hub.publish("table", live.name, view, latest=True)

    def _user(self, serial: str) -> str | None:
        found = self.on(serial)
        return None if found is None else found.name

    def _changed(self, live: LoopTable) -> None:
        if self._hub.wakers and live.name in self._all:
            self.refresh(live)

    def _told(self, live: LoopTable, entry: Entry) -> None:
        if self._hub.wakers:
            self._hub.publish("entry", live.name, named(entry))

    def _file(self, name: str) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="shuffler-bench-")
        return Path(self._folder.name) / f"{name}-{self._made}.db"
