"""Plugging, unplugging, and one host at a time."""

import pytest

from firmware_sim.ports.usb.bus import SLOTS_MAX, UsbBus
from firmware_sim.ports.usb.device import UsbDevice
from firmware_sim.ports.usb.identity import UsbIdentity
from proofs.echo_pipe import EchoPipe
from protocol.usb.errors import DeviceBusy, DeviceUnknown, LocalUsbError


class Recorder:
    def __init__(self) -> None:
        self.calls: list[str] = []

    def stirred(self) -> None:
        self.calls.append("stirred")

    def removed(self) -> None:
        self.calls.append("removed")


def new_device(serial: str) -> UsbDevice:
    return UsbDevice(UsbIdentity(serial=serial), EchoPipe())


@pytest.fixture
def bus() -> UsbBus:
    bus = UsbBus()
    bus.add(new_device("A"))
    bus.add(new_device("B"))
    return bus


def test_sockets_are_numbered_and_listed(bus: UsbBus) -> None:
    assert [(slot.busid, slot.device_id) for slot in bus] == [("1-1", 0x10001), ("1-2", 0x10002)]


def test_a_device_has_one_host(bus: UsbBus) -> None:
    host = Recorder()
    bus.attach("1-1", host)
    with pytest.raises(DeviceBusy, match="1-1 has a host"):
        bus.attach("1-1", Recorder())
    bus.attach("1-2", Recorder())


def test_a_device_given_back_can_be_taken_again(bus: UsbBus) -> None:
    host = Recorder()
    slot = bus.attach("1-1", host)
    bus.detach(slot, Recorder())  # of someone who never had it
    assert slot.host is host
    bus.detach(slot, host)
    assert not slot.device.attached
    bus.attach("1-1", Recorder())


def test_unplugging_takes_the_device_from_its_host_and_from_the_list(bus: UsbBus) -> None:
    host = Recorder()
    slot = bus.attach("1-1", host)
    bus.unplug("1-1")
    assert host.calls == ["removed"]
    assert [item.busid for item in bus] == ["1-2"]
    assert not slot.device.attached
    with pytest.raises(DeviceUnknown, match="unplugged"):
        bus.attach("1-1", host)
    bus.detach(slot, host)  # too late, and harmless
    bus.plug("1-1")
    assert bus.attach("1-1", Recorder()) is slot


def test_unplugging_twice_and_without_a_host_is_quiet(bus: UsbBus) -> None:
    bus.unplug("1-2")
    bus.unplug("1-2")
    assert [slot.busid for slot in bus] == ["1-1"]


def test_a_removed_device_is_gone_for_good(bus: UsbBus) -> None:
    host = Recorder()
    bus.attach("1-1", host)
    bus.remove("1-1")
    assert host.calls == ["removed"]
    with pytest.raises(DeviceUnknown, match="there are: 1-2"):
        bus.plug("1-1")
    assert bus.add(new_device("A")).busid == "1-3"


def test_activity_goes_to_the_host_that_holds_the_device(bus: UsbBus) -> None:
    host = Recorder()
    slot = bus.attach("1-1", host)
    slot.device.on_activity()
    bus.detach(slot, host)
    slot.device.on_activity()
    assert host.calls == ["stirred"]


def test_an_unknown_bus_id_says_which_there_are(bus: UsbBus) -> None:
    with pytest.raises(DeviceUnknown, match=r"'2-9'; there are: 1-1, 1-2"):
        bus.attach("2-9", Recorder())


def test_a_serial_number_is_on_the_bus_once(bus: UsbBus) -> None:
    with pytest.raises(LocalUsbError, match="serial number A"):
        bus.add(new_device("A"))


def test_the_bus_has_127_sockets() -> None:
    bus = UsbBus()
    for number in range(SLOTS_MAX):
        bus.add(new_device(f"N{number}"))
    with pytest.raises(LocalUsbError, match="127 sockets"):
        bus.add(new_device("one-too-many"))


def test_a_tap_is_put_on_devices_already_there_and_on_later_ones(bus: UsbBus) -> None:
    bus.watch(lambda slot, seen: None)
    bus.add(new_device("C"))
    assert all(slot.device.tap is not None for slot in bus)
    bus.watch(None)
    assert all(slot.device.tap is None for slot in bus)
