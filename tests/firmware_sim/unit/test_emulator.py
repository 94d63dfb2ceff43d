"""The whole device over the wire: what is certified is what deals, and the same again gives the same again."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from firmware_sim.control import setup as setups
from firmware_sim.control.injections import Trigger
from firmware_sim.errors import MemoryCorrupt, WrongMemory
from firmware_sim.machine import profile as profiles
from firmware_sim.machine.shuffling import OrderSource, kernel_for
from firmware_sim.program.nvstore import VolatileMedium
from firmware_sim.unit.emulator import Build, Emulator
from proofs.table import Table, build, objections
from proofs.transcript import converse
from protocol import messages as m
from protocol.cards import CUT_CARD
from protocol.vocabulary import (
    CommitKind,
    DeviceFlag,
    InfeedState,
    Interrupted,
    MisdealReason,
    PowerUpCause,
    Role,
    RoundState,
)
from shuffler.host.session import HostSession
from shuffler.host.store import MemoryStore

SHUFFLERS = [name for name in profiles.names() if not profiles.load(name).is_shoe]


def decks_over_the_wire(made: Build, count: int) -> list[list[int]]:
    """The orders that a device drew, worked out from what the host was told: input place of each card in deal order."""
    table = Table(made)
    orders: list[list[int]] = []
    laid_in: list[int] = []

    def look() -> bool:
        if table.emulator.firmware.infeed.state is InfeedState.LOADED:
            laid_in[:] = table.emulator.control.truth().stack
        if len(table.of(m.StubRemoved)) > len(orders):
            orders.append(told_order(table, laid_in))
        return len(orders) == count

    assert table.play(look)
    return orders


def told_order(table: Table, laid_in: list[int]) -> list[int]:
    """From openings of the groups, the dealer's hand and, to a supervisor, the stub."""
    last = table.controller.begun[-1]
    cards: list[int] = []
    for event in table.events:
        if isinstance(event, m.GroupRemoved | m.HandDisclosed) and event.round == last:
            cards += event.opening.cards
    if table.emulator.build.profile.senses.commits is CommitKind.SLOTS:
        return cards  # slots are the order itself; a stub's are told to nobody
    table.prove(Role.SUPERVISOR)
    stub = table.do(m.ReadStub())
    assert isinstance(stub, m.Stub), stub
    return [laid_in.index(card) for card in (*cards, *stub.opening.cards)]


@pytest.mark.parametrize("profile", SHUFFLERS)
@pytest.mark.parametrize("batch", [1, 4])
def test_from_the_same_seed_the_device_and_the_batch_kernel_give_the_same_decks(profile: str, batch: int) -> None:
    made = build(profile, seed=77, shuffle_batch=batch)
    dealt = decks_over_the_wire(made, 6)
    kernel = kernel_for(made.profile, made.profile.games[0])
    source = made.shuffle_source(boots=1, starts=1)
    drawn = [order for _ in range(-(-6 // batch)) for order in kernel.permutations(52, batch, source).tolist()]
    assert dealt == [order[: len(deck)] for order, deck in zip(drawn, dealt, strict=False)]


@pytest.mark.parametrize("decks", [1, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("batch", [1, 4])
def test_a_shoe_deals_over_the_wire_what_the_batch_kernel_drew_for_the_hands_that_shuffled_it(
    batch: int, decks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_hand: list[list[int]] = []  # faces in the order in which each deck lay in the hand before it was shuffled
    prepare = OrderSource.prepare

    def watched(engine: OrderSource, deck: list[int]) -> list[int]:
        faces = engine._machine.faces
        in_hand.append([faces[card] for card in deck if faces[card] != CUT_CARD])
        return prepare(engine, deck)

    monkeypatch.setattr(OrderSource, "prepare", watched)
    shoe = setups.parse("test", f"[device]\ndecks = {decks}").adapt(profiles.load("dealing-shoe"))
    made = replace(build("dealing-shoe", seed=77, shuffle_batch=batch), profile=shoe)
    table = Table(made)
    table.play(lambda: len(table.of(m.StubRemoved)) == 3, steps=100_000)
    kernel, source = kernel_for(shoe, shoe.games[0]), made.shuffle_source(boots=1, starts=1)
    drawn = [order for _ in range(3) for order in kernel.permutations(52 * decks, batch, source).tolist()]
    assert len(in_hand) >= 3
    for number, (hand, order) in enumerate(zip(in_hand[:3], drawn, strict=False)):
        dealt = dealt_from_a_shoe(table, number + 1)
        assert len(dealt) >= 52 * decks - 13 - 24
        assert dealt == [hand[at] for at in order[: len(dealt)]]


def dealt_from_a_shoe(table: Table, shuffle: int) -> list[int]:
    """Every card of a shoe in the order drawn, as the host was told: the players' at once, the dealer's at the end."""
    cards: dict[int, int] = {}
    for event in table.events:
        if isinstance(event, m.GroupRemoved | m.HandDisclosed) and event.shuffle == shuffle:
            cards.update(enumerate(event.opening.cards, event.opening.first))
    assert sorted(cards) == list(range(len(cards)))
    return [cards[at] for at in range(len(cards))]


@pytest.mark.parametrize("profile", profiles.names())
def test_same_profile_set_up_seed_and_commands_give_the_same_bytes_and_the_same_log(profile: str) -> None:
    first = converse(profile, seed=5)
    assert converse(profile, seed=5) == first
    assert converse(profile, seed=6).wire != first.wire
    assert converse(profile, seed=5, setup="").log != first.log


@pytest.mark.slow
def test_the_same_bytes_come_out_of_another_process_whatever_its_hashes_are() -> None:
    here = converse("i-deal-style", seed=5).digests
    command = [sys.executable, "-m", "proofs.transcript", "i-deal-style", "--seed", "5"]
    for hash_seed in ("1", "2"):
        told = subprocess.run(
            command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": hash_seed}
        )
        assert told.stdout.strip() == here


@pytest.mark.parametrize("seed", [None, 9], ids=["for play", "seeded"])
def test_no_power_up_repeats_a_stream_even_from_a_restored_memory(seed: int | None) -> None:
    medium = VolatileMedium()
    emulator = Emulator(replace(build("i-deal-style"), seed=seed), medium)
    snapshot = medium.read()
    orders = []
    for _ in range(3):
        orders.append(tuple(emulator.engine(52, emulator.build.profile.games[0]).order))
        medium.replace(snapshot)
        emulator.power_cycle(PowerUpCause.POWER_RETURNED, 0)
    assert len(set(orders)) == 3


def test_two_devices_for_play_give_different_decks() -> None:
    made = replace(build("i-deal-style"), seed=None)
    orders = {tuple(Emulator(made).engine(52, made.profile.games[0]).order) for _ in range(3)}
    assert len(orders) == 3


def shuffle_flags(table: Table) -> list[DeviceFlag]:
    return [event.flags for event in table.of(m.ShuffleCompleted) if isinstance(event, m.ShuffleCompleted)]


def test_a_seeded_device_says_so_with_every_shuffle_and_one_for_play_does_not() -> None:
    table = Table(build("ace-style"))
    table.play_rounds(1)
    assert DeviceFlag.SEEDED in shuffle_flags(table)[0]
    info = table.do(m.GetInfo())
    assert isinstance(info, m.Info)
    assert DeviceFlag.SEEDED in info.flags
    played = Table(replace(build("ace-style"), seed=None))
    played.play_rounds(1)
    assert DeviceFlag.SEEDED not in shuffle_flags(played)[0]


def test_a_rigged_deck_is_marked_on_the_wire_and_in_the_log_also_after_a_power_cut() -> None:
    table = Table(build("i-deal-style"))
    table.emulator.control.rig_hands({2: "Q♠ K♠ A♠", 0: "2♣ 3♦ 4♥"})
    table.emulator.control.inject("power_cut", Trigger(when="group=1"))
    table.play_rounds(2)
    rigged, plain = shuffle_flags(table)[:2]
    assert DeviceFlag.RIGGED in rigged
    assert DeviceFlag.RIGGED not in plain
    hand = next(event for event in table.events if isinstance(event, m.GroupRemoved) and event.seat == 2)
    assert hand.opening.cards == (49, 50, 51)
    page = table.do(m.ReadLog(after=0, limit=255))
    assert isinstance(page, m.LogPage)
    assert any("RIGGED" in line.text for line in page.lines)


def test_a_rigged_shoe_is_marked_in_the_log() -> None:
    table = Table(build("dealing-shoe", hands="manual"))
    control = table.emulator.control
    control.rig_deck("A♠ K♠")
    control.lay_in(table.emulator.engine.prepare(list(table.emulator.machine.places.aside)))
    assert table.play(lambda: bool(table.of(m.GroupReady)))
    page = table.do(m.ReadLog(after=0, limit=255))
    assert isinstance(page, m.LogPage)
    assert any("RIGGED" in line.text for line in page.lines)


def test_a_worn_mechanism_marks_its_shuffles_as_rigged() -> None:
    table = Table(build("i-deal-style"))
    table.emulator.control.wear({"sticky": 0.25})
    table.play_rounds(1)
    assert DeviceFlag.RIGGED in shuffle_flags(table)[0]


def test_while_the_power_is_off_the_device_is_silent_and_a_host_finds_it_again() -> None:
    table = Table(build("i-deal-style"))
    table.play_rounds(1)
    table.emulator.switch_off(table.bench.now)
    assert table.emulator.next_deadline() is None
    assert table.emulator.data_to_send(table.bench.now) == b""
    for _ in range(50):
        table.step()
    table.emulator.switch_on(table.bench.now)
    table.play_rounds(1)
    assert table.sessions >= 2


def test_a_memory_that_was_damaged_before_the_first_start_is_not_thrown_away() -> None:
    medium = VolatileMedium(b"something else entirely")
    with pytest.raises(MemoryCorrupt):
        Emulator(build("i-deal-style"), medium)
    assert medium.read() == b"something else entirely"


def test_a_memory_of_another_kind_of_device_is_refused_and_left_as_it_is() -> None:
    medium = VolatileMedium()
    Emulator(build("i-deal-style"), medium)
    written = medium.read()
    with pytest.raises(WrongMemory, match="of the profile i-deal-style, not ace-style: use another file"):
        Emulator(build("ace-style"), medium)
    assert medium.read() == written
    Emulator(build("i-deal-style"), medium)


def test_while_the_power_is_off_the_panel_is_dark_and_the_control_plane_still_reaches_the_world() -> None:
    emulator = Emulator(build("i-deal-style"))
    emulator.tick(10_000_000)
    emulator.switch_off(20_000_000)
    panel = emulator.control.panel()
    assert (panel.top, panel.bottom, panel.green, panel.amber, panel.red) == ("", "", False, False, False)
    emulator.control.inject("jam_exit", Trigger(when="group=1"))
    emulator.control.inject("power_cut")
    assert not emulator.is_on
    emulator.control.open_door()
    emulator.switch_on(30_000_000)
    emulator.tick(40_000_000)
    assert emulator.control.panel().top == "DOOR OPEN"


@pytest.mark.parametrize("speed", [1.0, 400.0])
def test_turning_the_clock_is_as_if_the_time_had_passed_and_the_line_does_not_notice(speed: float) -> None:
    waited, turned = (Table(replace(build("i-deal-style"), speed=speed)) for _ in range(2))
    for table in (waited, turned):
        assert table.play(lambda table=table: bool(table.of(m.DeckLoaded)))  # type: ignore[misc]
        table.do(m.Shuffle(nonce=bytes(16)))
    assert waited.play(lambda: bool(waited.of(m.ShuffleCompleted)))
    line = turned.bench.now
    turned.emulator.control.advance(3600)
    turned._take(turned.bench.exchange())
    assert (turned.bench.now, turned.sessions) == (line, 1)
    (one,), (other,) = waited.of(m.ShuffleCompleted), turned.of(m.ShuffleCompleted)
    assert abs(one.time_ms - other.time_ms) <= 1
    turned.do(m.SetTime(unix_ms=1_800_000_000_000))
    turned.emulator.control.advance(60)
    turned.emulator.power_cycle(PowerUpCause.POWER_RETURNED, turned.bench.now)
    turned.emulator.control.advance(60)
    told = turned.do(m.SetTime(unix_ms=1_800_000_000_000))
    assert isinstance(told, m.Time)
    assert told.uptime_ms >= 3_600_000 + 120_000
    turned.play_rounds(1)


def torn_while(table: Table, medium: VolatileMedium, until: Callable[[], bool]) -> None:
    """Play to a point, then lose the power with the last write half done."""
    assert table.play(until)
    table.emulator.switch_off(table.bench.now)
    medium.replace(medium.read()[:-5])
    table.emulator.switch_on(table.bench.now)


def test_an_unsound_end_begins_a_new_epoch_and_says_so() -> None:
    medium = VolatileMedium()
    table = Table(build("i-deal-style"), medium=medium)
    epoch = table.emulator.device.events.epoch
    torn_while(table, medium, lambda: bool(table.of(m.GroupReady)))
    table.play_rounds(2)
    assert table.emulator.device.events.epoch != epoch
    (_, up) = table.of(m.PoweredUp)
    assert isinstance(up, m.PoweredUp)
    assert (up.number, up.interrupted, up.round) == (1, Interrupted.VOIDED, 1)
    assert [event.reason for event in table.of(m.Misdealt)] == [MisdealReason.POWER_CUT]  # type: ignore[attr-defined]
    page = table.do(m.ReadLog(after=0, limit=255))
    assert isinstance(page, m.LogPage)
    assert any("unsound bytes at its end; epoch" in line.text for line in page.lines)
    assert objections(table) == []
    assert table.emulator.firmware.board.store.get("unsound") is None


def test_events_that_waited_before_an_unsound_end_reach_the_host_once_under_their_own_epoch() -> None:
    medium = VolatileMedium()
    table = Table(build("i-deal-style"), medium=medium)
    table.play(lambda: bool(table.of(m.DeckLoaded)))
    table.bench.pull()
    emulator = table.emulator
    emulator.control.open_door()
    emulator.control.close_door()
    for _ in range(40):
        table.bench.now = emulator.next_deadline() or table.bench.now
        emulator.tick(table.bench.now)
    waiting = emulator.device.events.kept
    assert waiting > 2
    emulator.switch_off(table.bench.now)
    medium.append(b"\0" * 100)
    emulator.switch_on(table.bench.now)
    table._take(table.bench.plug())
    table.play_rounds(1)
    assert objections(table) == []
    assert len(table.of(m.DoorMoved)) == 2


def test_a_sealed_memory_tells_nothing_and_goes_on_with_its_key_alone() -> None:
    medium, key = VolatileMedium(), bytes(range(32))
    made = replace(build("i-deal-style"), memory_key=key)
    table = Table(made, medium=medium)
    table.play(lambda: table.emulator.firmware.deal.round_state is RoundState.DEALING)
    deck = table.emulator.firmware.deal.deck
    assert deck is not None
    assert deck.codes not in medium.read()
    assert b"deck:" not in medium.read()
    assert deck.codes not in medium.read()
    for wrong in (None, bytes(32)):
        before = medium.read()
        with pytest.raises(WrongMemory, match="sealed"):
            Emulator(replace(made, memory_key=wrong), medium)
        assert medium.read() == before
    Table(made, medium=medium).play_rounds(1)


def test_a_memory_that_was_open_is_sealed_when_a_key_is_given() -> None:
    medium = VolatileMedium()
    Table(build("i-deal-style"), medium=medium).play_rounds(1)
    assert b"deck:" in medium.read()
    Emulator(replace(build("i-deal-style"), memory_key=bytes(range(32))), medium)
    assert b"deck:" not in medium.read()


def hello_answered(made: Build, hello: bytes) -> bytes:
    """What a device that was just switched on says to a hello."""
    emulator = Emulator(made)
    emulator.receive(hello, 1000)
    return emulator.data_to_send(1000)


@pytest.mark.parametrize("key", [None, bytes(range(32))])
def test_session_secrets_never_come_from_the_seed(key: bytes | None) -> None:
    made = Build(profile=profiles.load("i-deal-style"), serial="S", seed=1, key=key)
    host = HostSession(store=MemoryStore(bytes(16)), chance=Random(1).randbytes, key=key)
    host.connect(0)
    hello = host.data_to_send(0)
    assert hello_answered(made, hello) != hello_answered(made, hello)
    first, second = Emulator(made), Emulator(made)
    assert first.device.events.epoch != second.device.events.epoch
    assert first.device.authority._chance(32) != second.device.authority._chance(32)


def test_shuffles_still_repeat_by_the_seed_whatever_the_session() -> None:
    made = Build(profile=profiles.load("i-deal-style"), serial="TABLE-1", seed=1)
    decks = []
    for _ in range(2):
        table = Table(made)
        table.play_rounds(1)
        decks.append([event.opening.cards for event in table.of(m.GroupRemoved)])  # type: ignore[attr-defined]
    assert decks[0] == decks[1]
