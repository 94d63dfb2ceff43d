"""One round as a plain controller deals it, over any client: load, shuffle, deal, close, take the stub.

It has no clock: what it waits for is counted in the client's own time-outs. A fault is waited for until somebody has
mended it, a misdeal ends the round.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from protocol import messages as m
from protocol.vocabulary import DealState, DeviceFlag, ErrorCode, FaultCode, InfeedState, PowerState
from shuffler.errors import GaveUp, Refused
from shuffler.host.commands import seats_mask
from shuffler.kit.dealt_hands import DealtHands

POLL_S = 0.5


class AnyClient(Protocol):
    """`shuffler.Client`, or the kit's own in memory."""

    def call(self, command: m.Message, timeout_s: float = ...) -> Any:
        """Send a command and give its reply."""

    def next_event(self, timeout_s: float = ...) -> m.Event | None:
        """The next event in order, or None where none came in time."""


class RoundMisdealt(GaveUp):
    """The device has called a misdeal."""


class _Waiting:
    """What is left of the time for a round."""

    def __init__(self, client: AnyClient, limit_s: float) -> None:
        self._client = client
        self._left_s = limit_s
        self._limit_s = limit_s
        self._past = 0  # the last event of which the status told already: no news
        self._standing: dict[FaultCode, str] = {}

    def call(self, command: m.Message) -> Any:
        """Send a command; while a fault holds the machine, wait until it is mended."""
        while True:
            try:
                return self._client.call(command)
            except Refused as refused:
                if refused.code is not ErrorCode.FAULTED:
                    raise
                self._pause(f"the device has a fault, {refused.text}")
            self._look(self._client.next_event(POLL_S))

    def until_on(self) -> m.Status:
        """The status once the power-up self-test is over."""
        while (status := self._client.call(m.GetStatus())).power is not PowerState.ON:
            self._pause("the device is not through its power-up self-test")
            self._client.next_event(POLL_S)
        assert isinstance(status, m.Status)
        self._past = status.last_event
        return status

    def events(self, what: str) -> Iterator[m.Event]:
        """Events as they come; raises GaveUp when the time is over, RoundVoid on a misdeal."""
        while True:
            event = self._client.next_event(POLL_S)
            if event is None:
                self._pause(what)
                continue
            if not 0 < event.number <= self._past:
                self._look(event)
                yield event

    def for_one(self, kind: type[m.Event], what: str) -> Any:
        """The next event of a kind."""
        return next(event for event in self.events(what) if isinstance(event, kind))

    def _look(self, event: m.Event | None) -> None:
        match event:
            case m.Misdealt(round=number, group=group, reason=reason) if event.number > self._past:
                raise RoundMisdealt(f"round {number} is void: misdeal at group {group}, {reason.name}")
            case m.FaultRaised(code=code, place=place):
                self._standing[code] = f"the device stopped: {code.name} at {place.name}; its panel says what to do"
            case m.FaultCleared(code=code):
                self._standing.pop(code, None)

    def _pause(self, what: str) -> None:
        self._left_s -= POLL_S
        if self._left_s <= 0:
            raise GaveUp(f"no round in {self._limit_s:g} s: {next(iter(self._standing.values()), what)}")


def deal_round(client: AnyClient, seats: Sequence[int], *, nonce: bytes, limit_s: float) -> dict[int, str]:
    """Each seat's cards by name, 0 the dealer's; raises GaveUp, RoundVoid, or what the client raises."""
    waiting = _Waiting(client, limit_s)
    status = waiting.until_on()
    info = waiting.call(m.GetInfo())
    if status.deal is not DealState.READY:
        if status.infeed is not InfeedState.LOADED:
            waiting.call(m.Load())
            waiting.for_one(m.DeckLoaded, "a deck has to be put into the feeder")
        if DeviceFlag.SHOE not in info.flags:
            waiting.call(m.Shuffle(nonce=nonce))
            waiting.for_one(m.ShuffleCompleted, "the shuffle has not ended")
    number = waiting.call(m.GetStatus()).round + 1
    waiting.call(m.BeginRound(round=number, seats=seats_mask(tuple(seats))))
    groups = waiting.call(m.GetStatus()).groups
    waiting.call(m.DealGroup(round=number, groups=0))
    hands = DealtHands()
    withheld = 0
    for event in waiting.events("a hand has to be taken from the tray"):
        hands.take(event)
        if isinstance(event, m.GroupRemoved) and event.round == number:
            withheld += event.withheld
            if event.group == groups:
                break
    waiting.call(m.CloseDecisions(round=number))
    for _ in range(withheld):
        hands.take(waiting.for_one(m.HandDisclosed, "the dealer's hand has not been disclosed"))
    if DeviceFlag.SHOE not in info.flags:
        waiting.call(m.EjectStub())
        waiting.for_one(m.StubRemoved, "the stub has to be taken from the tray")
    return hands.by_seat()
