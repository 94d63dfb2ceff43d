"""The firmware: takes commands and signals, moves its machines by their tables, answers. No clock, chance or I/O.

A step (`execute` or `tick`) stages all its changes in the store; whoever drives it commits them and only then sends
what came out, so a power cut leaves a step done or not begun. Cards start to move strictly after the step.
"""

from collections.abc import Callable

from firmware_sim.board import CARDS, FAULTS, GROUPS, MISDEALS, POWER_UPS, ROUNDS, SHUFFLES, Board, Draw, Shuffler
from firmware_sim.deal import Deal
from firmware_sim.events import EventQueue
from firmware_sim.infeed import Infeed
from firmware_sim.machines import POWER, Machine, PowerEvent
from firmware_sim.mechanism import (
    Call,
    InfeedTouched,
    Lane,
    Mechanism,
    PassEnded,
    Sign,
    TrayTouched,
)
from firmware_sim.nvstore import NvStore
from firmware_sim.profile import Profile
from protocol import messages as m
from protocol.messages import GameEntry
from protocol.vocabulary import (
    DealState,
    DeviceFlag,
    ErrorCode,
    FaultCode,
    FaultState,
    InfeedState,
    Interrupted,
    Mode,
    Place,
    PowerState,
    PowerUpCause,
    Role,
    RoundState,
)

Handler = Callable[["Firmware", "m.Message"], "m.Message"]


class Firmware:
    """The program of the device, from power-up to power-off."""

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
        cause: PowerUpCause = PowerUpCause.SWITCHED_ON,
        seeded: bool = False,
    ) -> None:
        flags = _flags(profile, seeded)
        self._board = board = Board(
            profile=profile,
            store=store,
            events=events,
            machine=machine,
            chance=chance,
            shuffler=shuffler if shuffler is not None else _ideal(chance),
            serial=serial,
            flags=flags,
            now_us=now_us,
        )
        board.raise_fault = self._raise_fault
        self.passing = board.passing
        self.infeed = Infeed(board)
        self.deal = Deal(board)
        self.mode = Mode.PLAY
        self._cause = cause
        self._power = Machine(POWER, PowerState.OFF)
        self._power.fire(PowerEvent.SWITCHED_ON)
        self._tested_at: int | None = now_us + profile.timings.self_test_us
        board.count(POWER_UPS)

    # --------------------------------------------------------------------------------------------------------- the seam

    def execute(self, command: m.Message, role: Role, now_us: int) -> m.Message:
        """Carry a command out, or refuse it with a reason; never raises for what a host sends."""
        self._board.now_us = now_us
        if isinstance(command, m.GetStatus):
            return self._status(role)
        handler = _HANDLERS.get(type(command))
        if handler is None:
            return _no(ErrorCode.UNSUPPORTED, f"the firmware has nothing to do with {type(command).__name__}")
        if type(command) in _MOVING and self._power.state is not PowerState.ON:
            left_ms = max(0, (self._tested_at or now_us) - now_us) // 1000
            return _no(ErrorCode.NOT_NOW, f"the power-up self-test runs for {left_ms} ms more: wait for PoweredUp")
        reply = handler(self, command)
        self._show()
        return reply

    def tick(self, now_us: int) -> None:
        """Do what is due."""
        board = self._board
        board.now_us = now_us
        board.machine.advance(now_us)
        if self._tested_at is not None:
            if self._tested_at > now_us:
                return
            self._tested_at = None
            self._powered_up()
        signals = board.machine.signals
        if signals:
            taken = signals[:]
            signals.clear()
            for signal in taken:
                _ON_SIGNAL[type(signal)](self, signal)
        infeed = self.infeed
        if infeed.progress_at is not None and infeed.progress_at <= now_us:
            infeed.progress()
        if infeed.verify_at is not None and infeed.verify_at <= now_us:
            infeed.verify()
        if infeed.staged is not None and self.deal.state is DealState.NO_DECK and self._deck_may_come():
            self.deal.arrive(infeed.hand_over())
        self._show()

    def next_deadline(self) -> int | None:
        """When `tick` should come next."""
        if self._tested_at is not None:
            return self._tested_at
        if self._board.machine.signals:
            return self._board.now_us
        infeed = self.infeed
        first = self._board.machine.next_us()
        if infeed.progress_at is not None and (first is None or infeed.progress_at < first):
            first = infeed.progress_at
        if infeed.verify_at is not None and (first is None or infeed.verify_at < first):
            first = infeed.verify_at
        return first

    # --------------------------------------------------------------------------------------------------------- signals

    def _pass_ended(self, signal: PassEnded) -> None:
        if signal.sign is not Sign.DONE:
            self._raise_fault(FaultCode.JAM_FEEDER, Place.FEEDER, signal.seen)
        elif signal.lane is Lane.IN:
            self.infeed.ended(signal)
        else:
            self.deal.ended(signal)

    def _tray_touched(self, signal: TrayTouched) -> None:
        self.deal.touched(signal.occupied)

    def _infeed_touched(self, signal: InfeedTouched) -> None:
        if signal.occupied:
            self.infeed.cards_came()

    # -------------------------------------------------------------------------------------------------------- commands

    def _info(self, _: m.GetInfo) -> m.Message:
        profile = self._board.profile
        return m.Info(
            flags=self._board.flags,
            commits=profile.senses.commits,
            decks=profile.build.decks,
            deck_cards=self._board.game.deck_cards,
            model=profile.identity.model,
            serial=self._board.serial,
            firmware=profile.identity.firmware,
            profile=profile.name,
        )

    def _status(self, role: Role) -> m.Message:
        deal = self.deal
        return m.Status(
            power=self._power.state,
            infeed=self.infeed.state,
            deal=deal.state,
            round_state=deal.round_state,
            fault=FaultState.CLEAR,
            mode=self.mode,
            fault_code=FaultCode.NONE,
            game=self._board.game.game,
            round=deal.round,
            group=deal.group,
            groups=len(deal.groups),
            shuffle=deal.deck.shuffle if deal.deck is not None else 0,
            door_open=self._board.machine.door_open,
            role=role,
            last_event=self._board.events.last,
        )

    def _counters(self, _: m.GetCounters) -> m.Message:
        meters, log = self._board.meters, self._board.log
        return m.Counters(
            shuffles=meters[SHUFFLES],
            rounds=meters[ROUNDS],
            groups=meters[GROUPS],
            cards=meters[CARDS],
            misdeals=meters[MISDEALS],
            faults=meters[FAULTS],
            power_ups=meters[POWER_UPS],
            log_length=log.length,
            log_head=log.head,
        )

    def _games(self, _: m.ListGames) -> m.Message:
        return m.Games(selected=self._board.game.game, games=self._board.profile.games)

    def _select(self, command: m.SelectGame) -> m.Message:
        game = self._board.profile.game(command.game)
        if game is None:
            known = ", ".join(f"{entry.game} {entry.name}" for entry in self._board.profile.games)
            return _no(ErrorCode.OUT_OF_RANGE, f"no game {command.game} on the menu: {known}")
        if self.deal.state is not DealState.NO_DECK or self.infeed.state is not InfeedState.EMPTY:
            return _no(ErrorCode.NOT_NOW, "cards are in the machine: deal them or eject the stub first")
        self._board.choose_game(game)
        self._board.write(f"game {game.game} chosen")
        return _DONE

    def _load(self, _: m.Load) -> m.Message:
        if self.infeed.load():
            return _DONE
        return _no(ErrorCode.NOT_NOW, f"a deck is already in ({self.infeed.state.name})")

    def _shuffle(self, command: m.Shuffle) -> m.Message:
        if self._board.profile.is_shoe:
            return _no(ErrorCode.UNSUPPORTED, "a shoe deals what it is given: load cards that were shuffled elsewhere")
        if self.infeed.shuffle(command.nonce):
            return _DONE
        return _no(ErrorCode.NOT_NOW, f"no deck is loaded to be shuffled ({self.infeed.state.name}): load one first")

    def _begin(self, command: m.BeginRound) -> m.Message:
        return self.deal.begin(command.round, command.seats) or _DONE

    def _deal(self, command: m.DealGroup) -> m.Message:
        return self.deal.deal(command.round, command.groups) or _DONE

    def _close(self, command: m.CloseDecisions) -> m.Message:
        return self.deal.close(command.round) or _DONE

    def _void(self, command: m.VoidRound) -> m.Message:
        return self.deal.void(command.round) or _DONE

    def _eject(self, _: m.EjectStub) -> m.Message:
        return self.deal.eject() or _DONE

    def _recall(self, command: m.RecallHand) -> m.Message:
        return self.deal.recall(command.round, command.seat)

    def _read_stub(self, _: m.ReadStub) -> m.Message:
        return self.deal.read_stub()

    def _read_log(self, command: m.ReadLog) -> m.Message:
        return self._board.log.page(command.after, command.limit)

    # --------------------------------------------------------------------------------------------------------- private

    def _powered_up(self) -> None:
        board = self._board
        self._power.fire(PowerEvent.TESTED)
        board.emit(
            m.PoweredUp,
            boots=board.meters[POWER_UPS],
            cause=self._cause,
            interrupted=Interrupted.NOTHING,
            round=self.deal.round if self.deal.round_state is not RoundState.NO_ROUND else 0,
        )
        board.write(f"power-up {board.meters[POWER_UPS]}: {self._cause.name}")

    def _deck_may_come(self) -> bool:
        return self.deal.round_state is RoundState.NO_ROUND

    def _raise_fault(self, code: FaultCode, place: Place, detail: int) -> None:
        self._board.count(FAULTS)
        self._board.emit(m.FaultRaised, code=code, place=place, detail=detail)
        self._board.write(f"fault {code.name} at {place.name} ({detail})")

    def _show(self) -> None:
        """Light what the dealer should do next."""
        deal = self.deal
        state = deal.state
        if state is DealState.GROUP_IN_TRAY or state is DealState.DEALER_IN_TRAY:
            call = Call.TAKE_GROUP
        elif state is DealState.STUB_IN_TRAY:
            call = Call.TAKE_STUB
        elif state is DealState.NO_DECK and deal.round_state is RoundState.NO_ROUND and deal.round:
            call = Call.COLLECT
        elif self.infeed.state is InfeedState.LOADING:
            call = Call.LOAD_CARDS
        else:
            call = Call.NOTHING
        machine = self._board.machine
        if call is not machine.call:
            machine.show(call, self._board.now_us)


_DONE = m.Done()


def _no(code: ErrorCode, text: str) -> m.Error:
    return m.Error(code=code, text=text)


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


def _ideal(chance: Callable[[int], bytes]) -> Shuffler:
    """Any correct shuffle: random keys, sorted; equal keys draw again."""

    def draw(cards: int, _: GameEntry) -> Draw:
        while True:
            material = chance(8 * cards)
            keys = [material[at : at + 8] for at in range(0, 8 * cards, 8)]
            if len(set(keys)) == cards:
                return Draw(sorted(range(cards), key=keys.__getitem__))

    return draw


_HANDLERS: dict[type[m.Message], Callable[..., m.Message]] = {
    m.GetInfo: Firmware._info,
    m.GetCounters: Firmware._counters,
    m.ListGames: Firmware._games,
    m.SelectGame: Firmware._select,
    m.Load: Firmware._load,
    m.Shuffle: Firmware._shuffle,
    m.BeginRound: Firmware._begin,
    m.DealGroup: Firmware._deal,
    m.CloseDecisions: Firmware._close,
    m.VoidRound: Firmware._void,
    m.EjectStub: Firmware._eject,
    m.RecallHand: Firmware._recall,
    m.ReadStub: Firmware._read_stub,
    m.ReadLog: Firmware._read_log,
}

_MOVING = {m.SelectGame, m.Load, m.Shuffle, m.BeginRound, m.DealGroup, m.CloseDecisions, m.VoidRound, m.EjectStub}

_ON_SIGNAL: dict[type, Callable[..., None]] = {
    PassEnded: Firmware._pass_ended,
    TrayTouched: Firmware._tray_touched,
    InfeedTouched: Firmware._infeed_touched,
}
