"""What goes into the table core and what comes out of it: frozen values, carried out by a driver."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from protocol import messages as m
from round_engine.round.operations import BackOut, ChangeStaff, PressKey, VerifyWin
from round_engine.wagers import SpotWagers
from shuffler.host.session import Happening
from shuffler.journal.entries import Entry


class Want(Enum):
    """What the core waits for; the driver provides it."""

    DEVICE = "device"  # nothing to do but wait
    WAGERS = "wagers"  # a checked deck is ready: `CloseBetting`
    DECISIONS = "decisions"  # `Decide` for the spots in turn
    FACES = "faces"  # the device does not read cards: `EnterHand`
    METER = "meter"  # an award of a shared meter waits for its server: `go_on` from time to time
    KEYS = "keys"  # awards have to be recorded: `PressKey`, `VerifyWin` (only where `keys_by_people`)
    REVIEW = "review"  # a settled round can be changed by `BackOut` until `Reviewed` (only where `reviewed`)
    ATTENTION = "attention"  # a fault holds the machine: a person must clear it
    BACKUP = "backup"  # the machine is not fit: put the backup in its place
    ANOTHER = "another device"  # this one can't be played at all: `refusal` says why


# ------------------------------------------------------------------------------------------------------------- moves in


@dataclass(frozen=True, slots=True)
class CloseBetting:
    """The betting is over; these wagers are on the layout."""

    wagers: tuple[SpotWagers, ...]


@dataclass(frozen=True, slots=True)
class Decide:
    """A player plays or folds."""

    spot: int
    play: bool


@dataclass(frozen=True, slots=True)
class EnterHand:
    """A person names a hand that the device could not read; spot 0 is the dealer's."""

    spot: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CallMisdeal:
    """The table calls a misdeal."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reviewed:
    """Nobody changes the settled round any more."""


@dataclass(frozen=True, slots=True)
class Unplug:
    """The device is taken away for good; a half-dealt round is void."""

    why: str


@dataclass(frozen=True, slots=True)
class Silence:
    """There has been no session for too long."""


Move = (
    CloseBetting | Decide | EnterHand | PressKey | VerifyWin | BackOut | Reviewed | ChangeStaff | CallMisdeal | Unplug
    | Silence
)  # fmt: skip
Taken = Happening | Move

# --------------------------------------------------------------------------------------------------------- actions out


@dataclass(frozen=True, slots=True)
class Write:
    """Entries for the journal, durable before anything that follows is shown or sent."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Send:
    """A command for the device."""

    command: m.Message


@dataclass(frozen=True, slots=True)
class Call:
    """A person must come."""

    want: Want


Action = Write | Send | Call
Actions = Sequence[Action]
