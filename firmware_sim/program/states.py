"""The state tables of the firmware: six small machines, each total, joined by the events they send one another.

A row is an event, a column a state in the order of its enum; a cell is the next state. `NO` refuses a command in that
state, `__` lets an event that means nothing there pass. Which card moves and which message goes out is not known here.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Generic, TypeVar

from protocol.vocabulary import DealState, FaultState, InfeedState, Mode, PowerState, RoundState

State = TypeVar("State", bound=IntEnum)
Row = tuple[IntEnum | int, ...]

NO = -1  # refused: a command that this state does not take
__ = -2  # nothing: an event that changes nothing here


class PowerEvent(IntEnum):
    """What happens to the power."""

    SWITCHED_ON = 0
    TESTED = 1
    SWITCHED_OFF = 2


class InfeedEvent(IntEnum):
    """What happens to the deck that comes next; the first four are commands."""

    LOAD = 0
    SHUFFLE = 1
    SORT = 2
    READ = 3
    TAKEN_IN = 4
    SHUFFLED = 5
    VERIFIED = 6
    SORTED = 7
    WAS_READ = 8
    HANDED_OVER = 9
    SPOILED = 10
    RECOUNTED = 11
    REJECTED = 12
    ABANDONED = 13


class DealEvent(IntEnum):
    """What happens to the deck in play; the first two are commands."""

    DEAL = 0
    EJECT = 1
    ARRIVED = 2
    GROUP_OUT = 3
    DEALER_OUT = 4
    TAKEN = 5
    TAKEN_NEXT = 6
    TAKEN_LAST = 7
    STUB_OUT = 8
    STUB_TAKEN = 9
    MISDEAL = 10
    SPOILED = 11
    GONE = 12


class RoundEvent(IntEnum):
    """What happens to the round; all but ALL_OUT and BROKEN are commands."""

    BEGIN = 0
    CLOSE = 1
    VOID = 2
    ALL_OUT = 3
    BROKEN = 4


class FaultEvent(IntEnum):
    """What happens to the fault that holds the machine."""

    RAISED = 0
    CLEARED = 1
    RECOVERED = 2


class ModeEvent(IntEnum):
    """What the machine is turned to."""

    SORT = 0
    READ = 1
    SERVICE = 2
    PLAY = 3


# fmt: off
_OFF, _TEST, _ON = PowerState
POWER: Mapping[PowerEvent, Row] = {
    #                         OFF    SELF_TEST  ON
    PowerEvent.SWITCHED_ON:  (_TEST, __,        __),
    PowerEvent.TESTED:       (__,    _ON,       __),
    PowerEvent.SWITCHED_OFF: (__,    _OFF,      _OFF),
}

_EM, _LG, _LD, _SH, _VE, _ST, _SO, _RE, _RC = InfeedState
INFEED: Mapping[InfeedEvent, Row] = {
    #                         EMPTY  LOADING LOADED SHUFFLING VERIFYING STAGED SORTING READING RECOUNTING
    InfeedEvent.LOAD:        (_LG,   NO,     NO,    NO,       NO,       NO,    NO,     NO,     NO),
    InfeedEvent.SHUFFLE:     (NO,    NO,     _SH,   NO,       NO,       NO,    NO,     NO,     NO),
    InfeedEvent.SORT:        (NO,    NO,     _SO,   NO,       NO,       NO,    NO,     NO,     NO),
    InfeedEvent.READ:        (NO,    NO,     _RE,   NO,       NO,       NO,    NO,     NO,     NO),
    InfeedEvent.TAKEN_IN:    (__,    _LD,    __,    __,       __,       __,    __,     __,     __),
    InfeedEvent.SHUFFLED:    (__,    __,     __,    _VE,      __,       __,    __,     __,     __),
    InfeedEvent.VERIFIED:    (__,    __,     __,    __,       _ST,      __,    __,     __,     __),
    InfeedEvent.SORTED:      (__,    __,     __,    __,       __,       __,    _EM,    __,     __),
    InfeedEvent.WAS_READ:    (__,    __,     __,    __,       __,       __,    __,     _LD,    __),
    InfeedEvent.HANDED_OVER: (__,    __,     _EM,   __,       __,       _EM,   __,     __,     __),
    InfeedEvent.SPOILED:     (__,    __,     _RC,   _RC,      _RC,      _RC,   _RC,    _RC,    __),
    InfeedEvent.RECOUNTED:   (__,    __,     __,    __,       __,       __,    __,     __,     _LD),
    InfeedEvent.REJECTED:    (__,    __,     __,    _LG,      _LG,      __,    _LG,    _LG,    _LG),
    InfeedEvent.ABANDONED:   (__,    __,     _EM,   __,       __,       _EM,   __,     __,     __),
}

_ND, _RY, _DE, _GT, _DT, _SI, _SD, _STT, _MI = DealState
DEAL: Mapping[DealEvent, Row] = {
    #                       NO_DECK READY DELIVERING GROUP_IN_TRAY DEALER_IN_TRAY STUB_INSIDE STUB_DELIVERING STUB_IN_TRAY MISDEALT
    DealEvent.DEAL:        (NO,     _DE,  NO,        NO,           NO,            NO,         NO,             NO,          NO),
    DealEvent.EJECT:       (NO,     _SD,  NO,        NO,           NO,            _SD,        NO,             NO,          _SD),
    DealEvent.ARRIVED:     (_RY,    __,   __,        __,           __,            __,         __,             __,          __),
    DealEvent.GROUP_OUT:   (__,     __,   _GT,       __,           __,            __,         __,             __,          __),
    DealEvent.DEALER_OUT:  (__,     __,   _DT,       __,           __,            __,         __,             __,          __),
    DealEvent.TAKEN:       (__,     __,   __,        _RY,          _RY,           __,         __,             __,          __),
    DealEvent.TAKEN_NEXT:  (__,     __,   __,        _DE,          _DE,           __,         __,             __,          __),
    DealEvent.TAKEN_LAST:  (__,     __,   __,        _SI,          _SI,           __,         __,             __,          __),
    DealEvent.STUB_OUT:    (__,     __,   __,        __,           __,            __,         _STT,           __,          __),
    DealEvent.STUB_TAKEN:  (__,     __,   __,        __,           __,            __,         __,             _ND,         __),
    DealEvent.MISDEAL:     (__,     _MI,  _MI,       _MI,          _MI,           _MI,        __,             __,          __),
    DealEvent.SPOILED:     (__,     _SI,  __,        __,           __,            __,         __,             __,          __),
    DealEvent.GONE:        (__,     _ND,  __,        __,           __,            _ND,        __,             __,          _ND),
}

_NR, _DG, _DD = RoundState
ROUND: Mapping[RoundEvent, Row] = {
    #                    NO_ROUND DEALING DECIDING
    RoundEvent.BEGIN:   (_DG,     NO,     NO),
    RoundEvent.CLOSE:   (NO,      NO,     _NR),
    RoundEvent.VOID:    (NO,      _NR,    _NR),
    RoundEvent.ALL_OUT: (__,      _DD,    __),
    RoundEvent.BROKEN:  (__,      _NR,    _NR),
}

_CL, _FA, _RV = FaultState
FAULT: Mapping[FaultEvent, Row] = {
    #                      CLEAR FAULTED RECOVERING
    FaultEvent.RAISED:    (_FA,  __,     _FA),
    FaultEvent.CLEARED:    (__,   _RV,    __),
    FaultEvent.RECOVERED: (__,   __,     _CL),
}

_PL, _SR, _VD, _SE = Mode
MODE: Mapping[ModeEvent, Row] = {
    #                   PLAY  SORT VERIFY_DECK SERVICE
    ModeEvent.SORT:    (_SR,  NO,  NO,         NO),
    ModeEvent.READ:    (_VD,  NO,  NO,         NO),
    ModeEvent.SERVICE: (_SE,  NO,  NO,         NO),
    ModeEvent.PLAY:    (__,   _PL, _PL,        _PL),
}
# fmt: on


class States(Generic[State]):
    """One table and the state it is in."""

    __slots__ = ("_rows", "_states", "state")

    def __init__(self, table: Mapping[Any, Row], state: State) -> None:
        self._rows: list[Row] = [table[event] for event in sorted(table)]
        self._states: list[State] = list(type(state))
        self.state = state

    def takes(self, event: IntEnum) -> bool:
        """Whether a command is not refused here."""
        return self._rows[event][self.state] != NO

    def fire(self, event: IntEnum) -> bool:
        """Go where the table says; False where it refuses."""
        target = self._rows[event][self.state]
        if target >= 0:
            self.state = self._states[target]
        return target != NO
