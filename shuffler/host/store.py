"""What the host must not lose: its command numbering, its unanswered commands, and every event it has acknowledged.

An event is stored before it is acknowledged to the device; its key is (device, epoch, number), so a replay changes
nothing. A command is stored before it is sent, so that a host that was killed can find out what became of it.
"""

from typing import Protocol

from protocol import messages as m


class HostStore(Protocol):
    """The seam behind a session; the journal is the durable one."""

    def instance(self) -> bytes:
        """Sixteen random bytes that name this command numbering."""

    def next_request(self) -> int:
        """The lowest request id not used yet."""

    def open_commands(self) -> dict[int, m.Message]:
        """Commands stored and not settled, by request id, in rising order."""

    def save_command(self, request: int, command: m.Message) -> bool:
        """A command is about to be sent; True where it must last before it is."""

    def settle_command(self, request: int, reply: m.Message) -> None:
        """Its answer is here."""

    def newest_event(self, serial: str, epoch: int) -> int:
        """The highest event number stored of that epoch; 0 for none."""

    def store_event(self, serial: str, epoch: int, event: m.Event) -> bool:
        """Store an event; False where it was there already."""

    def flush(self) -> None:
        """Make all of it last; called before anything is acknowledged or sent."""


class MemoryStore:
    """A store for hosts that keep no books: it lasts as long as the process."""

    def __init__(self, instance: bytes) -> None:
        self._instance = instance
        self._next = 1
        self._open: dict[int, m.Message] = {}
        self._newest: dict[tuple[str, int], int] = {}

    def instance(self) -> bytes:
        return self._instance

    def next_request(self) -> int:
        return self._next

    def open_commands(self) -> dict[int, m.Message]:
        return dict(self._open)

    def save_command(self, request: int, command: m.Message) -> bool:
        self._open[request] = command
        self._next = max(self._next, request + 1)
        return True

    def settle_command(self, request: int, reply: m.Message) -> None:  # noqa: ARG002
        self._open.pop(request, None)

    def newest_event(self, serial: str, epoch: int) -> int:
        return self._newest.get((serial, epoch), 0)

    def store_event(self, serial: str, epoch: int, event: m.Event) -> bool:
        if event.number <= self._newest.get((serial, epoch), 0):
            return False
        self._newest[serial, epoch] = event.number
        return True

    def flush(self) -> None:
        """Nothing here outlives the process."""
