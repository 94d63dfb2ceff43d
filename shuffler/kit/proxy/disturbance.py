"""What a proxy does to one direction of the line, frame by frame, from a seed. Pure: bytes and time in, bytes out.

Bytes are taken apart at the delimiters, so that each thing happens to a whole frame or to what stands between frames.
"""

import heapq
from dataclasses import dataclass, fields
from random import Random

from protocol.framing import DELIMITER, MAX_ENCODED

HELD_MAX = 4096  # pieces under way; beyond it the oldest go out at once
FLIPS_MAX = 8
KINDS = ("drop", "corrupt", "duplicate", "reorder", "delay")  # of which at most one happens to a frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Disturbance:
    """How often (0 … 1) each thing happens to a frame; at most one of the first five does."""

    drop: float = 0.0
    corrupt: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0  # behind the frame that follows it
    delay: float = 0.0
    split: float = 0.0  # in two writes, in addition to the others
    delay_us: int = 150_000  # at most
    latency_us: int = 0  # of every frame

    @classmethod
    def bad(cls, share: float) -> "Disturbance":
        """So many frames go wrong, each in one of the ways."""
        each = share / len(KINDS)
        return cls(drop=each, corrupt=each, duplicate=each, reorder=each, delay=each, split=share)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing happens to any frame."""
        return not any(getattr(self, field.name) for field in fields(self) if field.name != "delay_us")


@dataclass(slots=True)
class DisturbanceCounts:
    """What was done so far."""

    frames: int = 0
    dropped: int = 0
    corrupted: int = 0
    duplicated: int = 0
    reordered: int = 0
    delayed: int = 0
    split: int = 0

    @property
    def bad(self) -> int:
        """Frames that something happened to."""
        return self.dropped + self.corrupted + self.duplicated + self.reordered + self.delayed


class Disturbed:
    """One direction of the line."""

    def __init__(self, how: Disturbance, chance: Random) -> None:
        self.how = how
        self.counted = DisturbanceCounts()
        self._chance = chance
        self._pending = b""
        self._order = 0
        self._under_way: list[tuple[int, int, bytes]] = []
        self._behind: bytes | None = None  # waits for the frame that follows it

    def feed(self, data: bytes, now: int) -> None:
        """Bytes that have come."""
        if self.how.is_quiet and not self._under_way:
            self.counted.frames += data.count(DELIMITER) // 2
            self._send(data, now)
            return
        pieces = (self._pending + data).split(DELIMITER)
        self._pending = pieces.pop()
        for piece in pieces:
            if piece:
                self._frame(DELIMITER + piece + DELIMITER, now)
        if len(self._pending) > 2 * MAX_ENCODED:  # noise without an end: nothing of it can be a frame any more
            self._send(self._pending, now)
            self._pending = b""

    def due(self, now: int) -> list[bytes]:
        """What goes out now, each piece in a write of its own."""
        out = []
        while self._under_way and (self._under_way[0][0] <= now or len(self._under_way) > HELD_MAX):
            data = heapq.heappop(self._under_way)[2]
            if not data:  # the time of a frame that waited for another to overtake it
                data, self._behind = self._behind or b"", None
            out.append(data)
        return [data for data in out if data]

    def next_due(self) -> int | None:
        """When the next piece goes out."""
        return self._under_way[0][0] if self._under_way else None

    def clear(self) -> None:
        """The cable is out: what is under way is lost."""
        self._under_way.clear()
        self._pending, self._behind = b"", None

    def _frame(self, frame: bytes, now: int) -> None:
        how, chance, counted = self.how, self._chance, self.counted
        counted.frames += 1
        at = now + how.latency_us
        behind, self._behind = self._behind, None
        match self._drawn():
            case "drop":
                counted.dropped += 1
            case "corrupt":
                counted.corrupted += 1
                self._put(self._damaged(frame), at)
            case "duplicate":
                counted.duplicated += 1
                self._put(frame, at)
                self._put(frame, at)
            case "reorder" if behind is None:
                counted.reordered += 1
                self._behind = frame
                self._send(b"", at + how.delay_us)  # it goes by itself where none follows
            case "delay":
                counted.delayed += 1
                self._put(frame, at + chance.randint(0, how.delay_us))
            case _:
                self._put(frame, at)
        if behind is not None:
            self._put(behind, at)

    def _drawn(self) -> str:
        """What happens to the next frame; mostly nothing."""
        draw = self._chance.random()
        for kind in KINDS:
            share = getattr(self.how, kind)
            if draw < share:
                return kind
            draw -= share
        return ""

    def _damaged(self, frame: bytes) -> bytes:
        damaged = bytearray(frame)
        for _ in range(self._chance.randint(1, FLIPS_MAX)):
            damaged[self._chance.randrange(len(damaged))] ^= 1 << self._chance.randrange(8)
        return bytes(damaged)

    def _put(self, frame: bytes, at: int) -> None:
        if self._chance.random() < self.how.split:
            self.counted.split += 1
            cut = self._chance.randrange(1, len(frame))
            self._send(frame[:cut], at)
            self._send(frame[cut:], at)
        else:
            self._send(frame, at)

    def _send(self, data: bytes, at: int) -> None:
        self._order += 1
        heapq.heappush(self._under_way, (at, self._order, data))
