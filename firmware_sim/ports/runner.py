"""Gives a device real time and one cable: the edge between the pure device and an event loop."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class DeviceLike(Protocol):
    """What the runner drives; `firmware_sim.device.Device` is one."""

    def receive(self, data: bytes, now: int) -> None:
        """Take bytes from the line."""

    def data_to_send(self, now: int) -> bytes:
        """Bytes that are due for the line."""

    def tick(self, now: int) -> None:
        """Let time pass."""

    def next_deadline(self) -> int | None:
        """When `tick` wants to be called."""

    def pull_cable(self) -> None:
        """The cable is out."""


class DeviceRunner:
    """One device, at most one port at a time."""

    def __init__(self, device: DeviceLike, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self.device = device
        self._loop = loop or asyncio.get_running_loop()
        self._write: Callable[[bytes], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0
        self._stopped = False
        self._arm()

    @staticmethod
    def now() -> int:
        """Microseconds on the machine's steady clock."""
        return time.monotonic_ns() // 1000

    @property
    def attached(self) -> bool:
        """Whether a port holds the device."""
        return self._write is not None

    def attach(self, write: Callable[[bytes], None]) -> bool:
        """Plug a cable in; False where one is in already."""
        if self._write is not None or self._stopped:
            return False
        self._write = write
        return True

    def detach(self) -> None:
        """Pull the cable out."""
        if self._write is not None:
            self._write = None
            self.device.pull_cable()
            self._arm()

    def receive(self, data: bytes) -> None:
        """Bytes have come in by the cable."""
        if self._stopped:
            return
        now = self.now()
        self.device.receive(data, now)
        self._flush(now)

    def wake(self) -> None:
        """Something outside the cable has changed the device: let it act on it."""
        if self._stopped:
            return
        now = self.now()
        self.device.tick(now)
        self._flush(now)

    def replace(self, device: DeviceLike) -> None:
        """The device was switched off and on: the cable stays in."""
        self.device = device
        self.wake()

    def stop(self) -> None:
        """No more time for this device."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
        self.detach()

    def _flush(self, now: int) -> None:
        data = self.device.data_to_send(now)
        if data and self._write is not None:
            self._write(data)
        self._arm()

    def _arm(self) -> None:
        """Set the timer only where the next deadline is earlier than the one it is set for: the hot path sets none."""
        if self._stopped:
            return
        deadline = self.device.next_deadline()
        if deadline is None or (self._timer is not None and self._timer_at <= deadline):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = deadline
        self._timer = self._loop.call_later(max(0, deadline - self.now()) / 1e6, self._fire)

    def _fire(self) -> None:
        self._timer = None
        deadline = self.device.next_deadline()
        now = self.now()
        if deadline is not None and deadline <= now:
            self.device.tick(now)
            self._flush(now)
        else:
            self._arm()
