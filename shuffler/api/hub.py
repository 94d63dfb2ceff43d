"""What happens on the bench as one numbered stream. Pure: bounded, and a reader that falls behind is told so."""

import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

KEEP = 8192  # events
KEEP_BYTES = 24 << 20


@dataclass(frozen=True, slots=True)
class Published:
    """One event: `latest` marks those of which only the newest with the same kind and subject counts."""

    number: int
    kind: str
    subject: str
    data: str  # JSON
    latest: bool

    def to_json(self) -> dict[str, Any]:
        return {"number": self.number, "kind": self.kind, "subject": self.subject, "data": json.loads(self.data)}

    def to_sse(self) -> bytes:
        """As a server-sent event."""
        head = f"id: {self.number}\nevent: {self.kind}\n"
        return f'{head}data: {{"subject":{json.dumps(self.subject)},"data":{self.data}}}\n\n'.encode()


class Hub:
    """Keeps the newest events; whoever reads remembers a number and asks for what came after it."""

    def __init__(self, *, keep: int = KEEP, keep_bytes: int = KEEP_BYTES) -> None:
        self._events: deque[Published] = deque()
        self._keep, self._keep_bytes = keep, keep_bytes
        self._bytes = 0
        self.last = 0
        self.wakers: set[Callable[[], None]] = set()  # called after each event

    @property
    def first(self) -> int:
        """The oldest number that is still here; one more than the newest where nothing is."""
        return self._events[0].number if self._events else self.last + 1

    def publish(self, kind: str, subject: str, data: Any, *, latest: bool = False) -> int:
        """Add an event; its number."""
        self.last += 1
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        self._events.append(Published(self.last, kind, subject, text, latest))
        self._bytes += len(text)
        while len(self._events) > self._keep or (self._bytes > self._keep_bytes and len(self._events) > 1):
            self._bytes -= len(self._events.popleft().data)
        for wake in tuple(self.wakers):
            wake()
        return self.last

    def after(self, number: int, *, kinds: frozenset[str] | None = None, limit: int | None = None) -> list[Published]:
        """Events with a higher number, oldest first; of those marked `latest` only the newest of each subject."""
        found: list[Published] = []
        seen: set[tuple[str, str]] = set()
        for event in reversed(self._events):
            if event.number <= number:
                break
            if kinds is not None and event.kind not in kinds:
                continue
            if event.latest:
                if (event.kind, event.subject) in seen:
                    continue
                seen.add((event.kind, event.subject))
            found.append(event)
        found.reverse()
        return found if limit is None else found[:limit]

    def has_all_after(self, number: int) -> bool:
        """Whether nothing after this number has been forgotten."""
        return self.first <= number + 1 and number <= self.last
