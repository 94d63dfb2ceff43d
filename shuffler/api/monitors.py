"""The monitor of each table: follows the table's journal when it is asked, a bounded number of rounds at a time."""

import asyncio
from typing import Any

from starlette.concurrency import run_in_threadpool

from randomness.monitoring.monitor import LEVEL
from shuffler.api.loop_table import LoopTable
from shuffler.api.tables import Tables
from shuffler.monitoring import Watch, Watched
from shuffler.monitoring.sources import JournalSource

ROUNDS_AT_ONCE = 400
"""About a second of work; a long journal is read in several steps."""
QUESTIONS_SHOWN = 6


class _Followed:
    def __init__(self, live: LoopTable) -> None:
        self.source = JournalSource(live.books.path, {})
        self.watch = Watch(LEVEL, compiled=False)
        self.behind = False
        self.lock = asyncio.Lock()

    def catch_up(self) -> None:
        self.behind = False
        for taken, seen in enumerate(self.source.new_rounds(), start=1):
            self.watch.take(seen)
            if taken == ROUNDS_AT_ONCE:
                self.behind = True
                break
        if self.behind:  # what was read of the step that was broken off is read again
            self.source = JournalSource(self.source.path, self.source.position())


class Monitors:
    """One monitor for each table of a bench; a table that is closed takes its monitor along."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._all: dict[LoopTable, _Followed] = {}

    async def view(self, live: LoopTable) -> dict[str, Any]:
        """Catch up with the journal, then show the evidence."""
        followed = await self._caught_up(live)
        return {
            "level": LEVEL, "threshold": 1 / LEVEL, "behind": followed.behind,
            "devices": [
                {**one.to_json(QUESTIONS_SHOWN), "curve": one.monitor.curve} for one in followed.watch.devices.values()
            ],
        }  # fmt: skip

    async def watched(self) -> list[Watched]:
        """Every device of every table, caught up."""
        found: list[Watched] = []
        for live in list(self._tables):
            found += (await self._caught_up(live)).watch.devices.values()
        return found

    async def _caught_up(self, live: LoopTable) -> _Followed:
        followed = self._of(live)
        async with followed.lock:
            await run_in_threadpool(followed.catch_up)
        return followed

    def _of(self, live: LoopTable) -> _Followed:
        tables = set(self._tables)
        self._all = {table: kept for table, kept in self._all.items() if table in tables}
        return self._all.setdefault(live, _Followed(live))
