"""The event queue: numbered within a random store epoch, kept in non-volatile memory until the host has stored them.

Where the memory's end was unsound, numbers given after it may have been sent: a new epoch begins. Events of the former
one that the host has not acknowledged are served first, under their own epoch and numbers, so that none is lost or
told twice; only then is the host shown the new epoch.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from firmware_sim.program.nvstore import NvStore
from firmware_sim.program.records import EventRecord, FormerEpoch
from protocol import messages as m
from protocol.codec import decode_body, encoded
from protocol.limits import EVENTS


class EventStream:
    """The events of one epoch that are kept, under the keys PREFIX:N."""

    def __init__(self, store: NvStore, prefix: str, epoch: int, last: int, acknowledged: int) -> None:
        self._store = store
        self._prefix = prefix
        self.epoch = epoch
        self.last = last
        self.acknowledged = acknowledged
        self._kept: dict[int, EventRecord] = {
            number: store.get(f"{prefix}:{number}") for number in range(acknowledged + 1, last + 1)
        }

    @property
    def kept(self) -> int:
        """How many the host has not acknowledged."""
        return len(self._kept)

    def encoded_after(self, number: int) -> list[tuple[int, int, bytes]]:
        """Kept events with a higher number, in order: number, catalogue number, body."""
        found = []
        for later in range(max(number, self.acknowledged) + 1, self.last + 1):
            event = self._kept[later]
            found.append((later, event.message, event.body))
        return found

    def after(self, number: int) -> list[m.Event]:
        """Kept events with a higher number, in order."""
        events = []
        for _, code, body in self.encoded_after(number):
            event = decode_body(code, body)
            assert isinstance(event, m.Event)
            events.append(event)
        return events

    def _put(self, number: int, event: EventRecord) -> None:
        self._kept[number] = event
        self._store.put(f"{self._prefix}:{number}", event)

    def _forget(self, upto: int) -> bool:
        """The host has stored these; False where it claims events that do not exist."""
        if upto > self.last:
            return False
        for number in range(self.acknowledged + 1, upto + 1):
            self._store.put(f"{self._prefix}:{number}", None)
            del self._kept[number]
        self.acknowledged = max(self.acknowledged, upto)
        return True


class EventQueue(EventStream):
    """Events are staged in the store; they last, and may be sent, once the device has committed its step."""

    def __init__(self, store: NvStore, new_epoch: Callable[[], int]) -> None:
        unsound = store.get("unsound") is not None and store.get("epoch") is not None
        carried = _end_epoch(store) if unsound else []
        if unsound or store.get("epoch") is None:
            store.put("epoch", new_epoch() or 1)
            store.put("event:last", 0)
            store.put("event:acknowledged", 0)
        super().__init__(store, "event", store.get("epoch"), store.get("event:last"), store.get("event:acknowledged"))
        for event in carried:
            self._append(replace(event, number=self.last + 1))
        former: FormerEpoch | None = store.get("former")
        self.former = (
            EventStream(store, "former", former.epoch, former.last, former.acknowledged) if former is not None else None
        )
        self.served: EventStream = self if self.former is None else self.former  # the epoch that the host is shown now

    @property
    def room(self) -> int:
        """How many more events fit; dealing stops before it is none."""
        return EVENTS - self.kept - (self.former.kept if self.former is not None else 0)

    def append(self, event_type: type[m.Event], now_us: int, /, **fields: Any) -> m.Event:
        """Number an event and stage it."""
        event = event_type(number=self.last + 1, time_ms=now_us // 1000, **fields)
        self._append(event)
        return event

    def acknowledge(self, upto: int) -> bool:
        """The host has stored these of the epoch that is served; False where it claims events that do not exist."""
        served = self.served
        before = served.acknowledged
        if not served._forget(upto):
            return False
        if served is self:
            if upto > before:
                self._store.put("event:acknowledged", upto)
        elif served.kept:
            record = FormerEpoch(epoch=served.epoch, last=served.last, acknowledged=served.acknowledged)
            self._store.put("former", record)
        else:
            self.former, self.served = None, self
            self._store.put("former", None)
        return True

    def _append(self, event: m.Event) -> None:
        self.last = number = self.last + 1
        code, body = encoded(event)
        self._put(number, EventRecord(message=code, body=body))
        self._store.put("event:last", number)


def _end_epoch(store: NvStore) -> list[m.Event]:
    """Set aside for the host what it has not acknowledged; an epoch that it was never shown goes over into the next."""
    epoch, last, acknowledged = store.get("epoch"), store.get("event:last"), store.get("event:acknowledged")
    ended = EventStream(store, "event", epoch, last, acknowledged)
    shown = store.get("former") is None
    if shown and ended.kept:
        store.put("former", FormerEpoch(epoch=epoch, last=last, acknowledged=acknowledged))
    for number, message, body in ended.encoded_after(acknowledged):
        store.put(f"event:{number}", None)
        if shown:
            store.put(f"former:{number}", EventRecord(message=message, body=body))
    return [] if shown else ended.after(acknowledged)
