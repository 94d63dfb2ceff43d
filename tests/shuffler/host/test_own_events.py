"""A client without a store acknowledges what it caused, and refuses where another host's events wait."""

import time
from collections.abc import Iterator

import pytest

from firmware_sim.machine.profile import load
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Background, Location, background
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from shuffler.errors import EventsWaiting
from shuffler.host.client import Client
from shuffler.host.dealing import deal_round, ready_deck, wait_until_on
from shuffler.host.own_events import QUIET_US, OwnEvents
from shuffler.host.session import Connected, EventArrived, HostSession
from shuffler.host.store import MemoryStore


@pytest.fixture
def devices() -> Iterator[Background]:
    build = Build(profile=load("i-deal-style"), serial="SB-7", seed=7, speed=400.0)
    with background([Location(build=build, ports=(Tcp(),))]) as devices:
        yield devices


def kept(devices: Background) -> tuple[int, int]:
    """Newest and acknowledged event of the device, once it has read the last client's goodbye."""
    end = time.monotonic() + 20
    while devices.do(lambda served: served.runner.attached) and time.monotonic() < end:
        time.sleep(0.01)
    return devices.do(lambda served: (served.emulator.device.events.last, served.emulator.device.events.acknowledged))


def test_a_client_that_only_asks_acknowledges_nothing(devices: Background) -> None:
    with Client.open(devices.url, only_asks=True) as client:
        wait_until_on(client)
        list(deal_round(client, 1, (1, 2), ready_deck(client)))
        for event in client.events(0.1):
            assert event.number > 0
    assert kept(devices)[1] == 0


def test_a_client_that_plays_acknowledges_its_own_and_what_the_device_said_by_itself(devices: Background) -> None:
    with Client.open(devices.url) as client:
        wait_until_on(client)
        ready_deck(client)
    last, acknowledged = kept(devices)
    assert acknowledged == last > 0


def test_events_of_another_host_are_refused_and_stay(devices: Background) -> None:
    with Client.open(devices.url, only_asks=True) as table:
        wait_until_on(table)
        list(deal_round(table, 3, (1,), ready_deck(table)))
    before = kept(devices)
    with pytest.raises(EventsWaiting, match=r"events of round 3 wait in SB-7 .*--discard-events"):
        Client.open(devices.url)
    assert kept(devices) == before
    with Client.open(devices.url, discard_events=True) as client:
        client.ask(m.GetInfo(), m.Info)
        client.next_event(0.2)
    assert kept(devices)[1] == before[0]


def _welcome(last: int, acknowledged: int) -> m.Welcome:
    with_numbers = {"last_event": last, "acknowledged_event": acknowledged}
    empty = dict.fromkeys(("host_nonce", "nonce"), bytes(16)) | {"ephemeral": b"", "proof": b""}
    numbers = dict.fromkeys(
        ("version", "capabilities", "window", "max_body", "heartbeat_ms", "epoch", "boots", "command_memory"), 0
    )
    return m.Welcome(**numbers, **with_numbers, **empty, fingerprint=bytes(8), known_instance=False, serial="SB-7")  # type: ignore[arg-type]


class Up(HostSession):
    is_up = True


def test_events_that_another_host_acknowledged_since_the_welcome_are_not_waited_for() -> None:
    session = Up(store=MemoryStore(bytes(16)), chance=bytes)
    own = OwnEvents(session, discard=False)
    own.take(Connected(_welcome(2, 0), True), 0)
    own.take(EventArrived(m.DoorMoved(number=1, time_ms=0, open=True)), 10)
    own.tick(QUIET_US)
    assert not own.decided
    own.tick(QUIET_US + 10)
    assert own.decided
    assert session.acknowledges
