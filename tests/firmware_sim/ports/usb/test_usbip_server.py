"""The server on a real socket: several clients, detach and re-attach, unplug, silence, addresses."""

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from firmware_sim.ports.usb import usbip_server
from firmware_sim.ports.usb.bus import UsbBus
from firmware_sim.ports.usb.device import UsbDevice
from firmware_sim.ports.usb.identity import UsbIdentity
from firmware_sim.ports.usb.usbip_server import UsbipServer, is_loopback
from proofs.echo_pipe import EchoPipe
from protocol.usb.errors import DeviceBusy, DeviceUnknown, LocalUsbError, RemoteUsbError
from protocol.usb.requests import SetupPacket
from protocol.usb.usbip_wire import CmdSubmit, build_submit, request_import
from shuffler.transports.usbip_host import UsbipHost, list_devices

SET_CONFIGURATION = SetupPacket(request_type=0x00, request=0x09, value=1)
RAISE_DTR = SetupPacket(request_type=0x21, request=0x22, value=3)


class Running:
    """A server in a thread of its own, as a program would have it."""

    def __init__(self) -> None:
        self.bus = UsbBus()
        for serial in ("A", "B"):
            self.bus.add(UsbDevice(UsbIdentity(serial=serial), EchoPipe()))
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.server = UsbipServer(self.bus)
        self.port = self.run(self.server.start(port=0))

    def run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=10)

    def call(self, function: Callable[[], object]) -> None:
        async def body() -> None:
            function()

        self.run(body())

    def until(self, condition: Callable[[], bool]) -> None:
        for _ in range(1000):
            if condition():
                return
            time.sleep(0.005)
        raise AssertionError("did not happen within 5 s")

    def attach(self, busid: str = "1-1") -> UsbipHost:
        return UsbipHost(busid, port=self.port)

    def open_port(self, busid: str = "1-1") -> UsbipHost:
        host = self.attach(busid)
        assert host.control(SET_CONFIGURATION).reply.status == 0
        assert host.control(RAISE_DTR).reply.status == 0
        return host

    def close(self) -> None:
        self.run(self.server.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


@pytest.fixture
def running() -> Iterator[Running]:
    running = Running()
    yield running
    running.close()
    assert running.server.connections == 0
    assert all(slot.host is None for slot in running.bus)


def test_list_attach_and_echo(running: Running) -> None:
    assert [record.busid for record in list_devices(port=running.port)] == ["1-1", "1-2"]
    with running.open_port() as host:
        waiting = host.submit_in(0x82, 512)
        host.write(0x02, b"hello")
        assert host.reap(waiting).data == b"hello"


def test_two_clients_hold_two_devices_and_a_third_asks_for_the_list(running: Running) -> None:
    with running.open_port("1-1") as first, running.open_port("1-2") as second:
        first.write(0x02, b"one")
        second.write(0x02, b"two")
        assert len(list_devices(port=running.port)) == 2
        assert (first.read(0x82, 512), second.read(0x82, 512)) == (b"one", b"two")


def test_a_device_is_attached_once_and_free_after_detaching(running: Running) -> None:
    for _ in range(5):
        with running.open_port(), pytest.raises(DeviceBusy):
            running.attach()
        running.until(lambda: running.bus.slot("1-1").host is None)


def test_a_mebibyte_goes_round_in_order(running: Running) -> None:
    data = bytes(range(251)) * 4178
    came = bytearray()
    with running.open_port() as host:
        writes = [host.submit_out(0x02, data[at : at + 65536]) for at in range(0, len(data), 65536)]
        while len(came) < len(data):
            came += host.read(0x82, 16384)
        assert all(host.reap(number).reply.status == 0 for number in writes)
    assert came == data


def test_a_device_that_speaks_by_itself_from_another_thread_is_heard(running: Running) -> None:
    with running.open_port() as host:
        waiting = host.submit_in(0x82, 512)
        running.bus.slot("1-1").device.function.pipe.receive(b"unasked")
        assert host.reap(waiting).data == b"unasked"


def test_submits_of_a_batch_leave_together_and_replies_that_came_are_known(running: Running) -> None:
    with running.open_port() as host:
        with host.batch():
            reading = host.submit_in(0x82, 512)
            writing = host.submit_out(0x02, b"both")
            assert not host.is_reaped(reading)
        assert host.reap(writing).reply.status == 0
        assert host.reap(reading).data == b"both"


def test_unlink_over_the_wire(running: Running) -> None:
    with running.open_port() as host:
        waiting = host.submit_in(0x82, 512)
        assert host.reap(host.unlink(waiting)).reply.status == -104
        assert host.reap(host.unlink(waiting)).reply.status == 0


def test_surprise_removal_hangs_up_and_replug_lets_in_again(running: Running) -> None:
    with running.open_port() as host:
        waiting = host.submit_in(0x82, 512)
        running.call(lambda: running.bus.unplug("1-1"))
        with pytest.raises(RemoteUsbError, match="hung up"):
            host.reap(waiting)
    assert [record.busid for record in list_devices(port=running.port)] == ["1-2"]
    with pytest.raises(DeviceUnknown):
        running.attach()
    running.call(lambda: running.bus.plug("1-1"))
    running.open_port().close()


@pytest.mark.slow
def test_a_client_that_never_reads_is_no_longer_listened_to(running: Running) -> None:
    get_configuration = bytes.fromhex("80 06  00 02  00 00  4b 00")
    ask = build_submit(
        CmdSubmit(seqnum=1, device_id=0x10001, is_in=True, endpoint=0, length=255, setup=get_configuration)
    )
    with socket.create_connection(("127.0.0.1", running.port)) as greedy:
        greedy.sendall(request_import("1-1"))
        greedy.settimeout(0.2)
        with pytest.raises(TimeoutError):
            greedy.sendall(ask * 1_000_000)
        running.open_port("1-2").close()
    running.until(lambda: running.bus.slot("1-1").host is None)


def test_whoever_asks_for_nothing_is_hung_up_on(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usbip_server, "PATIENCE_S", 0.05)
    with socket.create_connection(("127.0.0.1", running.port)) as silent:
        silent.settimeout(5)
        silent.sendall(b"\x01\x11")
        assert silent.recv(1) == b""


def test_patience_does_not_end_an_attached_device(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usbip_server, "PATIENCE_S", 0.05)
    with running.open_port() as host:
        time.sleep(0.2)
        host.write(0x02, b"still here")
        assert host.read(0x82, 512) == b"still here"


def test_no_more_connections_than_the_bound(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usbip_server, "CONNECTIONS_MAX", 1)
    with running.open_port("1-1"), pytest.raises(RemoteUsbError):
        list_devices(port=running.port)
    running.until(lambda: running.server.connections == 0)
    assert len(list_devices(port=running.port)) == 2


def test_a_port_in_use_is_named(running: Running) -> None:
    with pytest.raises(LocalUsbError, match=f"cannot listen on 127.0.0.1 port {running.port}"):
        running.run(UsbipServer(running.bus).start(port=running.port))


def test_stopping_hangs_up_and_frees_the_devices(running: Running) -> None:
    host = running.open_port()
    waiting = host.submit_in(0x82, 512)
    running.run(running.server.stop())
    with pytest.raises(RemoteUsbError):
        host.reap(waiting)
    host.close()
    assert running.bus.slot("1-1").host is None


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.3.2.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False),
     ("192.0.2.1", False), ("bench.example", False)],
)  # fmt: skip
def test_which_addresses_stay_on_this_machine(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_any_other_address_is_served_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    async def serve(host: str) -> None:
        server = UsbipServer(UsbBus())
        await server.start(host, 0)
        await server.stop()

    with caplog.at_level(logging.WARNING):
        asyncio.run(serve("127.0.0.1"))
        assert caplog.text == ""
        asyncio.run(serve("0.0.0.0"))
    assert "no authentication" in caplog.text


def test_no_server_there_is_said_plainly() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(RemoteUsbError, match=f"cannot reach a USB/IP server on 127.0.0.1 port {port}"):
        list_devices(port=port)
