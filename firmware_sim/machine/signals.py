"""Between machine and firmware: the passes that can be started, and what the sensors say. No truth crosses here."""

from enum import IntEnum
from typing import NamedTuple


class Lane(IntEnum):
    """The two ways through the machine, which run at the same time."""

    IN = 0
    OUT = 1


class Pass(IntEnum):
    """What a lane is doing."""

    INTAKE = 0  # infeed tray to stack
    SHUFFLE = 1  # stack to rack, in the order drawn
    SORT = 2  # stack to infeed tray, in factory order
    READ = 3  # past the reader, back onto the stack
    DELIVER = 4  # deck in play to output tray
    STUB = 5  # all that is left of it


class Sign(IntEnum):
    """How a pass ended, as the sensors tell it."""

    DONE = 0
    NO_EDGE_FEEDER = 1  # the feed roller turns and no card edge arrives
    NO_EDGE_TRANSPORT = 2
    NO_EDGE_COMPARTMENT = 3
    NO_EDGE_EXIT = 4
    THICK = 5  # thicker than one card
    SLIPPING = 6  # the roller slips on the card
    STALLED = 7  # the motor draws current and does not turn


class PanelCall(IntEnum):
    """What the panel's lights ask of the dealer."""

    NOTHING = 0
    LOAD_CARDS = 1
    TAKE_GROUP = 2
    TAKE_STUB = 3
    COLLECT = 4
    TAKE_SORTED = 5
    ATTEND = 6


class PassEnded(NamedTuple):
    """A lane stopped: how, after how many cards by its counter, and what the reader read of them."""

    lane: Lane
    work: Pass
    sign: Sign
    seen: int
    codes: bytes  # UNREAD where there is no reader
    wrong_backs: int = 0
    retries: int = 0


class TrayTouched(NamedTuple):
    """A hand went into the output tray and came out; is anything lying there now?"""

    occupied: bool


class InfeedTouched(NamedTuple):
    """A hand went to the infeed tray."""

    occupied: bool


class ExitPassed(NamedTuple):
    """Cards passed the exit that nothing had asked for."""

    codes: bytes


class DoorSensed(NamedTuple):
    """The door switch."""

    open: bool


class HeatSensed(NamedTuple):
    """The thermostat."""

    hot: bool


class ButtonPressed(NamedTuple):
    """A button of the front panel."""

    button: str


Signal = PassEnded | TrayTouched | InfeedTouched | ExitPassed | DoorSensed | HeatSensed | ButtonPressed
