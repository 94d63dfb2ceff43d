"""The bus: which devices are plugged in, where, and which host holds each. One device has one host at a time.

Host sides live in threads of their own and the control plane may call from any: whoever touches the bus or a device
on it holds `guard`. The bus has no lock by itself; a host side that needs one brings it (`guard_with`).
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Protocol

from firmware_sim.ports.usb.device import TransferSeen, UsbDevice
from protocol.usb.errors import DeviceBusy, DeviceUnknown, LocalUsbError

BUS_NUMBER = 1
SLOTS_MAX = 127  # as many as a real bus has addresses: USB 2.0, 9.4.6


class Host(Protocol):
    """Whoever holds a device: a USB/IP connection, the pyusb backend, a test."""

    def stirred(self) -> None:
        """The device may have something to move; called from any thread."""

    def removed(self) -> None:
        """The device was pulled out; its pending transfers have ended."""


@dataclass(kw_only=True, eq=False)
class Slot:
    """A socket of the bus and the device in it."""

    number: int
    device: UsbDevice
    plugged: bool = True
    plugs: int = 1  # how often it was plugged in: a host that knew it before has lost it
    host: Host | None = field(default=None, repr=False)
    attached_at: float = 0.0
    yields: Callable[[], bool] = field(default=lambda: False, repr=False)  # whether its host gives way to another

    @property
    def busid(self) -> str:
        return f"{BUS_NUMBER}-{self.number}"

    @property
    def device_id(self) -> int:
        """USB/IP's devid: bus number and device number in one word."""
        return BUS_NUMBER << 16 | self.number


class UsbBus:
    """Sockets and devices. `plug` and `unplug` are the control plane's hands; `attach` and `detach` are a host's."""

    def __init__(self) -> None:
        self._slots: dict[str, Slot] = {}
        self._next = 1
        self._tap: Callable[[Slot, TransferSeen], None] | None = None
        self.guard: AbstractContextManager[object] = nullcontext()

    def guard_with(self, make_lock: Callable[[], AbstractContextManager[object]]) -> AbstractContextManager[object]:
        """The lock of this bus; made now where it has none yet."""
        if isinstance(self.guard, nullcontext):
            self.guard = make_lock()
        return self.guard

    # ---- the control plane -------------------------------------------------------------------------------------------

    def add(self, device: UsbDevice) -> Slot:
        """Put a device into a new socket, plugged in."""
        if self._next > SLOTS_MAX:
            raise LocalUsbError(f"the bus has {SLOTS_MAX} sockets and all are taken")
        if any(slot.device.identity.serial == device.identity.serial for slot in self._slots.values()):
            raise LocalUsbError(f"serial number {device.identity.serial} is on the bus already")
        slot = Slot(number=self._next, device=device)
        self._next += 1
        self._slots[slot.busid] = slot
        self._tap_slot(slot)
        return slot

    def unplug(self, busid: str) -> None:
        """Pull the cable at this instant: the host sees the device vanish."""
        with self.guard:
            slot = self.slot(busid)
            slot.plugged = False
            host, slot.host = slot.host, None
            slot.device.detach()
            slot.device.on_activity = _nobody
            if host is not None:
                host.removed()

    def remove(self, busid: str) -> None:
        """Take the device away for good; its socket's number is not used again."""
        self.unplug(busid)
        with self.guard:
            del self._slots[busid]

    def plug(self, busid: str) -> None:
        """Put the cable back; hosts may attach again."""
        with self.guard:
            slot = self.slot(busid)
            slot.plugs += not slot.plugged
            slot.plugged = True

    def slot(self, busid: str) -> Slot:
        """The socket with that id, plugged in or not."""
        try:
            return self._slots[busid]
        except KeyError:
            known = ", ".join(self._slots) or "none"
            raise DeviceUnknown(f"no device at {busid!r}; there are: {known}") from None

    def watch(self, tap: Callable[[Slot, TransferSeen], None] | None) -> None:
        """Show every transfer of every device to `tap`; None ends it."""
        self._tap = tap
        for slot in self._slots.values():
            self._tap_slot(slot)

    def _tap_slot(self, slot: Slot) -> None:
        tap = self._tap
        slot.device.tap = None if tap is None else lambda seen: tap(slot, seen)

    # ---- hosts -------------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Slot]:
        """The sockets with something plugged in."""
        return iter([slot for slot in self._slots.values() if slot.plugged])

    def attach(self, busid: str, host: Host) -> Slot:
        """Take a device for a host."""
        with self.guard:
            slot = self.slot(busid)
            if not slot.plugged:
                raise DeviceUnknown(f"device {busid} is unplugged")
            if slot.host is not None:
                if not slot.yields():
                    raise DeviceBusy(f"device {busid} has a host already")
                before, slot.host = slot.host, None
                slot.device.detach()
                before.removed()
            slot.device.attach()
            slot.host = host
            slot.attached_at = time.monotonic()
            slot.device.on_activity = host.stirred
            return slot

    def detach(self, slot: Slot, host: Host) -> None:
        """Give the device back; nothing happens when the host no longer holds it."""
        with self.guard:
            if slot.host is host:
                slot.host = None
                slot.device.on_activity = _nobody
                slot.device.detach()


def _nobody() -> None:
    """No host listens."""
