"""A device's line as a serial port in memory, for a controller that takes any port object: pyserial's own methods.

`read` lets virtual time pass until bytes come or its time-out is over, so a controller that waits on its port waits
in no time at all.
"""

from collections.abc import Callable

from shuffler.virtual.bench import DeviceEnd

WAIT_MOST_S = 3600.0  # for a port without a time-out: a device that says nothing for an hour will not


class MemoryPort:
    """The controller's end of the cable."""

    def __init__(
        self,
        device: DeviceEnd,
        clock: Callable[[], int],
        set_clock: Callable[[int], None],
        *,
        timeout: float | None = None,
    ) -> None:
        """`timeout` as pyserial has it: seconds, 0 for what is there, None to wait."""
        self.timeout = timeout
        self.is_open = True
        self._device = device
        self._clock = clock
        self._set_clock = set_clock
        self._arrived = bytearray()

    @property
    def in_waiting(self) -> int:
        """Bytes that can be read at once."""
        self._collect()
        return len(self._arrived)

    def read(self, size: int = 1) -> bytes:
        """Up to so many bytes: all of them, or what has come when the time-out is over."""
        wait_s = WAIT_MOST_S if self.timeout is None else self.timeout
        end = self._clock() + int(wait_s * 1_000_000)
        self._collect()
        while len(self._arrived) < size and self._clock() < end:
            self.step(end)
        data = bytes(self._arrived[:size])
        del self._arrived[:size]
        return data

    def write(self, data: bytes) -> int:
        """All of it; the device has it when this returns."""
        if self.is_open:
            self._device.receive(bytes(data), self._clock())
            self._collect()
        return len(data)

    def flush(self) -> None:
        """Everything that was written has arrived already."""

    def reset_input_buffer(self) -> None:
        """Throw away what has come and was not read."""
        self._collect()
        self._arrived.clear()

    def close(self) -> None:
        """Pull the cable."""
        if self.is_open:
            self.is_open = False
            self._device.pull_cable()

    def step(self, until_us: int) -> None:
        """Let the next thing happen in the device, or time pass to `until_us` if that is sooner."""
        due = self._device.next_deadline()
        if due is None or due > until_us:
            self._set_clock(until_us)
        else:
            self._set_clock(max(due, self._clock()))
            self._device.tick(self._clock())
        self._collect()

    def _collect(self) -> None:
        while self.is_open and (data := self._device.data_to_send(self._clock())):
            self._arrived += data
