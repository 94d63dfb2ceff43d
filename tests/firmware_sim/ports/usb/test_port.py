"""A running device as a port of a bus."""

import asyncio

import pytest

from firmware_sim.ports import DeviceRunner
from firmware_sim.ports.usb import DeviceUnknown, LocalUsbError, UsbBus, UsbIdentity
from firmware_sim.ports.usb.port import UsbPort


class Silent:
    def receive(self, data: bytes, now: int) -> None: ...

    def data_to_send(self, now: int) -> bytes:
        return b""

    def tick(self, now: int) -> None: ...

    def next_deadline(self) -> None:
        return None

    def pull_cable(self) -> None: ...

    has_session = False

    def yields_to(self, hello: object, *, young: bool) -> bool:
        return True


def test_a_port_is_pulled_put_back_and_taken_away() -> None:
    async def body() -> None:
        bus = UsbBus()
        runner = DeviceRunner(Silent())
        port = UsbPort.open(runner, bus, UsbIdentity(serial="SB-1", vendor_id=0xCAFE))
        assert (port.busid, port.url) == ("1-1", "usb://cafe:0001/SB-1")
        with pytest.raises(LocalUsbError, match="serial number SB-1"):
            UsbPort.open(runner, bus, UsbIdentity(serial="SB-1"))
        port.appear(False)
        assert list(bus) == []
        port.appear(True)
        assert [slot.busid for slot in bus] == ["1-1"]
        await port.close()
        with pytest.raises(DeviceUnknown):
            port.appear(True)

    asyncio.run(body())
