"""Books that nobody will read again: for soaks and benchmarks without a disk."""

from collections.abc import Sequence

from shuffler.bridge.entries import Entry
from shuffler.store import MemoryStore


class MemoryBooks(MemoryStore):
    """Counts entries and keeps none."""

    def __init__(self, instance: bytes = b"memory-books-001") -> None:
        super().__init__(instance)
        self.written = 0

    def write(self, entries: Sequence[Entry]) -> None:
        """Count them."""
        self.written += len(entries)

    def save_state(self, state: dict[str, object]) -> None:
        """Nothing here outlives the process."""
