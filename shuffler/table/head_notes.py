"""The journal's head in the device's log: after each checkpoint the newest durable one, while the device is there.

The device's head comes back with `CountersReported` at the end of every deck, which the journal keeps like any event.
"""

from protocol import messages as m
from shuffler.host.session import Answered, Connected, EventArrived, Happening
from shuffler.journal.anchors import Head
from shuffler.journal.entries import HeadAnchored


class HeadNotes:
    """One head is under way at a time; heads that a newer one has overtaken are left out."""

    def __init__(self) -> None:
        self._serial = ""
        self._told: Head | None = None  # the newest that this device was asked to note
        self._unanswered = False

    def due(self, newest: Head | None) -> m.NoteHead | None:
        """The command to send now, None where there is nothing new or one is still to be answered."""
        if newest is None or newest == self._told or self._unanswered:
            return None
        self._told, self._unanswered = newest, True
        return m.NoteHead(journal=newest.journal, record=newest.seq, hash=newest.hash)

    def take(self, happening: Happening) -> HeadAnchored | None:
        """What happened on the line; the entry to write where a head is now in the device's log.

        A command that was not answered is sent again by the session; another device gets the newest head besides.
        """
        if isinstance(happening, EventArrived):
            return None
        match happening:
            case Connected(welcome, _):
                if welcome.serial != self._serial:
                    self._serial, self._told = welcome.serial, None
            case Answered(_, m.NoteHead() as note, reply):
                self._unanswered = False
                if isinstance(reply, m.Done):
                    return HeadAnchored(seq=note.record, head=note.hash, place=f"log of device {self._serial}")
        return None
