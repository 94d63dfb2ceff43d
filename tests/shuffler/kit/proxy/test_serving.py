"""A proxy between a real client and a served device: nothing is lost over a bad line, all is recorded."""

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from kit_support import replayed_device

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Location, background
from firmware_sim.ports.usb import Usb, UsbBus
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from shuffler.errors import TimedOut
from shuffler.host.client import Client
from shuffler.host.dealing import Dealt, deal_round, ready_deck, wait_until_on
from shuffler.kit.proxy.disturbance import Disturbance, DisturbanceCounts, Disturbed
from shuffler.kit.proxy.middle import Middle
from shuffler.kit.proxy.serving import ProxyServer
from shuffler.kit.proxy.unsealing import Unsealing
from shuffler.kit.recording.conversation import Opaque, Said, conversation
from shuffler.kit.recording.file import Recorder, load

pytestmark = pytest.mark.slow

KEY = bytes(range(32))
SEVEN = tuple(range(1, 8))


@contextmanager
def proxy(
    device: str, path: Path, how: Disturbance | None = None, *, key: bytes | None = None, pty: bool = False
) -> Iterator[tuple[str, list[DisturbanceCounts]]]:
    """A proxy in a thread; its address, and what was done to both directions."""
    ready, stop = threading.Event(), threading.Event()
    urls: list[str] = []
    counted: list[DisturbanceCounts] = []

    async def serve() -> None:
        how_now = how or Disturbance()
        down, up = Disturbed(how_now, Random(5)), Disturbed(how_now, Random(6))
        counted.extend((down.counted, up.counted))
        with Recorder(path, "through the proxy") as recorder:
            unsealing = Unsealing(key, os.urandom) if key is not None else None
            server = ProxyServer(Middle(down, up, note=recorder.note, unsealing=unsealing), device)
            urls.extend(await server.open(tcp=None if pty else ("127.0.0.1", 0), pty=pty))
            ready.set()
            await asyncio.get_running_loop().run_in_executor(None, stop.wait)
            await server.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(30)
    try:
        yield urls[0], counted
    finally:
        stop.set()
        thread.join(30)
        assert not thread.is_alive()


def place(**more) -> Location:
    build = Build(profile=load_profile("i-deal-style"), serial="SB-PROXY-1", seed=3, speed=300.0, **more)
    return Location(build=build, ports=(Tcp(),))


def play(url: str, rounds: int = 1, **more) -> list[Dealt]:
    found = []
    with Client.open(url, timeout_s=60, **more) as client:
        wait_until_on(client)
        for number in range(1, rounds + 1):
            shuffled = ready_deck(client)
            *_, dealt = deal_round(client, number, SEVEN, shuffled)
            found.append(dealt)
        assert client.gaps == []
    return found


def events(path: Path) -> list[m.Event]:
    said = [step.message for step in conversation(load(path)) if isinstance(step, Said)]
    return [message for message in said if isinstance(message, m.Event) and message.number]


def test_through_a_quiet_proxy_everything_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "quiet.shufrec"
    with background([place()]) as devices, proxy(devices.url, path) as (url, _):
        (dealt,) = play(url)
    assert dealt.verified
    removed = [event for event in events(path) if isinstance(event, m.GroupRemoved)]
    assert {event.seat: event.opening.cards for event in removed if event.seat} == {
        seat: cards for seat, cards in dealt.hands.items() if seat
    }


def test_with_ten_percent_bad_frames_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "bad.shufrec"
    with background([place()]) as devices, proxy(devices.url, path, Disturbance.bad(0.1)) as (url, counted):
        rounds = play(url, 3)
    for dealt in rounds:
        assert dealt.verified
        assert len(dealt.hands) == 8
        assert all(len(cards) == 3 for cards in dealt.hands.values())
        assert dealt.stub == 28
    numbers = [event.number for event in events(path)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert sum(each.frames for each in counted) > 100
    assert sum(each.bad for each in counted) > 5


def test_a_pseudo_terminal_serves_the_controller_too(tmp_path: Path) -> None:
    with background([place()]) as devices, proxy(devices.url, tmp_path / "r", pty=True) as (url, _):
        assert url.startswith("/dev/")
        assert play(url)[0].verified


def test_a_secure_session_is_opaque_without_the_key_and_open_with_it(tmp_path: Path) -> None:
    closed, opened = tmp_path / "closed", tmp_path / "opened"
    with background([place(key=KEY)]) as devices, proxy(devices.url, closed) as (url, _):
        play(url, key=KEY)
    steps = conversation(load(closed))
    assert any(isinstance(step, Opaque) for step in steps)
    assert not any(isinstance(step, Said) for step in steps)
    with background([place(key=KEY)]) as devices, proxy(devices.url, opened, key=KEY) as (url, _):
        (dealt,) = play(url, key=KEY)
    assert dealt.verified
    assert not any(isinstance(step, Opaque) for step in conversation(load(opened)))
    assert sum(isinstance(event, m.GroupRemoved) for event in events(opened)) == 8


def test_a_device_that_is_not_there_costs_the_controller_its_connection(tmp_path: Path) -> None:
    with proxy("socket://127.0.0.1:9", tmp_path / "r") as (url, _), pytest.raises(TimedOut):
        Client.open(url, timeout_s=2)


def test_a_usb_conversation_is_recorded_too(tmp_path: Path) -> None:
    path = tmp_path / "usb.shufrec"
    bus = UsbBus()
    on_usb = replace(place(), ports=(Usb(bus),))
    with background([on_usb], usbip=("127.0.0.1", 0)) as devices, proxy(devices.usbip_url(), path) as (url, _):
        assert play(url)[0].verified
    assert sum(isinstance(event, m.GroupRemoved) for event in events(path)) == 8


def test_a_replayed_secure_device_is_played_through_a_bad_line_and_matches(tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    with background([place(key=KEY)]) as devices, proxy(devices.url, opened, key=KEY) as (url, _):
        (dealt,) = play(url, key=KEY)
    steps = conversation(load(opened))
    with replayed_device(steps, key=KEY) as (device, outcomes):  # noqa: SIM117
        with proxy(device, tmp_path / "again", Disturbance.bad(0.1)) as (url, counted):
            (again,) = play(url, key=KEY)
    assert again.hands == dealt.hands
    assert again.verified
    assert sum(each.bad for each in counted) > 0
    assert [str(difference) for difference in outcomes[0].differences] == []
    assert outcomes[0].matches
