"""A USB device that sends back what it receives, for proofs, tests and benchmarks of the USB side alone."""

from collections.abc import Callable


class EchoPipe:
    """Sends back what it receives; holds at most `capacity` bytes."""

    def __init__(self, capacity: int = 65536) -> None:
        self._capacity = capacity
        self._held = bytearray()
        self._wake: Callable[[], None] = _asleep
        self.is_open = False

    def opened(self) -> None:
        self.is_open = True

    def closed(self) -> None:
        self.is_open = False
        self._held.clear()

    def receive(self, data: bytes) -> int:
        taken = min(len(data), self._capacity - len(self._held))
        self._held += data[:taken]
        if taken:
            self._wake()
        return taken

    def data_to_send(self, limit: int) -> bytes:
        handed = bytes(self._held[:limit])
        del self._held[:limit]
        if handed:
            self._wake()
        return handed

    def on_ready(self, wake: Callable[[], None]) -> None:
        self._wake = wake


def _asleep() -> None:
    """Nobody listens yet."""
