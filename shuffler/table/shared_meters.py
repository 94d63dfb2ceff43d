"""What a table needs of meters that it shares with others; `shuffler.meters` provides it. Pure: nothing here waits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from round_engine.meters.awards import Due
from round_engine.round.operations import Operation
from round_engine.rules.ruleset import WagerName
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from shuffler.journal.entries import Entry


class Fixing(NamedTuple):
    """How far the prize of an award is: what goes into the books, what is done first, and whether it may be keyed."""

    ready: bool
    entries: tuple[Entry, ...] = ()
    operations: tuple[Operation, ...] = ()


@dataclass(frozen=True, slots=True)
class SharedMeter:
    """A shared meter as its table shows it to people."""

    meter: str
    amount: int | None  # what it shows, this table's unsent contributions included; None until the server has said
    held: int  # reserved for awards
    connected: bool
    unsent: int  # moves that wait for the server
    trouble: str  # why the server is away, or why nothing is sent any more


class SharedMeters(Protocol):
    """The meters of one table that others move too."""

    def allowed(self, wagers: Sequence[SpotWagers]) -> tuple[SpotWagers, ...]:
        """The wagers that can be taken now: without those on a meter whose server has been away for too long."""

    def follow(self, table: Table) -> tuple[Operation, ...]:
        """What others have moved since: to be done before a round is opened."""

    def shown(self, wager: WagerName) -> SharedMeter | None:
        """A meter for people; None where it is the table's own."""

    def fix(self, table: Table, round_id: str, dues: Sequence[Due]) -> Fixing:
        """Have the prize of the first award fixed; asked again and again until it is ready."""
