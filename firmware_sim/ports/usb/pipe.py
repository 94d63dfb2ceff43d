"""The seam between the serial function and what speaks through it: bytes on a cable that opens and closes."""

from collections.abc import Callable
from typing import Protocol


class BytePipe(Protocol):
    """A device's end of a cable. Never blocks; what it does not take now it is offered again after a wake-up."""

    def opened(self) -> None:
        """A host opened the port (DTR rose). Nothing of an earlier cable may follow."""

    def closed(self) -> None:
        """The host closed the port, the cable was pulled or the bus was reset (DTR fell)."""

    def receive(self, data: bytes) -> int:
        """Take bytes from the host; the answer says how many, fewer than offered means: full, offer the rest later."""

    def data_to_send(self, limit: int) -> bytes:
        """Hand over at most `limit` bytes for the host; empty when there are none."""

    def on_ready(self, wake: Callable[[], None]) -> None:
        """`wake` is to be called when there are new bytes to send, or room again; from any thread, holding no lock."""
