"""Slows a direction of the line to a baud rate: ten bits a byte, as 8N1 has it."""

import asyncio
import time
from collections.abc import Callable

TICK_S = 0.005
LIMIT = 1 << 20


class Pacer:
    """Takes bytes at once and gives them on no faster than the rate; `full` says when to stop reading."""

    def __init__(self, baud: int, give: Callable[[bytes], None], loop: asyncio.AbstractEventLoop) -> None:
        self._bytes_a_second = baud / 10
        self._give = give
        self._loop = loop
        self._waiting = bytearray()
        self._free_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def full(self) -> bool:
        """Whether more than the limit waits."""
        return len(self._waiting) > LIMIT

    def take(self, data: bytes) -> None:
        """Bytes for the line."""
        self._waiting += data
        if self._timer is None:
            self._free_at = max(self._free_at, time.monotonic())
            self._timer = self._loop.call_later(TICK_S, self._tick)

    def clear(self) -> None:
        """Forget what waits: the cable is out."""
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        now = time.monotonic()
        allowed = int((now - self._free_at) * self._bytes_a_second)
        if allowed > 0:
            piece = bytes(self._waiting[:allowed])
            del self._waiting[:allowed]
            self._free_at += len(piece) / self._bytes_a_second
            self._give(piece)
        self._timer = self._loop.call_later(TICK_S, self._tick) if self._waiting else None
