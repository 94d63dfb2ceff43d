"""Whoever sits at the table between bridge and line: players' moves in, books written, commands sent, in that order."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Protocol

from round_engine.errors import CardError, WrongCardCount
from round_engine.table import Table
from round_engine.table.state import TableState
from round_engine.wagers import SpotWagers
from shuffler.errors import BlindTable
from shuffler.host.session import Happening, HostSession
from shuffler.host.store import HostStore
from shuffler.journal.anchors import Head
from shuffler.journal.entries import Entry, TableStopped
from shuffler.table import Bridge, Want
from shuffler.table.head_notes import HeadNotes
from shuffler.table.players import Bot


class Books(HostStore, Protocol):
    """The journal as a table uses it: a host store that also takes entries."""

    def write(self, entries: Sequence[Entry]) -> None:
        """Add entries; they last after the next `flush`."""

    def checkpoint(self, table: TableState) -> None:
        """A state between two rounds, to go on from."""

    @property
    def wants_checkpoint(self) -> bool:
        """Whether it is time for one."""

    @property
    def checkpoint_head(self) -> Head | None:
        """The head as of the newest checkpoint that lasts; None where there is none."""

    @property
    def listeners(self) -> list[Callable[[Sequence[Entry]], None]]:
        """Told of entries once they last, never before."""


def bridge_for(
    table: Table,
    *,
    chance: Random,
    last_round: int,
    bots: Sequence[Bot],
    device_rounds: Mapping[str, int] | None = None,
    make: type[Bridge] = Bridge,
) -> Bridge:
    """A bridge for a table where a dealer deals and a supervisor confirms."""
    return make(
        table, dealer="dealer", supervisor="supervisor", chance=chance.randbytes, last_round=last_round,
        device_rounds=device_rounds, seats=max((bot.spot for bot in bots), default=1),
    )  # fmt: skip


class Desk:
    """Acts for bridge and players; `carry` moves what is due on the line and says what came of it."""

    def __init__(
        self,
        bridge: Bridge,
        books: Books,
        bots: Sequence[Bot],
        host: HostSession,
        *,
        chance: Random,
        carry: Callable[[], list[Happening]],
    ) -> None:
        self.books = books
        self.host = host
        self.bridge = bridge
        self.attend: Callable[[Want], None] = _nobody
        self.eyes: Callable[[int], tuple[int, ...]] = _blind
        self.watch: Callable[[Sequence[Entry]], None] = _unwatched
        self.paused = False
        # What lies on the layout when the betting is over, and what a spot has decided; None: not yet.
        self.layout: Callable[[], tuple[SpotWagers, ...] | None] = lambda: self._wagers
        self.choose: Callable[[int], bool | None] = self._bot_decides
        self._chance = chance
        self._carry = carry
        self._wagers = tuple(bot.wagers(bridge.table.rules) for bot in bots)
        self._by_spot = {bot.spot: bot for bot in bots}
        self._answered = 0
        self._heads = HeadNotes()
        books.listeners.append(lambda entries: self.watch(entries))

    def take(self, happenings: list[Happening], now: int) -> None:
        """Happenings into the bridge, its entries into the books, its commands onto the line, until all is quiet."""
        while True:
            for happening in happenings:
                self.bridge.take(happening, now)
                if (noted := self._heads.take(happening)) is not None:
                    self.books.write([noted])
            acted = self._act()
            if not (self._note_head() or acted):
                return
            happenings = self._carry()
            if not happenings:
                return

    def _act(self) -> bool:
        """Do what bridge and players want; whether anything was put on the line."""
        bridge = self.bridge
        if bridge.wants is Want.WAGERS and not self.paused and (wagers := self.layout()) is not None:
            if self.books.wants_checkpoint:
                self.books.checkpoint(bridge.table.state())
            bridge.open_round(wagers if bridge.meters is None else bridge.meters.allowed(wagers))
        while bridge.wants is Want.DECISIONS and (waiting := bridge.to_decide):
            spot = waiting[0]
            if bridge.must_show(spot) and not self._show(spot):
                break
            plays = self.choose(spot)
            if plays is None:
                break
            bridge.decide(spot, plays)
        while bridge.wants is Want.FACES and (unseen := bridge.to_show):
            self._show(unseen[0])
        bridge.go_on()
        if bridge.entries:
            self.books.write(bridge.entries)
            bridge.entries.clear()
            if bridge.awaits_meter:
                self.books.flush()  # what is asked of the meter's server must last before
        if bridge.calls > self._answered:
            self._answered = bridge.calls
            self.attend(bridge.wants)
        if not bridge.commands:
            return False
        now = bridge.commands[: self.host.room_for_commands]
        del bridge.commands[: len(now)]
        self.host.submit_together(now)
        return True

    def _note_head(self) -> bool:
        """Have the device note the journal's newest head, unless it has it; whether anything was put on the line."""
        newest = self.books.checkpoint_head
        if newest is None or not self.host.is_up or not self.host.can_submit:
            return False
        note = self._heads.due(newest)
        if note is None:
            return False
        self.host.submit(note)
        return True

    def _bot_decides(self, spot: int) -> bool:
        return self._by_spot[spot].decide(self.bridge.table.in_play().spots[spot], self._chance)

    def _show(self, spot: int) -> bool:
        """Name a hand that the device could not read; cards that can't be there are a misdeal."""
        try:
            self.bridge.show(spot, self.eyes(spot))
        except (CardError, WrongCardCount) as problem:
            self.bridge.misdeal(f"hand of {f'seat {spot}' if spot else 'the dealer'}: {problem}")
            return False
        return True

    def leave(self, reason: str) -> None:
        """The table ends in good order: what is pending lasts, and between two rounds a checkpoint follows."""
        self.books.write([TableStopped(reason)])
        self.books.flush()
        if not self.bridge.in_round:
            self.books.checkpoint(self.bridge.table.state())
            if self._note_head():
                for happening in self._carry():
                    self._heads.take(happening)  # no entry about it: that would stand behind the signed end
            self.books.flush()  # where its head was noted


def _nobody(want: Want) -> None:
    """Nobody comes: the machine has to help itself."""


def _blind(spot: int) -> tuple[int, ...]:
    raise BlindTable(
        "this device does not read faces, and nobody here looks at the cards: use a profile that reads them"
        f" (the hand of {f'seat {spot}' if spot else 'the dealer'} is wanted)"
    )


def _unwatched(entries: Sequence[Entry]) -> None:
    """Nobody looks on."""
