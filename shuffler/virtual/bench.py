"""A host session and a device on one virtual clock, joined by a cable in memory: a thousand shuffles in a second.

The cable is perfect by default; a `BadCable` loses, doubles, corrupts, splits and delays what it carries. Either end
may be replaced (killed, power-cut) between steps, and the cable pulled and put back.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Protocol

from shuffler.host.session import Disconnected, Happening, HostSession

STEPS_A_POLL = 256


class DeviceEnd(Protocol):
    """What the virtual bench needs of a device; `firmware_sim.Device` is one."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class BadCable:
    """How often (0 … 1) each thing happens to each piece of data, and for how long at most it is delayed."""

    lose: float = 0.0
    duplicate: float = 0.0
    corrupt: float = 0.0
    split: float = 0.0
    delay: float = 0.0
    delay_us: int = 150_000
    latency_us: int = 500

    def carry(self, data: bytes, now: int, chance: Random) -> list[tuple[int, bytes]]:
        """What arrives of a piece of data, and when."""
        copies = 0 if chance.random() < self.lose else 2 if chance.random() < self.duplicate else 1
        arrivals: list[tuple[int, bytes]] = []
        for _ in range(copies):
            piece = data
            if chance.random() < self.corrupt:
                damaged = bytearray(piece)
                for _ in range(chance.randint(1, 8)):
                    damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
                piece = bytes(damaged)
            at = now + self.latency_us
            if chance.random() < self.delay:
                at += chance.randint(0, self.delay_us)
            if len(piece) > 1 and chance.random() < self.split:
                cut = chance.randrange(1, len(piece))
                arrivals += [(at, piece[:cut]), (at + chance.randint(0, self.latency_us), piece[cut:])]
            else:
                arrivals.append((at, piece))
        return arrivals


class VirtualBench:
    """Runs both ends until something holds; `now` is the virtual time in microseconds."""

    def __init__(
        self,
        host: HostSession,
        device: DeviceEnd,
        cable: BadCable | None = None,
        chance: Random | None = None,
        *,
        poll_us: int = 0,
    ) -> None:
        """`poll_us`: how often the line is looked at, as a USB host does; the device goes on in between."""
        self.host = host
        self.device = device
        self.now = 0
        self.capture: list[bytes] | None = None
        self._cable = cable
        self._chance = chance or Random(0)
        self._poll_us = poll_us
        self._order = 0
        self._under_way: list[tuple[int, int, bool, bytes]] = []
        self._plugged = False

    def plug(self) -> list[Happening]:
        """Put the cable in and say hello."""
        self._plugged = True
        self.host.connect(self.now)
        return self.exchange()

    def pull(self) -> None:
        """Take the cable out: what is under way is lost."""
        self._plugged = False
        self._under_way.clear()
        self.host.lose_cable()
        self.device.pull_cable()

    def replace_device(self, device: DeviceEnd) -> None:
        """The device lost its power and came back: what is under way is lost, the host is not told."""
        self.device = device
        self._under_way.clear()

    def replace_host(self, host: HostSession) -> None:
        """The host was killed and started again."""
        self.host = host
        self._under_way.clear()
        if self._plugged:
            self.host.connect(self.now)

    def step(self, until: int | None = None) -> list[Happening]:
        """Let time pass to the next thing that is due and do it, or to `until` if that is sooner.

        A lost session is opened again.
        """
        host_due, device_due = self.host.next_deadline(), self.device.next_deadline()
        due = host_due if device_due is None or (host_due is not None and host_due < device_due) else device_due
        if self._under_way and (due is None or self._under_way[0][0] < due):
            due = self._under_way[0][0]
        if until is not None and (due is None or until < due):
            self.now = max(self.now, until)
            return []
        if due is not None and due > self.now:
            self.now = due
        happenings: list[Happening] = []
        if self._under_way:
            while self._under_way and self._under_way[0][0] <= self.now:
                _, _, to_device, data = heapq.heappop(self._under_way)
                self._deliver(data, to_device, happenings)
            host_due, device_due = self.host.next_deadline(), self.device.next_deadline()
        if host_due is not None and host_due <= self.now:
            happenings += self.host.tick(self.now)
        if device_due is not None and device_due <= self.now:
            self.device.tick(self.now)
            if self._poll_us and not self._under_way:
                self._run_device(host_due, until)
        return happenings + self.exchange(happenings)

    def _run_device(self, *others: int | None) -> None:
        """Let the device alone go on until the line is looked at again, or one of the others is due."""
        end = min([self.now + self._poll_us, *(other for other in others if other is not None)])
        for _ in range(STEPS_A_POLL):
            due = self.device.next_deadline()
            if due is None or due > end or due < self.now:  # overdue: it has something to send
                return
            self.now = due
            self.device.tick(due)

    def next_due(self) -> int | None:
        """When something happens by itself; None where nothing ever will."""
        under_way = self._under_way[0][0] if self._under_way else None
        dues = (self.host.next_deadline(), self.device.next_deadline(), under_way)
        return min((due for due in dues if due is not None), default=None)

    def run(self, done: Callable[[list[Happening]], bool], *, limit_us: int = 3_600_000_000) -> None:
        """Step until `done` says so of what has happened; raises where virtual time passes the limit first."""
        end = self.now + limit_us
        happenings = self.exchange()
        while not done(happenings):
            if self.now > end or self.next_due() is None:
                raise TimeoutError(f"nothing came of it in {limit_us / 1e6:.0f} s of virtual time")
            happenings = self.step()

    def exchange(self, before: list[Happening] | None = None) -> list[Happening]:
        """Carry what both ends want to send, over a perfect cable until quiet; a lost session is opened anew."""
        happenings: list[Happening] = []
        news = [] if before is None else before
        host, device, now = self.host, self.device, self.now
        ask_host = ask_device = True
        while ask_host or ask_device:
            if news and self._plugged and Disconnected in map(type, news) and host.next_deadline() is None:
                host.connect(now)
                ask_host = True
            # An end that has heard nothing since it was asked last has nothing new to say.
            down = host.data_to_send(now) if ask_host else b""
            up = device.data_to_send(now) if ask_device else b""
            news = []
            ask_device = bool(down) and self._carry(down, True, news)
            ask_host = bool(up) and self._carry(up, False, news)
            happenings += news
        return happenings

    def _carry(self, data: bytes, to_device: bool, happenings: list[Happening]) -> bool:
        """Put data on the cable; whether it has arrived."""
        if not self._plugged:
            return False
        if self.capture is not None:
            self.capture.append(data)
        if self._cable is None:
            if to_device:
                self.device.receive(data, self.now)
            else:
                happenings += self.host.receive(data, self.now)
            return True
        for at, piece in self._cable.carry(data, self.now, self._chance):
            self._order += 1
            heapq.heappush(self._under_way, (at, self._order, to_device, piece))
        return False

    def _deliver(self, data: bytes, to_device: bool, happenings: list[Happening]) -> None:
        if to_device:
            self.device.receive(data, self.now)
        else:
            happenings += self.host.receive(data, self.now)
