"""A device, a cable and a small controller on one virtual clock: the stage on which the proofs of the device play."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from firmware_sim.control.world import Outside
from firmware_sim.machine import profile as profiles
from firmware_sim.program.nvstore import Medium
from firmware_sim.unit.emulator import Build, Emulator
from proofs.controller import Controller
from proofs.placement import check_placement
from protocol import messages as m
from protocol.cards import CUT_CARD
from protocol.roles import role_key
from protocol.vocabulary import DeviceFlag, Role, RoundState
from shuffler.host.commands import answer
from shuffler.host.session import Answered, Connected, EventArrived, EventsMissing, Happening, HostSession
from shuffler.host.store import MemoryStore
from shuffler.virtual.bench import BadCable, VirtualBench

WORDS = "the pit boss knows"
REPLUG_US = 2_000_000
LOOK_US = 1_000_000
SERIAL = "TABLE-1"


def build(profile: str, seed: int = 1, **more: object) -> Build:
    """A seeded device of a profile, with every role's key."""
    keys = {role: role_key(WORDS) for role in Role if role is not Role.DEALER}
    made = Build(profile=profiles.load(profile), serial=SERIAL, seed=seed, session_seed=seed, role_keys=keys)
    return replace(made, **more)  # type: ignore[arg-type]


class Table(Outside):
    """Plays rounds over the wire; `events` is all that the host got, once and in order."""

    def __init__(
        self,
        build: Build,
        *,
        medium: Medium | None = None,
        cable: BadCable | None = None,
        seats: int = 0x7F,
        prestage: bool = False,
        groups: int = 0,
        captured: bool = False,
    ) -> None:
        chance = Random(build.seed)
        self.emulator = Emulator(build, medium)
        self.emulator.outside = self
        self.host = HostSession(store=MemoryStore(chance.randbytes(16)), chance=chance.randbytes, key=build.key)
        self.bench = VirtualBench(self.host, self.emulator, cable, chance)
        self.bench.capture = [] if captured else None
        self.controller = Controller(
            self.do, seats=seats, prestage=prestage, groups=groups, shoe=build.profile.is_shoe
        )
        self.events: list[m.Event] = []
        self.passed: list[m.Event] = []
        self.missing: list[EventsMissing] = []
        self.sessions = 0
        self.real_cards: dict[int, int] = {}  # what hands really lifted of each round's groups
        self._answers: dict[int, m.Message] = {}
        self._watch_hands()
        self._pulled = False
        self._plug_at: int | None = None
        self._take(self.bench.plug())

    # ----------------------------------------------------------------------------------------------------------- ways

    def do(self, command: m.Message) -> m.Message:
        """One command over the wire and its reply."""
        request = self.host.submit(command)
        self._take(self.bench.exchange())
        for _ in range(10_000):
            if request in self._answers:
                return self._answers.pop(request)
            self.step()
        raise AssertionError(f"no answer to {command}")

    def step(self) -> None:
        """Let virtual time pass to whatever is due next; a pulled cable comes back after a while."""
        due = self._plug_at
        if due is not None and min(filter(None, (self.emulator.next_deadline(), due))) == due:
            self.bench.now = max(self.bench.now, due)
            self._plug_at = None
            self._take(self.bench.plug())
            return
        self._take(self.bench.step())
        check_placement(self.emulator.machine)
        if self._pulled:
            self.pull()

    def pull(self) -> None:
        """Pull the cable; it comes back after a while."""
        self._pulled = False
        self.bench.pull()
        self._plug_at = self.bench.now + REPLUG_US

    def next_due(self) -> int | None:
        """When the next step would be, None where nothing is due."""
        due = [at for at in (self.host.next_deadline(), self.emulator.next_deadline(), self._plug_at) if at is not None]
        return min(due, default=None)

    def play(self, until: Callable[[], bool], *, steps: int = 20_000) -> bool:
        """Let the controller act and time pass until something holds; False where the steps are used up.

        The controller looks when an event has come, and else once in a while.
        """
        seen, look_at = -1, 0
        for _ in range(steps):
            if until():
                return True
            if self.host.is_up and (len(self.events) != seen or self.bench.now >= look_at):
                seen = len(self.events)
                if self.controller.act():
                    seen = -1
                    continue
                look_at = self.bench.now + LOOK_US
            self.step()
        return until()

    def play_rounds(self, count: int) -> None:
        """So many rounds more, closed."""
        goal = len(self.controller.closed) + count
        assert self.play(lambda: len(self.controller.closed) >= goal), self.do(m.GetStatus())

    def prove(self, role: Role) -> None:
        """Take a role."""
        session = self.host.link.session
        assert session is not None
        challenge = self.do(m.AskChallenge(role=role))
        assert isinstance(challenge, m.Challenge), challenge
        reply = self.do(answer(challenge, WORDS, serial=SERIAL, session=session.number, role=role))
        assert reply == m.Done(), reply

    def said_cards(self, number: int) -> int:
        """How many cards of a round the device has reported as taken."""
        return sum(event.count for event in self.events if isinstance(event, m.GroupRemoved) and event.round == number)

    def of(self, kind: type[m.Event]) -> list[m.Event]:
        """The events of a kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    # --------------------------------------------------------------------------------------------------------- private

    def _watch_hands(self) -> None:
        """Count at the tray, beside the firmware, what people take while a round is being dealt."""
        machine = self.emulator.machine
        lift = machine.lift

        def counted(count: int | None = None) -> list[int]:
            taken = lift(count)
            deal = self.emulator.firmware.deal if self.emulator.is_on else None
            if deal is not None and deal.round_state is RoundState.DEALING:
                plain = [card for card in taken if machine.faces[card] != CUT_CARD]
                self.real_cards[deal.kept.round] = self.real_cards.get(deal.kept.round, 0) + len(plain)
            return taken

        machine.lift = counted  # type: ignore[method-assign]

    def pull_cable(self) -> None:
        self._pulled = True

    def _take(self, happenings: list[Happening]) -> None:
        for happening in happenings:
            match happening:
                case EventArrived(event):
                    (self.events if event.number else self.passed).append(event)
                case Answered(request, _, reply):
                    self._answers[request] = reply
                case EventsMissing():
                    self.missing.append(happening)
                case Connected():
                    self.sessions += 1


# ------------------------------------------------------------------------------------------------------------- checks


def objections(table: Table) -> list[str]:
    """What is wrong with a table's story: cards lost, events with holes, hands dealt twice, cards in two hands."""
    found: list[str] = []
    places = table.emulator.machine.places.all()
    if len(set(places)) != len(places) or len(places) != len(table.emulator.machine.faces):
        found.append("a card is lost or in two places")
    number = 0
    for event in table.events:
        if isinstance(event, m.PoweredUp) and event.number == 1:
            number = 0  # a new epoch: memory was lost
        number += 1
        if event.number != number:
            found.append(f"event {event.number} came where {number} was due")
    found += _hand_objections(table)
    return found


def _hand_objections(table: Table) -> list[str]:
    found: list[str] = []
    seen: dict[int, set[int]] = {}
    cards: dict[int, list[int]] = {}
    reads = bool(table.emulator.firmware.board.flags & DeviceFlag.READS_FACES)
    decks = table.emulator.build.profile.build.decks
    for event in table.events:
        if isinstance(event, m.GroupRemoved):
            groups = seen.setdefault(event.round, set())
            if event.group in groups:
                found.append(f"group {event.group} of round {event.round} was dealt twice")
            groups.add(event.group)
        if isinstance(event, m.GroupRemoved | m.HandDisclosed):
            cards.setdefault(event.round, []).extend(event.opening.cards)
    for number, dealt in cards.items():
        plain = [card for card in dealt if card < CUT_CARD] if reads else dealt
        if any(plain.count(card) > decks for card in plain):
            found.append(f"a card is in two hands of round {number}")
    return found
