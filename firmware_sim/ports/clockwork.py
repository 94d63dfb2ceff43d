"""The clock of the devices that a process serves: whoever is due has its turn, the earliest first.

A process with many devices may have more to do than time. Then the machines run late, a little each, and bytes come in
between: a host's command waits for a slice of them at most.
"""

import asyncio
import time
from heapq import heapify, heappop, heappush
from typing import Protocol

SLICE_US = 5000  # of devices' turns, after which the loop looks for bytes


def now() -> int:
    """Microseconds on this machine's steady clock."""
    return time.monotonic_ns() // 1000


class Driven(Protocol):
    """What has turns."""

    due: int | None  # when it wants its turn; None where it wants none

    def turn(self) -> None:
        """Its time has come."""


class Clockwork:
    """Gives turns; times are those of `now`."""

    def __init__(self) -> None:
        """For the running loop."""
        self._loop = asyncio.get_running_loop()
        self._queue: list[tuple[int, int, Driven]] = []
        self._count = 0  # keeps those of one deadline in order, and apart
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0
        self._running = False

    def want(self, driven: Driven, at: int) -> None:
        """Give it its turn then, and no longer at the time it has wanted before."""
        driven.due = at
        self._count += 1
        heappush(self._queue, (at, self._count, driven))
        if not self._running and (self._timer is None or at < self._timer_at):
            self._set_timer(at)

    def forget(self, driven: Driven) -> None:
        """No more turns for it, and nothing that holds on to it."""
        driven.due = None
        self._queue[:] = [entry for entry in self._queue if entry[2] is not driven]
        heapify(self._queue)

    def _set_timer(self, at: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = at
        self._timer = self._loop.call_later(max(0, at - now()) / 1e6, self._run)

    def _run(self) -> None:
        self._timer = None
        self._running = True
        queue = self._queue
        at_us = now()
        end_us = at_us + SLICE_US
        try:
            while queue and queue[0][0] <= at_us < end_us:
                due, _, driven = heappop(queue)
                if driven.due == due:  # it has not wanted another time since
                    driven.due = None
                    driven.turn()
                    at_us = now()
        finally:
            self._running = False
            if queue:
                self._set_timer(queue[0][0])
