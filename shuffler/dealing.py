"""One round from a controller's side, without a game: load, shuffle, deal every seat, close, take the stub."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from protocol import messages as m
from protocol.commitment import Context, opens
from protocol.messages import DEALER_SEAT
from protocol.vocabulary import CommitKind, PowerState
from shuffler.client import Client
from shuffler.commands import seats_mask
from shuffler.errors import ShufflerError, TimedOut

QUIET_S = 120.0
POWER_UP_S = 60.0
POLL_S = 0.1

EventT = TypeVar("EventT", bound=m.Event)
Progress = Callable[[m.ShuffleProgressed], None]


class RoundFailed(ShufflerError):
    """The device could not finish the round: a fault or a misdeal, named in the text."""


@dataclass(slots=True)
class Dealt:
    """What one round brought to the table."""

    round: int
    shuffled: m.ShuffleCompleted
    hands: dict[int, tuple[int, ...]] = field(default_factory=dict)
    stub: int = 0
    verified: bool = True


def wait_until_on(client: Client) -> m.Status:
    """The device's status once its power-up self-test is over."""
    deadline = time.monotonic() + POWER_UP_S
    while (status := client.ask(m.GetStatus(), m.Status)).power is not PowerState.ON:
        if time.monotonic() > deadline:
            raise TimedOut(f"the device did not come up in {POWER_UP_S:g} s", 0)
        client.next_event(POLL_S)
    return status


def ready_deck(client: Client, progress: Progress | None = None) -> m.ShuffleCompleted:
    """Load and shuffle a deck; the emulated dealer puts it into the tray."""
    client.call(m.Load())
    _wait(client, m.DeckLoaded)
    client.call(m.Shuffle(nonce=os.urandom(16)))
    return _wait(client, m.ShuffleCompleted, progress)


def deal_round(client: Client, number: int, seats: tuple[int, ...], shuffled: m.ShuffleCompleted) -> Iterator[Dealt]:
    """Deal a round from a shuffled deck; gives the state of the table after each group, the dealer's named last."""
    dealt = Dealt(number, shuffled)
    client.call(m.BeginRound(round=number, seats=seats_mask(seats)))
    client.call(m.DealGroup(round=number, groups=0))
    for _ in range(len(seats) + 1):
        removed = _wait(client, m.GroupRemoved)
        if not removed.withheld:
            _take(client, dealt, removed.seat, removed.opening)
        yield dealt
    client.call(m.CloseDecisions(round=number))
    disclosed = _wait(client, m.HandDisclosed)
    _take(client, dealt, DEALER_SEAT, disclosed.opening)
    yield dealt
    client.call(m.EjectStub())
    dealt.stub = _wait(client, m.StubRemoved).count
    yield dealt


def _take(client: Client, dealt: Dealt, seat: int, opening: m.Opening) -> None:
    """Note a hand and check that it is what the shuffle was committed to."""
    dealt.hands[seat] = opening.cards
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


def _wait(client: Client, kind: type[EventT], progress: Progress | None = None) -> EventT:
    """The next event of a kind; a fault or a misdeal on the way ends the round."""
    for event in client.events(QUIET_S):
        match event:
            case m.ShuffleProgressed() if progress is not None:
                progress(event)
            case m.FaultRaised(code=code, place=place):
                raise RoundFailed(f"the device stopped: {code.name} at {place.name}")
            case m.Misdealt(reason=reason, group=group):
                raise RoundFailed(f"misdeal at group {group}: {reason.name}")
        if isinstance(event, kind):
            return event
    raise TimedOut(f"no {kind.__name__} in {QUIET_S:g} s", 0)
