"""The client's own USB/IP host against the server: addresses, bytes, loss, devices taken or no serial ports."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from firmware_sim.ports.usb import UsbBus, UsbDevice, UsbIdentity
from firmware_sim.ports.usb.events import ControlLinesSet, LineCodingSet
from proofs.echo_pipe import EchoPipe
from proofs.usbip_fuzz import serving
from shuffler.errors import CannotOpen, LinkLost
from shuffler.transports import usbip as usbip_transport
from shuffler.transports.ports import open_transport
from shuffler.transports.usbip import READ_SIZE, READS, UNREAD_MAX, UsbipAddress
from shuffler.transports.usbip_host import UsbipHost


@pytest.fixture
def bus() -> UsbBus:
    bus = UsbBus()
    bus.add(UsbDevice(UsbIdentity(serial="A"), EchoPipe()))
    bus.add(UsbDevice(UsbIdentity(serial="B"), EchoPipe()))
    return bus


@pytest.fixture
def server(bus: UsbBus) -> Iterator[str]:
    with serving(bus) as served:
        yield f"usbip://127.0.0.1:{served.port}"
        until(lambda: served.server.connections == 0)
    assert all(slot.host is None for slot in bus)


def until(condition: Callable[[], bool]) -> None:
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.005)
    raise AssertionError("did not happen within 5 s")


# ---- which device ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("usbip://127.0.0.1:4000/1-2", UsbipAddress(host="127.0.0.1", port=4000, busid="1-2")),
        ("usbip://bench/1-1", UsbipAddress(host="bench", port=3240, busid="1-1")),
        ("usbip://bench", UsbipAddress(host="bench")),
        ("usbip://[::1]:3240/1-1/", UsbipAddress(host="::1", busid="1-1")),
    ],
)
def test_a_url_names_a_device(url: str, address: UsbipAddress) -> None:
    assert UsbipAddress.parse(url) == address
    assert UsbipAddress.parse(str(address)) == address


@pytest.mark.parametrize("url", ["usbip://", "usbip:///1-1", "usbip://h:x/1-1", "usbip://h:70000", "usbip://h/1-1/2", "usbip://h/ü"])
def test_a_url_that_names_none_says_what_it_should_be(url: str) -> None:
    with pytest.raises(CannotOpen, match="expected usbip://HOST:PORT/BUSID"):
        open_transport(url)


def test_no_such_device_says_which_there_are(server: str) -> None:
    with pytest.raises(CannotOpen, match="no such device; there are: 1-1, 1-2"):
        open_transport(f"{server}/9-9")


def test_without_a_bus_id_there_must_be_one_device(server: str, bus: UsbBus) -> None:
    with pytest.raises(CannotOpen, match="add the bus id; there are: 1-1, 1-2"):
        open_transport(server)
    bus.unplug("1-1")
    open_transport(server).close()


def test_no_server_there_is_said_plainly() -> None:
    with pytest.raises(CannotOpen, match="port 1: Connection refused; is it running"):
        open_transport("usbip://127.0.0.1:1/1-1")


def test_a_device_that_another_host_holds_is_said_to_be(server: str) -> None:
    port = open_transport(f"{server}/1-1")
    with pytest.raises(CannotOpen, match="attached elsewhere"):
        open_transport(f"{server}/1-1")
    port.write(b"undisturbed")
    assert port.read(1) == b"undisturbed"
    port.close()


def test_a_server_that_has_not_yet_noticed_the_end_of_the_last_host_is_waited_for(server: str) -> None:
    first = open_transport(f"{server}/1-1")
    threading.Timer(0.1, first.close).start()
    second = open_transport(f"{server}/1-1")
    second.write(b"mine now")
    assert second.read(1) == b"mine now"
    second.close()


# ---- bytes -----------------------------------------------------------------------------------------------------------


def test_bytes_go_both_ways_and_the_port_is_opened_and_closed(server: str, bus: UsbBus) -> None:
    port = open_transport(f"{server}/1-2")
    port.write(b"hello")
    assert port.read(1.0) == b"hello"
    assert port.read(0) == b""
    port.close()
    port.close()
    history = list(bus.slot("1-2").device.history)
    assert [str(event.coding) for event in history if isinstance(event, LineCodingSet)] == ["115200 8N1"]
    lines = [event for event in history if isinstance(event, ControlLinesSet)]
    assert lines == [ControlLinesSet(dtr=True, rts=True), ControlLinesSet(dtr=False, rts=False)]


def test_much_data_is_written_whole_while_another_thread_reads(server: str) -> None:
    port = open_transport(f"{server}/1-1")
    data = bytes(range(256)) * 8192
    came = bytearray()

    def reader() -> None:
        while len(came) < len(data):
            came.extend(port.read(5.0))

    thread = threading.Thread(target=reader)
    thread.start()
    port.write(data)
    thread.join(20)
    port.close()
    assert bytes(came) == data


def test_a_device_that_takes_nothing_is_a_lost_link(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usbip_transport, "ANSWER_S", 0.2)
    port = open_transport(f"{server}/1-1")
    with pytest.raises(LinkLost, match=r"takes no data for 0\.2 s"):
        port.write(bytes(4_000_000))  # nobody reads what the echo sends back
    assert len(port.read(1)) <= UNREAD_MAX + READS * READ_SIZE
    assert port.read(1)  # it goes on where it was
    port.close()


def test_closing_ends_a_read_of_another_thread(server: str) -> None:
    port = open_transport(f"{server}/1-1")
    caught: list[str] = []

    def reader() -> None:
        try:
            port.read(60)
        except LinkLost as problem:
            caught.append(str(problem))

    thread = threading.Thread(target=reader)
    thread.start()
    port.close()
    thread.join(10)
    assert caught == ["the port was closed"]
    with pytest.raises(LinkLost, match="closed"):
        port.write(b"x")


def test_an_unplugged_device_is_a_lost_link_and_comes_back(server: str, bus: UsbBus) -> None:
    port = open_transport(f"{server}/1-1")
    threading.Timer(0.05, lambda: bus.unplug("1-1")).start()
    with pytest.raises(LinkLost, match="the USB device is gone: the server hung up"):
        port.read(10)
    with pytest.raises(CannotOpen, match="there are: 1-2"):
        open_transport(f"{server}/1-1")
    bus.plug("1-1")
    again = open_transport(f"{server}/1-1")
    again.write(b"back")
    assert again.read(1) == b"back"
    again.close()
    port.close()


def test_a_halted_endpoint_is_a_lost_link(server: str, bus: UsbBus) -> None:
    port = open_transport(f"{server}/1-1")
    with bus.guard:
        bus.slot("1-1").device.halt(0x82)
        bus.slot("1-1").device.on_activity()
    with pytest.raises(LinkLost, match="status -32"):
        port.read(5)
    port.close()


# ---- what is no serial port ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("descriptor", "says"),
    [
        (b"\x09\x02", "cannot be read"),
        (bytes.fromhex("09 02 0900 00 01 00 80 32"), "not a serial device"),
    ],
)
def test_a_device_of_another_kind_is_refused(
    server: str, monkeypatch: pytest.MonkeyPatch, descriptor: bytes, says: str
) -> None:
    real = UsbipHost.control

    def other(host, setup, data=b""):
        ended = real(host, setup, data)
        return ended if setup.request != 0x06 else type(ended)(reply=ended.reply, data=descriptor)

    monkeypatch.setattr(UsbipHost, "control", other)
    with pytest.raises(CannotOpen, match=says):
        open_transport(f"{server}/1-1")
