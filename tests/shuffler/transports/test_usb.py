"""The client's USB transport on the in-process bus: finding, claiming, bytes, loss, and the driver given back."""

import builtins
import threading
from collections.abc import Iterator

import pytest
import usb.core
import usb.util

from firmware_sim.ports.usb import UsbBus, UsbDevice, UsbIdentity
from firmware_sim.ports.usb.events import ControlLinesSet, LineCodingSet
from firmware_sim.pyusb import EmulatedBackend
from proofs.echo_pipe import EchoPipe
from shuffler.errors import CannotOpen, LinkLost
from shuffler.transports import usb as usb_transport
from shuffler.transports.ports import open_transport
from shuffler.transports.usb import UsbAddress, UsbTransport


@pytest.fixture
def bus() -> UsbBus:
    bus = UsbBus()
    bus.add(UsbDevice(UsbIdentity(serial="A"), EchoPipe()))
    bus.add(UsbDevice(UsbIdentity(serial="B"), EchoPipe()))
    bus.add(UsbDevice(UsbIdentity(serial="C", vendor_id=0xCAFE, product_id=0x4001), EchoPipe()))
    return bus


@pytest.fixture(autouse=True)
def backend(bus: UsbBus) -> Iterator[EmulatedBackend]:
    backend = EmulatedBackend(bus, kernel_driver=True)
    usb_transport.use_backend(backend)
    yield backend
    usb_transport.use_backend(None)
    assert all(slot.host is None for slot in bus)


def driver_active(backend: EmulatedBackend, serial: str) -> bool:
    device = usb.core.find(backend=backend, custom_match=lambda dev: dev.serial_number == serial)
    try:
        return device.is_kernel_driver_active(0) and device.is_kernel_driver_active(1)
    finally:
        usb.util.dispose_resources(device)


# ---- which device ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("usb://1209:0001/A", UsbAddress(serial="A")),
        ("usb://1209:1", UsbAddress()),
        ("usb://", UsbAddress()),
        ("usb:///B", UsbAddress(serial="B")),
        ("usb://CAFE:4001/x%20y", UsbAddress(vendor_id=0xCAFE, product_id=0x4001, serial="x y")),
    ],
)
def test_a_url_names_a_device(url: str, address: UsbAddress) -> None:
    assert UsbAddress.parse(url) == address


@pytest.mark.parametrize("url", ["usb://1209", "usb://12345:1", "usb://zz:1", "usb://1209:0001/a/b", "usb:1209:1"])
def test_a_url_that_names_none_says_what_it_should_be(url: str) -> None:
    with pytest.raises(CannotOpen, match="expected usb://VID:PID/SERIAL"):
        UsbAddress.parse(url)


def test_no_such_serial_number_says_which_there_are() -> None:
    with pytest.raises(CannotOpen, match=r"usb://1209:0001/Z: no such device; serial numbers with these ids: A, B"):
        open_transport("usb://1209:0001/Z")


def test_no_such_ids() -> None:
    with pytest.raises(CannotOpen, match="no such device; serial numbers with these ids: none"):
        open_transport("usb://dead:beef")


def test_two_that_match_need_a_serial_number() -> None:
    with pytest.raises(CannotOpen, match="2 devices match: add the serial number"):
        open_transport("usb://1209:0001")


def test_the_only_one_needs_none() -> None:
    open_transport("usb://cafe:4001").close()


# ---- bytes -----------------------------------------------------------------------------------------------------------


def test_bytes_go_both_ways_and_the_port_is_opened_and_closed(bus: UsbBus) -> None:
    port = open_transport("usb://1209:0001/B")
    port.write(b"hello")
    assert port.read(1.0) == b"hello"
    assert port.read(0) == b""
    port.close()
    port.close()
    history = list(bus.slot("1-2").device.history)
    assert [str(event.coding) for event in history if isinstance(event, LineCodingSet)] == ["115200 8N1"]
    lines = [event for event in history if isinstance(event, ControlLinesSet)]
    assert lines == [ControlLinesSet(dtr=True, rts=True), ControlLinesSet(dtr=False, rts=False)]


def test_much_data_is_written_whole() -> None:
    port = open_transport("usb://1209:0001/A")
    data = bytes(range(256)) * 800
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


def test_a_device_that_takes_nothing_is_a_lost_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb_transport, "WRITE_TIMEOUT_MS", 20)
    port = open_transport("usb://1209:0001/A")
    with pytest.raises(LinkLost, match="did not answer in time"):
        port.write(bytes(1_000_000))
    port.close()


def test_closing_ends_a_read_of_another_thread() -> None:
    port = open_transport("usb://1209:0001/A")
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


def test_an_unplugged_device_is_a_lost_link_and_comes_back(bus: UsbBus) -> None:
    port = open_transport("usb://1209:0001/A")
    threading.Timer(0.05, lambda: bus.unplug("1-1")).start()
    with pytest.raises(LinkLost, match="the USB device is gone: it was unplugged"):
        port.read(10)
    with pytest.raises(LinkLost, match="unplugged"):
        port.write(b"x")
    port.close()
    with pytest.raises(CannotOpen, match="no such device"):
        open_transport("usb://1209:0001/A")
    bus.plug("1-1")
    again = open_transport("usb://1209:0001/A")
    again.write(b"back")
    assert again.read(1) == b"back"
    again.close()


# ---- who holds it ----------------------------------------------------------------------------------------------------


def test_the_driver_of_the_system_is_detached_and_given_back(backend: EmulatedBackend) -> None:
    assert driver_active(backend, "A")
    port = open_transport("usb://1209:0001/A")
    assert not driver_active(backend, "A")
    port.close()
    assert driver_active(backend, "A")


def test_no_driver_is_given_back_that_was_not_there(bus: UsbBus) -> None:
    backend = EmulatedBackend(bus)
    port = UsbTransport(UsbAddress(serial="A"), backend)
    port.close()
    assert not driver_active(backend, "A")


def test_a_device_that_another_program_holds_is_said_to_be() -> None:
    first = open_transport("usb://1209:0001/A")
    with pytest.raises(CannotOpen, match="another program holds it"):
        open_transport("usb://1209:0001/A")
    first.write(b"undisturbed")
    assert first.read(1) == b"undisturbed"
    first.close()


def test_a_system_without_drivers_to_detach_is_fine(bus: UsbBus) -> None:
    class NoDrivers(EmulatedBackend):
        def is_kernel_driver_active(self, dev_handle, intf):
            raise NotImplementedError

    port = UsbTransport(UsbAddress(serial="A"), NoDrivers(bus))
    port.write(b"x")
    assert port.read(1) == b"x"
    port.close()


def test_an_unconfigured_device_is_configured(bus: UsbBus) -> None:
    class Unconfigured(EmulatedBackend):
        def _enumerate(self, attachment) -> None:
            """Leave the device as it comes."""

    port = UsbTransport(UsbAddress(serial="A"), Unconfigured(bus))
    port.write(b"x")
    assert port.read(1) == b"x"
    port.close()


# ---- what is missing -------------------------------------------------------------------------------------------------


def test_no_libusb_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_backend(**_):
        raise usb.core.NoBackendError("No backend available")

    monkeypatch.setattr(usb.core, "find", no_backend)
    with pytest.raises(CannotOpen, match="libusb is not installed"):
        open_transport("usb://")


def test_no_pyusb_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_usb(name: str, *rest):
        if name.split(".")[0] == "usb":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_usb)
    with pytest.raises(CannotOpen, match="pyusb is not installed"):
        open_transport("usb://")
