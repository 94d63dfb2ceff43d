"""The table goes by what the device says, and knows when to ask for people."""

from dataclasses import replace

import pytest

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from protocol.vocabulary import Cleared, CommitKind, DeviceFlag, ErrorCode, FaultCode, Place, Role
from round_engine.rules.rulebook import load
from round_engine.table import Table
from shuffler.host.session import Answered, EventArrived, SetBack
from shuffler.journal.entries import DeviceSetBack
from shuffler.table import TableCore, Want
from shuffler.table.core import FAULTS_BEFORE_BACKUP
from shuffler.table.known_device import Unfit
from shuffler.table.players import Bot, at_random
from shuffler.table.values import Call, Unplug
from shuffler.timeouts import USUAL
from shuffler.virtual.memory_books import MemoryBooks
from shuffler.virtual.table import Stalled, VirtualTable, quick


def test_faults_that_come_again_call_for_the_backup_however_fast_each_is_cleared() -> None:
    core = TableCore(Table(load("south-dakota")), dealer="d", supervisor="s", chance=bytes)
    done: list = []
    for number in range(FAULTS_BEFORE_BACKUP):
        assert core.wants is Want.DEVICE
        assert Call(Want.BACKUP) not in done
        raised = m.FaultRaised(
            number=2 * number + 1, time_ms=number, code=FaultCode.LONG_DECK, place=Place.FEEDER, detail=0
        )
        cleared = m.FaultCleared(number=2 * number + 2, time_ms=number, code=raised.code, how=Cleared.BY_DEALER)
        done += core.take(EventArrived(raised), number)
        done += core.take(EventArrived(cleared), number)
    assert core.wants is Want.BACKUP
    assert done.count(Call(Want.BACKUP)) == 1


def on(profile: str, rules: str = "south-dakota", seats: int = 3) -> VirtualTable:
    bots = [Bot(spot=spot, decide=at_random) for spot in range(1, seats + 1)]
    build = quick(Build(profile=load_profile(profile), serial="Pit 3 round table", seed=5))
    return VirtualTable(Table(load(rules)), MemoryBooks(), bots, build, seed=1)


def set_to(table: VirtualTable, game: int) -> None:
    """Somebody has chosen another game before the table came."""
    table.desk.move(Unplug("another game is chosen meanwhile"), table.bench.now)
    table.bench.pull()
    board = table.emulator.firmware.board
    board.choose_game(board.profile.game(game))
    table.desk.take(table.bench.plug(), table.bench.now)


def test_a_device_set_to_another_game_is_set_to_the_one_that_the_rules_are_for() -> None:
    table = on("i-deal-style")
    set_to(table, 4)
    assert table.emulator.firmware.board.game.game == 4
    table.play(3)
    assert table.emulator.firmware.board.game.game == 1
    assert (table.core.round.settled, table.core.round.void) == (3, 0)


def test_a_deck_that_was_shuffled_for_another_game_goes_out_first() -> None:
    table = on("i-deal-style")
    set_to(table, 3)
    table.desk.paused = True
    for _ in range(3):
        table.step()
    table.desk.paused = False
    table.play(2)
    assert (table.core.round.settled, table.core.round.void) == (2, 0)


def test_a_device_that_the_rules_do_not_allow_is_refused_with_a_sentence() -> None:
    rules = load("light-and-wonder", changes={"house": {"limit_ceiling": "$300"}})
    assert "rotation" not in rules.dealing
    bots = [Bot(spot=1, decide=at_random)]
    build = quick(Build(profile=load_profile("dealing-shoe"), serial="SB-S", seed=5))
    table = VirtualTable(Table(rules), MemoryBooks(), bots, build, seed=1)
    core = table.core
    assert core.wants is Want.ANOTHER
    assert core.refusal == (
        "it deals one card at a time, which light-and-wonder does not allow: use another rule set"
    )
    with pytest.raises(Stalled, match="one card at a time"):
        table.play(1)


def test_a_device_with_too_few_seats_is_refused() -> None:
    table = on("i-deal-style", seats=7)
    core = TableCore(table.core.table, dealer="d", supervisor="s", chance=bytes, seats=8)
    core.device.welcome = table.bench.host.link.welcome
    core.take(Answered(1, m.ListGames(), table.emulator.firmware.execute(m.ListGames(), Role.DEALER, 0)), 0)
    assert "7 players at most, not 8" in core.refusal


def test_an_operator_may_insist_on_more_than_a_devices_kind_can_give() -> None:
    table = on("ace-style", seats=1)
    core = table.core
    table.desk.move(Unplug("asked again"), table.bench.now)
    core.device.least_commitment = CommitKind.ORDER
    table.bench.pull()
    table.desk.take(table.bench.plug(), table.bench.now)
    assert "commits to SLOTS where ORDER is wanted" in core.refusal


def test_a_device_that_has_committed_to_more_is_not_believed_with_less() -> None:
    table = on("i-deal-style")
    table.play(1)
    device = table.core.device
    info = device.info
    assert info is not None
    welcome = device.welcome
    device.forget()
    device.welcome = welcome
    blind = replace(info, flags=info.flags & ~DeviceFlag.READS_FACES, commits=CommitKind.SLOTS)
    with pytest.raises(Unfit, match="commits to SLOTS where ORDER is wanted"):
        device.introduce(blind)


def test_a_deck_that_the_host_before_this_one_asked_for_is_not_dealt_and_nobody_is_accused() -> None:
    table = on("i-deal-style")
    table.desk.paused = True
    while table.core.wants is not Want.WAGERS:
        table.step()
    core = table.core
    # It knows nothing of the deck, nor of its nonce.
    table.desk.move(Unplug("the host is another one"), table.bench.now)
    table.bench.pull()
    table.desk.paused = False
    table.desk.take(table.bench.plug(), table.bench.now)
    table.play(2)
    assert (core.round.settled, core.round.void) == (2, 0)


def test_a_round_in_which_the_device_says_nothing_more_is_void_in_the_end() -> None:
    table = on("i-deal-style")
    core = table.core
    while not core.round.is_open:
        table.step()
    core.tick(1_000)
    due = core.next_deadline()
    assert due is not None
    assert due <= 1_000 + USUAL.stuck_us
    core.tick(1_000 + USUAL.stuck_us - 1)
    assert core.round.is_open
    core.tick(1_000 + USUAL.stuck_us)
    assert not core.round.is_open
    assert core.wants is Want.BACKUP


def test_lies_call_for_the_backup_as_faults_do() -> None:
    core = TableCore(Table(load("south-dakota")), dealer="d", supervisor="s", chance=bytes)
    for _ in range(FAULTS_BEFORE_BACKUP):
        assert core.wants is Want.DEVICE
        core.take(EventArrived(m.StubRemoved(number=0, time_ms=0, round=1, count=40)), 0)
    assert core.wants is Want.BACKUP


def test_a_round_whose_command_nobody_can_answer_for_is_void() -> None:
    build = quick(Build(profile=load_profile("i-deal-style"), serial="FORGETS", seed=3))
    table = VirtualTable(Table(load("south-dakota")), MemoryBooks(), [Bot(spot=1, decide=at_random)], build)
    core = table.core
    while not core.round.is_open:
        table.step()
    forgotten = m.Error(code=ErrorCode.FORGOTTEN, text="request 7 is older than the memory")
    table.desk.take([Answered(7, m.DealGroup(round=1, groups=0), forgotten)], table.bench.now)
    assert (core.round.is_open, core.round.void) == (False, 1)
    table.play(2)


def test_a_device_whose_memory_was_set_back_deals_no_more_and_is_noted_once() -> None:
    build = quick(Build(profile=load_profile("i-deal-style"), serial="OLDER", seed=3))
    table = VirtualTable(Table(load("south-dakota")), MemoryBooks(), [Bot(spot=1, decide=at_random)], build)
    core, entries = table.core, []
    table.desk.books.listeners.append(entries.extend)
    while not core.round.is_open:
        table.step()
    found = SetBack(serial="OLDER", epoch=7, stored=50, found=40)
    for _ in range(3):
        table.desk.take([found], table.bench.now)
    assert (core.round.is_open, core.round.void, core.wants) == (False, 1, Want.BACKUP)
    assert entries.count(DeviceSetBack("OLDER", 7, 50, 40)) == 1
