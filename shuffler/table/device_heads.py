"""A journal held against a device's log: each holds heads of the other, so that neither can be rewritten alone."""

from collections.abc import Iterable
from dataclasses import dataclass

from protocol import messages as m
from protocol.log_chain import read_head_line
from shuffler.host.device_log import DeviceLog
from shuffler.host.printable import printable
from shuffler.journal.anchors import Head
from shuffler.journal.entries import DeviceSaid, JournalBegun
from shuffler.journal.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What the two say of each other; whether the journal has what was `noted` is asked of `verify`."""

    serial: str
    noted: tuple[Head, ...]  # heads of this journal in the log
    held: int  # heads of the log in the journal that the log has
    newer: int  # those of which the log has no line: it is older, or its end was cut
    problem: str  # a head of the log that is another one now; empty for none

    @property
    def text(self) -> str:
        """For people."""
        newest = max(head.seq for head in self.noted) if self.noted else 0
        newer = f"; {self.newer} more are newer than this copy of the log" if self.newer else ""
        return printable(
            f"the log of {self.serial} holds {len(self.noted)} heads of this journal, the newest of record {newest};"
            f" the journal holds {self.held} heads of the log{newer}"
        )


def compare(records: Iterable[Record], log: DeviceLog) -> Compared:
    """Records against a log. Of the device's heads those of its newest epoch count: an erased memory starts anew."""
    journal, epoch = b"", None
    told: list[tuple[int, m.CountersReported]] = []
    for record in records:
        for entry in record.entries:
            match entry:
                case JournalBegun(instance, _):
                    journal = instance
                case DeviceSaid(serial, said_in, event) if serial == log.serial:
                    if said_in != epoch:
                        epoch = said_in
                        told.clear()
                    if isinstance(event, m.CountersReported):
                        told.append((record.seq, event))
    notes = [note for line in log.lines if (note := read_head_line(line.text)) is not None and note.journal == journal]
    hashes = {line.number: line.hash for line in log.lines}
    last = log.lines[-1].number if log.lines else 0
    wrong = [
        f"record {seq} has another hash for line {event.log_length} of the log of {log.serial}: one was rewritten"
        for seq, event in told
        if hashes.get(event.log_length, event.log_head) != event.log_head
    ]
    return Compared(
        serial=log.serial,
        noted=tuple(Head(note.journal, note.record, note.hash) for note in notes),
        held=sum(event.log_length in hashes for _, event in told),
        newer=sum(event.log_length > last for _, event in told),
        problem=printable(wrong[0]) if wrong else "",
    )
