"""The driver between core and line: happenings and people's moves in, books written, commands sent, in that order."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Protocol

from protocol import messages as m
from round_engine.errors import CardError, RoundEngineError, WrongCardCount
from round_engine.table import Table
from round_engine.table.state import TableState
from shuffler.host.session import Answered, EventArrived, Happening, HostSession
from shuffler.host.store import HostStore
from shuffler.journal.anchors import Head
from shuffler.journal.entries import Entry, TableStopped
from shuffler.table.booked_round import HAND_CARDS
from shuffler.table.core import TableCore
from shuffler.table.head_notes import HeadNotes
from shuffler.table.people import TablePeople
from shuffler.table.values import (
    Action,
    Actions,
    CallMisdeal,
    CloseBetting,
    Decide,
    EnterHand,
    Move,
    Reviewed,
    Send,
    Unplug,
    Want,
    Write,
)
from shuffler.timeouts import USUAL, Timeouts


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


def core_for(
    table: Table,
    *,
    chance: Random,
    last_round: int,
    seats: int,
    device_rounds: Mapping[str, int] | None = None,
    reviewed: bool = False,
    timeouts: Timeouts = USUAL,
    make: type[TableCore] = TableCore,
) -> TableCore:
    """A core for a table where a dealer deals and a supervisor confirms."""
    return make(
        table, dealer="dealer", supervisor="supervisor", chance=chance.randbytes, last_round=last_round,
        device_rounds=device_rounds, seats=seats, reviewed=reviewed, timeouts=timeouts,
    )  # fmt: skip


class Desk:
    """Acts for core and people; `carry` moves what is due on the line and returns what happened."""

    def __init__(
        self,
        core: TableCore,
        books: Books,
        people: TablePeople,
        host: HostSession,
        *,
        carry: Callable[[], list[Happening]],
    ) -> None:
        self.core = core
        self.books = books
        self.people = people
        self.host = host
        self.paused = False  # no round is opened
        self._carry = carry
        self._heads = HeadNotes()
        self._unsent: list[m.Message] = []  # for which the line had no room yet

    def take(self, happenings: list[Happening], now: int) -> None:
        """Let time pass; happenings into the core, its entries into the books, its commands onto the line."""
        core, books = self.core, self.books
        actions = [*core.tick(now)]
        while True:
            for happening in happenings:
                actions += core.take(happening, now)
                if type(happening) is EventArrived:
                    continue
                if type(happening) is Answered and type(happening.command) is not m.NoteHead:
                    continue
                if (noted := self._heads.take(happening)) is not None:
                    actions.append(Write((noted,)))
            if core.wants is not Want.DEVICE or core.round.awaits_meter:
                self._ask_people(actions, now)
            sent = (actions or self._unsent) and self._carry_out(actions)
            if books.checkpoint_head is not None and self._note_head():
                sent = True
            if not sent:
                return
            happenings = self._carry()
            if not happenings:
                return
            actions = []

    def move(self, move: Move, now: int) -> None:
        """A move of people; raises what the engine refuses, with nothing changed."""
        if isinstance(move, Unplug):
            self._unsent.clear()
        self._carry_out(self.core.take(move, now))

    # ---------------------------------------------------------------------------------------------------------- people

    def _ask_people(self, actions: list[Action], now: int) -> None:
        """Provide what the core wants, as far as people do."""
        core, people = self.core, self.people
        if core.wants is Want.WAGERS and not self.paused and (wagers := people.wagers()) is not None:
            if self.books.wants_checkpoint:
                self._carry_out(actions)  # the checkpoint is of what is written
                actions.clear()
                self.books.checkpoint(core.table.state())
            meters = core.round.meters
            actions += core.take(CloseBetting(wagers if meters is None else meters.allowed(wagers)), now)
        if core.wants is Want.DECISIONS:
            self._ask_players(actions, now)
        while core.wants is Want.FACES and (unseen := core.round.to_show):
            self._show(unseen[0], actions, now)
        if core.round.awaits_meter:
            actions += core.go_on()
        if core.wants is Want.REVIEW:
            for undoing in people.review():
                try:
                    actions += core.take(undoing, now)
                except RoundEngineError as refusal:
                    people.refused(str(refusal))
            actions += core.take(Reviewed(), now)

    def _ask_players(self, actions: list[Action], now: int) -> None:
        core = self.core
        spots = core.table.in_play().spots
        for number in core.round.to_decide:
            spot = spots[number]
            if len(spot.cards) < HAND_CARDS and not self._show(number, actions, now):
                return
            plays = self.people.decide(number, spot)
            if plays is None:
                return
            actions += core.take(Decide(number, plays), now)

    def _show(self, spot: int, actions: list[Action], now: int) -> bool:
        """Name a hand that the device could not read; cards that can't be there are a misdeal."""
        deck = self.core.round.deck
        assert deck is not None
        try:
            actions += self.core.take(EnterHand(spot, self.people.look(spot, deck)), now)
        except (CardError, WrongCardCount) as problem:
            reason = f"hand of {f'seat {spot}' if spot else 'the dealer'}: {problem}"
            actions += self.core.take(CallMisdeal(reason), now)
            return False
        return True

    # --------------------------------------------------------------------------------------------------------- actions

    def _carry_out(self, actions: Actions) -> bool:
        """Write, call, send, in this order; whether anything was put on the line."""
        entries: list[Entry] = []
        is_called = False
        for action in actions:
            if type(action) is Write:
                entries += action.entries
            elif type(action) is Send:
                self._unsent.append(action.command)
            else:
                is_called = True
        if entries:
            self.books.write(entries)
            if self.core.round.awaits_meter:
                self.books.flush()  # what is asked of the meter's server must be durable before
        if is_called:
            self.people.come(self.core.wants)
        if not self._unsent:
            return False
        ready = self._unsent[: self.host.room_for_commands]
        del self._unsent[: len(ready)]
        self.host.submit_together(ready)
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

    def leave(self, reason: str) -> None:
        """The table ends in good order: what is pending lasts, and between two rounds a checkpoint follows."""
        self.books.write([TableStopped(reason)])
        self.books.flush()
        if not self.core.round.is_open:
            self.books.checkpoint(self.core.table.state())
            if self._note_head():
                for happening in self._carry():
                    self._heads.take(happening)  # no entry about it: that would stand behind the signed end
            self.books.flush()  # where its head was noted
