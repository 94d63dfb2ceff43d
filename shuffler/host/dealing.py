"""One round from a controller's side, without a game: load, shuffle, deal every seat, close, take the stub.

Whatever waits here says for what after a few seconds, and gives up after a stated time.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from protocol import messages as m
from protocol.commitment import Context, opens
from protocol.messages import DEALER_SEAT
from protocol.vocabulary import (
    CommitKind,
    DealState,
    DeviceFlag,
    ErrorCode,
    FaultCode,
    FaultState,
    InfeedState,
    Mode,
    PowerState,
    RoundState,
)
from shuffler.errors import GaveUp, Refused, ShufflerError
from shuffler.host.client import Client
from shuffler.host.commands import seats_mask

PATIENCE_S = 120.0
SAY_AFTER_S = 5.0
POLL_S = 0.1
LOOK_EVERY = 10  # polls without an event

WAITS_FOR: dict[type[m.Event], str] = {
    m.DeckLoaded: "a deck has to be put into the feeder",
    m.ShuffleCompleted: "the shuffle has not ended",
    m.GroupRemoved: "a hand has to be taken from the tray",
    m.HandDisclosed: "the dealer's hand has not been disclosed",
    m.StubRemoved: "the stub has to be taken from the tray",
}

Progress = Callable[[m.ShuffleProgressed], None]


class RoundFailed(ShufflerError):
    """The device can't go on with the round, for a reason named in the text."""


class RoundVoid(RoundFailed):
    """The device has called a misdeal: the round is void, another can be begun."""


@dataclass(slots=True)
class Dealt:
    """What one round brought to the table."""

    round: int
    shuffled: m.ShuffleCompleted
    hands: dict[int, tuple[int, ...]] = field(default_factory=dict)
    places: dict[int, tuple[int, ...]] = field(default_factory=dict)  # where the device reads no faces
    first: dict[int, int] = field(default_factory=dict)  # position of a hand's first card in the dealt order
    stub: int = 0
    verified: bool = True


class Waits:
    """How long to wait for people and machine, and whom to tell meanwhile; starts anew whenever something happens."""

    def __init__(self, patience_s: float = PATIENCE_S, say: Callable[[str], None] = lambda _: None) -> None:
        self.past = 0  # the last event of which the status told already: no news
        self._patience_s = patience_s
        self._say = say
        self._since = time.monotonic()
        self._said = ""

    def begin(self) -> None:
        """Something has happened."""
        self._since = time.monotonic()
        self._said = ""

    def look(self, what: str) -> None:
        """Still waiting; raises GaveUp when it has taken too long."""
        waited = time.monotonic() - self._since
        if waited >= self._patience_s:
            raise GaveUp(f"gave up after {waited:.0f} s: {what}")
        if waited >= min(SAY_AFTER_S, self._patience_s / 2) and what != self._said:
            self._said = what
            self._say(f"waiting: {what} (giving up in {self._patience_s - waited:.0f} s)")


def wait_until_on(client: Client, waits: Waits | None = None) -> m.Status:
    """The device's status once its power-up self-test is over."""
    waits = waits or Waits()
    waits.begin()
    while (status := client.ask(m.GetStatus(), m.Status)).power is not PowerState.ON:
        waits.look("the device is not through its power-up self-test")
        client.next_event(POLL_S)
    waits.past = status.last_event
    return status


def recover(client: Client, waits: Waits | None = None) -> list[str]:
    """Bring the device to where a new deck can be loaded or shuffled; what was done for it. Raises GaveUp.

    An open round is void and the deck it was dealt from comes out; a fault has to be mended by somebody.
    """
    waits = waits or Waits()
    done: list[str] = []
    waits.begin()
    while True:
        status = wait_until_on(client, waits) if not done else client.ask(m.GetStatus(), m.Status)
        if status.fault is not FaultState.CLEAR:
            waits.look(f"the device has a fault, {status.fault_code.name}: see its display")
        elif status.mode is not Mode.PLAY:
            raise RoundFailed(f"the device is in {status.mode.name.lower()} mode: end that first")
        elif status.round_state is not RoundState.NO_ROUND:
            _once(client, m.VoidRound(round=status.round), f"round {status.round} is void", done, waits)
        elif status.deal in (DealState.READY, DealState.STUB_INSIDE, DealState.MISDEALT):
            _once(client, m.EjectStub(), "the deck came out", done, waits)
        elif status.deal is DealState.NO_DECK and status.infeed in (InfeedState.EMPTY, InfeedState.LOADED):
            waits.past = status.last_event
            return done
        else:
            waits.look("the cards have to be taken from the tray")
        client.next_event(POLL_S)


def _once(client: Client, command: m.Message, what: str, done: list[str], waits: Waits) -> None:
    """Send a command; where the machine is not ready for it, wait."""
    try:
        client.call(command)
    except Refused as refused:
        waits.look(f"the device is not ready to go on: {refused.text}")
    else:
        done.append(what)
        waits.begin()


def ready_deck(client: Client, progress: Progress | None = None, waits: Waits | None = None) -> m.ShuffleCompleted:
    """Load and shuffle a deck; somebody puts it into the feeder, where none has been loaded yet.

    A deck that comes back out on the way is loaded and shuffled again. Of a shoe, whose decks were shuffled elsewhere,
    it is told how many cards it has, and nothing else.
    """
    waits = waits or Waits()
    info = client.ask(m.GetInfo(), m.Info)
    shoe = bool(info.flags & DeviceFlag.SHOE)
    loaded: m.Event | None = None
    if shoe or client.ask(m.GetStatus(), m.Status).infeed is not InfeedState.LOADED:
        _call(client, m.Load(), waits)
        loaded = _wait(client, (m.DeckLoaded,), waits)
    if shoe:
        assert isinstance(loaded, m.DeckLoaded)
        return _of_a_shoe(loaded, info)
    while True:
        _call(client, m.Shuffle(nonce=os.urandom(16)), waits)
        event = _wait(client, (m.ShuffleCompleted, m.DeckLoaded), waits, progress)
        if isinstance(event, m.ShuffleCompleted):
            return event


def _of_a_shoe(loaded: m.DeckLoaded, info: m.Info) -> m.ShuffleCompleted:
    return m.ShuffleCompleted(
        number=loaded.number,
        time_ms=loaded.time_ms,
        shuffle=0,
        count=loaded.count,
        game=0,
        kind=CommitKind.NOTHING,
        flags=info.flags,
        nonce=b"",
        root=bytes(32),
    )


def deal_round(
    client: Client, number: int, seats: tuple[int, ...], shuffled: m.ShuffleCompleted, waits: Waits | None = None
) -> Iterator[Dealt]:
    """Deal a round from a shuffled deck; gives the state of the table after each group, the dealer's named last."""
    waits = waits or Waits()
    dealt = Dealt(number, shuffled)
    _call(client, m.BeginRound(round=number, seats=seats_mask(seats)), waits)
    groups = client.ask(m.GetStatus(), m.Status).groups
    _call(client, m.DealGroup(round=number, groups=0), waits)
    withheld = 0
    for _ in range(groups):
        removed = _wait(client, (m.GroupRemoved,), waits)
        assert isinstance(removed, m.GroupRemoved)
        withheld += removed.withheld
        if not removed.withheld:
            _take(client, dealt, removed.seat, removed.opening)
        yield dealt
    _call(client, m.CloseDecisions(round=number), waits)
    for _ in range(withheld):
        disclosed = _wait(client, (m.HandDisclosed,), waits)
        assert isinstance(disclosed, m.HandDisclosed)
        _take(client, dealt, DEALER_SEAT, disclosed.opening)
    yield dealt
    _call(client, m.EjectStub(), waits)
    stub = _wait(client, (m.StubRemoved,), waits)
    assert isinstance(stub, m.StubRemoved)
    dealt.stub = stub.count
    yield dealt


def _take(client: Client, dealt: Dealt, seat: int, opening: m.Opening) -> None:
    """Note a hand, or one more card of it, and check that it is what the shuffle was committed to."""
    dealt.first.setdefault(seat, opening.first)
    dealt.hands[seat] = dealt.hands.get(seat, ()) + opening.cards
    dealt.places[seat] = dealt.places.get(seat, ()) + opening.places
    shuffled, welcome = dealt.shuffled, client.welcome
    if shuffled.kind is CommitKind.NOTHING or welcome is None:
        return
    context = Context(
        serial=welcome.serial,
        epoch=welcome.epoch,
        shuffle=shuffled.shuffle,
        game=shuffled.game,
        count=shuffled.count,
        nonce=shuffled.nonce,
    )
    dealt.verified = dealt.verified and opens(context, shuffled.root, opening)


def _call(client: Client, command: m.Message, waits: Waits) -> None:
    """Send a command; while a fault holds the machine, wait until it is mended."""
    waits.begin()
    while True:
        try:
            client.call(command)
            return
        except Refused as refused:
            if refused.code is not ErrorCode.FAULTED:
                raise
            waits.look(f"the device has a fault, {refused.text}")
        time.sleep(POLL_S)


def _held(client: Client) -> str:
    """The fault that the device's status names, or nothing."""
    status = client.ask(m.GetStatus(), m.Status)
    faulted = status.fault is not FaultState.CLEAR
    return f"the device has a fault, {status.fault_code.name}: see its display" if faulted else ""


def _wait(
    client: Client, kinds: tuple[type[m.Event], ...], waits: Waits, progress: Progress | None = None
) -> m.Event:
    """The next event of these kinds; a fault on the way is waited for until it is mended, a misdeal ends the round."""
    waits.begin()
    standing: dict[FaultCode, str] = {}
    quiet, held = 0, ""
    while True:
        event = client.next_event(POLL_S)
        if event is None:
            quiet += 1
            if client.connected and not standing and not quiet % LOOK_EVERY:
                held = _held(client)  # with a full memory it can't even tell that it has stopped
            waited_for = next(iter(standing.values()), held or WAITS_FOR[kinds[0]])
            waits.look(waited_for if client.connected else client.connection.waits_for)
            continue
        quiet, held = 0, ""
        waits.begin()
        if 0 < event.number <= waits.past:
            continue
        match event:
            case m.ShuffleProgressed() if progress is not None:
                progress(event)
            case m.FaultRaised(code=code, place=place):
                standing[code] = f"the device stopped: {code.name} at {place.name}; its display says what to do"
            case m.FaultCleared(code=code):
                standing.pop(code, None)
            case m.Misdealt(reason=reason, group=group):
                raise RoundVoid(f"misdeal at group {group}: {reason.name}")
        if isinstance(event, kinds):
            return event
