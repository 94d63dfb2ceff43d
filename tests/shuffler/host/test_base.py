"""What both clients do: steps that yield how long they wait, driven here by hand."""

import pytest

from protocol import messages as m
from protocol.vocabulary import ErrorCode
from shuffler.errors import EventsUnread, LinkLost, LocalHostError, Refused, TimedOut, WrongReply
from shuffler.host import base
from shuffler.host.base import ClientBase
from shuffler.host.session import Answered, EventArrived
from shuffler.transports.ports import Transport

EVENT = m.DeckLoaded(number=1, time_ms=0, count=52)
OTHER = m.DoorMoved(number=2, time_ms=0, open=True)


class Clock:
    now = 0

    def __call__(self) -> int:
        return self.now


def nothing(url: str, baud: int = 0) -> Transport:
    raise AssertionError("no port is opened here")


def made() -> tuple[ClientBase, Clock]:
    clock = Clock()
    return ClientBase("x", open_port=nothing, clock=clock, pause=lambda _: None, chance=bytes), clock


def answer(client: ClientBase, reply: m.Message) -> None:
    (request,) = client._answers
    client._take([Answered(request, m.GetInfo(), reply)])


def test_a_call_waits_for_its_answer_and_returns_it() -> None:
    client, _ = made()
    steps = client._called(m.GetInfo(), 5)
    assert next(steps) == 5_000_000
    assert next(steps) == 5_000_000  # something else has happened
    answer(client, m.Done())
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value == m.Done()
    assert client._answers == {}


def test_a_refusal_and_another_reply_than_the_one_asked_for_are_errors() -> None:
    client, _ = made()
    steps = client._called(m.GetInfo(), 5)
    next(steps)
    answer(client, m.Error(code=ErrorCode.NOT_NOW, text="later"))
    with pytest.raises(Refused, match="later"):
        next(steps)
    asked = client._asked(m.GetInfo(), m.Info, 5)
    next(asked)
    answer(client, m.Done())
    with pytest.raises(WrongReply):
        next(asked)


def test_after_a_timeout_the_answer_can_still_be_waited_for() -> None:
    client, clock = made()
    steps = client._called(m.GetInfo(), 5)
    next(steps)
    clock.now = 5_000_000
    with pytest.raises(TimedOut, match=r"no answer from x in 5 s: no device answers on x") as late:
        next(steps)
    answer(client, m.Done())
    with pytest.raises(StopIteration):
        next(client._answered(late.value.request, 1))
    with pytest.raises(LocalHostError, match="its answer was read before"):
        next(client._answered(late.value.request, 1))


def test_answers_that_nobody_waits_for_are_not_kept() -> None:
    client, _ = made()
    client._take([Answered(7, m.GetInfo(), m.Done())])
    assert client._answers == {}


def test_events_come_in_order_and_others_are_passed_over() -> None:
    client, clock = made()
    steps = client._event_of(m.DoorMoved, 2)
    assert next(steps) == 2_000_000
    client._take([EventArrived(EVENT), EventArrived(OTHER)])
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value == OTHER
    again = client._event_of(m.DoorMoved, 2)
    next(again)
    clock.now = 2_000_000
    with pytest.raises(TimedOut, match="no DoorMoved from x in 2 s"):
        next(again)


def test_commands_are_refused_while_events_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "EVENT_LIMIT", 1)
    client, _ = made()
    client._take([EventArrived(EVENT), EventArrived(OTHER)])
    with pytest.raises(EventsUnread, match="2 events wait to be read"):
        next(client._submitted(m.GetInfo(), 1))


def test_a_closed_client_waits_for_nothing() -> None:
    client, _ = made()
    steps = client._called(m.GetInfo(), 5)
    next(steps)
    client._closed = True
    with pytest.raises(LinkLost, match="closed"):
        next(steps)
    with pytest.raises(StopIteration) as end:
        next(client._next_event(5))
    assert end.value.value is None
