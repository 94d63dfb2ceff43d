"""What a table needs of meters that it shares with others; `shuffler.meters` provides it. Pure: nothing here waits."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from round_engine.operations import Operation
from round_engine.progressive import Due
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from shuffler.journal.entries import Entry


class Fixing(NamedTuple):
    """How far the prize of an award is: what goes into the books, what is done first, and whether it may be keyed."""

    ready: bool
    entries: tuple[Entry, ...] = ()
    operations: tuple[Operation, ...] = ()


class SharedMeters(Protocol):
    """The meters of one table that others move too."""

    def allowed(self, wagers: Sequence[SpotWagers]) -> tuple[SpotWagers, ...]:
        """The wagers that can be taken now: without those on a meter whose server has been away for too long."""

    def follow(self, table: Table) -> tuple[Operation, ...]:
        """What others have moved since: to be done before a round is opened."""

    def fix(self, table: Table, round_id: str, dues: Sequence[Due]) -> Fixing:
        """Have the prize of the first award fixed; asked again and again until it is ready."""
