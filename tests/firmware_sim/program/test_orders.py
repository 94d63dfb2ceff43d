"""The host's commands: each is handled, and refused by power, fault, mode and state with what to do."""

import pytest
from device_support import NONCE, begun, dealt, loaded, powered, ready, refused

from firmware_sim.machine import profile as profiles
from firmware_sim.program.orders import _HANDLERS
from firmware_sim.unit.device import DESK
from proofs.bare import Bare
from protocol import messages as m
from protocol.catalogue import CATALOGUE, Chapter, Needs, Way, needing
from protocol.limits import RANDOM_BYTES
from protocol.log_chain import read_head_line
from protocol.render.examples import typical
from protocol.vocabulary import DeviceFlag, ErrorCode, FaultCode, Mode, PowerState, Role, RoundState

_E = ErrorCode


def each(needed: Needs) -> pytest.MarkDecorator:
    kinds = sorted(needing(needed), key=lambda kind: kind.__name__)
    return pytest.mark.parametrize("kind", kinds, ids=lambda kind: kind.__name__)


def service() -> Bare:
    device = powered()
    assert device.do(m.ServiceMode(on=True), Role.TECHNICIAN) == m.Done()
    return device


def test_every_command_of_the_protocol_has_somebody_who_answers_it() -> None:
    commands = {entry.body for entry in CATALOGUE if entry.way is Way.HOST and entry.chapter is not Chapter.LINK}
    assert commands == {*_HANDLERS, *DESK, m.GetStatus, m.AckEvents}


@each(Needs.POWER)
def test_what_moves_anything_waits_for_the_self_test(kind: type[m.Message]) -> None:
    device = Bare(profiles.load("i-deal-style"))
    device.run_for(500_000)
    code, text = refused(device.do(typical(kind), Role.TECHNICIAN))
    assert (code, text) == (_E.NOT_NOW, "the power-up self-test runs for 1500 ms more: wait for PoweredUp")


@each(Needs.HEALTH)
def test_what_moves_cards_is_refused_under_a_fault_with_its_cure(kind: type[m.Message]) -> None:
    device = powered(hands="manual")
    device.firmware.raise_fault(FaultCode.JAM_EXIT)
    code, text = refused(device.do(typical(kind)))
    assert code is _E.FAULTED
    assert text == "JAM_EXIT: free the card at the exit from outside, then press OK"
    device.control.press("OK")
    device.step()
    code, text = refused(device.do(typical(kind)))
    assert (code, text) == (_E.FAULTED, "the machine recovers for 3000 ms more: wait for FaultCleared")


@each(Needs.PLAY)
def test_what_deals_is_refused_in_service_mode(kind: type[m.Message]) -> None:
    assert refused(service().do(typical(kind))) == (_E.NOT_NOW, "the machine is in service mode: leave it first")


@pytest.mark.parametrize("profile", profiles.names())
def test_what_a_profile_lacks_is_refused_with_the_text_of_its_file_whatever_the_state(profile: str) -> None:
    device = Bare(profiles.load(profile))
    for name, text in device.profile.messages.lacks.items():
        assert refused(device.do(typical(getattr(m, name)), Role.SUPERVISOR)) == (_E.UNSUPPORTED, text)


# ------------------------------------------------------------------------------------------------------------- device


def test_status_follows_the_machines_and_names_no_card() -> None:
    device = begun(number=4, seats=0b11)
    status = device.do(m.GetStatus(), Role.SUPERVISOR)
    assert isinstance(status, m.Status)
    assert (status.power, status.round_state, status.mode) == (PowerState.ON, RoundState.DEALING, Mode.PLAY)
    assert (status.round, status.group, status.groups, status.shuffle) == (4, 0, 3, 1)
    assert (status.role, status.last_event) == (Role.SUPERVISOR, device.events.last)


def test_info_says_what_it_is_and_that_it_is_seeded() -> None:
    info = powered("dealing-shoe").do(m.GetInfo())
    assert isinstance(info, m.Info)
    assert (info.profile, info.decks, info.deck_cards) == ("dealing-shoe", 1, 52)
    assert info.flags == DeviceFlag.READS_FACES | DeviceFlag.HAND_RECALL | DeviceFlag.SHOE | DeviceFlag.SEEDED


@pytest.mark.parametrize(
    ("breaks", "fault"),
    [
        (lambda machine: machine.dead_parts.add("reader"), FaultCode.SELF_TEST_FAILED),
        (lambda machine: setattr(machine, "tray_sensor_stuck", False), FaultCode.TRAY_SENSOR_STUCK),
        (lambda machine: setattr(machine.noise, "stuck_share", 1.0), FaultCode.RANDOM_SOURCE),
    ],
    ids=["a part", "the tray sensor", "the random source"],
)
def test_the_self_test_finds_a_bad_part_and_holds_the_machine(breaks, fault: FaultCode) -> None:
    device = powered()
    assert device.do(m.SelfTest()) == m.SelfTestResult(passed=True, fault=FaultCode.NONE, text="all parts answer")
    breaks(device.machine)
    result = device.do(m.SelfTest())
    assert isinstance(result, m.SelfTestResult)
    assert (result.passed, result.fault, device.firmware.desk.code) == (False, fault, fault)


def test_the_self_test_waits_for_cards_that_move() -> None:
    device = loaded()
    device.do(m.Shuffle(nonce=NONCE))
    code, text = refused(device.do(m.SelfTest()))
    assert (code, text) == (_E.NOT_NOW, "cards are moving: ask again when they have stopped")


def test_the_calendar_runs_on_from_what_it_was_set_to_also_through_a_power_cut() -> None:
    device = powered()
    assert device.do(m.SetTime(unix_ms=1_800_000_000_000)) == m.Time(uptime_ms=2000, unix_ms=1_800_000_000_000)
    device.run_for(5_000_000)
    device.cut_power()
    device.run_for(3_000_000)
    offset = device.store.get("calendar")
    assert offset + device.now_us // 1000 == 1_800_000_008_000


def test_counters_count_and_carry_the_head_of_the_log() -> None:
    device = dealt(seats=0b11)
    device.do(m.CloseDecisions(round=1))
    counters = device.do(m.GetCounters())
    assert isinstance(counters, m.Counters)
    assert (counters.shuffles, counters.rounds, counters.groups, counters.cards) == (1, 1, 3, 9)
    assert (counters.misdeals, counters.faults, counters.power_ups) == (0, 0, 1)
    page = device.do(m.ReadLog(after=0, limit=255))
    assert isinstance(page, m.LogPage)
    assert (page.length, page.lines[-1].hash) == (counters.log_length, counters.log_head)


def test_the_head_of_a_journal_is_a_line_of_the_log_and_the_same_one_again_is_no_other_line() -> None:
    device = powered()
    note = m.NoteHead(journal=bytes(range(16)), record=2**64 - 1, hash=bytes(range(32)))
    assert device.do(note) == m.Done()
    length = device.firmware.board.log.length
    assert device.do(note) == m.Done()
    page = device.do(m.ReadLog(after=length - 1, limit=255))
    assert isinstance(page, m.LogPage)
    text = f"journal {bytes(range(16)).hex()} record 18446744073709551615 head {bytes(range(32)).hex()}"
    assert [line.text for line in page.lines] == [text]
    assert read_head_line(text) == note


def test_noted_heads_take_no_more_room_than_the_log_has() -> None:
    device = powered()
    log, most = device.firmware.board.log, device.profile.build.log_lines
    for record in range(most + 10):
        device.do(m.NoteHead(journal=bytes(16), record=record, hash=bytes(32)))
    assert log.length - log.oldest + 1 == most
    assert device.store.get(f"log:{log.oldest - 1}") is None


# --------------------------------------------------------------------------------------------------------------- game


def test_a_game_is_chosen_from_the_menu_while_no_cards_are_inside() -> None:
    device = powered()
    assert device.do(m.SelectGame(game=3)) == m.Done()
    assert device.do(m.ListGames()) == m.Games(selected=3, games=device.profile.games)
    code, text = refused(device.do(m.SelectGame(game=99)))
    assert code is _E.OUT_OF_RANGE
    assert "no game 99 on the menu: 1 Three Card Poker" in text


def test_the_choice_outlasts_a_power_cut() -> None:
    device = powered()
    device.do(m.SelectGame(game=3))
    device.cut_power()
    assert device.firmware.board.game.game == 3


def test_no_other_game_is_chosen_while_cards_are_inside_or_a_round_is_open() -> None:
    assert refused(loaded().do(m.SelectGame(game=2))) == (
        _E.NOT_NOW,
        "cards are in the machine: deal them or eject the stub first",
    )
    device = dealt()
    device.do(m.EjectStub())
    device.run_until(m.StubRemoved)
    assert refused(device.do(m.SelectGame(game=2))) == (
        _E.NOT_NOW,
        "round 1 is still open: close its decisions first",
    )


# --------------------------------------------------------------------------------------------------------------- deck


def test_a_second_deck_comes_in_only_where_the_profile_prestages() -> None:
    assert ready("i-deal-style").do(m.Load()) == m.Done()
    code, text = refused(ready("ace-style").do(m.Load()))
    assert (code, text.split(":")[0]) == (
        _E.NOT_NOW,
        "a deck is in play (READY) and this device holds one at a time",
    )


@pytest.mark.parametrize("command", [m.Shuffle(nonce=NONCE), m.Sort(), m.VerifyDeck()], ids=lambda c: type(c).__name__)
def test_without_a_deck_there_is_nothing_to_shuffle_sort_or_verify(command: m.Message) -> None:
    assert refused(powered().do(command)) == (_E.NOT_NOW, "no deck is loaded (EMPTY): load one first")


@pytest.mark.parametrize("command", [m.Sort(), m.VerifyDeck()], ids=lambda c: type(c).__name__)
def test_while_a_deck_is_in_play_the_machine_sorts_and_verifies_no_other(command: m.Message) -> None:
    code, text = refused(ready().do(command))
    assert (code, text) == (_E.NOT_NOW, "a deck is in play (READY): finish its round and eject it")


def test_a_sorted_deck_can_not_be_dealt_until_it_was_taken_out_and_shuffled() -> None:
    device = loaded(hands="auto")
    assert device.do(m.Sort()) == m.Done()
    device.run_until(m.DeckSorted)
    assert [device.machine.faces[card] for card in device.machine.places.infeed] == list(range(52))
    code, text = refused(device.do(m.Load()))
    assert (code, text) == (_E.NOT_NOW, "a sorted deck can't be dealt: take it out of the infeed tray first")
    assert device.run(lambda: device.firmware.mode.state is Mode.PLAY)
    assert device.do(m.Load()) == m.Done()
    device.run_until(m.DeckLoaded)
    assert device.do(m.Shuffle(nonce=NONCE)) == m.Done()


def test_a_deck_that_was_verified_can_be_shuffled() -> None:
    device = loaded()
    device.do(m.VerifyDeck())
    assert refused(device.do(m.Shuffle(nonce=NONCE)))[1] == "a deck is being verified: wait for DeckVerified"
    verified = device.run_until(m.DeckVerified)
    assert isinstance(verified, m.DeckVerified)
    assert (verified.count, verified.complete) == (52, True)
    assert device.do(m.Shuffle(nonce=NONCE)) == m.Done()


# -------------------------------------------------------------------------------------------------------- maintenance


def test_a_fault_is_cleared_by_the_host_only_where_it_may_and_its_cause_is_gone() -> None:
    device = powered(hands="manual")
    assert refused(device.do(m.ClearFault(code=FaultCode.JAM_EXIT)))[0] is _E.NOT_FOUND
    device.firmware.raise_fault(FaultCode.CARD_LEFT_IN_TRAY)
    assert refused(device.do(m.ClearFault(code=FaultCode.CARD_LEFT_IN_TRAY)))[0] is _E.FAULTED
    device.firmware.raise_fault(FaultCode.MOTOR_STALL)
    assert device.do(m.ClearFault(code=FaultCode.MOTOR_STALL)) == m.Done()


def test_service_mode_is_for_an_idle_machine_and_spoils_what_was_shuffled() -> None:
    assert refused(begun().do(m.ServiceMode(on=True)))[1] == "round 1 is open: close its decisions or void it"
    moving = loaded()
    moving.do(m.Shuffle(nonce=NONCE))
    assert refused(moving.do(m.ServiceMode(on=True)))[1] == "cards are moving: ask again when they have stopped"
    device = ready()
    assert device.do(m.ServiceMode(on=True)) == m.Done()
    assert refused(device.do(m.ServiceMode(on=True)))[1] == "service mode is on already"
    device.control.open_door()
    device.step()
    assert device.firmware.desk.code is FaultCode.NONE  # a technician may open it
    assert refused(device.do(m.ServiceMode(on=False)))[1] == "the door is open: close it first"
    device.control.close_door()
    device.step()
    assert device.do(m.ServiceMode(on=False)) == m.Done()
    assert refused(device.do(m.BeginRound(round=1, seats=1)))[0] is _E.NO_CARDS
    assert refused(device.do(m.ServiceMode(on=False)))[1] == "service mode is not on"


def test_service_mode_outlasts_a_power_cut() -> None:
    device = service()
    device.cut_power()
    device.run_until(m.PoweredUp)
    assert device.firmware.mode.state is Mode.SERVICE


def test_raw_output_is_given_in_service_mode_and_never_twice() -> None:
    assert refused(powered().do(m.ReadRandom(count=8))) == (
        _E.NOT_NOW,
        "raw output is given in service mode alone: a technician turns it on",
    )
    device = service()
    first, second = (device.do(m.ReadRandom(count=RANDOM_BYTES)) for _ in range(2))
    assert isinstance(first, m.RandomBytes)
    assert isinstance(second, m.RandomBytes)
    assert (len(first.data), first.data == second.data) == (RANDOM_BYTES, False)
    for count in (0, RANDOM_BYTES + 1):
        assert refused(device.do(m.ReadRandom(count=count))) == (_E.OUT_OF_RANGE, "ask for 1 to 1,024 bytes at a time")


def test_raw_output_of_a_dead_source_is_a_fault() -> None:
    device = service()
    device.machine.noise.stuck_share = 1.0
    assert refused(device.do(m.ReadRandom(count=8)))[0] is _E.FAULTED
    assert device.firmware.desk.code is FaultCode.RANDOM_SOURCE


def test_another_game_can_be_chosen_while_the_machine_waits_for_a_deck_and_no_later() -> None:
    device = powered(hands="manual")
    device.do(m.Load())
    assert device.do(m.SelectGame(game=5)) == m.Done()
    device.control.lay_in(device.decks[0])
    device.run(lambda: device.firmware.board.held)
    assert device.firmware.desk.code is FaultCode.SHORT_DECK
    assert device.do(m.SelectGame(game=1)) == m.Done()
    device.run_until(m.DeckLoaded)
    assert refused(device.do(m.SelectGame(game=2)))[0] is ErrorCode.NOT_NOW


def test_another_game_is_no_cure_for_a_jam() -> None:
    device = powered()
    device.firmware.raise_fault(FaultCode.JAM_FEEDER)
    assert refused(device.do(m.SelectGame(game=2)))[0] is ErrorCode.FAULTED


def test_a_forgotten_card_where_a_deck_in_play_would_lie_is_found_before_the_next_deck_comes_in() -> None:
    device = powered()
    (card,) = device.machine.introduce([3])
    device.machine.places.move((card,), "aside", "play")
    assert device.do(m.Load()) == m.Done()
    assert device.firmware.desk.code is FaultCode.CARDS_LEFT_INSIDE
    device.run_until(m.DeckLoaded)  # the dealer took it out
