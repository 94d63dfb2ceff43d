"""The firmware: takes commands and signals, moves its machines by their tables, answers. No clock, chance or I/O.

A step (`execute` or `tick`) stages all its changes in the store; whoever drives it commits them and only then sends
what came out, so a power cut leaves a step done or not begun. Cards start to move strictly after the step.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from mypy_extensions import mypyc_attr

from firmware_sim.machine.mechanism import Mechanism
from firmware_sim.machine.profile import Profile
from firmware_sim.machine.shuffling import HandShuffled, Shuffler, any_shuffle
from firmware_sim.machine.signals import (
    ButtonPressed,
    DoorSensed,
    ExitPassed,
    HeatSensed,
    InfeedTouched,
    Lane,
    PanelCall,
    PassEnded,
    Sign,
    TrayTouched,
)
from firmware_sim.program.board import POWER_UPS, Board
from firmware_sim.program.deal import Deal
from firmware_sim.program.effects import Effects, Fail, Start, Tell
from firmware_sim.program.event_queue import EventQueue
from firmware_sim.program.fault_desk import FaultDesk
from firmware_sim.program.faults import BROWN_OUTS, BY_SIGN
from firmware_sim.program.image import Image
from firmware_sim.program.infeed import Infeed
from firmware_sim.program.nvstore import NvStore
from firmware_sim.program.orders import carry_out
from firmware_sim.program.panel import BUTTONS
from firmware_sim.program.records import UnsoundTail
from firmware_sim.program.states import MODE, POWER, ModeEvent, PowerEvent, States
from protocol import messages as m
from protocol.vocabulary import (
    Cleared,
    DealState,
    DeviceFlag,
    FaultCode,
    FaultState,
    InfeedState,
    Interrupted,
    MisdealReason,
    Mode,
    PowerState,
    PowerUpCause,
    Role,
    RoundState,
)

STABLE_US = 30_000_000  # of running in between are none


@mypyc_attr(allow_interpreted_subclasses=True)
class Firmware:
    """The program of the device, from power-up to power-off."""

    deal_type: ClassVar[type[Deal]] = Deal

    def __init__(
        self,
        *,
        profile: Profile,
        store: NvStore,
        events: EventQueue,
        chance: Callable[[int], bytes],
        noise_passes: Callable[[], bool],
        now_us: int,
        serial: str,
        machine: Mechanism,
        image: Image,
        shuffler: Shuffler | None = None,
        raw: Callable[[int], bytes] | None = None,
        prepared: Callable[[], HandShuffled] = HandShuffled,
        cause: PowerUpCause = PowerUpCause.SWITCHED_ON,
        seeded: bool = False,
        memory_lost: bool = False,
    ) -> None:
        self.board = board = Board(
            profile=profile,
            store=store,
            events=events,
            machine=machine,
            chance=chance,
            noise_passes=noise_passes,
            shuffler=shuffler if shuffler is not None else any_shuffle(chance),
            raw=raw if raw is not None else chance,
            prepared=prepared,
            serial=serial,
            flags=_flags(profile, seeded),
            now_us=now_us,
        )
        self.watchers: list[Callable[[Firmware], None]] = []  # the control plane's, asked after each step
        self._passing: tuple[m.Event, ...] = ()
        self.infeed = Infeed(board)
        self.deal = self.deal_type(board)
        self.desk = FaultDesk(board, (self.infeed, self.deal))
        self.mode = States(MODE, store.get("mode", Mode.PLAY))
        self.power = States(POWER, PowerState.OFF)
        self.power.fire(PowerEvent.SWITCHED_ON)
        self.tested_at: int | None = now_us + profile.timings.self_test_us
        self.image = image
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
            self.apply(infeed.progress())
        if infeed.verify_at is not None and infeed.verify_at <= now_us:
            self.apply(infeed.verify())
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
            if FaultCode.EVENTS_FULL in self.desk.active and self.desk.clearable(FaultCode.EVENTS_FULL):
                return board.now_us
        if infeed.progress_at is not None:
            first = _earlier(first, infeed.progress_at)
        if infeed.verify_at is not None:
            first = _earlier(first, infeed.verify_at)
        if self._stable_at is not None:
            first = _earlier(first, self._stable_at)
        return first

    def drain(self) -> tuple[m.Event, ...]:
        """The events since the last call that nobody stores."""
        drained, self._passing = self._passing, ()
        return drained

    def memory_failed(self, now_us: int) -> None:
        """Nothing lasts now: whoever drives it stops driving it until something does again."""
        self.board.now_us = now_us
        self.board.memory_full = True
        self.raise_fault(FaultCode.MEMORY_FULL)
        self._end_step()

    def memory_returned(self, now_us: int) -> None:
        """What was staged has lasted."""
        self.board.now_us = now_us
        self.board.memory_full = False
        self.desk.clear(FaultCode.MEMORY_FULL, Cleared.BY_ITSELF)

    def power_off(self) -> None:
        """The power is gone: nothing runs any more, the panel is dark."""
        self.power.fire(PowerEvent.SWITCHED_OFF)

    # --------------------------------------------------------------------------------------------------------- effects

    def apply(self, effects: Effects) -> None:
        """Do what a part asks for, in its order."""
        board = self.board
        for effect in effects:
            if isinstance(effect, Tell):
                board.emit(effect.kind, **effect.fields)
            elif isinstance(effect, Start):
                board.machine.start(effect.work, board.now_us, effect.card_us, effect.cards, effect.order)
            elif isinstance(effect, Fail):
                self.raise_fault(effect.code, effect.detail)
            else:
                self._passing += (effect.kind(number=0, time_ms=board.now_us // 1000, **effect.fields),)

    def raise_fault(self, code: FaultCode, detail: int = 0) -> None:
        """Stop all motion and say why."""
        board = self.board
        if code in self.desk.active:
            return
        board.machine.stop(Lane.IN, board.now_us)
        if code is not FaultCode.CARDS_LEFT_INSIDE:
            self.infeed.hold()
        ended = board.machine.stop(Lane.OUT, board.now_us)
        self.apply(self.desk.raise_fault(code, detail))
        if ended is not None:
            self.apply(self.deal.partial(ended))

    def go_on(self) -> None:
        """The machine has recovered: what was interrupted begins anew or goes on."""
        if self.board.held:
            return
        self.apply(self.deal.recheck())
        self.apply(self.infeed.resume())
        if self.desk.strays:
            self.raise_fault(FaultCode.CARDS_LEFT_INSIDE)

    def spoil_decks(self) -> None:
        """Hands could reach undealt cards: nothing that is shuffled may be dealt."""
        machine, now_us = self.board.machine, self.board.now_us
        machine.stop(Lane.IN, now_us)
        if (ended := machine.stop(Lane.OUT, now_us)) is not None:
            self.deal.kept.tray += ended.seen
        self.apply(self.deal.spoil())
        self.infeed.spoil()

    def _hold_on(self) -> None:
        desk = self.desk
        if FaultCode.EVENTS_FULL in desk.active and desk.clearable(FaultCode.EVENTS_FULL):
            desk.clear(FaultCode.EVENTS_FULL, Cleared.BY_ITSELF)
        if desk.recover_at is not None and desk.recover_at <= self.board.now_us:
            cleared = desk.recovered()
            if cleared is not None:
                self.apply(cleared)
                self.go_on()

    # --------------------------------------------------------------------------------------------------------- signals

    def _pass_ended(self, signal: PassEnded) -> None:
        if signal.retries and signal.sign is Sign.DONE:
            self.board.write(f"{signal.work.name}: gave way after {signal.retries} retries")
        if signal.sign is Sign.DONE:
            self.apply(self.infeed.ended(signal) if signal.lane is Lane.IN else self.deal.ended(signal))
        elif signal.sign is Sign.THICK:
            double = Fail(FaultCode.DOUBLE_FEED, signal.seen)
            self.apply(self.deal.thick(signal) if signal.lane is Lane.OUT else self.infeed.reject(double))
        else:
            fault = Fail(BY_SIGN[signal.sign], signal.seen)
            self.apply([fault] if signal.lane is Lane.IN else self.deal.broke_off(signal, fault))

    def _tray_touched(self, signal: TrayTouched) -> None:
        if not signal.occupied and self.board.held and self.desk.clear_tray():
            return  # only that held the machine: it goes on first, and finds the tray empty then
        self.apply(self.deal.touched(signal.occupied))

    def _exit_passed(self, signal: ExitPassed) -> None:
        self.apply(self.deal.strayed(signal.codes))

    def _infeed_touched(self, signal: InfeedTouched) -> None:
        if signal.occupied:
            self.apply(self.infeed.cards_came())
        elif self.mode.state is Mode.SORT and self.infeed.state is InfeedState.EMPTY:
            self.turn_to(ModeEvent.PLAY)  # by what the sensor saw: a quick hand lays a deck in before this is read

    def _door_sensed(self, signal: DoorSensed) -> None:
        board = self.board
        board.emit(m.DoorMoved, open=signal.open)
        board.write("door opened" if signal.open else "door closed")
        if not signal.open:
            self.desk.clear(FaultCode.DOOR_OPEN, Cleared.BY_ITSELF)
        elif self.mode.state is not Mode.SERVICE:
            self.raise_fault(FaultCode.DOOR_OPEN)
            self.spoil_decks()

    def _heat_sensed(self, signal: HeatSensed) -> None:
        if signal.hot:
            self.raise_fault(FaultCode.OVER_TEMPERATURE)
        else:
            self.desk.clear(FaultCode.OVER_TEMPERATURE, Cleared.BY_ITSELF)

    def _button_pressed(self, signal: ButtonPressed) -> None:
        command = BUTTONS.get(signal.button)
        if signal.button == "OK":
            self.desk.clear_all(Cleared.BY_DEALER)
        elif command is not None:
            self.execute(command, Role.DEALER, self.board.now_us)

    # ----------------------------------------------------------------------------------------------------------- modes

    def turn_to(self, event: ModeEvent) -> bool:
        """Change what the machine is for."""
        before = self.mode.state
        if not self.mode.fire(event):
            return False
        if self.mode.state is not before:
            self.board.store.put("mode", self.mode.state)
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
        return FaultCode.NONE if self.board.noise_passes() else FaultCode.RANDOM_SOURCE

    # --------------------------------------------------------------------------------------------------------- private

    def _powered_up(self) -> None:
        board, store = self.board, self.board.store
        self.power.fire(PowerEvent.TESTED)
        open_round = self.deal.kept.round if self.deal.round_state is not RoundState.NO_ROUND else 0
        boots = board.meters[POWER_UPS]
        board.machine.signals.clear()
        self._finish_hand_over()
        unsound: UnsoundTail | None = store.get("unsound")
        interrupted = self.deal.fate()
        if unsound is not None and open_round:
            interrupted = Interrupted.VOIDED
        board.emit(m.PoweredUp, boots=boots, cause=self._cause, interrupted=interrupted, round=open_round)
        board.write(f"power-up {boots}: {self._cause.name}, round {open_round} {interrupted.name.lower()}")
        self.apply(self.deal.revive())
        self.infeed.revive()
        if unsound is not None:
            self._begin_anew(unsound)
        sags = store.get("brown-outs", 0) + 1 if self._cause is PowerUpCause.BROWN_OUT else 0
        store.put("brown-outs", sags)
        self._stable_at = board.now_us + STABLE_US if sags else None
        for code in self._found_at_power_up(sags):
            self.raise_fault(code)
        self.desk.reconsider()
        self.go_on()

    def _begin_anew(self, unsound: UnsoundTail) -> None:
        """What the memory has lost may have been sent: with the epoch all ends that the host could know better."""
        board, deal = self.board, self.deal
        board.write(f"memory: {unsound.dropped} unsound bytes at its end; epoch {board.events.epoch:016x} begins")
        if deal.round_state is not RoundState.NO_ROUND:
            self.apply(deal.misdeal(MisdealReason.POWER_CUT, 0, 0))
        self.spoil_decks()
        board.store.put("unsound", None)

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
        deal.stage()
        machine = self.board.machine
        call, asked = self._call(), machine.people.asked
        if call is not asked.call or (call is PanelCall.ATTEND and asked.attention is not self.desk.code):
            machine.show(replace(asked, call=call, attention=self.desk.code), self.board.now_us)
        for watcher in self.watchers:
            watcher(self)

    def _call(self) -> PanelCall:
        """What the lights should ask of the dealer."""
        state, infeed = self.deal.state, self.infeed.state
        if self.board.held and self.desk.state is FaultState.FAULTED:
            return PanelCall.ATTEND
        if state is DealState.GROUP_IN_TRAY or state is DealState.DEALER_IN_TRAY:
            return PanelCall.TAKE_GROUP
        if state is DealState.STUB_IN_TRAY:
            return PanelCall.TAKE_STUB
        if state is DealState.MISDEALT and self.board.machine.tray_occupied:
            return PanelCall.TAKE_GROUP
        if self.mode.state is Mode.SORT and infeed is InfeedState.EMPTY:
            return PanelCall.TAKE_SORTED
        if self.deal.may_have_a_deck:
            return PanelCall.COLLECT
        return PanelCall.LOAD_CARDS if infeed is InfeedState.LOADING else PanelCall.NOTHING


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
