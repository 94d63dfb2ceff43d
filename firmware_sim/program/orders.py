"""The host's commands: each checked against power, fault and mode, then carried out or refused with what to do."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from firmware_sim.program.board import CARDS, FAULTS, GROUPS, MISDEALS, POWER_UPS, ROUNDS, SHUFFLES
from firmware_sim.program.effects import Effects, Fail
from firmware_sim.program.faults import BY_CODE, After
from firmware_sim.program.states import InfeedEvent, ModeEvent
from protocol import messages as m
from protocol.catalogue import Needs, needing
from protocol.limits import RANDOM_BYTES
from protocol.log_chain import head_line
from protocol.vocabulary import (
    Cleared,
    DealState,
    ErrorCode,
    FaultCode,
    FaultState,
    InfeedState,
    Mode,
    PowerState,
    Role,
    RoundState,
)
from randomness import RandomnessError

if TYPE_CHECKING:
    from firmware_sim.program.firmware import Firmware

DONE = m.Done()
NEED_POWER, NEED_HEALTH, NEED_PLAY = needing(Needs.POWER), needing(Needs.HEALTH), needing(Needs.PLAY)


def carry_out(firmware: "Firmware", command: m.Message, role: Role) -> m.Message:
    """The reply to a command."""
    kind = type(command)
    if kind is m.GetStatus:
        return status(firmware, role)
    handler = _HANDLERS.get(kind)
    if handler is None:
        return refusal(ErrorCode.UNSUPPORTED, f"the firmware has nothing to do with {kind.__name__}")
    if (lack := firmware.board.profile.messages.lacks.get(kind.__name__)) is not None:
        return refusal(ErrorCode.UNSUPPORTED, lack)
    if kind in NEED_POWER:
        if firmware.power.state is not PowerState.ON:
            left_ms = max(0, (firmware.tested_at or 0) - firmware.board.now_us) // 1000
            text = f"the power-up self-test runs for {left_ms} ms more: wait for PoweredUp"
            return refusal(ErrorCode.NOT_NOW, text)
        if kind in NEED_HEALTH and firmware.board.held:
            return _held(firmware)
        if kind in NEED_PLAY and firmware.mode.state is not Mode.PLAY:
            return refusal(ErrorCode.NOT_NOW, _MODE_TEXT[firmware.mode.state])
    return handler(firmware, command)


def status(firmware: "Firmware", role: Role) -> m.Status:
    """The state of each machine; never a card."""
    deal = firmware.deal
    return m.Status(
        power=firmware.power.state,
        infeed=firmware.infeed.state,
        deal=deal.state,
        round_state=deal.round_state,
        fault=firmware.desk.state,
        mode=firmware.mode.state,
        fault_code=firmware.desk.code,
        game=firmware.board.game.game,
        round=deal.kept.round,
        group=deal.kept.group,
        groups=len(deal.groups),
        shuffle=deal.deck.shuffle if deal.deck is not None else 0,
        door_open=firmware.board.machine.door_open,
        role=role,
        last_event=firmware.board.events.served.last,
    )


def refusal(code: ErrorCode, text: str) -> m.Error:
    """A command is not carried out."""
    return m.Error(code=code, text=text)


def _done(firmware: "Firmware", outcome: m.Error | Effects) -> m.Message:
    """The answer to a command that a part has refused, or taken with these effects."""
    if isinstance(outcome, m.Error):
        return outcome
    firmware.apply(outcome)
    return DONE


def _held(firmware: "Firmware") -> m.Error:
    desk = firmware.desk
    if desk.state is FaultState.RECOVERING:
        left_ms = max(0, (desk.recover_at or 0) - firmware.board.now_us) // 1000
        return refusal(ErrorCode.FAULTED, f"the machine recovers for {left_ms} ms more: wait for FaultCleared")
    row = desk.row
    assert row is not None
    code = ErrorCode.EVENTS_FULL if row.code is FaultCode.EVENTS_FULL else ErrorCode.FAULTED
    return refusal(code, f"{row.code.name}: {row.cure}")


# -------------------------------------------------------------------------------------------------------------- device


def _info(firmware: "Firmware", _: m.GetInfo) -> m.Message:
    board = firmware.board
    profile = board.profile
    return m.Info(
        flags=board.flags,
        commits=profile.senses.commits,
        decks=profile.build.decks,
        deck_cards=board.game.deck_cards,
        model=profile.identity.model,
        serial=board.serial,
        firmware=profile.identity.firmware,
        profile=profile.name,
    )


def _self_test(firmware: "Firmware", _: m.SelfTest) -> m.Message:
    if firmware.infeed.moving or firmware.deal.moving:
        return refusal(ErrorCode.NOT_NOW, "cards are moving: ask again when they have stopped")
    failed = firmware.self_test()
    if failed is not FaultCode.NONE:
        firmware.raise_fault(failed)
        row = firmware.desk.row
        return m.SelfTestResult(passed=False, fault=failed, text=row.cure if row is not None else "")
    return m.SelfTestResult(passed=True, fault=FaultCode.NONE, text="all parts answer")


def _verify(firmware: "Firmware", command: m.Verify) -> m.Message:
    image = firmware.image
    return m.Verified(digest=image.digest(command.challenge), files=len(image.files))


def _set_time(firmware: "Firmware", command: m.SetTime) -> m.Message:
    board = firmware.board
    board.store.put("calendar", command.unix_ms - board.now_us // 1000)
    board.machine.clock_lost = False
    board.write(f"calendar set to {command.unix_ms} ms")
    firmware.desk.clear(FaultCode.CLOCK_LOST, Cleared.BY_HOST)
    return _time(firmware)


def _time(firmware: "Firmware") -> m.Time:
    now_ms = firmware.board.now_us // 1000
    calendar = firmware.board.store.get("calendar")
    return m.Time(uptime_ms=now_ms, unix_ms=0 if calendar is None else max(0, calendar + now_ms))


def _counters(firmware: "Firmware", _: m.GetCounters) -> m.Message:
    meters, log = firmware.board.meters, firmware.board.log
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


def _read_log(firmware: "Firmware", command: m.ReadLog) -> m.Message:
    return firmware.board.log.page(command.after, command.limit)


def _note_head(firmware: "Firmware", command: m.NoteHead) -> m.Message:
    """One line like any other: the oldest goes when the log is full. The same head twice in a row is one line."""
    text = head_line(command)
    if firmware.board.log.newest_text != text:
        firmware.board.write(text)
    return DONE


# ---------------------------------------------------------------------------------------------------------------- game


def _games(firmware: "Firmware", _: m.ListGames) -> m.Message:
    return m.Games(selected=firmware.board.game.game, games=firmware.board.profile.games)


def _select(firmware: "Firmware", command: m.SelectGame) -> m.Message:
    board = firmware.board
    game = board.profile.game(command.game)
    if game is None:
        known = ", ".join(f"{entry.game} {entry.name}" for entry in board.profile.games)
        return refusal(ErrorCode.OUT_OF_RANGE, f"no game {command.game} on the menu: {known}"[:250])
    desk, infeed = firmware.desk, firmware.infeed
    recounts = bool(desk.active) and all(BY_CODE[code].after is After.RECOUNTS for code in desk.active)
    if board.held and not recounts:
        return _held(firmware)
    waits_for_a_deck = infeed.state is InfeedState.LOADING and not infeed.moving and not board.machine.next_deck_inside
    if firmware.deal.state is not DealState.NO_DECK or not (infeed.state is InfeedState.EMPTY or waits_for_a_deck):
        return refusal(ErrorCode.NOT_NOW, "cards are in the machine: deal them or eject the stub first")
    if firmware.deal.round_state is not RoundState.NO_ROUND:
        return refusal(ErrorCode.NOT_NOW, f"round {firmware.deal.kept.round} is still open: close its decisions first")
    board.choose_game(game)
    board.write(f"game {game.game} chosen: {game.name}")
    desk.clear_all(Cleared.BY_HOST)  # a deck that was wrong for the other game is counted anew
    return DONE


# ---------------------------------------------------------------------------------------------------------------- deck


def _load(firmware: "Firmware", _: m.Load) -> m.Message:
    if not firmware.board.profile.build.prestages and firmware.deal.state is not DealState.NO_DECK:
        text = f"a deck is in play ({firmware.deal.state.name}) and this device holds one at a time: eject it first"
        return refusal(ErrorCode.NOT_NOW, text)
    if not firmware.infeed.takes(InfeedEvent.LOAD):
        return refusal(ErrorCode.NOT_NOW, f"a deck is already in ({firmware.infeed.state.name})")
    strays = firmware.deal.strays
    loading = firmware.infeed.load()
    return _done(firmware, [Fail(FaultCode.CARDS_LEFT_INSIDE)] if strays else loading)


def _shuffle(firmware: "Firmware", command: m.Shuffle) -> m.Message:
    if not firmware.infeed.takes(InfeedEvent.SHUFFLE):
        return _not_loaded(firmware)
    return _done(firmware, firmware.infeed.shuffle(command.nonce))


def _sort(firmware: "Firmware", _: m.Sort) -> m.Message:
    if (busy := _deck_in_play(firmware)) is not None:
        return busy
    if not firmware.infeed.takes(InfeedEvent.SORT):
        return _not_loaded(firmware)
    firmware.turn_to(ModeEvent.SORT)
    return _done(firmware, firmware.infeed.sort())


def _verify_deck(firmware: "Firmware", _: m.VerifyDeck) -> m.Message:
    if (busy := _deck_in_play(firmware)) is not None:
        return busy
    if not firmware.infeed.takes(InfeedEvent.READ):
        return _not_loaded(firmware)
    firmware.turn_to(ModeEvent.READ)
    return _done(firmware, firmware.infeed.read())


def _deck_in_play(firmware: "Firmware") -> m.Error | None:
    if firmware.deal.may_have_a_deck:
        return None
    return refusal(ErrorCode.NOT_NOW, f"a deck is in play ({firmware.deal.state.name}): finish its round and eject it")


def _not_loaded(firmware: "Firmware") -> m.Error:
    return refusal(ErrorCode.NOT_NOW, f"no deck is loaded ({firmware.infeed.state.name}): load one first")


def _eject(firmware: "Firmware", _: m.EjectStub) -> m.Message:
    return _done(firmware, firmware.deal.eject())


def _read_stub(firmware: "Firmware", _: m.ReadStub) -> m.Message:
    return firmware.deal.memory.read_stub(firmware.board.serial)


# ---------------------------------------------------------------------------------------------------------------- deal


def _begin(firmware: "Firmware", command: m.BeginRound) -> m.Message:
    return _done(firmware, firmware.deal.begin(command.round, command.seats))


def _deal(firmware: "Firmware", command: m.DealGroup) -> m.Message:
    return _done(firmware, firmware.deal.deal(command.round, command.groups))


def _close(firmware: "Firmware", command: m.CloseDecisions) -> m.Message:
    return _done(firmware, firmware.deal.close(command.round))


def _void(firmware: "Firmware", command: m.VoidRound) -> m.Message:
    return _done(firmware, firmware.deal.void(command.round))


def _recall(firmware: "Firmware", command: m.RecallHand) -> m.Message:
    deal = firmware.deal
    still_open = command.round == deal.kept.round and deal.round_state is not RoundState.NO_ROUND
    return deal.memory.recall(command.round, command.seat, deal.kept.group if still_open else None)


# --------------------------------------------------------------------------------------------------------- maintenance


def _clear_fault(firmware: "Firmware", command: m.ClearFault) -> m.Message:
    objection = firmware.desk.objection(command.code, Cleared.BY_HOST)
    if objection is not None:
        known = command.code in firmware.desk.active
        return refusal(ErrorCode.FAULTED if known else ErrorCode.NOT_FOUND, objection)
    firmware.desk.clear(command.code, Cleared.BY_HOST)
    return DONE


def _service(firmware: "Firmware", command: m.ServiceMode) -> m.Message:
    if command.on is (firmware.mode.state is Mode.SERVICE):
        return refusal(ErrorCode.NOT_NOW, "service mode is on already" if command.on else "service mode is not on")
    if command.on:
        if firmware.deal.round_state is not RoundState.NO_ROUND:
            number = firmware.deal.kept.round
            return refusal(ErrorCode.NOT_NOW, f"round {number} is open: close its decisions or void it")
        if firmware.infeed.moving or firmware.deal.moving:
            return refusal(ErrorCode.NOT_NOW, "cards are moving: ask again when they have stopped")
        if not firmware.turn_to(ModeEvent.SERVICE):
            return refusal(ErrorCode.NOT_NOW, _MODE_TEXT[firmware.mode.state])
        return DONE
    if firmware.board.machine.door_open:
        return refusal(ErrorCode.NOT_NOW, "the door is open: close it first")
    firmware.spoil_decks()
    firmware.turn_to(ModeEvent.PLAY)
    firmware.go_on()
    return DONE


def _read_random(firmware: "Firmware", command: m.ReadRandom) -> m.Message:
    if firmware.mode.state is not Mode.SERVICE:
        return refusal(ErrorCode.NOT_NOW, "raw output is given in service mode alone: a technician turns it on")
    if not 0 < command.count <= RANDOM_BYTES:
        return refusal(ErrorCode.OUT_OF_RANGE, f"ask for 1 to {RANDOM_BYTES:,} bytes at a time")
    try:
        return m.RandomBytes(data=firmware.board.raw(command.count))
    except RandomnessError as problem:
        firmware.board.write(f"no raw output: {problem}"[:200])
        firmware.raise_fault(FaultCode.RANDOM_SOURCE)
        return _held(firmware)


_MODE_TEXT = {
    Mode.SORT: "a sorted deck can't be dealt: take it out of the infeed tray first",
    Mode.VERIFY_DECK: "a deck is being verified: wait for DeckVerified",
    Mode.SERVICE: "the machine is in service mode: leave it first",
}

_HANDLERS: dict[type[m.Message], Callable[["Firmware", Any], m.Message]] = {
    m.GetInfo: _info,
    m.SelfTest: _self_test,
    m.Verify: _verify,
    m.SetTime: _set_time,
    m.GetCounters: _counters,
    m.ReadLog: _read_log,
    m.NoteHead: _note_head,
    m.ListGames: _games,
    m.SelectGame: _select,
    m.Load: _load,
    m.Shuffle: _shuffle,
    m.Sort: _sort,
    m.VerifyDeck: _verify_deck,
    m.EjectStub: _eject,
    m.ReadStub: _read_stub,
    m.BeginRound: _begin,
    m.DealGroup: _deal,
    m.CloseDecisions: _close,
    m.VoidRound: _void,
    m.RecallHand: _recall,
    m.ClearFault: _clear_fault,
    m.ServiceMode: _service,
    m.ReadRandom: _read_random,
}
