"""What goes into the books: each a frozen value, the same going in and coming out. `rows.py` derives the codec.

Nothing here is prose that anybody parses; `Remark` and the `reason` fields are for people.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from protocol import messages as m
from round_engine.money.ledger import Posting
from round_engine.round.operations import Operation
from round_engine.rules.ruleset import WagerName
from round_engine.table.state import TableState

# ------------------------------------------------------------------------------------------------------------ the round


@dataclass(frozen=True, slots=True)
class Operated:
    """A move at the table, and the money it moved."""

    operation: Operation
    postings: tuple[Posting, ...]


@dataclass(frozen=True, slots=True)
class OpeningPosted:
    """Money that moved when the table was opened."""

    postings: tuple[Posting, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DealtFrom:
    """Which round of which device a round of the books is dealt as; written before the device is told to deal."""

    round_id: str
    serial: str
    epoch: int
    shuffle: int
    device_round: int
    rigged: bool  # or seeded: not for anything but tests


# ----------------------------------------------------------------------------------------------------------- the device


@dataclass(frozen=True, slots=True)
class DeviceSaid:
    """An event of the device, under its key."""

    serial: str
    epoch: int
    event: m.Event


@dataclass(frozen=True, slots=True)
class EventGap:
    """Events `expected` … `found` − 1 of this device memory never came: somebody else acknowledged them."""

    serial: str
    epoch: int
    expected: int
    found: int


@dataclass(frozen=True, slots=True)
class DeviceSetBack:
    """This device memory was set back: event `stored` is in these books, the device was found at `found`."""

    serial: str
    epoch: int
    stored: int
    found: int


@dataclass(frozen=True, slots=True)
class LineLost:
    """The session with the device ended."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unplugged:
    """The device was taken away for good."""

    reason: str


@dataclass(frozen=True, slots=True)
class DeckRefused:
    """What the device said of a deck between two rounds can't be; the deck is not dealt."""

    reason: str


@dataclass(frozen=True, slots=True)
class DeviceRefused:
    """The device can't be played at this table."""

    serial: str
    reason: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A line for people."""

    round_id: str
    kind: str
    text: str


# ---------------------------------------------------------------------------------------------------------- the sitting


@dataclass(frozen=True, slots=True)
class JournalBegun:
    """The first entry: the name of the host's command numbering, and whose table it is."""

    instance: bytes
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RulesInForce:
    """The rule set that the operations from here on were played under."""

    name: str  # as `--rules` took it
    rules_id: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class TableStarted:
    """A host began to play."""

    version: str  # the program's


@dataclass(frozen=True, slots=True)
class TableStopped:
    """A host ended in good order."""

    reason: str


# ------------------------------------------------------------------------------------------------- the host's commands


@dataclass(frozen=True, slots=True)
class RequestsReserved:
    """Request ids below this one may have been used."""

    upto: int


@dataclass(frozen=True, slots=True)
class CommandKept:
    """A command whose sending the books depend on is about to be sent."""

    request: int
    command: m.Message


@dataclass(frozen=True, slots=True)
class CommandSettled:
    """Its answer is here."""

    request: int


# -------------------------------------------------------------------------------------------------------- shared meters


class MoveKind(StrEnum):
    """Why a table moves a shared meter."""

    TRANSFER = "transfer"  # what the table's own meter held above its seed when it was linked
    CONTRIBUTION = "contribution"  # the meter's and the reserve's share of a round's wagers
    AWARD = "award"  # a recorded prize, and what restarts the meter after it
    BACK_OUT = "back-out"  # an award taken back
    VOID = "void"  # a misdealt round's contribution taken back
    ENVY = "envy"  # envy bonuses, where the rules pay them from the meter
    CORRECTION = "correction"  # by hand
    RELEASE = "release"  # the round is over: reservations that it did not use are free


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterLinked:
    """From here on a wager's meter is a shared one; its own money above the seed goes with it."""

    wager: WagerName
    meter: str  # its name on the server
    table: str  # the table's name there
    transfer: int
    reserve_transfer: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterMoved:
    """The outbox: what this table did to a shared meter, in the same record as the move that did it.

    The key is (table, round, spot, kind, nth): a move that comes twice is taken once.
    """

    number: int  # in this journal, from 1, without a hole
    meter: str
    round_id: str
    spot: int  # 0 where it is the whole table's
    kind: MoveKind
    nth: int  # of this kind at this spot in this round; an award that is backed out can be keyed again
    change: int  # cents; for an award the prize taken off and the restart put on
    reserve_change: int
    prize: int = 0
    seed: int = 0
    from_reserve: int = 0
    ticket: int = 0  # the reservation that an award is paid from


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardAsked:
    """The server is asked to reserve awards of this round once this lasts; all in the order of the spots."""

    meter: str
    round_id: str
    spots: tuple[int, ...]
    nths: tuple[int, ...]  # the number of each award at its spot in the round
    percents: tuple[int, ...]  # of the meter


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardFixed:
    """The server has fixed a prize and holds it for this round."""

    meter: str
    round_id: str
    spot: int
    ticket: int
    prize: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterTotal:
    """All that this journal has moved a shared meter by."""

    meter: str
    change: int
    reserve_change: int


# ----------------------------------------------------------------------------------------------------------- the trust


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceStore:
    """How far the books are with one device memory."""

    serial: str
    epoch: int
    newest_event: int
    last_round: int  # the device's number of the last round dealt from it; 0 for none


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts since the journal began."""

    rounds: int = 0
    settled: int = 0
    void: int = 0
    groups: int = 0
    gaps: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """Everything that a table between two rounds goes on from; a replay must lead to the same."""

    table: TableState
    instance: bytes
    settings: Mapping[str, str]
    rules: tuple[RulesInForce, ...]  # one, or none where a program without rules wrote the books
    stores: tuple[DeviceStore, ...]
    reserved: int
    commands: tuple[CommandKept, ...]
    tally: Tally
    links: tuple[MeterLinked, ...] = ()
    moves: int = 0  # the number of the newest `MeterMoved`
    moved: tuple[MeterTotal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadSigned:
    """Ed25519 signature of the record before, over `shuffler-journal/3 head`, 00, seq (u64, low byte first), head."""

    seq: int
    head: bytes
    key: bytes  # the public key
    signature: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChanged:
    """From here on another key signs.

    `signature` is the old key's, empty if that is lost, over `shuffler-journal/3 key`, 00, the number of the record
    before (u64, low byte first), its hash and the new key.
    """

    old: bytes
    new: bytes
    signature: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadAnchored:
    """The hash of an earlier record was noted elsewhere."""

    seq: int
    head: bytes
    place: str


Entry = (
    Operated | OpeningPosted | DealtFrom | DeviceSaid | EventGap | DeviceSetBack | LineLost | Unplugged | DeckRefused
    | DeviceRefused | Remark | JournalBegun | RulesInForce | TableStarted | TableStopped
    | RequestsReserved | CommandKept | CommandSettled | Checkpoint | HeadSigned | KeyChanged | HeadAnchored
    | MeterLinked | MeterMoved | AwardAsked | AwardFixed
)  # fmt: skip
