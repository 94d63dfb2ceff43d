"""One conversation that every transport must carry: hello, a whole round, refusals, a pulled cable, a second client."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware_sim.control.control import Control
from firmware_sim.machine.profile import load
from firmware_sim.ports import Pty, PtyPort, Tcp, TcpPort
from firmware_sim.ports.serving import Background, Location, Served, background
from firmware_sim.ports.usb import Usb, UsbBus, UsbPort
from firmware_sim.pyusb import EmulatedBackend
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from protocol.roles import role_key
from protocol.vocabulary import DealState, ErrorCode, PowerState, Role
from shuffler.errors import CannotOpen, HandshakeRefused, LinkLost, MemorySetBack, Refused, TimedOut, WrongReply
from shuffler.host.aio import AsyncClient
from shuffler.host.client import Client
from shuffler.host.dealing import deal_round, ready_deck, wait_until_on
from shuffler.host.session import SetBack
from shuffler.transports import usb as usb_transport

KEY = bytes(range(32))
QUICK = 400.0  # times as fast as a real machine


def build(**more) -> Build:
    settings = {"profile": load("i-deal-style"), "serial": "SB-0001", "seed": 7, "speed": QUICK}
    settings["role_keys"] = {Role.SUPERVISOR: role_key("words")}
    return Build(**{**settings, **more})


@dataclass(frozen=True)
class Port:
    """A kind of port: how a device is put on it and how its cable is pulled."""

    name: str
    place: Callable[[Build], Location]
    pull: Callable[[Served], None]
    over_usbip: bool = False

    @contextmanager
    def serve(self, made: Build) -> Iterator["Bench"]:
        with background([self.place(made)], usbip=("127.0.0.1", 0) if self.over_usbip else None) as devices:
            yield Bench(devices=devices, url=devices.usbip_url() if self.over_usbip else devices.url)


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A device on its port, in another thread."""

    devices: Background
    url: str

    def do(self, action: Callable[[Served], None]) -> None:
        self.devices.do(action)


def pull_tcp(served: Served) -> None:
    served.port(TcpPort).drop_client()


def pull_pty(served: Served) -> None:
    served.port(PtyPort)._hang_up()


def on_usb(made: Build) -> Location:
    bus = UsbBus()
    usb_transport.use_backend(EmulatedBackend(bus))
    return Location(build=made, ports=(Usb(bus),))


def pull_usb(served: Served) -> None:
    served.port(UsbPort).drop_client()


PORTS = (
    Port("tcp", lambda made: Location(build=made, ports=(Tcp(),)), pull_tcp),
    Port("pty", lambda made: Location(build=made, ports=(Pty(),)), pull_pty),
    Port("usb", on_usb, pull_usb),  # the in-process pyusb backend
    Port("usbip", lambda made: Location(build=made, ports=(Usb(UsbBus()),)), pull_usb, over_usbip=True),
)


@pytest.fixture(autouse=True)
def _system_libusb_again() -> Iterator[None]:
    yield
    usb_transport.use_backend(None)


@pytest.fixture(params=PORTS, ids=lambda port: port.name)
def port(request: pytest.FixtureRequest) -> Port:
    return request.param


@pytest.fixture
def bench(port: Port) -> Iterator[Bench]:
    with port.serve(build()) as bench:
        yield bench


@pytest.fixture
def client(bench: Bench) -> Iterator[Client]:
    with Client.open(bench.url) as client:
        wait_until_on(client)
        yield client


def test_a_device_says_who_it_is(client: Client) -> None:
    info = client.ask(m.GetInfo(), m.Info)
    assert (info.serial, info.profile) == ("SB-0001", "i-deal-style")
    assert m.DeviceFlag.SEEDED in info.flags
    assert client.connection.same_schema


def test_a_whole_seven_player_round_and_the_stub(client: Client) -> None:
    shuffled = ready_deck(client)
    assert shuffled.count == 52
    dealt = list(deal_round(client, 1, tuple(range(1, 8)), shuffled))[-1]
    assert sorted(dealt.hands) == list(range(8))
    assert len({card for hand in dealt.hands.values() for card in hand}) == 24
    assert dealt.stub == 28
    assert dealt.verified


def test_the_dealers_cards_are_named_only_after_the_decisions(client: Client) -> None:
    ready_deck(client)
    client.call(m.BeginRound(round=1, seats=1))
    client.call(m.DealGroup(round=1, groups=0))
    removed = [client.wait_for(m.GroupRemoved) for _ in range(2)]
    assert [(r.seat, r.withheld, len(r.opening.cards)) for r in removed] == [(1, False, 3), (0, True, 0)]
    client.call(m.CloseDecisions(round=1))
    assert len(client.wait_for(m.HandDisclosed).opening.cards) == 3


def test_a_refusal_says_why_and_changes_nothing(client: Client) -> None:
    with pytest.raises(Refused) as caught:
        client.call(m.DealGroup(round=1, groups=0))
    assert caught.value.code in (ErrorCode.NOT_NOW, ErrorCode.NO_CARDS, ErrorCode.WRONG_ROUND)
    assert client.ask(m.GetStatus(), m.Status).deal is DealState.NO_DECK


def test_the_stub_is_for_a_supervisor_only(client: Client) -> None:
    list(deal_round(client, 1, (1,), ready_deck(client)))
    with pytest.raises(Refused) as caught:
        client.call(m.ReadStub())
    assert caught.value.code is ErrorCode.NOT_AUTHORISED
    client.prove_role(Role.SUPERVISOR, "words")
    assert len(client.ask(m.ReadStub(), m.Stub).opening.cards) == 46


def test_a_wrong_proof_grants_nothing(client: Client) -> None:
    with pytest.raises(Refused) as caught:
        client.prove_role(Role.SUPERVISOR, "guess")
    assert caught.value.code is ErrorCode.BAD_PROOF


def test_a_pulled_cable_is_mended_by_itself_and_the_round_goes_on(
    bench: Bench, client: Client, port: Port
) -> None:
    shuffled = ready_deck(client)
    hands: dict[int, tuple[int, ...]] = {}
    for groups, dealt in enumerate(deal_round(client, 1, tuple(range(1, 8)), shuffled)):
        hands = dealt.hands
        if groups in (2, 5):
            bench.do(port.pull)
    assert sorted(hands) == list(range(8))
    assert client.gaps == []


def test_a_call_to_a_device_whose_memory_was_set_back_says_so(client: Client) -> None:
    with client._lock:
        client.connection.set_back = SetBack(serial="SB-0001", epoch=7, stored=50, found=40)
        with pytest.raises(MemorySetBack, match="event 50 is stored here, the device is at 40"):
            client.call(m.GetStatus())


def test_the_control_plane_pulls_the_cable_of_every_port(bench: Bench, client: Client) -> None:
    number = client.session.link.session.number
    bench.do(lambda served: served.emulator.outside.pull_cable())
    for _ in range(500):  # it is pulled after the step that asked for it
        assert client.ask(m.GetInfo(), m.Info).serial == "SB-0001"
        if client.session.link.session.number != number:
            break
    assert client.session.link.session.number != number


def test_power_comes_back_to_the_same_store(bench: Bench, client: Client) -> None:
    ready_deck(client)
    before = client.welcome
    bench.do(lambda served: served.do(lambda control: control.cut_power()))
    assert client.wait_for(m.PoweredUp, 30).boots == 2
    wait_until_on(client)
    assert client.welcome.epoch == before.epoch
    assert client.gaps == []


def test_a_port_can_be_opened_and_closed_any_number_of_times(bench: Bench) -> None:
    for _ in range(5):
        with Client.open(bench.url) as client:
            assert client.ask(m.GetInfo(), m.Info).serial == "SB-0001"


def test_a_session_that_breaks_off_leaves_nothing_for_the_next(bench: Bench) -> None:
    first = Client.open(bench.url)
    first.submit(m.GetInfo())
    with first._lock:
        first._closed = True  # as if its process were gone: no goodbye, and nobody opens the port again
        first._ended.set()
        assert first._line.port is not None
        first._line.port.close()
    with Client.open(bench.url) as client:
        assert client.ask(m.GetInfo(), m.Info).serial == "SB-0001"


def test_secure_mode_carries_the_same_round(port: Port) -> None:
    with port.serve(build(key=KEY)) as devices:
        with Client.open(devices.url, key=KEY) as client:
            wait_until_on(client)
            assert list(deal_round(client, 1, (1, 2), ready_deck(client)))[-1].verified
        with pytest.raises(HandshakeRefused):
            Client.open(devices.url, timeout_s=5)
        with pytest.raises(TimedOut):
            Client.open(devices.url, key=bytes(32), timeout_s=0.7)


def test_the_asyncio_client_has_the_same_conversation(bench: Bench, port: Port) -> None:
    async def converse() -> tuple[int, int]:
        async with await AsyncClient.open(bench.url) as client:
            while (await client.ask(m.GetStatus(), m.Status)).power is not PowerState.ON:
                await asyncio.sleep(0.01)
            await client.call(m.Load())
            await client.wait_for(m.DeckLoaded)
            await client.call(m.Shuffle(nonce=bytes(16)))
            await client.wait_for(m.ShuffleCompleted)
            await client.call(m.BeginRound(round=1, seats=0b111))
            await client.call(m.DealGroup(round=1, groups=0))
            removed = [await client.wait_for(m.GroupRemoved) for _ in range(2)]
            bench.do(port.pull)
            removed += [await client.wait_for(m.GroupRemoved) for _ in range(2)]
            with pytest.raises(Refused):
                await client.call(m.ReadStub())
            await client.prove_role(Role.SUPERVISOR, "words")
            await client.call(m.CloseDecisions(round=1))
            hand = await client.wait_for(m.HandDisclosed)
            return sum(len(r.opening.cards) for r in removed), len(hand.opening.cards)

    assert asyncio.run(converse()) == (9, 3)


def test_a_second_client_on_tcp_is_told_that_the_device_is_taken() -> None:
    with background([PORTS[0].place(build())]) as devices, Client.open(devices.url) as first:
        with pytest.raises(HandshakeRefused, match="another client"):
            Client.open(devices.url)
        assert first.ask(m.GetInfo(), m.Info).serial == "SB-0001"
    with pytest.raises(CannotOpen):
        Client.open(devices.url)


def test_a_line_at_a_baud_rate_still_carries_a_command() -> None:
    place = Location(build=build(), ports=(Tcp(baud=9600),))
    with background([place]) as devices, Client.open(devices.url) as client:
        assert client.ask(m.GetInfo(), m.Info).serial == "SB-0001"


def test_several_devices_live_in_one_process_each_on_its_own_port() -> None:
    places = [Location(build=build(serial=f"SB-{n}"), ports=(Tcp(),)) for n in range(5)]
    with background(places) as devices:
        urls = [served.urls[0] for served in devices.served]
        assert len(set(urls)) == 5
        for number, url in enumerate(urls):
            with Client.open(url) as client:
                assert client.ask(m.GetInfo(), m.Info).serial == f"SB-{number}"


def test_the_memory_file_outlives_the_process(tmp_path: Path) -> None:
    place = Location(build=build(), ports=(Tcp(),), memory=tmp_path / "one.nv")
    epochs = []
    for boots in (1, 2):
        with background([place]) as devices, Client.open(devices.url) as client:
            assert client.welcome.boots == boots
            epochs.append(client.welcome.epoch)
    assert epochs[0] == epochs[1]


def test_a_link_names_the_pseudo_terminal_and_goes_with_it(tmp_path: Path) -> None:
    link = tmp_path / "shuffler"
    with background([Location(build=build(), ports=(Pty(link),))]), Client.open(str(link)) as client:
        assert client.connected
    assert not link.is_symlink()


@pytest.mark.parametrize("url", ["/dev/no-such-port", "socket://127.0.0.1:1", "socket://nowhere", "socket://h:x"])
def test_a_port_that_is_not_there_is_a_clear_error(url: str) -> None:
    with pytest.raises(CannotOpen, match=url.split("//")[-1]):
        Client.open(url, timeout_s=1)


def test_a_second_client_on_usb_is_told_that_the_device_is_taken() -> None:
    with background([on_usb(build())]) as devices:
        with Client.open(devices.url) as first:
            with pytest.raises(CannotOpen, match="another program holds it"):
                Client.open(devices.url)
            assert first.ask(m.GetInfo(), m.Info).serial == "SB-0001"
        with Client.open(devices.url) as second:
            assert second.connected
    with pytest.raises(CannotOpen, match="no such device"):
        Client.open(devices.url)


def test_a_device_on_several_ports_talks_to_one_at_a_time() -> None:
    bus = UsbBus()
    usb_transport.use_backend(EmulatedBackend(bus))
    with background([Location(build=build(), ports=(Tcp(), Usb(bus)))]) as devices:
        tcp, usb = devices.served[0].urls
        with Client.open(tcp) as first:
            with pytest.raises(HandshakeRefused, match="another client holds this device"):
                Client.open(usb)
            assert first.ask(m.GetInfo(), m.Info).serial == "SB-0001"
        with opened_when_free(usb) as client:
            assert client.ask(m.GetInfo(), m.Info).serial == "SB-0001"


def opened_when_free(url: str) -> Client:
    """A client, once the device has noticed that the one before is gone."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return Client.open(url)
        except HandshakeRefused:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_reply_of_another_kind_than_asked_for_is_an_error_with_a_name() -> None:
    with background([Location(build=build(), ports=(Tcp(),))]) as devices, Client.open(devices.url) as client:
        with pytest.raises(WrongReply, match="GetStatus was answered by Status"):
            client.ask(m.GetStatus(), m.Info)

        async def ask() -> None:
            async with await AsyncClient.open(devices.url) as other:
                await other.ask(m.GetStatus(), m.Info)

        client.close()
        with pytest.raises(WrongReply, match="does not keep to the protocol"):
            asyncio.run(ask())


def test_whoever_waits_at_an_asyncio_client_is_told_when_it_is_closed() -> None:
    """Switched off, the device answers nothing: only the close can end these."""

    async def close_while_waiting(devices: Background) -> list[object]:
        client = await AsyncClient.open(devices.url, timeout_s=60)
        devices.do(lambda served: served.do(Control.switch_off))
        call = asyncio.create_task(client.call(m.GetStatus(), 3600))
        event = asyncio.create_task(client.wait_for(m.HandDisclosed, 3600))
        await asyncio.sleep(0.05)
        assert not call.done()
        await client.close()
        return await asyncio.gather(call, event, return_exceptions=True)

    with background([Location(build=build(), ports=(Tcp(),))]) as devices:
        called, waited = asyncio.run(close_while_waiting(devices))
    assert isinstance(called, LinkLost)
    assert isinstance(waited, TimedOut)


def test_an_asyncio_call_that_has_timed_out_can_be_waited_for_again() -> None:
    async def ask_twice(devices: Background) -> m.Message:
        async with await AsyncClient.open(devices.url, timeout_s=60) as client:
            devices.do(lambda served: served.do(Control.switch_off))
            with pytest.raises(TimedOut) as late:
                await client.call(m.GetStatus(), 0.2)
            devices.do(lambda served: served.do(Control.switch_on))
            return await client.wait(late.value.request, 60)

    with background([Location(build=build(), ports=(Tcp(),))]) as devices:
        assert isinstance(asyncio.run(ask_twice(devices)), m.Status)
