"""The device's own log: numbered lines chained by hashes, kept in non-volatile memory, the oldest dropped when full."""

from firmware_sim.program.nvstore import NvStore
from firmware_sim.program.records import LineRecord, LogRecord
from protocol import messages as m
from protocol.log_chain import chain

PAGE_BYTES = 1900  # what a page of lines may take in a frame
_LINE_BYTES = 45  # number, time, hash and length of a line


class Log:
    """Appends lines; staged in the store like everything else of a step."""

    def __init__(self, store: NvStore, capacity: int) -> None:
        self._store = store
        self._capacity = capacity
        saved: LogRecord = store.get("log", LogRecord())
        self.length, self.head = saved.length, saved.head

    def write(self, now_us: int, text: str) -> None:
        """One more line."""
        time_ms = now_us // 1000
        self.length = number = self.length + 1
        self.head = chain(self.head, number, time_ms, text)
        put = self._store.put
        put(f"log:{number}", LineRecord(time_ms=time_ms, hash=self.head, text=text))
        put("log", LogRecord(length=number, head=self.head))
        if number > self._capacity:
            put(f"log:{number - self._capacity}", None)

    @property
    def oldest(self) -> int:
        """The number of the first line that is still kept."""
        return max(1, self.length - self._capacity + 1)

    @property
    def newest_text(self) -> str:
        """What the last line says; nothing where there is none."""
        line: LineRecord | None = self._store.get(f"log:{self.length}")
        return "" if line is None else line.text

    def page(self, after: int, limit: int) -> m.LogPage:
        """Lines after a number, as many as were asked for and fit."""
        lines: list[m.LogLine] = []
        room = PAGE_BYTES
        for number in range(max(after + 1, self.oldest), self.length + 1):
            line: LineRecord = self._store.get(f"log:{number}")
            room -= _LINE_BYTES + len(line.text.encode())
            if len(lines) == limit or room < 0:
                break
            lines.append(m.LogLine(number=number, time_ms=line.time_ms, hash=line.hash, text=line.text))
        return m.LogPage(length=self.length, lines=tuple(lines))
