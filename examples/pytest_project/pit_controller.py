"""A small table controller, as a house might have it: it deals rounds and calls the pit when the shuffler stops."""

from collections.abc import Callable
from dataclasses import dataclass, field

from protocol import messages as m
from protocol.cards import card_name
from shuffler import Client, Refused

WAIT_S = 30.0


@dataclass
class Round:
    """What came of one round."""

    hands: dict[int, str] = field(default_factory=dict)
    void: str = ""


class PitController:
    """One shuffler on one port."""

    def __init__(self, client: Client, call_the_pit: Callable[[str], None]) -> None:
        self._client = client
        self._call_the_pit = call_the_pit

    def deal(self, seats: int) -> Round:
        """A round to seats 1 to `seats`."""
        status = self._client.ask(m.GetStatus(), m.Status)
        while status.power.name != "ON":
            self._client.next_event(0.1)
            status = self._client.ask(m.GetStatus(), m.Status)
        self._do(m.Load())
        self._next(m.DeckLoaded)
        self._do(m.Shuffle(nonce=bytes(16)))
        self._next(m.ShuffleCompleted)
        number, dealt = status.round + 1, Round()
        self._do(m.BeginRound(round=number, seats=(1 << seats) - 1))
        self._do(m.DealGroup(round=number, groups=0))
        for _ in range(seats + 1):
            event = self._next(m.GroupRemoved, m.Misdealt)
            if isinstance(event, m.Misdealt):
                dealt.void = event.reason.name
                return dealt
            dealt.hands[event.seat] = " ".join(map(card_name, event.opening.cards))
        self._do(m.CloseDecisions(round=number))
        dealt.hands[0] = " ".join(map(card_name, self._next(m.HandDisclosed).opening.cards))
        self._do(m.EjectStub())
        self._next(m.StubRemoved)
        return dealt

    def _do(self, command: m.Message) -> None:
        while True:
            try:
                self._client.call(command)
                return
            except Refused as refused:
                if refused.code.name != "FAULTED":
                    raise
                self._next(m.FaultCleared)

    def _next(self, *kinds: type[m.Event]) -> m.Event:
        while (event := self._client.next_event(WAIT_S)) is not None:
            if isinstance(event, m.FaultRaised):
                self._call_the_pit(event.code.name)
            if isinstance(event, kinds):
                return event
        raise TimeoutError(f"no {' or '.join(kind.__name__ for kind in kinds)} in {WAIT_S:g} s")
