"""Unmodified pyusb code on the emulated bus: its documented examples, then what its users meet when things go wrong."""

import array
import errno
import re
import threading
import time
from pathlib import Path

import pytest
import usb.control
import usb.core
import usb.util

from firmware_sim.ports.usb.bus import UsbBus
from firmware_sim.ports.usb.device import UsbDevice
from firmware_sim.ports.usb.identity import Speed, UsbIdentity
from firmware_sim.pyusb import EmulatedBackend
from firmware_sim.pyusb.failures import FAILURES
from proofs.echo_pipe import EchoPipe
from protocol.usb.transfers import UrbStatus

VENDOR, PRODUCT = 0x1209, 0x0001
OUT, IN, NOTIFY = 0x02, 0x82, 0x81


@pytest.fixture
def bus() -> UsbBus:
    bus = UsbBus()
    bus.add(UsbDevice(UsbIdentity(serial="A"), EchoPipe()))
    bus.add(UsbDevice(UsbIdentity(serial="B", speed=Speed.FULL), EchoPipe()))
    return bus


@pytest.fixture
def backend(bus: UsbBus) -> EmulatedBackend:
    return EmulatedBackend(bus)


@pytest.fixture
def device(backend: EmulatedBackend):
    device = usb.core.find(idVendor=VENDOR, idProduct=PRODUCT, backend=backend)
    yield device
    usb.util.dispose_resources(device)


@pytest.fixture
def open_device(device):
    device.set_configuration()
    raise_dtr(device)
    return device


def raise_dtr(device) -> None:
    device.ctrl_transfer(0x21, 0x22, 3, 0)


# ---- the examples of pyusb's tutorial and README ---------------------------------------------------------------------


def test_the_tutorials_first_example(backend) -> None:
    dev = usb.core.find(idVendor=VENDOR, idProduct=PRODUCT, backend=backend)
    if dev is None:
        raise ValueError("Device not found")
    dev.set_configuration()
    cfg = dev.get_active_configuration()
    intf = cfg[(1, 0)]  # the tutorial's device has its endpoints in interface 0; a serial port in the second one
    ep = usb.util.find_descriptor(
        intf,
        custom_match=lambda e: usb.util.endpoint_direction(e.bEndpointAddress) == usb.util.ENDPOINT_OUT,
    )
    assert ep is not None
    assert ep.write("test") == 4


def test_finding_all_and_by_a_custom_match(backend) -> None:
    assert len(list(usb.core.find(find_all=True, backend=backend))) == 2
    by_class = usb.core.find(find_all=True, bDeviceClass=2, backend=backend)
    assert [dev.serial_number for dev in by_class] == ["A", "B"]

    class find_class:
        def __init__(self, class_) -> None:
            self._class = class_

        def __call__(self, device) -> bool:
            if device.bDeviceClass == self._class:
                return True
            return any(usb.util.find_descriptor(cfg, bInterfaceClass=self._class) is not None for cfg in device)

    assert len(list(usb.core.find(find_all=True, custom_match=find_class(0x0A), backend=backend))) == 2
    assert usb.core.find(custom_match=find_class(7), backend=backend) is None
    assert usb.core.find(idVendor=0xFFFE, backend=backend) is None


def test_walking_the_configuration(device) -> None:
    walked = [
        (cfg.bConfigurationValue, intf.bInterfaceNumber, intf.bAlternateSetting, ep.bEndpointAddress)
        for cfg in device
        for intf in cfg
        for ep in intf
    ]
    assert walked == [(1, 0, 0, 0x81), (1, 1, 0, 0x02), (1, 1, 0, 0x82)]
    alt = usb.util.find_descriptor(device[0], find_all=True, bInterfaceNumber=1)
    assert [a.bAlternateSetting for a in alt] == [0]


def test_reading_and_writing_by_address_and_by_endpoint(open_device) -> None:
    msg = "test"
    assert open_device.write(OUT, msg, 100) == len(msg)
    ret = open_device.read(IN, 512, 100)
    assert "".join(chr(x) for x in ret) == msg
    buffer = usb.util.create_buffer(512)
    open_device.write(OUT, b"into a buffer")
    assert open_device.read(IN, buffer) == 13
    assert buffer[:13].tobytes() == b"into a buffer"


def test_control_transfers_as_in_the_tutorial(open_device) -> None:
    coding = array.array("B", bytes.fromhex("00c20100000008"))
    assert open_device.ctrl_transfer(0x21, 0x20, 0, 0, coding) == 7
    assert open_device.ctrl_transfer(0xA1, 0x21, 0, 0, 7) == coding


def test_printing_a_device_and_showing_devices(backend, device) -> None:
    text = str(device)
    assert "Error" not in text
    assert "CDC Communication" in text
    assert "0x82: Bulk IN" in text.replace("ENDPOINT 0x82:", "0x82:")
    assert str(usb.core.show_devices(backend=backend)).count("ID 1209:0001") == 2


def test_standard_requests_of_usb_control(open_device) -> None:
    assert usb.control.get_status(open_device) == 1
    assert usb.control.get_configuration(open_device) == 1
    endpoint = open_device.get_active_configuration()[(1, 0)][1]
    usb.control.set_feature(open_device, usb.control.ENDPOINT_HALT, endpoint)
    assert usb.control.get_status(open_device, endpoint) == 1
    usb.control.clear_feature(open_device, usb.control.ENDPOINT_HALT, endpoint)
    assert usb.control.get_status(open_device, endpoint) == 0
    assert usb.control.get_interface(open_device, 1) == 0


def test_strings_and_languages(device) -> None:
    assert (device.manufacturer, device.product) == ("Shuffler bench", "Emulated card shuffler")
    assert device.serial_number == "A"
    assert device.langids == (0x0409,)


def test_where_it_is(device) -> None:
    assert (device.bus, device.address, device.port_number, device.port_numbers, device.speed) == (1, 1, 1, (1,), 3)
    assert device.parent is None


def test_extra_descriptors(device) -> None:
    cfg = device[0]
    assert bytes(cfg.extra_descriptors) == bytes.fromhex("08 0b 00 02 02 02 00 02")
    assert len(cfg[(0, 0)].extra_descriptors) == 19
    assert list(cfg[(1, 0)].extra_descriptors) == []


def test_it_is_configured_without_asking_as_under_linux(device) -> None:
    assert device.get_active_configuration().bConfigurationValue == 1


def test_unconfigured_by_hand(device) -> None:
    device.set_configuration(0)
    with pytest.raises(usb.core.USBError, match="Configuration not set"):
        usb.core.Device(device._ctx.dev, device.backend).get_active_configuration()


def test_alternate_settings(open_device) -> None:
    open_device.set_interface_altsetting(interface=1, alternate_setting=0)
    with pytest.raises(ValueError, match="No matching interface"):
        open_device.set_interface_altsetting(interface=1, alternate_setting=1)


# ---- errors ----------------------------------------------------------------------------------------------------------


def errno_of(call) -> int:
    with pytest.raises(usb.core.USBError) as caught:
        call()
    return caught.value.errno


def test_every_status_has_its_failure() -> None:
    assert set(FAILURES) == set(UrbStatus) - {UrbStatus.OK}


def test_a_read_without_data_times_out_and_loses_nothing(open_device) -> None:
    start = time.monotonic()
    with pytest.raises(usb.core.USBTimeoutError) as caught:
        open_device.read(IN, 512, 50)
    assert time.monotonic() - start >= 0.05
    assert (caught.value.errno, caught.value.backend_error_code) == (errno.ETIMEDOUT, -7)
    open_device.write(OUT, b"later")
    assert open_device.read(IN, 512).tobytes() == b"later"


def test_a_write_that_stops_half_way_says_how_far_it_got(open_device) -> None:
    taken = open_device.write(OUT, bytes(1_000_000), 50)
    assert 65536 <= taken < 1_000_000
    with pytest.raises(usb.core.USBTimeoutError):
        open_device.write(OUT, b"more", 20)
    got = 0
    while got < taken:
        got += len(open_device.read(IN, 65536, 1000))
    assert got == taken


def test_an_unknown_request_is_a_pipe_error(device) -> None:
    assert errno_of(lambda: device.ctrl_transfer(0xC0, 0x51, 0, 0, 4)) == errno.EPIPE


def test_a_halted_endpoint_is_a_pipe_error_until_cleared(bus, open_device) -> None:
    bus.slot("1-1").device.halt(IN)
    assert errno_of(lambda: open_device.read(IN, 512)) == errno.EPIPE
    open_device.clear_halt(IN)
    open_device.write(OUT, b"x")
    assert open_device.read(IN, 512).tobytes() == b"x"
    assert errno_of(lambda: open_device.clear_halt(0x8F)) == errno.ENOENT


def test_a_read_shorter_than_the_packet_overflows(open_device) -> None:
    open_device.write(OUT, b"longer than four")
    assert errno_of(lambda: open_device.read(IN, 4)) == errno.EOVERFLOW
    assert open_device.read(IN, 512).tobytes() == b"longer than four"


def test_there_is_nothing_isochronous(backend, device) -> None:
    assert errno_of(lambda: backend.iso_read(device._ctx.handle, IN, 1, array.array("B", bytes(8)), 10)) == errno.ENOSYS
    assert errno_of(lambda: backend.iso_write(device._ctx.handle, OUT, 1, array.array("B"), 10)) == errno.ENOSYS


def test_an_endpoint_in_the_wrong_direction_is_not_found(backend, open_device) -> None:
    handle = open_device._ctx.handle
    assert errno_of(lambda: backend.bulk_write(handle, IN, 1, array.array("B", b"x"), 10)) == errno.ENOENT
    assert errno_of(lambda: backend.bulk_read(handle, 0x85, 1, array.array("B", b"x"), 10)) == errno.ENOENT


def test_an_interface_is_claimed_by_one_handle(backend, open_device) -> None:
    other = usb.core.find(backend=backend)
    usb.util.claim_interface(open_device, 1)
    assert errno_of(lambda: usb.util.claim_interface(other, 1)) == errno.EBUSY
    usb.util.release_interface(open_device, 1)
    usb.util.claim_interface(other, 1)
    usb.util.dispose_resources(other)
    usb.util.claim_interface(open_device, 1)
    assert errno_of(lambda: usb.util.claim_interface(open_device, 5)) == errno.ENOENT


def test_a_device_that_another_host_holds_is_not_there(bus, backend) -> None:
    class Elsewhere:
        def stirred(self) -> None: ...

        def removed(self) -> None: ...

    known = usb.core.find(backend=backend)
    bus.attach("1-1", Elsewhere())
    assert [dev.address for dev in usb.core.find(find_all=True, backend=backend)] == [2]
    assert errno_of(lambda: known.ctrl_transfer(0x80, 6, 0x100, 0, 18)) == errno.EBUSY


# ---- life ------------------------------------------------------------------------------------------------------------


def test_the_last_close_gives_the_device_back(bus, open_device) -> None:
    assert bus.slot("1-1").host is not None
    usb.util.dispose_resources(open_device)
    assert bus.slot("1-1").host is None
    raise_dtr(open_device)
    open_device.write(OUT, b"again")
    assert open_device.read(IN, 512).tobytes() == b"again"


def test_closing_under_a_reader_ends_its_read(backend, open_device) -> None:
    usb.util.claim_interface(open_device, 1)
    handle = open_device._ctx.handle
    timer = threading.Timer(0.05, lambda: backend.close_device(handle))
    timer.start()
    assert errno_of(lambda: backend.bulk_read(handle, IN, 1, array.array("B", bytes(512)), 10_000)) == errno.ENODEV
    timer.join()


def test_the_backend_gives_everything_back(bus, backend, open_device) -> None:
    backend.close()
    assert all(slot.host is None for slot in bus)
    assert errno_of(lambda: open_device.write(OUT, b"x")) == errno.ENODEV


def test_an_unplugged_device_ends_a_waiting_read_and_comes_back_as_a_new_one(bus, backend, open_device) -> None:
    timer = threading.Timer(0.05, lambda: bus.unplug("1-1"))
    timer.start()
    assert errno_of(lambda: open_device.read(IN, 512, 10_000)) == errno.ENODEV
    timer.join()
    assert errno_of(lambda: open_device.write(OUT, b"x")) == errno.ENODEV
    assert [dev.address for dev in usb.core.find(find_all=True, backend=backend)] == [2]
    bus.plug("1-1")
    assert errno_of(lambda: open_device.write(OUT, b"x")) == errno.ENODEV
    usb.util.dispose_resources(open_device)
    assert errno_of(lambda: open_device.write(OUT, b"x")) == errno.ENODEV
    anew = usb.core.find(backend=backend)
    raise_dtr(anew)
    anew.write(OUT, b"back")
    assert anew.read(IN, 512).tobytes() == b"back"
    usb.util.dispose_resources(anew)
    assert bus.slot("1-1").host is None


def test_two_threads_read_and_write_at_once(open_device) -> None:
    data = bytes(range(256)) * 2000
    came = bytearray()

    def reader() -> None:
        while len(came) < len(data):
            came.extend(open_device.read(IN, 4096, 5000))

    thread = threading.Thread(target=reader)
    thread.start()
    for at in range(0, len(data), 10_000):
        assert open_device.write(OUT, data[at : at + 10_000], 5000) == len(data[at : at + 10_000])
    thread.join(20)
    assert bytes(came) == data


def test_reset_keeps_the_configuration_and_closes_the_port(bus, open_device) -> None:
    open_device.write(OUT, b"gone")
    handle_before = bus.slot("1-1").host
    open_device.backend.reset_device(open_device._ctx.handle)
    assert bus.slot("1-1").host is handle_before
    assert bus.slot("1-1").device.configuration == 1
    assert not bus.slot("1-1").device.function.dtr
    open_device.reset()
    assert open_device.get_active_configuration().bConfigurationValue == 1


def test_notifications_come_on_the_interrupt_endpoint(open_device) -> None:
    assert open_device.read(NOTIFY, 16).tobytes() == bytes.fromhex("a1 20 00 00 00 00 02 00 03 00")


def test_full_speed_has_small_packets(backend) -> None:
    slow = usb.core.find(backend=backend, custom_match=lambda dev: dev.serial_number == "B")
    assert slow.speed == 2
    assert slow[0][(1, 0)][1].wMaxPacketSize == 64


# ---- the kernel's driver ---------------------------------------------------------------------------------------------


def test_without_a_kernel_there_is_no_driver(device) -> None:
    assert not device.is_kernel_driver_active(0)
    assert errno_of(lambda: device.detach_kernel_driver(0)) == errno.ENOENT
    assert errno_of(lambda: device.attach_kernel_driver(0)) == errno.ENOENT


def test_a_driver_holds_both_interfaces_until_it_is_detached_and_takes_them_back(bus) -> None:
    device = usb.core.find(backend=EmulatedBackend(bus, kernel_driver=True))
    assert device.is_kernel_driver_active(0)
    assert device.is_kernel_driver_active(1)
    assert errno_of(lambda: usb.util.claim_interface(device, 0)) == errno.EBUSY
    assert errno_of(device.set_configuration) == errno.EBUSY
    device.detach_kernel_driver(0)
    assert not device.is_kernel_driver_active(1)
    usb.util.claim_interface(device, 1)
    assert errno_of(lambda: device.attach_kernel_driver(0)) == errno.EBUSY
    usb.util.release_interface(device, 1)
    device.attach_kernel_driver(0)
    assert device.is_kernel_driver_active(1)
    assert errno_of(lambda: device.attach_kernel_driver(0)) == errno.EBUSY
    usb.util.dispose_resources(device)


def test_a_driver_that_was_detached_stays_so_after_closing_and_not_after_replugging(bus) -> None:
    backend = EmulatedBackend(bus, kernel_driver=True)
    device = usb.core.find(backend=backend)
    device.detach_kernel_driver(0)
    usb.util.dispose_resources(device)
    assert not device.is_kernel_driver_active(0)
    usb.util.dispose_resources(device)
    bus.unplug("1-1")
    bus.plug("1-1")
    assert usb.core.find(backend=backend).is_kernel_driver_active(0)


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[3] / "docs" / "usb.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(example, {})
    assert capsys.readouterr().out == "SB-0001\n"
