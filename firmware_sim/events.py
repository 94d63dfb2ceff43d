"""The event queue: numbered within a random store epoch, kept in non-volatile memory until the host has stored them."""

from collections.abc import Callable, Iterator
from typing import Any

from firmware_sim.nvstore import NvStore
from protocol import messages as m
from protocol.codec import decode_body, encode_body, number_of

CAPACITY = 512  # a seven-player round makes about 24


class EventQueue:
    """Events are staged in the store; they last, and may be sent, once the device has committed its step."""

    def __init__(self, store: NvStore, new_epoch: Callable[[], int]) -> None:
        self._store = store
        if store.get("epoch") is None:
            store.put("epoch", new_epoch() or 1)
            store.put("event:last", 0)
            store.put("event:acknowledged", 0)
        self.epoch: int = store.get("epoch")
        self.last: int = store.get("event:last")
        self.acknowledged: int = store.get("event:acknowledged")
        self._kept: dict[int, tuple[int, bytes]] = {}
        for number in range(self.acknowledged + 1, self.last + 1):
            code, body = store.get(f"event:{number}")
            self._kept[number] = code, body

    @property
    def room(self) -> int:
        """How many more events fit; dealing stops before it is none."""
        return CAPACITY - len(self._kept)

    def append(self, kind: type[m.Event], now_us: int, /, **fields: Any) -> m.Event:
        """Number an event and stage it."""
        self.last += 1
        event = kind(number=self.last, time_ms=now_us // 1000, **fields)
        code, body = number_of(event), encode_body(event)
        self._kept[self.last] = code, body
        self._store.put(f"event:{self.last}", [code, body])
        self._store.put("event:last", self.last)
        return event

    def acknowledge(self, upto: int) -> bool:
        """The host has stored these; False where it claims events that do not exist."""
        if upto > self.last:
            return False
        for number in range(self.acknowledged + 1, upto + 1):
            self._store.put(f"event:{number}", None)
            del self._kept[number]
        if upto > self.acknowledged:
            self.acknowledged = upto
            self._store.put("event:acknowledged", upto)
        return True

    def encoded_after(self, number: int) -> Iterator[tuple[int, int, bytes]]:
        """Kept events with a higher number, in order: number, catalogue number, body."""
        for later in range(max(number, self.acknowledged) + 1, self.last + 1):
            yield later, *self._kept[later]

    def after(self, number: int) -> list[m.Event]:
        """Kept events with a higher number, in order."""
        events = []
        for _, code, body in self.encoded_after(number):
            event = decode_body(code, body)
            assert isinstance(event, m.Event)
            events.append(event)
        return events
