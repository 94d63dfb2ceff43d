"""A wire to a device in memory, on a clock of its own, with a cable that may be bad."""

import heapq
from random import Random

from shuffler.virtual.bench import BadCable, DeviceEnd

MOST_STEPS = 100_000  # of one read: a device that always has something due must not hold it up for ever


class VirtualWire:
    """Reading lets the device's time pass; nothing waits in real time."""

    def __init__(self, device: DeviceEnd, cable: BadCable | None = None, seed: int = 0) -> None:
        self._device = device
        self._cable = cable or BadCable(latency_us=200)
        self._chance = Random(seed)
        self._now = 0
        self._order = 0
        self._under_way: list[tuple[int, int, bool, bytes]] = []
        self._arrived = bytearray()

    def now(self) -> int:
        return self._now

    def write(self, data: bytes) -> None:
        self._carry(data, to_device=True)
        self._settle()

    def read(self, wait_us: int) -> bytes:
        end = self._now + wait_us
        for _ in range(MOST_STEPS):
            if self._arrived:
                break
            due = self._next_due()
            if due is None or due > end:
                self._now = end
                break
            self._now = max(self._now, due)
            self._settle()
        data = bytes(self._arrived)
        self._arrived.clear()
        return data

    def reopen(self) -> None:
        self._under_way.clear()
        self._arrived.clear()
        self._device.pull_cable()

    def _next_due(self) -> int | None:
        due = [self._device.next_deadline(), self._under_way[0][0] if self._under_way else None]
        return min((one for one in due if one is not None), default=None)

    def _settle(self) -> None:
        """Deliver and do what is due now."""
        while self._under_way and self._under_way[0][0] <= self._now:
            _, _, to_device, data = heapq.heappop(self._under_way)
            if to_device:
                self._device.receive(data, self._now)
            else:
                self._arrived += data
        due = self._device.next_deadline()
        if due is not None and due <= self._now:
            self._device.tick(self._now)
        data = self._device.data_to_send(self._now)
        if data:
            self._carry(data, to_device=False)

    def _carry(self, data: bytes, *, to_device: bool) -> None:
        for at, piece in self._cable.carry(data, self._now, self._chance):
            self._order += 1
            heapq.heappush(self._under_way, (at, self._order, to_device, piece))
