"""Whole decks from a device that never names an undealt card to a dealer.

Each deck is loaded, shuffled under a nonce of this host's, dealt to so many seats (none: the whole deck is the stub),
and its stub delivered; a supervisor is then told the stub. Groups and stub together are the order of the deck, and
each part must open the root that was published before the first card left. Decks that this host did not have shuffled
are put out and left out. A deck may be sorted first: the order before the shuffle is then known.

The collector looks at the device's status and does what is due, so it can start in any state, and a device that holds
two decks shuffles one while the other is delivered. People lay decks in and take cards out, as at a table.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from protocol import messages as m
from protocol.commitment import Context, opens
from protocol.vocabulary import (
    CommitKind,
    DealState,
    DeviceFlag,
    ErrorCode,
    FaultState,
    InfeedState,
    Mode,
    PowerState,
    Role,
    RoundState,
)
from shuffler.errors import Refused, TimedOut
from shuffler.host.client import Client
from shuffler.host.commands import seats_mask
from shuffler.lab.collecting.errors import CannotCollect

DECK = 52
FACTORY = tuple(range(DECK))
PATIENCE_S = 600.0
WAIT_S = 0.5
MOST_UNDER_WAY = 8
MARKS = ((DeviceFlag.SEEDED, "seeded"), (DeviceFlag.RIGGED, "rigged"))
_NO_NEWS = (m.ShuffleProgressed, m.StubReady, m.GroupReady, m.CountersReported)
_FOR_A_MOMENT = (ErrorCode.NOT_NOW, ErrorCode.FAULTED, ErrorCode.EVENTS_FULL)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedDeck:
    """One shuffle: its number on the device, its order from the first card dealt on, and what it is marked as."""

    shuffle: int
    cards: tuple[int, ...]
    marks: tuple[str, ...] = ()
    input: tuple[int, ...] | None = None
    """The order before the shuffle, where it is known."""


@dataclass(slots=True)
class _UnderWay:
    """A shuffle of this host's whose deck is not whole yet."""

    done: m.ShuffleCompleted
    context: Context
    sorted: bool = False
    openings: list[m.Opening] = field(default_factory=list)


class DeckCollector:
    """Drives one device; `watch` is told in a sentence when something holds it up."""

    def __init__(
        self,
        client: Client,
        *,
        supervisor: str,
        seats: int = 0,
        sort: bool = False,
        patience_s: float = PATIENCE_S,
        watch: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Raises CannotCollect where the device can't tell a whole deck, or does not take these words."""
        self.client = client
        self.info = client.ask(m.GetInfo(), m.Info)
        self.left_out: Counter[str] = Counter()
        self._supervisor = supervisor
        self._seats = seats
        self._sort = sort
        self._in_order = False  # the deck that lies in the machine, or comes next, was sorted
        self._patience_s = patience_s
        self._watch = watch
        self._nonces: dict[bytes, bool] = {}
        self._under_way: dict[int, _UnderWay] = {}
        self._fault_said = False
        check_device(self.info)
        prove(client, Role.SUPERVISOR, supervisor)

    def decks(self, stop: Callable[[], bool] = lambda: False) -> Iterator[CollectedDeck]:
        """Decks as they come, until `stop` says so; raises TimedOut when nothing moves for the patience given."""
        self._refuse_an_open_round()
        moved = time.monotonic()
        while not stop():
            while (event := self.client.next_event(0.0)) is not None:
                moved = time.monotonic()
                deck = self._take(event)
                if deck is not None:
                    yield deck
                    if stop():
                        return
            if self._act(self.client.ask(m.GetStatus(), m.Status, self._patience_s)):
                moved = time.monotonic()
            elif (deck := self._wait()) is not None:
                moved = time.monotonic()
                yield deck
            elif time.monotonic() - moved > self._patience_s:
                raise TimedOut(f"nothing has moved on the device for {self._patience_s:g} s ({self._stuck()})", 0)

    # ----- what is due

    def _act(self, status: m.Status) -> bool:
        """Do what the device's state asks for; False where there is nothing to do but wait."""
        if status.power is not PowerState.ON or self._held(status):
            return False
        if status.mode is Mode.SERVICE:
            raise CannotCollect("the device is in service mode: leave it first")
        try:
            return self._feed(status) | self._deliver(status)
        except Refused as refusal:
            if refusal.code in _FOR_A_MOMENT:
                return False
            raise

    def _held(self, status: m.Status) -> bool:
        if status.fault is FaultState.CLEAR:
            self._fault_said = False
            return False
        if not self._fault_said and status.fault is FaultState.FAULTED:
            self._fault_said = True
            self._watch(f"the device stopped: {status.fault_code.name}; waiting until someone has mended it")
        return True

    def _feed(self, status: m.Status) -> bool:
        """The deck that comes next."""
        if status.infeed is InfeedState.LOADED:
            if self._sort and not self._in_order:
                return self._sort_it(status)
            nonce = os.urandom(16)
            self._nonces[nonce], self._in_order = self._in_order, False
            while len(self._nonces) > MOST_UNDER_WAY:
                self._nonces.pop(next(iter(self._nonces)))
            self._do(m.Shuffle(nonce=nonce))
            return True
        room = (DeviceFlag.PRESTAGES in self.info.flags and not self._sort) or status.deal is DealState.NO_DECK
        if status.infeed is InfeedState.EMPTY and room:
            self._do(m.Load())
            return True
        return False

    def _sort_it(self, status: m.Status) -> bool:
        """Into factory order; someone takes the deck out and lays it in again."""
        if status.deal is not DealState.NO_DECK or status.mode is not Mode.PLAY:
            return False
        self._do(m.Sort())
        return True

    def _deliver(self, status: m.Status) -> bool:
        """The deck in play."""
        match status.deal, status.round_state:
            case DealState.READY, RoundState.NO_ROUND if self._seats and status.shuffle in self._under_way:
                number = status.round + 1
                self._do(m.BeginRound(round=number, seats=seats_mask(tuple(range(1, self._seats + 1)))))
                self._do(m.DealGroup(round=number, groups=0))
            case DealState.READY, RoundState.DEALING:  # a fault took what was still to be dealt
                self._do(m.DealGroup(round=status.round, groups=0))
            case ((DealState.STUB_INSIDE | DealState.NO_DECK), RoundState.DECIDING):
                self._do(m.CloseDecisions(round=status.round))
            case ((DealState.READY | DealState.STUB_INSIDE | DealState.MISDEALT), RoundState.NO_ROUND):
                self._do(m.EjectStub())
            case _:
                return False
        return True

    def _do(self, command: m.Message) -> None:
        self.client.call(command, self._patience_s)

    def _wait(self) -> CollectedDeck | None:
        """Until something happens that may change what is due."""
        end = time.monotonic() + WAIT_S
        while (left := end - time.monotonic()) > 0 and (event := self.client.next_event(left)) is not None:
            deck = self._take(event)
            if deck is not None or not isinstance(event, _NO_NEWS):
                return deck
        return None

    def _stuck(self) -> str:
        status = self.client.ask(m.GetStatus(), m.Status)
        words = (status.infeed, status.deal, status.round_state, status.fault, status.fault_code)
        return ", ".join(f"{type(word).__name__} {word.name}" for word in words)

    def _refuse_an_open_round(self) -> None:
        status = self.client.ask(m.GetStatus(), m.Status)
        if status.round_state is not RoundState.NO_ROUND:
            raise CannotCollect(f"round {status.round} is open on the device: finish it or void it first")

    # ----- what happened

    def _take(self, event: m.Event) -> CollectedDeck | None:
        match event:
            case m.DeckSorted():
                self._in_order = self._sort
            case m.ShuffleCompleted() if event.nonce in self._nonces:
                in_order = self._nonces.pop(event.nonce)
                self._under_way[event.shuffle] = _UnderWay(event, self._context(event), in_order)
                while len(self._under_way) > MOST_UNDER_WAY:
                    self._under_way.pop(next(iter(self._under_way)))
            case m.GroupRemoved(withheld=False) | m.HandDisclosed():
                if (deck := self._under_way.get(event.shuffle)) is not None:
                    self._open(deck, event.opening)
            case m.Misdealt():
                self.left_out[f"misdealt: {event.reason.name.lower().replace('_', ' ')}"] += 1
                shuffle = self.client.ask(m.GetStatus(), m.Status).shuffle
                self._under_way.pop(shuffle, None)
            case m.StubRemoved():
                return self._stub()
        return None

    def _stub(self) -> CollectedDeck | None:
        """The stub that was just taken, and with it the whole deck."""
        stub = self._read_stub()
        deck = self._under_way.pop(stub.shuffle, None)
        if deck is None:
            self.left_out["not shuffled for this collection"] += 1
            return None
        if stub.opening.cards:
            self._open(deck, stub.opening)
        cards: list[int] = []
        for opening in sorted(deck.openings, key=lambda one: one.first):
            if opening.first == len(cards):
                cards += opening.cards
        if len(cards) != DECK:
            self.left_out[f"{len(cards)} of {DECK} cards were opened"] += 1
            return None
        marks = tuple(name for flag, name in MARKS if flag in deck.done.flags)
        given = FACTORY if deck.sorted else None
        return CollectedDeck(shuffle=deck.done.shuffle, cards=tuple(cards), marks=marks, input=given)

    def _open(self, deck: _UnderWay, opening: m.Opening) -> None:
        """Take cards, if they are what was committed to."""
        if not opens(deck.context, deck.done.root, opening):
            raise CannotCollect(
                f"shuffle {deck.done.shuffle}: cards {opening.first + 1} and on do not open the commitment that the "
                "device had published: what it tells is not what it shuffled"
            )
        deck.openings.append(opening)

    def _read_stub(self) -> m.Stub:
        try:
            return self.client.ask(m.ReadStub(), m.Stub, self._patience_s)
        except Refused as refusal:
            if refusal.code is not ErrorCode.NOT_AUTHORISED:
                raise
        prove(self.client, Role.SUPERVISOR, self._supervisor)  # a new session, after a cable pull or a power cut
        return self.client.ask(m.ReadStub(), m.Stub, self._patience_s)

    def _context(self, done: m.ShuffleCompleted) -> Context:
        welcome = self.client.welcome
        assert welcome is not None
        return Context(
            serial=welcome.serial,
            epoch=welcome.epoch,
            shuffle=done.shuffle,
            game=done.game,
            count=done.count,
            nonce=done.nonce,
        )


def check_device(info: m.Info) -> None:
    """Whether a device of this kind can tell the order of a deck that it has shuffled; raises CannotCollect."""
    elsewhere = "record its decks another way (a camera, a reader) and give the file to `shuffler certify --from`"
    what = f"{info.model} (profile {info.profile})"
    if DeviceFlag.SHOE in info.flags:
        raise CannotCollect(f"{what} is a shoe: it does not shuffle; collect from the shuffler that feeds it")
    if DeviceFlag.READS_FACES not in info.flags:
        raise CannotCollect(f"{what} does not read faces, so it can't tell a deck's order: {elsewhere}")
    if info.commits is not CommitKind.ORDER:
        raise CannotCollect(f"{what} does not commit to the order of a deck: {elsewhere}")
    if info.decks != 1 or info.deck_cards != DECK:
        raise CannotCollect(
            f"{what} is set to {info.decks} × {info.deck_cards} cards: certification is about one deck of {DECK}; "
            "choose another game with --game"
        )


def prove(client: Client, role: Role, words: str) -> None:
    """Take a role, or say in a sentence why not."""
    name = role.name.lower()
    try:
        client.prove_role(role, words)
    except Refused as refusal:
        match refusal.code:
            case ErrorCode.UNSUPPORTED:
                why = f"the device has no {name} (an emulated one gets it with `--role {name}=WORDS`)"
            case ErrorCode.BAD_PROOF:
                why = f"the device does not take these words for the {name}'s"
            case _:
                why = f"the role {name} could not be proved: {refusal}"
        raise CannotCollect(why) from None
