"""Books that nobody will read again: for soaks and benchmarks without a disk."""

from collections.abc import Callable, Sequence

from protocol import messages as m
from round_engine.table.state import TableState
from shuffler.host.store import MemoryStore
from shuffler.journal.entries import DeviceSaid, Entry


class MemoryBooks(MemoryStore):
    """Counts entries and keeps none."""

    wants_checkpoint = False
    checkpoint_head = None

    def __init__(self, instance: bytes = b"memory-books-001") -> None:
        super().__init__(instance)
        self.listeners: list[Callable[[Sequence[Entry]], None]] = []
        self.written = 0

    def write(self, entries: Sequence[Entry]) -> None:
        """Count them; nothing lasts, so who listens is told at once."""
        self.written += len(entries)
        for listener in self.listeners:
            listener(tuple(entries))

    def store_event(self, serial: str, epoch: int, event: m.Event) -> bool:
        is_new = super().store_event(serial, epoch, event)
        if is_new:
            self.write((DeviceSaid(serial, epoch, event),))
        return is_new

    def checkpoint(self, table: TableState) -> None:
        """Nothing here outlives the process."""
