"""The fault desk: which faults hold the machine, what must be seen before one is cleared, when the machine goes on."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from firmware_sim.program.board import EVENT_RESERVE, FAULTS, Board
from firmware_sim.program.effects import Effects, tell
from firmware_sim.program.faults import BY_CODE, Fault, Test
from firmware_sim.program.records import FaultsRecord, StandingFault
from firmware_sim.program.states import FAULT, FaultEvent, States
from protocol import messages as m
from protocol.vocabulary import Cleared, FaultCode, FaultState


class LaneOfCards(Protocol):
    """A lane that knows which cards it should hold."""

    @property
    def strays(self) -> bool:
        """Whether there are cards in it where memory knows of none."""


class Clearance(NamedTuple):
    """A fault whose cause is gone."""

    code: FaultCode
    how: Cleared


class FaultDesk:
    """Holds the table `FAULT`; the firmware asks it before anything moves."""

    def __init__(self, board: Board, lanes: Sequence[LaneOfCards]) -> None:
        self._board = board
        self._lanes = lanes
        saved: FaultsRecord = board.store.get("faults", FaultsRecord())
        self.active: dict[FaultCode, int] = {fault.code: fault.detail for fault in saved.faults}
        self.states = States(FAULT, FaultState.FAULTED if self.active else FaultState.CLEAR)
        self.recover_at: int | None = None
        self._clearances: list[Clearance] = []
        board.held = bool(self.active)

    @property
    def state(self) -> FaultState:
        return self.states.state

    @property
    def code(self) -> FaultCode:
        """The fault that was raised first and still stands."""
        return next(iter(self.active), FaultCode.NONE)

    @property
    def row(self) -> Fault | None:
        """Its row in the catalogue."""
        return BY_CODE.get(self.code)

    @property
    def strays(self) -> bool:
        """Whether there are cards anywhere inside where memory knows of none."""
        return any(lane.strays for lane in self._lanes)

    def raise_fault(self, code: FaultCode, detail: int = 0) -> Effects:
        """Stop the machine."""
        if code in self.active:
            return []
        board, place = self._board, BY_CODE[code].place
        self.active[code] = detail
        self.recover_at = None
        self._clearances = [one for one in self._clearances if one.code is not code]
        self.states.fire(FaultEvent.RAISED)
        board.held = True
        board.count(FAULTS)
        board.write(f"fault {code.name} at {place.name} ({detail})")
        self._save()
        return [tell(m.FaultRaised, code=code, place=place, detail=detail)]

    def objection(self, code: FaultCode, how: Cleared) -> str | None:
        """Why a fault can't be called cleared so; None where it can."""
        row = BY_CODE.get(code)
        if row is None or code not in self.active:
            return f"fault {code.name} does not hold the machine"
        if how not in row.clears:
            return f"{row.panel.lower()}: {row.cure}"
        if not self._passes(row.test):
            return f"{row.test.value} is not the case yet: {row.cure}"
        return None

    def clearable(self, code: FaultCode) -> bool:
        """Whether what the fault's cure needs is seen."""
        return self._passes(BY_CODE[code].test)

    def clear(self, code: FaultCode, how: Cleared) -> bool:
        """The cause is gone; once no other fault stands the machine recovers."""
        if self.objection(code, how) is not None:
            return False
        del self.active[code]
        self._clearances.append(Clearance(code, how))
        if not self.active:
            self.states.fire(FaultEvent.CLEARED)
            takes_time = any(BY_CODE[one.code].takes_time for one in self._clearances)
            self.recover_at = self._board.now_us + (self._board.profile.timings.recover_us if takes_time else 0)
        self._save()
        return True

    def clear_all(self, how: Cleared) -> None:
        """All that can be cleared so."""
        for code in tuple(self.active):
            self.clear(code, how)

    def reconsider(self) -> None:
        """After a power-up: what was put right in the dark, or by the power-up itself, holds the machine no longer."""
        for code in tuple(self.active):
            self.clear(code, Cleared.BY_ITSELF)
            self.clear(code, Cleared.BY_POWER_CYCLE)
            if code in self.active and BY_CODE[code].test is Test.TRAY:
                self.clear(code, Cleared.BY_DEALER)

    def clear_tray(self) -> bool:
        """The tray was emptied: clear what waited for that; True where nothing else holds the machine."""
        for code in [code for code in self.active if BY_CODE[code].test is Test.TRAY]:
            self.clear(code, Cleared.BY_DEALER)
        return not self.active

    def recovered(self) -> Effects | None:
        """The motors ran free: what is cleared by that, or None where a path is still blocked and holds it again."""
        self.recover_at = None
        for one in self._clearances:
            if not self._passes(BY_CODE[one.code].test):
                self.raise_again(one.code)
                return None
        self.states.fire(FaultEvent.RECOVERED)
        self._board.held = False
        cleared: Effects = []
        for one in self._clearances:
            cleared.append(tell(m.FaultCleared, code=one.code, how=one.how))
            self._board.write(f"fault {one.code.name} cleared {one.how.name}")
        self._clearances.clear()
        self._save()
        return cleared

    def raise_again(self, code: FaultCode) -> None:
        """It was not cleared after all; the host has not been told that it was."""
        self._clearances = [one for one in self._clearances if one.code is not code]
        self.active[code] = 0
        self.states.fire(FaultEvent.RAISED)
        self._board.write(f"fault {code.name} still there")
        self._save()

    def _passes(self, test: Test) -> bool:
        machine = self._board.machine
        match test:
            case Test.PATH:
                return not machine.blocked
            case Test.DOOR:
                return not machine.door_open
            case Test.TRAY:
                return not machine.tray_occupied
            case Test.SENSOR:
                return machine.tray_sensor_answers
            case Test.HEAT:
                return not machine.hot
            case Test.SOURCE:
                return self._board.noise_passes()
            case Test.PARTS:
                return not machine.dead_parts
            case Test.EVENTS:
                return self._board.events.room >= 2 * EVENT_RESERVE
            case Test.INSIDE:
                return not machine.door_open and not self.strays
            case Test.CLOCK:
                return not machine.clock_lost
            case Test.MEMORY:
                return not self._board.memory_full
        return True

    def _save(self) -> None:
        codes = [*self.active, *(one.code for one in self._clearances)]
        standing = tuple(StandingFault(code=code, detail=self.active.get(code, 0)) for code in codes)
        self._board.store.put("faults", FaultsRecord(faults=standing))
