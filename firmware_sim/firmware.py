"""The firmware: takes commands and signals, moves its machines by their tables, answers. No clock, chance or I/O.

A step (`execute` or `tick`) stages all its changes in the store; whoever drives it commits them and only then sends
what came out, so a power cut leaves a step done or not begun. Cards start to move strictly after the step.
"""

from collections.abc import Callable

from firmware_sim.board import POWER_UPS, Board, Shuffler
from firmware_sim.deal import Deal
from firmware_sim.desk import FaultDesk
from firmware_sim.events import EventQueue
from firmware_sim.faults import BY_CODE, Test
from firmware_sim.infeed import Infeed
from firmware_sim.machines import MODE, POWER, Machine, ModeEvent, PowerEvent
from firmware_sim.mechanism import Mechanism
from firmware_sim.nvstore import NvStore
from firmware_sim.orders import carry_out
from firmware_sim.panel import BUTTONS
from firmware_sim.profile import Profile
from firmware_sim.shuffling import any_shuffle
from firmware_sim.signals import (
    ButtonPressed,
    Call,
    DoorSensed,
    ExitPassed,
    HeatSensed,
    InfeedTouched,
    Lane,
    PassEnded,
    Sign,
    TrayTouched,
)
from firmware_sim.troubles import BROWN_OUTS
from firmware_sim.verification import Image, installed_image
from protocol import messages as m
from protocol.vocabulary import (
    Cleared,
    DealState,
    DeviceFlag,
    FaultCode,
    FaultState,
    InfeedState,
    Mode,
    Place,
    PowerState,
    PowerUpCause,
    Role,
    RoundState,
)

STABLE_US = 30_000_000  # of running in between are none

_FAULT_OF_SIGN = {
    Sign.NO_EDGE_FEEDER: FaultCode.JAM_FEEDER,
    Sign.NO_EDGE_TRANSPORT: FaultCode.JAM_TRANSPORT,
    Sign.NO_EDGE_COMPARTMENT: FaultCode.JAM_COMPARTMENT,
    Sign.NO_EDGE_EXIT: FaultCode.JAM_EXIT,
    Sign.THICK: FaultCode.DOUBLE_FEED,
    Sign.SLIPPING: FaultCode.NO_FEED,
    Sign.STALLED: FaultCode.MOTOR_STALL,
}


class Firmware:
    """The program of the device, from power-up to power-off."""

    deal_type: type[Deal] = Deal

    def __init__(
        self,
        *,
        profile: Profile,
        store: NvStore,
        events: EventQueue,
        chance: Callable[[int], bytes],
        now_us: int,
        serial: str,
        machine: Mechanism,
        shuffler: Shuffler | None = None,
        raw: Callable[[int], bytes] | None = None,
        cause: PowerUpCause = PowerUpCause.SWITCHED_ON,
        seeded: bool = False,
        memory_lost: bool = False,
        image: Image | None = None,
    ) -> None:
        self.board = board = Board(
            profile=profile,
            store=store,
            events=events,
            machine=machine,
            chance=chance,
            shuffler=shuffler if shuffler is not None else any_shuffle(chance),
            raw=raw if raw is not None else chance,
            serial=serial,
            flags=_flags(profile, seeded),
            now_us=now_us,
        )
        self.passing = board.passing
        self.watchers: list[Callable[[Firmware], None]] = []  # the control plane's, asked after each step
        self.infeed = Infeed(board)
        self.deal = self.deal_type(board)
        self.desk = FaultDesk(board)
        board.raise_fault = self.raise_fault
        board.release_tray = self._release_tray
        board.strays = self._strays
        self.mode = Machine(MODE, Mode(store.get("mode", 0)))
        self.power = Machine(POWER, PowerState.OFF)
        self.power.fire(PowerEvent.SWITCHED_ON)
        self.tested_at: int | None = now_us + profile.timings.self_test_us
        self.image = image if image is not None else installed_image(profile.name, profile.text)
        self._cause = cause
        self._memory_lost = memory_lost
        self._stable_at: int | None = None
        board.count(POWER_UPS)

    # --------------------------------------------------------------------------------------------------------- the seam

    def execute(self, command: m.Message, role: Role, now_us: int) -> m.Message:
        """Carry a command out, or refuse it with a reason; never raises for what a host sends."""
        self.board.now_us = now_us
        self.board.machine.begin_step()
        reply = carry_out(self, command, role)
        self._end_step()
        return reply

    def tick(self, now_us: int) -> None:
        """Do what is due."""
        board, infeed = self.board, self.infeed
        board.now_us = now_us
        machine = board.machine
        machine.advance(now_us)
        if self.tested_at is not None:
            if self.tested_at > now_us:
                return
            self.tested_at = None
            self._powered_up()
        while machine.signals:
            signals, machine.signals = machine.signals, []
            for signal in signals:
                _ON_SIGNAL[type(signal)](self, signal)
        if board.held:
            self._hold_on()
        if infeed.progress_at is not None and infeed.progress_at <= now_us:
            infeed.progress()
        if infeed.verify_at is not None and infeed.verify_at <= now_us:
            infeed.verify()
        if self._stable_at is not None and self._stable_at <= now_us:
            self._stable_at = None
            board.store.put("brown-outs", 0)
        self._end_step()

    def next_deadline(self) -> int | None:
        """When `tick` should come next."""
        if self.tested_at is not None:
            return self.tested_at
        board, infeed = self.board, self.infeed
        if board.machine.signals:
            return board.now_us
        first = board.machine.next_us()
        if board.held:
            first = _earlier(first, self.desk.recover_at)
            if FaultCode.EVENTS_FULL in self.desk.active and self.desk.mendable(FaultCode.EVENTS_FULL):
                return board.now_us
        if infeed.progress_at is not None:
            first = _earlier(first, infeed.progress_at)
        if infeed.verify_at is not None:
            first = _earlier(first, infeed.verify_at)
        if self._stable_at is not None:
            first = _earlier(first, self._stable_at)
        return first

    def power_off(self) -> None:
        """The power is gone: nothing runs any more, the panel is dark."""
        self.power.fire(PowerEvent.SWITCHED_OFF)

    # ---------------------------------------------------------------------------------------------------------- faults

    def raise_fault(self, code: FaultCode, place: Place | None = None, detail: int = 0) -> None:
        """Stop all motion and say why."""
        board = self.board
        if code in self.desk.active:
            return
        board.machine.stop(Lane.IN, board.now_us)
        if code is not FaultCode.CARDS_LEFT_INSIDE:
            self.infeed.hold()
        ended = board.machine.stop(Lane.OUT, board.now_us)
        self.desk.raise_fault(code, place, detail)
        if ended is not None:
            self.deal.partial(ended)

    def go_on(self) -> None:
        """The machine has recovered: what was interrupted begins anew or goes on."""
        if self.board.held:
            return
        self.deal.recheck()
        self.infeed.resume()
        if self.board.strays():
            self.raise_fault(FaultCode.CARDS_LEFT_INSIDE)

    def spoil_decks(self) -> None:
        """Hands could reach undealt cards: nothing that is shuffled may be dealt."""
        machine, now_us = self.board.machine, self.board.now_us
        machine.stop(Lane.IN, now_us)
        if (ended := machine.stop(Lane.OUT, now_us)) is not None:
            self.deal.tray += ended.seen
        self.deal.spoil()
        self.infeed.spoil()

    def _hold_on(self) -> None:
        desk = self.desk
        if FaultCode.EVENTS_FULL in desk.active and desk.mendable(FaultCode.EVENTS_FULL):
            desk.mend(FaultCode.EVENTS_FULL, Cleared.BY_ITSELF)
        if desk.recover_at is not None and desk.recover_at <= self.board.now_us and desk.recovered():
            self.go_on()

    def _release_tray(self) -> bool:
        for code in [code for code in self.desk.active if BY_CODE[code].test is Test.TRAY]:
            self.desk.mend(code, Cleared.BY_DEALER)
        return not self.desk.active

    def _strays(self) -> bool:
        """Whether there are cards where memory knows of none."""
        machine = self.board.machine
        coming = self.infeed.state in (InfeedState.EMPTY, InfeedState.LOADING) and machine.motions[Lane.IN] is None
        return (coming and machine.next_deck_inside) or (
            self.deal.state is DealState.NO_DECK and machine.play_deck_inside
        )

    # --------------------------------------------------------------------------------------------------------- signals

    def _pass_ended(self, signal: PassEnded) -> None:
        if signal.retries and signal.sign is Sign.DONE:
            self.board.write(f"{signal.work.name}: gave way after {signal.retries} retries")
        if signal.sign is Sign.DONE:
            if signal.lane is Lane.IN:
                self.infeed.ended(signal)
            else:
                self.deal.ended(signal)
        elif signal.sign is Sign.THICK:
            if signal.lane is Lane.OUT:
                self.deal.thick(signal)
            else:
                self.infeed.reject(FaultCode.DOUBLE_FEED, signal.seen)
        elif signal.lane is Lane.IN or self.deal.partial(signal):
            self.raise_fault(_FAULT_OF_SIGN[signal.sign], None, signal.seen)

    def _tray_touched(self, signal: TrayTouched) -> None:
        self.deal.touched(signal.occupied)

    def _exit_passed(self, signal: ExitPassed) -> None:
        self.deal.strayed(signal.codes)

    def _infeed_touched(self, signal: InfeedTouched) -> None:
        if signal.occupied:
            self.infeed.cards_came()
        elif self.mode.state is Mode.SORT and self.infeed.state is InfeedState.EMPTY:
            self.turn_to(ModeEvent.PLAY)  # by what the sensor saw: a quick hand lays a deck in before this is read

    def _door_sensed(self, signal: DoorSensed) -> None:
        board = self.board
        board.emit(m.DoorMoved, open=signal.open)
        board.write("door opened" if signal.open else "door closed")
        if not signal.open:
            self.desk.mend(FaultCode.DOOR_OPEN, Cleared.BY_ITSELF)
        elif self.mode.state is not Mode.SERVICE:
            self.raise_fault(FaultCode.DOOR_OPEN)
            self.spoil_decks()

    def _heat_sensed(self, signal: HeatSensed) -> None:
        if signal.hot:
            self.raise_fault(FaultCode.OVER_TEMPERATURE)
        else:
            self.desk.mend(FaultCode.OVER_TEMPERATURE, Cleared.BY_ITSELF)

    def _button_pressed(self, signal: ButtonPressed) -> None:
        command = BUTTONS.get(signal.button)
        if signal.button == "OK":
            self.desk.mend_all(Cleared.BY_DEALER)
        elif command is not None:
            self.execute(command, Role.DEALER, self.board.now_us)

    # ----------------------------------------------------------------------------------------------------------- modes

    def turn_to(self, event: ModeEvent) -> bool:
        """Change what the machine is for."""
        before = self.mode.state
        if not self.mode.fire(event):
            return False
        if self.mode.state is not before:
            self.board.store.put("mode", int(self.mode.state))
            self.board.emit(m.ModeChanged, mode=self.mode.state)
            self.board.write(f"mode {self.mode.state.name}")
        return True

    def _leave_mode(self) -> None:
        """A deck that was verified, or sorted and taken away, or given back by a fault, ends its mode."""
        mode, state = self.mode.state, self.infeed.state
        sorted_deck = state is InfeedState.SORTING or (
            state is InfeedState.EMPTY and self.board.machine.infeed_occupied
        )
        if (mode is Mode.VERIFY_DECK and state is not InfeedState.READING) or (mode is Mode.SORT and not sorted_deck):
            self.turn_to(ModeEvent.PLAY)

    def self_test(self) -> FaultCode:
        """What is wrong with the parts."""
        machine = self.board.machine
        if machine.dead_parts:
            return FaultCode.SELF_TEST_FAILED
        if not machine.tray_sensor_answers:
            return FaultCode.TRAY_SENSOR_STUCK
        return FaultCode.NONE if self.desk.source_works() else FaultCode.RANDOM_SOURCE

    # --------------------------------------------------------------------------------------------------------- private

    def _powered_up(self) -> None:
        board, store = self.board, self.board.store
        self.power.fire(PowerEvent.TESTED)
        open_round = self.deal.round if self.deal.round_state is not RoundState.NO_ROUND else 0
        boots = board.meters[POWER_UPS]
        board.machine.signals.clear()
        self._finish_hand_over()
        interrupted = self.deal.fate()
        board.emit(m.PoweredUp, boots=boots, cause=self._cause, interrupted=interrupted, round=open_round)
        board.write(f"power-up {boots}: {self._cause.name}, round {open_round} {interrupted.name.lower()}")
        self.deal.revive()
        self.infeed.revive()
        sags = store.get("brown-outs", 0) + 1 if self._cause is PowerUpCause.BROWN_OUT else 0
        store.put("brown-outs", sags)
        self._stable_at = board.now_us + STABLE_US if sags else None
        for code in self._found_at_power_up(sags):
            self.raise_fault(code)
        self.desk.reconsider()
        self.go_on()

    def _finish_hand_over(self) -> None:
        """The power went between the note that a deck is in play and its way there."""
        machine = self.board.machine
        lies_before = self.infeed.state is InfeedState.EMPTY and machine.next_deck_inside
        if self.deal.state is DealState.READY and lies_before and not machine.play_deck_inside:
            machine.hand_over()
            machine.begin_step()

    def _found_at_power_up(self, sags: int) -> list[FaultCode]:
        machine = self.board.machine
        found = []
        if self._memory_lost:
            found.append(FaultCode.MEMORY_CORRUPT)
        if (failed := self.self_test()) is not FaultCode.NONE:
            found.append(failed)
        if machine.clock_lost:
            found.append(FaultCode.CLOCK_LOST)
        if machine.door_open:
            found.append(FaultCode.DOOR_OPEN)
        if machine.hot:
            found.append(FaultCode.OVER_TEMPERATURE)
        if sags >= BROWN_OUTS:
            found.append(FaultCode.BROWN_OUT_LOOP)
        return found

    def _end_step(self) -> None:
        deal, infeed = self.deal, self.infeed
        if infeed.staged is not None and deal.may_have_a_deck and not self.board.held:
            deal.arrive(infeed.hand_over())
        if self.mode.state is not Mode.PLAY:
            self._leave_mode()
        machine = self.board.machine
        call = self._call()
        if call is not machine.call or (call is Call.ATTEND and machine.attention is not self.desk.code):
            machine.attention = self.desk.code
            machine.show(call, self.board.now_us)
        for watcher in self.watchers:
            watcher(self)

    def _call(self) -> Call:
        """What the lights should ask of the dealer."""
        state = self.deal.state
        if self.board.held and self.desk.state is FaultState.FAULTED:
            return Call.ATTEND
        if state is DealState.GROUP_IN_TRAY or state is DealState.DEALER_IN_TRAY:
            return Call.TAKE_GROUP
        if state is DealState.STUB_IN_TRAY:
            return Call.TAKE_STUB
        if state is DealState.MISDEALT and self.board.machine.tray_occupied:
            return Call.TAKE_GROUP
        if self.mode.state is Mode.SORT and self.infeed.state is InfeedState.EMPTY:
            return Call.TAKE_SORTED
        if self.deal.may_have_a_deck:
            return Call.COLLECT
        return Call.LOAD_CARDS if self.infeed.state is InfeedState.LOADING else Call.NOTHING


def _earlier(first: int | None, other: int | None) -> int | None:
    if first is None or (other is not None and other < first):
        return other
    return first


def _flags(profile: Profile, seeded: bool) -> DeviceFlag:
    flags = DeviceFlag(0)
    if profile.senses.reads_faces:
        flags |= DeviceFlag.READS_FACES
    if profile.build.recall_rounds:
        flags |= DeviceFlag.HAND_RECALL
    if profile.build.prestages:
        flags |= DeviceFlag.PRESTAGES
    if profile.is_shoe:
        flags |= DeviceFlag.SHOE
    if seeded:
        flags |= DeviceFlag.SEEDED
    return flags


_ON_SIGNAL: dict[type, Callable[..., None]] = {
    PassEnded: Firmware._pass_ended,
    TrayTouched: Firmware._tray_touched,
    InfeedTouched: Firmware._infeed_touched,
    ExitPassed: Firmware._exit_passed,
    DoorSensed: Firmware._door_sensed,
    HeatSensed: Firmware._heat_sensed,
    ButtonPressed: Firmware._button_pressed,
}
