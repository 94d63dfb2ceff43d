"""Gives a device real time and one cable: the edge between the pure device and an event loop."""

from collections.abc import Callable
from typing import Protocol

from firmware_sim.ports.clockwork import Clockwork, now
from protocol.link import HEARTBEAT_MS, SILENT_INTERVALS
from protocol.messages import Hello

HANDSHAKE_US = SILENT_INTERVALS * HEARTBEAT_MS * 1000  # for the first word after a welcome, on a cable just plugged in


class DeviceLike(Protocol):
    """What the runner drives; `firmware_sim.unit.device.Device` is one."""

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

    @property
    def has_session(self) -> bool:
        """Whether a host talks to it."""

    def yields_to(self, hello: Hello, *, young: bool) -> bool:
        """Whether its cable may be taken by another that brings this hello; `young`: it was plugged in just now."""


class DeviceRunner:
    """One device, at most one port at a time."""

    def __init__(self, device: DeviceLike, clockwork: Clockwork | None = None) -> None:
        """Devices of one loop that share a clockwork leave each other time."""
        self.device = device
        self._write: Callable[[bytes], None] | None = None
        self._let_go: Callable[[], None] = _nobody
        self._attached_at = 0
        self.due: int | None = None  # when the clockwork gives it its turn
        self._clockwork = clockwork or Clockwork()
        self._stopped = False
        self.turns = 0  # how often the device was driven: whoever shows it looks again only then
        self.unplugged = False  # the cable is out and stays out: nobody may attach
        self._arm()

    @staticmethod
    def now() -> int:
        """Microseconds on this machine's steady clock."""
        return now()

    @property
    def attached(self) -> bool:
        """Whether a port holds the device."""
        return self._write is not None

    @property
    def has_session(self) -> bool:
        """Whether a host talks to the device."""
        return self.device.has_session

    def attach(self, write: Callable[[bytes], None], let_go: Callable[[], None] | None = None) -> bool:
        """Plug a cable in; False where one is in already, or where none may be.

        `let_go` is called when another cable takes its place.
        """
        if self._write is not None or self._stopped or self.unplugged:
            return False
        self._write, self._let_go = write, let_go or _nobody
        self._attached_at = self.now()
        self.turns += 1
        return True

    def claim(self, write: Callable[[bytes], None], let_go: Callable[[], None], hello: Hello) -> bool:
        """A hello has come by another cable: it takes the place of one without a session. False where it may not."""
        young = self.now() - self._attached_at < HANDSHAKE_US
        if self._write is not None and self.device.yields_to(hello, young=young):
            before = self._let_go
            self.detach()
            before()
        return self.attach(write, let_go)

    def detach(self) -> None:
        """Pull the cable out."""
        if self._write is not None:
            self._write = None
            self.turns += 1
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
        self._clockwork.forget(self)
        self.detach()

    def _flush(self, now: int) -> None:
        self.turns += 1
        data = self.device.data_to_send(now)
        if data and self._write is not None:
            self._write(data)
        self._arm()

    def _arm(self) -> None:
        """Want a turn only where the next deadline is earlier than the turn it will have: the hot path wants none."""
        if self._stopped:
            return
        deadline = self.device.next_deadline()
        if deadline is not None and (self.due is None or deadline < self.due):
            self._clockwork.want(self, deadline)

    def turn(self) -> None:
        """The clockwork's call: what was due is done, and perhaps nothing is."""
        self.wake()


def _nobody() -> None:
    """Nobody wants to know."""
