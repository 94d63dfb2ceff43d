"""The people at the table: a dealer who does what the lights ask after a moment, or one who waits to be told."""

from dataclasses import dataclass

from firmware_sim.errors import BadControl
from firmware_sim.mechanism import Call, Mechanism, People, composition
from firmware_sim.profile import Profile

HANDS = ("auto", "manual")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How quick the dealer is, in microseconds (assumptions: unhurried hands at a table)."""

    lift_us: int = 600_000
    stub_us: int = 800_000
    collect_us: int = 2_000_000
    load_us: int = 300_000
    attend_us: int = 4_000_000


class Dealer(People):
    """Lifts each group and the stub, collects the cards when the round is over, puts a deck back into the infeed."""

    def __init__(self, machine: Mechanism, decks: list[list[int]], pace: Pace | None = None) -> None:
        """`decks` lie aside; the first goes into the infeed tray at once."""
        self._machine = machine
        self._pace = pace if pace is not None else Pace()
        self._waiting = decks
        self._collect_at: int | None = None
        self._lift_at: int | None = None
        self._load_at: int | None = 0
        self.next_us = 0
        machine.people = self
        machine.plan()

    def see(self, call: Call, now_us: int) -> None:
        self._lift_at = None
        if call is Call.TAKE_GROUP:
            self._lift_at = now_us + self._pace.lift_us
        elif call is Call.TAKE_STUB:
            self._lift_at = now_us + self._pace.stub_us
        elif call is Call.COLLECT:
            self._collect_at = now_us + self._pace.collect_us
        if self._load_at is None and self._waiting and not self._machine.places.infeed:
            self._load_at = now_us + self._pace.load_us
        self._plan()

    def act(self, now_us: int) -> None:
        machine = self._machine
        if self._lift_at is not None and self._lift_at <= now_us:
            self._lift_at = None
            machine.lift()
        if self._collect_at is not None and self._collect_at <= now_us:
            self._collect_at = None
            if cards := machine.gather():
                self._waiting.append(cards)
                if self._load_at is None and not machine.places.infeed:
                    self._load_at = now_us + self._pace.load_us
        if self._load_at is not None and self._load_at <= now_us:
            self._load_at = None
            if self._waiting and not machine.places.infeed:
                machine.put_in_infeed(self._waiting.pop(0))
        self._plan()

    def _plan(self) -> None:
        due = [at for at in (self._lift_at, self._collect_at, self._load_at) if at is not None]
        self.next_us = min(due) if due else None


def seat_dealer(hands: str, machine: Mechanism, profile: Profile, pace: Pace | None = None) -> list[list[int]]:
    """Bring the decks of the table and, with "auto" hands, a dealer; else the decks lie aside until someone acts."""
    if hands not in HANDS:
        raise BadControl(f"hands are {' or '.join(HANDS)}, not {hands!r}")
    pack = composition(profile.games[0].deck_cards, profile.build.decks)
    decks = [machine.introduce(pack) for _ in range(2 if profile.build.prestages else 1)]
    if hands == "auto":
        Dealer(machine, list(decks), pace)
    return decks
