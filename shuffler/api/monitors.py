"""The monitor of each table: follows the table's journal when it is asked, a bounded number of rounds at a time."""

import threading
from typing import Any

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
        self.lock = threading.Lock()

    def catch_up(self) -> None:
        taken = 0
        self.behind = False
        for seen in self.source.new_rounds():
            self.watch.take(seen)
            taken += 1
            if taken >= ROUNDS_AT_ONCE:
                self.behind = True
                break
        if self.behind:  # what was read of the step that was broken off is read again
            self.source = JournalSource(self.source.path, self.source.position())


class Monitors:
    """One monitor for each table of a bench; a table that is closed takes its monitor along."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._all: dict[LoopTable, _Followed] = {}

    def view(self, live: LoopTable) -> dict[str, Any]:
        """Catch up with the journal, then show the evidence. Blocking: run it in a thread."""
        followed = self._of(live)
        with followed.lock:
            followed.catch_up()
            return {
                "level": LEVEL, "threshold": 1 / LEVEL, "behind": followed.behind,
                "devices": [
                    {**one.to_json(QUESTIONS_SHOWN), "curve": one.monitor.curve}
                    for one in followed.watch.devices.values()
                ],
            }  # fmt: skip

    def watched(self) -> list[Watched]:
        """Every device of every table, caught up. Blocking."""
        found: list[Watched] = []
        for live in list(self._tables):
            followed = self._of(live)
            with followed.lock:
                followed.catch_up()
                found += followed.watch.devices.values()
        return found

    def _of(self, live: LoopTable) -> _Followed:
        tables = set(self._tables)
        self._all = {table: kept for table, kept in self._all.items() if table in tables}
        return self._all.setdefault(live, _Followed(live))
