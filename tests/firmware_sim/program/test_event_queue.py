"""The event queue: numbered within an epoch, kept until acknowledged, lasting through a power cut."""

import pytest

from firmware_sim.program.event_queue import EventQueue
from firmware_sim.program.nvstore import NvStore, VolatileMedium
from firmware_sim.program.records import UnsoundTail
from protocol import messages as m
from protocol.limits import EVENTS


def queue(store: NvStore | None = None, epoch: int = 9) -> EventQueue:
    return EventQueue(store if store is not None else NvStore(), lambda: epoch)


def numbers(events: EventQueue, after: int = 0) -> list[int]:
    return [event.number for event in events.after(after)]


def test_events_are_numbered_from_one_and_carry_the_time_in_milliseconds() -> None:
    events = queue()
    first = events.append(m.DoorMoved, 1_234_567, open=True)
    second = events.append(m.DeckLoaded, 2_000_999, count=52)
    assert first == m.DoorMoved(number=1, time_ms=1234, open=True)
    assert second == m.DeckLoaded(number=2, time_ms=2000, count=52)
    assert events.after(0) == [first, second]
    assert events.after(1) == [second]


def test_what_was_acknowledged_is_forgotten_and_the_numbers_go_on() -> None:
    store = NvStore()
    events = queue(store)
    for _ in range(5):
        events.append(m.DoorMoved, 0, open=True)
    assert events.acknowledge(3)
    assert (numbers(events), events.room) == ([4, 5], EVENTS - 2)
    assert sorted(store.keys("event:")) == ["event:4", "event:5", "event:acknowledged", "event:last"]
    assert events.append(m.DoorMoved, 0, open=False).number == 6


def test_an_old_acknowledgement_changes_nothing_and_one_of_the_future_is_refused() -> None:
    events = queue()
    for _ in range(5):
        events.append(m.DoorMoved, 0, open=True)
    events.acknowledge(3)
    assert events.acknowledge(2)
    assert events.acknowledged == 3
    assert not events.acknowledge(6)
    assert numbers(events) == [4, 5]


def test_a_power_cut_takes_what_was_not_committed_and_nothing_else() -> None:
    medium = VolatileMedium()
    store = NvStore(medium)
    events = queue(store)
    events.append(m.DoorMoved, 0, open=True)
    events.append(m.DeckLoaded, 0, count=52)
    events.acknowledge(1)
    store.commit()
    events.append(m.DoorMoved, 0, open=False)
    again = queue(NvStore(medium), epoch=77)
    assert (again.epoch, again.last, again.acknowledged) == (9, 2, 1)
    assert again.after(0) == [m.DeckLoaded(number=2, time_ms=0, count=52)]


def test_a_new_memory_has_a_new_epoch_and_never_the_epoch_zero() -> None:
    assert queue(epoch=5).epoch == 5
    assert queue(epoch=0).epoch == 1


@pytest.mark.parametrize("kept", [0, 1, EVENTS])
def test_the_room_is_what_is_left(kept: int) -> None:
    events = queue()
    for _ in range(kept):
        events.append(m.DoorMoved, 0, open=True)
    assert events.room == EVENTS - kept


def unsound(store: NvStore) -> NvStore:
    store.put("unsound", UnsoundTail(dropped=7))
    return store


def test_after_an_unsound_end_numbers_begin_anew_in_a_new_epoch() -> None:
    store = NvStore()
    queue(store, epoch=9).append(m.DoorMoved, 0, open=True)
    queue(store).acknowledge(1)
    again = queue(unsound(store), epoch=77)
    assert (again.epoch, again.last, again.acknowledged) == (77, 0, 0)
    assert again.served is again


def test_what_the_host_has_not_acknowledged_of_the_former_epoch_is_served_first() -> None:
    store = NvStore()
    before = queue(store, epoch=9)
    told = [before.append(m.DeckLoaded, 0, count=count) for count in range(3)]
    before.acknowledge(1)
    again = queue(unsound(store), epoch=77)
    store.put("unsound", None)
    new = again.append(m.DoorMoved, 0, open=True)
    again = queue(store)  # and through another power cut
    assert (again.served.epoch, again.served.last, again.served.acknowledged) == (9, 3, 1)
    assert again.served.after(0) == told[1:]
    assert again.room == EVENTS - 3
    assert not again.acknowledge(4)
    assert again.acknowledge(2)
    assert queue(store).served.after(0) == told[2:]
    assert again.acknowledge(3)
    for now in (again, queue(store)):
        assert (now.served.epoch, now.served.after(0)) == (77, [new])
    assert store.keys("former") == []


def test_an_epoch_that_the_host_was_never_shown_goes_over_into_the_next() -> None:
    store = NvStore()
    queue(store, epoch=9).append(m.DeckLoaded, 0, count=1)
    queue(unsound(store), epoch=77).append(m.DeckLoaded, 0, count=2)
    again = queue(unsound(store), epoch=88)
    assert again.served.after(0) == [m.DeckLoaded(number=1, time_ms=0, count=1)]
    assert (again.served.epoch, again.epoch) == (9, 88)
    assert again.after(0) == [m.DeckLoaded(number=1, time_ms=0, count=2)]
