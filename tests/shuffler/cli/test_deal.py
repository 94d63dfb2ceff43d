"""`shuffler deal`: it says what it waits for, keeps its hands off another host's events, and finds its way back."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from click.testing import Result
from typer.testing import CliRunner

from firmware_sim.control.setup import load as load_setup
from firmware_sim.control.setup import names as setup_names
from firmware_sim.machine.profile import load
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Background, Location, Served, background
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from protocol.vocabulary import RoundState
from shuffler.cli import app
from shuffler.host.client import Client
from shuffler.host.dealing import ready_deck, wait_until_on

run = CliRunner()


@contextmanager
def served(**more) -> Iterator[Background]:
    build = Build(**{"profile": load("i-deal-style"), "serial": "SB-7", "seed": 7, "speed": 400.0, **more})
    with background([Location(build=build, ports=(Tcp(),))]) as devices:
        yield devices


def deal(*arguments: str) -> Result:
    return run.invoke(app, ["deal", *arguments])


def test_with_nobody_at_the_trays_it_says_what_it_waits_for_and_gives_up() -> None:
    with served(hands="manual") as devices:
        done = deal(devices.url, "--patience", "1")
    assert done.exit_code == 1
    assert "waiting: a deck has to be put into the feeder (giving up in " in done.stderr
    assert "shuffler: gave up after 1 s: a deck has to be put into the feeder" in done.stderr


def test_a_round_that_another_host_left_open_is_refused_with_its_events_and_recovered_without() -> None:
    with served() as devices:
        with Client.open(devices.url, only_asks=True) as table:
            wait_until_on(table)
            ready_deck(table)
            table.call(m.BeginRound(round=5, seats=3))
            table.call(m.DealGroup(round=5, groups=1))
            table.wait_for(m.GroupRemoved)
        done = deal(devices.url)
        assert done.exit_code == 1
        assert "events of round 5 wait in SB-7 for the host that caused them" in done.stderr
        done = deal(devices.url, "--discard-events")
        assert done.exit_code == 1
        assert "--recover voids what is open and starts again" in done.stderr
        done = deal(devices.url, "--discard-events", "--recover", "--seats", "2")
        assert done.exit_code == 0, done.output
        assert "round 5 is void" in done.stdout
        assert "every hand opens the commitment" in done.stdout


def test_a_jam_is_waited_for_until_it_is_mended_and_later_runs_deal_on() -> None:
    with served(setup=load_setup("jam-exit")) as devices:
        for _ in range(2):
            done = deal(devices.url, "--seats", "3")
            assert done.exit_code == 0, done.output
            assert "every hand opens the commitment" in done.stdout


def test_a_fault_that_nobody_mends_is_given_up_and_recovered_from_later() -> None:
    with served(setup=load_setup("random-source")) as devices:
        first = deal(devices.url, "--seats", "3", "--patience", "1")
        assert first.exit_code == 1
        assert "gave up after 1 s: the device stopped: RANDOM_SOURCE" in first.stderr
        devices.do(lambda one: one.emulator.control.clear())
        devices.do(lambda one: one.do(lambda control: control.cut_power()))
        again = deal(devices.url, "--seats", "3", "--recover", "--discard-events", "--patience", "60")
    assert again.exit_code == 0, again.output


HOW_IT_ENDS = {
    "dealt": (0, "round 2: "),
    "void": (1, "1 of 2 rounds void"),
    "stops": (1, "gave up after 1 s: the device "),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", setup_names())
def test_two_rounds_under_a_set_up_end_as_its_story_says(name: str) -> None:
    setup = load_setup(name)
    profile = setup.adapt(load(setup.profile or "i-deal-style"))
    patience = "1" if setup.ends == "stops" else "60"
    with served(setup=setup, profile=profile, speed=1000.0) as devices:
        done = deal(devices.url, "--rounds", "2", "--patience", patience)
    code, says = HOW_IT_ENDS[setup.ends]
    assert (done.exit_code, says in done.output + done.stderr) == (code, True), done.output


@pytest.mark.parametrize(
    ("url", "code", "says"),
    [
        ("socket://127.0.0.1:1", 2, "is the device running?"),
        ("socket://h:x", 2, "shuffler: socket://h:x"),
        ("usb://nonsense", 2, "expected usb://VID:PID/SERIAL"),
    ],
)
def test_a_port_that_can_not_be_opened_is_exit_code_2(url: str, code: int, says: str) -> None:
    done = deal(url)
    assert (done.exit_code, says in done.stderr) == (code, True)


def test_device_void_and_reset_bring_it_back_and_acknowledge_nothing() -> None:
    with served() as devices:
        with Client.open(devices.url, only_asks=True) as table:
            wait_until_on(table)
            ready_deck(table)
            table.call(m.BeginRound(round=1, seats=3))
        done = run.invoke(app, ["device", "void", devices.url])
        assert (done.exit_code, "round 1 is void" in done.stdout) == (0, True)
        done = run.invoke(app, ["device", "void", devices.url])
        assert done.stdout == "no round is open\n"
        done = run.invoke(app, ["device", "reset", devices.url])
        assert done.exit_code == 0, done.output
        assert done.stdout.endswith("ready for a new deck\n")
        queue = devices.served[0].emulator.device.events
        assert (queue.acknowledged, queue.last > 2) == (0, True)
        with Client.open(devices.url, only_asks=True) as table:
            assert table.ask(m.GetStatus(), m.Status).round_state is RoundState.NO_ROUND


def test_a_device_whose_memory_is_full_is_waited_for_by_name() -> None:
    with served() as devices:

        def fill(one: Served) -> None:
            def full() -> None:
                raise OSError(28, "No space left on device")

            one.emulator.device.store.commit = full  # type: ignore[method-assign]

        devices.do(lambda one: one.emulator.control.advance(10))
        devices.do(fill)
        done = deal(devices.url, "--patience", "3")
    assert done.exit_code == 1
    assert "MEMORY_FULL" in done.stderr
