"""A table in the hands of a test: device, wire, bridge, engine, books and players in virtual time, and its backup.

table.device.rig_hands({2: "Qs Ks As"})
table.play(2)
assert (table.settled, table.void, table.out_of_balance) == (2, 0, 0)
"""

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from firmware_sim.unit.emulator import Emulator
from protocol import messages as m
from protocol.vocabulary import PowerUpCause
from round_engine.errors import RoundEngineError
from round_engine.money.ledger import EntryKind, Posting
from round_engine.round.operations import BackOut, DeclareMisdeal
from round_engine.rules.ruleset import RuleSet
from round_engine.table import Table
from shuffler.host.session import Happening, HostSession
from shuffler.journal.entries import DeckRefused, DeviceRefused, DeviceSaid, Entry, Operated
from shuffler.kit.dealt_hands import DealtHands
from shuffler.kit.errors import BadSettings
from shuffler.kit.memory import MemoryDevice
from shuffler.kit.settings import DeviceSettings, known
from shuffler.kit.transcript import Transcript
from shuffler.table import TableCore, Want
from shuffler.table.players import Bot, seated
from shuffler.table.rule_names import rules_by_name
from shuffler.table.values import Unplug
from shuffler.virtual.bench import VirtualBench
from shuffler.virtual.memory_books import MemoryBooks
from shuffler.virtual.table import Stalled, VirtualTable, tapped

ROUND_LIMIT_S = 3_600.0
KEPT = 100_000  # entries and events of a sitting that a test may look at
BACKUP = "the backup takes its place"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """Who plays, by which rules."""

    rules: str | RuleSet = "light-and-wonder"
    seats: int = 3
    strategy: str = "Q-6-4"  # or always, never, random
    core: type[TableCore] = TableCore  # another one where a test wants to see it caught
    session: type[HostSession] = HostSession

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From keyword arguments; an unknown one is refused with those there are."""
        return cls(**known(given, cls, "a table"))

    def players(self) -> list[Bot]:
        """One a seat; raises BadSettings."""
        if not 1 <= self.seats <= 7:
            raise BadSettings(f"a table has 1 to 7 seats, not {self.seats!r}")
        try:
            return seated(self.strategy, self.seats)
        except RoundEngineError as problem:
            raise BadSettings(str(problem)) from None

    def table(self) -> Table:
        """A fresh table; raises BadSettings."""
        try:
            return Table(rules_by_name(self.rules) if isinstance(self.rules, str) else self.rules)
        except RoundEngineError as problem:
            raise BadSettings(str(problem)) from None


class TableDevice(MemoryDevice):
    """A device at a table; the table's own controller is on its cable."""

    def __init__(self, settings: DeviceSettings, emulator: Emulator, transcript: Transcript, table: "KitTable") -> None:
        super().__init__(settings, emulator, transcript, lambda: table)
        self._table = table

    def deal(self, seats: Sequence[int] = (), *, limit_s: float = ROUND_LIMIT_S) -> dict[int, str]:
        """One round as the table plays it; the seats are the table's."""
        if seats and tuple(seats) != tuple(self._table.seats):
            raise BadSettings(f"this table plays at seats {self._table.seats}: give the table other ones")
        self._table.play(1, limit_s=limit_s)
        return self._table.hands


class KitTable:
    """One table, its device in use, and one that waits."""

    def __init__(
        self,
        settings: TableSettings | None = None,
        device: DeviceSettings | None = None,
        backup: DeviceSettings | None = None,
    ) -> None:
        wanted = settings or TableSettings()
        first = replace(device or DeviceSettings(serial="PRIMARY"), port="memory")
        second = replace(backup or replace(first, serial="BACKUP", setup=None), port="memory")
        bots = wanted.players()
        self.seats = [bot.spot for bot in bots]
        self.events: deque[m.Event] = deque(maxlen=KEPT)  # of every device of the sitting
        self.entries: deque[Entry] = deque(maxlen=KEPT)
        self.reasons: list[str] = []  # why rounds were void, and decks and devices refused
        self._dealt = DealtHands()
        self.called: list[Want] = []  # whom the table has called for
        self.refused: list[str] = []  # what people tried and the engine would not do
        self._back_outs: list[BackOut] = []
        books = MemoryBooks()
        books.listeners.append(self._written)
        transcript = self._transcript(first)
        self.virtual = VirtualTable(
            wanted.table(), books, bots, first.build(), seed=first.seed or 0, core=wanted.core,
            session=wanted.session, taps=(transcript,), come=self.called.append, review=self._review,
            refused=self.refused.append,
        )  # fmt: skip
        self.core = self.virtual.core
        self.bench: VirtualBench = self.virtual.bench
        self.device = TableDevice(first, self.virtual.emulator, transcript, self)
        waiting = Emulator(second.build(), now=self.bench.now)
        waiting.switch_off(self.bench.now)
        self.backup = TableDevice(second, waiting, self._transcript(second), self)

    # ----------------------------------------------------------------------------------------------------------- play

    def play(self, rounds: int = 1, *, limit_s: float = ROUND_LIMIT_S) -> None:
        """Until so many more rounds have come to an end, settled or void; raises Stalled where they do not."""
        goal = self.done + rounds
        if not self.run(lambda: self.done >= goal, limit_s):
            core = self.core
            why = f"the device can't be played: {core.refusal}" if core.refusal else f"it waits: {core.wants.value}"
            raise Stalled(f"{goal - self.done} rounds are missing after {limit_s:g} s of virtual time; {why}")

    def run(self, done: Callable[[], bool], limit_s: float) -> bool:
        """Let time pass until something holds; False where it does not in time."""
        end = self.bench.now + int(limit_s * 1_000_000)
        while not done():
            if self.bench.now >= end:
                return False
            self.pass_time(end)
        return True

    def swap(self, why: str = BACKUP) -> None:
        """Take the device in use away and put the backup in its place; a half-dealt round is void."""
        table, now = self.virtual, self.bench.now
        table.bench.pull()
        self.device.emulator.switch_off(now)
        table.desk.move(Unplug(why), now)
        self.device, self.backup = self.backup, self.device
        table.emulator = self.device.emulator
        table.emulator.switch_on(now, PowerUpCause.SWITCHED_ON)
        table.bench.replace_device(tapped(table.emulator, (self.device.transcript,)))
        self.happened(table.bench.plug())

    def back_out(self, move: BackOut) -> None:
        """Somebody undoes an award of the next round, once that is settled; a refusal is in `refused`."""
        self._back_outs.append(move)

    def pass_time(self, until_us: int) -> None:
        """Let the next thing happen, or time pass to `until_us` if that is sooner."""
        table, due = self.virtual, self.core.next_deadline()
        until_us = self.device.until(until_us)
        happenings = table.bench.step(until=until_us if due is None else min(until_us, due))
        self.happened(happenings)
        self.device.stepped()

    def happened(self, happenings: list[Happening]) -> None:
        """Act on it."""
        self.virtual.desk.take(happenings, self.bench.now)

    # ------------------------------------------------------------------------------------------------------ looking at

    @property
    def settled(self) -> int:
        """Rounds that were paid."""
        return self.core.round.settled

    @property
    def void(self) -> int:
        """Rounds that were misdealt."""
        return self.core.round.void

    @property
    def done(self) -> int:
        """Rounds that have come to an end."""
        return self.virtual.done

    @property
    def dealt(self) -> DealtHands:
        """The newest round's hands, as its events name them."""
        return self._dealt

    @property
    def hands(self) -> dict[int, str]:
        """The newest round's cards by seat, 0 the dealer's."""
        return self._dealt.by_seat()

    @property
    def wants(self) -> Want:
        """What the table waits for."""
        return self.core.wants

    @property
    def engine(self) -> Table:
        """The round engine's table: its ledger, its meters, the round in play."""
        return self.core.table

    @property
    def out_of_balance(self) -> int:
        """Cents that the books do not account for."""
        return self.engine.ledger.total()

    def balance(self, account: str) -> int:
        """What an account has come to, in cents."""
        return self.engine.ledger.balance(account)

    @property
    def postings(self) -> list[Posting]:
        """Every move of money so far."""
        return [posting for entry in self.entries if isinstance(entry, Operated) for posting in entry.postings]

    def paid(self, kind: EntryKind) -> Counter[int]:
        """Cents by spot that moved as this kind of posting."""
        total: Counter[int] = Counter()
        for posting in self.postings:
            if posting.entry is kind:
                total[posting.spot] += posting.amount
        return total

    # --------------------------------------------------------------------------------------------------------- private

    def _review(self) -> Sequence[BackOut]:
        moves, self._back_outs = self._back_outs, []
        return moves

    def _transcript(self, settings: DeviceSettings) -> Transcript:
        return Transcript(settings.serial, lambda: self.bench.now if hasattr(self, "bench") else 0)

    def _written(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self.entries.append(entry)
            match entry:
                case DeviceSaid(event=event):
                    self.events.append(event)
                    self._dealt.take(event)
                case Operated(DeclareMisdeal(reason=reason), _) | DeckRefused(reason) | DeviceRefused(_, reason):
                    self.reasons.append(reason)
