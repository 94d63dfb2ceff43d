"""Whoever sits at the table between bridge and line: players' moves in, books written, commands sent, in that order."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Protocol

from round_engine.errors import CardError, WrongCardCount
from round_engine.table import Table
from shuffler.bots import Bot
from shuffler.bridge import Bridge, Want
from shuffler.bridge.entries import Entry
from shuffler.errors import BlindTable
from shuffler.session import Happening, HostSession
from shuffler.store import HostStore

STATE_EVERY = 200  # rounds between two states that a restart can go on from


class Books(HostStore, Protocol):
    """The journal as a table uses it: a host store that also takes entries."""

    def write(self, entries: Sequence[Entry]) -> None:
        """Add entries; they last after the next `flush`."""

    def save_state(self, state: dict[str, object]) -> None:
        """A state to go on from."""


class Desk:
    """Acts for bridge and players; `carry` moves what is due on the line and says what came of it."""

    def __init__(
        self,
        table: Table,
        books: Books,
        bots: Sequence[Bot],
        host: HostSession,
        *,
        chance: Random,
        last_round: int,
        device_rounds: Mapping[str, int] | None = None,
        carry: Callable[[], list[Happening]],
    ) -> None:
        self.books = books
        self.host = host
        self.bridge = Bridge(
            table,
            dealer="dealer",
            supervisor="supervisor",
            chance=chance.randbytes,
            last_round=last_round,
            device_rounds=device_rounds,
        )
        self.attend: Callable[[Want], None] = _nobody
        self.eyes: Callable[[int], tuple[int, ...]] = _blind
        self.watch: Callable[[Sequence[Entry]], None] = _unwatched
        self.paused = False
        self._chance = chance
        self._carry = carry
        self._wagers = tuple(bot.wagers(table.rules) for bot in bots)
        self._by_spot = {bot.spot: bot for bot in bots}
        self._saved = 0
        self._answered = 0

    def take(self, happenings: list[Happening], now: int) -> None:
        """Happenings into the bridge, its entries into the books, its commands onto the line, until all is quiet."""
        while True:
            for happening in happenings:
                self.bridge.take(happening, now)
            if not self._act():
                return
            happenings = self._carry()
            if not happenings:
                return

    def _act(self) -> bool:
        """Do what bridge and players want; whether anything was put on the line."""
        bridge = self.bridge
        if bridge.wants is Want.WAGERS and not self.paused:
            self._save_state()
            bridge.open_round(self._wagers)
        while bridge.wants is Want.DECISIONS and (waiting := bridge.to_decide):
            spot = bridge.table.in_play().spots[waiting[0]]
            if waiting[0] in bridge.to_show and not self._show(waiting[0]):
                break
            bridge.decide(waiting[0], self._by_spot[waiting[0]].decide(spot, self._chance))
        while bridge.wants is Want.FACES and (unseen := bridge.to_show):
            self._show(unseen[0])
        if bridge.calls > self._answered:
            self._answered = bridge.calls
            self.attend(bridge.wants)
        if bridge.entries:
            self.books.write(bridge.entries)
            self.watch(bridge.entries)
            bridge.entries.clear()
        if not bridge.commands:
            return False
        now = bridge.commands[: self.host.room_for_commands]
        del bridge.commands[: len(now)]
        self.host.submit_together(now)
        return True

    def _show(self, spot: int) -> bool:
        """Name a hand that the device could not read; cards that can't be there are a misdeal."""
        try:
            self.bridge.show(spot, self.eyes(spot))
        except (CardError, WrongCardCount) as problem:
            self.bridge.misdeal(f"hand of {f'seat {spot}' if spot else 'the dealer'}: {problem}")
            return False
        return True

    def _save_state(self) -> None:
        bridge = self.bridge
        if bridge.settled + bridge.void - self._saved >= STATE_EVERY:
            self._saved = bridge.settled + bridge.void
            state = bridge.table.state().to_json()
            self.books.save_state(
                {"table": state, "last_round": bridge.last_round, "device_rounds": dict(bridge.device_rounds)}
            )


def _nobody(want: Want) -> None:
    """Nobody comes: the machine has to help itself."""


def _blind(spot: int) -> tuple[int, ...]:
    raise BlindTable(
        "this device does not read faces, and nobody here looks at the cards: use a profile that reads them"
        f" (the hand of {f'seat {spot}' if spot else 'the dealer'} is wanted)"
    )


def _unwatched(entries: Sequence[Entry]) -> None:
    """Nobody looks on."""
