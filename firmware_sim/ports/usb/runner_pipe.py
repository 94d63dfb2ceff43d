"""Joins a running device to a USB serial port: the same runner that TCP and pseudo-terminals use, behind a byte pipe.

The runner belongs to its event loop's thread. A USB host side may live in that thread (USB/IP) or in any other (pyusb):
what comes from another thread is carried over, in order.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable

from firmware_sim.ports.cable import Cable
from firmware_sim.ports.runner import DeviceRunner

# Beyond these the port takes no more bytes, and the host's writes wait: replies nobody reads, bytes not yet carried.
UNSENT_MAX = 65536
UNCARRIED_MAX = 65536


class RunnerPipe:
    """A device with a runner, as the serial function sees it."""

    def __init__(self, runner: DeviceRunner, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._runner = runner
        self._loop = loop or asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._steps: deque[Callable[[], None]] = deque()
        self._uncarried = 0
        self._unsent = bytearray()
        self._wake: Callable[[], None] = _asleep
        self._open = False  # as the host side sees it
        self._cable = 0  # counts openings, so that a late reply of an earlier one is known as such
        self._plugged: Cable | None = None

    # ---- called by the serial function, in any thread ----------------------------------------------------------------

    def opened(self) -> None:
        with self._lock:
            self._open = True
            self._cable += 1
            self._unsent.clear()
            cable = self._cable
        self._carry(lambda: self._plug(cable))

    def closed(self) -> None:
        with self._lock:
            self._open = False
            self._unsent.clear()
        self._carry(self._pull)

    def receive(self, data: bytes) -> int:
        with self._lock:
            if len(self._unsent) > UNSENT_MAX or self._uncarried > UNCARRIED_MAX:
                return 0
            self._uncarried += len(data)
            cable = self._cable
        self._carry(lambda: self._deliver(data, cable))
        return len(data)

    def data_to_send(self, limit: int) -> bytes:
        with self._lock:
            was_full = len(self._unsent) > UNSENT_MAX
            data = bytes(self._unsent[:limit])
            del self._unsent[:limit]
            room_again = was_full and len(self._unsent) <= UNSENT_MAX
        if room_again:
            self._wake()
        return data

    def on_ready(self, wake: Callable[[], None]) -> None:
        self._wake = wake

    # ---- carrying ----------------------------------------------------------------------------------------------------

    def _carry(self, step: Callable[[], None]) -> None:
        with self._lock:
            self._steps.append(step)
        try:
            here = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            here = False
        if here:
            self._run_steps()
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._run_steps)

    def _run_steps(self) -> None:
        while True:
            with self._lock:
                if not self._steps:
                    return
                step = self._steps.popleft()
            step()

    # ---- in the loop's thread ----------------------------------------------------------------------------------------

    def _plug(self, cable: int) -> None:
        self._plugged = Cable(self._runner, lambda data: self._send(data, cable), _asleep)
        self._plugged.plug()

    def _pull(self) -> None:
        if self._plugged is not None:
            self._plugged.pull()
            self._plugged = None

    def _deliver(self, data: bytes, cable: int) -> None:
        with self._lock:
            was_full = self._uncarried > UNCARRIED_MAX
            self._uncarried -= len(data)
            room_again = was_full and self._uncarried <= UNCARRIED_MAX
        if self._plugged is not None and not self._plugged.receive(data):
            self._send(self._plugged.turned_away(), cable)
        if room_again:
            self._wake()

    def _send(self, data: bytes, cable: int) -> None:
        with self._lock:
            if not self._open or cable != self._cable:
                return
            self._unsent += data
        self._wake()


def _asleep() -> None:
    """Nobody listens yet, or any more."""
