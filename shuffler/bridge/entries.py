"""What goes into the books: each a frozen value that the journal writes down and reads back."""

from dataclasses import dataclass

from protocol import messages as m
from round_engine.ledger import Posting
from round_engine.operations import Operation


@dataclass(frozen=True, slots=True)
class DeviceSaid:
    """An event of the device, under its key."""

    serial: str
    epoch: int
    event: m.Event


@dataclass(frozen=True, slots=True)
class Operated:
    """A move at the table, and the money it moved."""

    operation: Operation
    postings: tuple[Posting, ...]


@dataclass(frozen=True, slots=True)
class Posted:
    """Money that moved when the table was opened."""

    postings: tuple[Posting, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """What the bridge did and why: a round tied to the device's number, a misdeal's reason, a swap."""

    kind: str
    round_id: str
    text: str


Entry = DeviceSaid | Operated | Posted | Note
