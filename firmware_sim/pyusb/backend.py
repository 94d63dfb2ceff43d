"""The emulated devices as a pyusb backend: unmodified pyusb code finds and uses them, with no kernel and no root.

    usb.core.find(backend=EmulatedBackend(bus), idVendor=0x1209)

It plays the part of an operating system with libusb: it enumerates and configures a device on first use, keeps claims,
and fails with libusb's codes and errno values. A device is attached from the first open to the last close.
"""

import errno
import itertools
import threading
import time
from array import array
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NoReturn

import usb.backend
import usb.core

from firmware_sim.ports.usb.bus import BUS_NUMBER, UsbBus
from firmware_sim.ports.usb.descriptors import (
    CONFIGURATION_VALUE,
    INTERFACE_NUMBERS,
    configuration_descriptor,
    device_descriptor,
    endpoint_shapes,
)
from firmware_sim.pyusb.failures import BUSY, FAILURES, NO_DEVICE, NOT_FOUND, UNSUPPORTED, fail
from firmware_sim.pyusb.handles import Attachment, Found, Handle
from protocol.usb.errors import DeviceBusy, DeviceUnknown
from protocol.usb.layouts import DEVICE, DescriptorType, parse_configuration
from protocol.usb.requests import Feature, RequestKey, SetupPacket
from protocol.usb.transfers import Completion, Transfer, TransferId, UrbStatus


class EmulatedBackend(usb.backend.IBackend):  # type: ignore[misc]
    """Devices of a bus for pyusb. With `kernel_driver`, a driver holds each device until it is detached."""

    def __init__(self, bus: UsbBus, *, kernel_driver: bool = False) -> None:
        super().__init__()
        self._bus = bus
        self._changed = threading.Condition(bus.guard_with(threading.RLock))  # type: ignore[arg-type]
        self._activity = 0
        self._numbers = itertools.count(1)
        self._attachments: dict[str, Attachment] = {}
        self._kernel_driver = kernel_driver
        self._driver_let_go: dict[str, int] = {}  # bus id to the plugging in of which the driver was detached

    def stir(self) -> None:
        """A device may have moved: whoever waits looks again."""
        with self._changed:
            self._activity += 1
            self._changed.notify_all()

    def forget(self, attachment: Attachment) -> None:
        """A device was pulled out: its handles are dead, and plugged in again it is a new one."""
        self._attachments.pop(attachment.slot.busid, None)
        self.stir()

    # ---- finding -----------------------------------------------------------------------------------------------------

    def enumerate_devices(self) -> Iterator[Found]:
        with self._changed:
            mine = [slot for slot in self._bus if slot.host is None or slot.busid in self._attachments]
            return iter([Found(slot=slot, plugs=slot.plugs) for slot in mine])

    def get_parent(self, _dev: Found) -> None:
        return None

    def get_device_descriptor(self, dev: Found) -> SimpleNamespace:
        found = _attributes(DEVICE.parse(device_descriptor(dev.slot.device.identity)))
        found.bus = BUS_NUMBER
        found.address = dev.slot.number
        found.port_number = dev.slot.number
        found.port_numbers = (dev.slot.number,)
        found.speed = dev.slot.device.identity.speed
        return found

    def get_configuration_descriptor(self, dev: Found, config: int) -> SimpleNamespace:
        if config != 0:
            raise IndexError(f"configuration {config}: there is one, number 0")
        tree = parse_configuration(configuration_descriptor(dev.slot.device.identity.speed))
        return _attributes(tree.descriptor, extra=tree.extra)

    def get_interface_descriptor(self, dev: Found, intf: int, alt: int, config: int) -> SimpleNamespace:
        if config != 0 or alt != 0:
            raise IndexError(f"configuration {config}, alternate setting {alt}: there is one of each, number 0")
        tree = parse_configuration(configuration_descriptor(dev.slot.device.identity.speed)).interfaces[intf]
        return _attributes(tree.descriptor, extra=tree.extra)

    def get_endpoint_descriptor(self, dev: Found, ep: int, intf: int, alt: int, config: int) -> SimpleNamespace:
        if config != 0 or alt != 0:
            raise IndexError(f"configuration {config}, alternate setting {alt}: there is one of each, number 0")
        tree = parse_configuration(configuration_descriptor(dev.slot.device.identity.speed)).interfaces[intf]
        found = _attributes(tree.endpoints[ep], extra=b"")
        found.bRefresh = found.bSynchAddress = 0  # of audio endpoints only
        return found

    # ---- opening -----------------------------------------------------------------------------------------------------

    def open_device(self, dev: Found) -> Handle:
        with self._changed:
            if dev.plugs != dev.slot.plugs or not dev.slot.plugged:
                fail(NO_DEVICE)
            attachment = self._attachments.get(dev.slot.busid)
            if attachment is None:
                attachment = Attachment(backend=self, slot=dev.slot)
                try:
                    self._bus.attach(dev.slot.busid, attachment)
                except DeviceBusy:
                    fail(BUSY)
                except DeviceUnknown:
                    fail(NO_DEVICE)
                self._attachments[dev.slot.busid] = attachment
                self._enumerate(attachment)
            attachment.handles += 1
            return Handle(attachment=attachment)

    def close_device(self, dev_handle: Handle) -> None:
        with self._changed:
            if dev_handle.closed:
                return
            dev_handle.closed = True
            attachment = dev_handle.attachment
            attachment.claims = {n: handle for n, handle in attachment.claims.items() if handle is not dev_handle}
            attachment.handles -= 1
            if attachment.handles == 0:
                self._let_go(attachment)

    def close(self) -> None:
        """Give every device back; open handles are dead afterwards."""
        with self._changed:
            for attachment in tuple(self._attachments.values()):
                self._let_go(attachment)

    def _finalize_object(self) -> None:
        self.close()

    def _let_go(self, attachment: Attachment) -> None:
        if not attachment.gone:
            self._bus.detach(attachment.slot, attachment)
            attachment.removed()

    def _enumerate(self, attachment: Attachment) -> None:
        """What an operating system does with a new device before any program sees it."""
        handle = Handle(attachment=attachment)
        self._request(handle, RequestKey.SET_ADDRESS, value=attachment.slot.number)
        self._request(handle, RequestKey.GET_DESCRIPTOR, value=DescriptorType.DEVICE << 8, length=18)
        self._request(handle, RequestKey.GET_DESCRIPTOR, value=DescriptorType.CONFIGURATION << 8, length=255)
        self._request(handle, RequestKey.SET_CONFIGURATION, value=CONFIGURATION_VALUE)

    # ---- configuring -------------------------------------------------------------------------------------------------

    def set_configuration(self, dev_handle: Handle, config_value: int) -> None:
        with self._changed:
            if self._driver_holds(dev_handle.attachment):
                fail(BUSY)
            if config_value not in (0, CONFIGURATION_VALUE):
                fail(NOT_FOUND)
            self._request(dev_handle, RequestKey.SET_CONFIGURATION, value=config_value)

    def get_configuration(self, dev_handle: Handle) -> int:
        return self._request(dev_handle, RequestKey.GET_CONFIGURATION, length=1)[0]

    def set_interface_altsetting(self, dev_handle: Handle, intf: int, altsetting: int) -> None:
        with self._changed:
            if dev_handle.attachment.claims.get(intf) is not dev_handle or altsetting != 0:
                fail(NOT_FOUND)
            self._request(dev_handle, RequestKey.SET_INTERFACE, value=altsetting, index=intf)

    def claim_interface(self, dev_handle: Handle, intf: int) -> None:
        with self._changed:
            self._check_alive(dev_handle)
            if intf not in INTERFACE_NUMBERS:
                fail(NOT_FOUND)
            owner = dev_handle.attachment.claims.get(intf, dev_handle)
            if owner is not dev_handle or self._driver_holds(dev_handle.attachment):
                fail(BUSY)
            dev_handle.attachment.claims[intf] = dev_handle

    def release_interface(self, dev_handle: Handle, intf: int) -> None:
        with self._changed:
            self._check_alive(dev_handle)
            if dev_handle.attachment.claims.get(intf) is not dev_handle:
                fail(NOT_FOUND)
            del dev_handle.attachment.claims[intf]

    def clear_halt(self, dev_handle: Handle, ep: int) -> None:
        try:
            self._request(dev_handle, RequestKey.CLEAR_ENDPOINT_FEATURE, value=Feature.ENDPOINT_HALT, index=ep)
        except usb.core.USBError as error:
            fail(NOT_FOUND if error.errno == errno.EPIPE else NO_DEVICE)

    def reset_device(self, dev_handle: Handle) -> None:
        """A bus reset; the configuration is put back, as an operating system does."""
        with self._changed:
            self._check_alive(dev_handle)
            device = dev_handle.attachment.slot.device
            configuration = device.configuration
            device.reset()
            self._request(dev_handle, RequestKey.SET_ADDRESS, value=dev_handle.attachment.slot.number)
            self._request(dev_handle, RequestKey.SET_CONFIGURATION, value=configuration)

    # ---- the kernel's driver -----------------------------------------------------------------------------------------

    def is_kernel_driver_active(self, dev_handle: Handle, intf: int) -> bool:
        with self._changed:
            self._check_alive(dev_handle)
            if intf not in INTERFACE_NUMBERS:
                fail(NOT_FOUND)
            return self._driver_holds(dev_handle.attachment)

    def detach_kernel_driver(self, dev_handle: Handle, intf: int) -> None:
        """Linux's cdc_acm holds both interfaces and lets go of both."""
        with self._changed:
            if not self.is_kernel_driver_active(dev_handle, intf):
                fail(NOT_FOUND)
            slot = dev_handle.attachment.slot
            self._driver_let_go[slot.busid] = slot.plugs

    def attach_kernel_driver(self, dev_handle: Handle, intf: int) -> None:
        with self._changed:
            self._check_alive(dev_handle)
            if not self._kernel_driver or intf not in INTERFACE_NUMBERS:
                fail(NOT_FOUND)
            if dev_handle.attachment.claims or self._driver_holds(dev_handle.attachment):
                fail(BUSY)
            del self._driver_let_go[dev_handle.attachment.slot.busid]

    def _driver_holds(self, attachment: Attachment) -> bool:
        slot = attachment.slot
        return self._kernel_driver and self._driver_let_go.get(slot.busid) != slot.plugs

    # ---- transfers ---------------------------------------------------------------------------------------------------

    def bulk_write(self, dev_handle: Handle, ep: int, intf: int, data: "array[int]", timeout: int) -> int:
        return self._write(dev_handle, ep, intf, data, timeout)

    def bulk_read(self, dev_handle: Handle, ep: int, intf: int, buff: "array[int]", timeout: int) -> int:
        return self._read(dev_handle, ep, intf, buff, timeout)

    def intr_write(self, dev_handle: Handle, ep: int, intf: int, data: "array[int]", timeout: int) -> int:
        return self._write(dev_handle, ep, intf, data, timeout)

    def intr_read(self, dev_handle: Handle, ep: int, intf: int, buff: "array[int]", timeout: int) -> int:
        return self._read(dev_handle, ep, intf, buff, timeout)

    def iso_write(self, *_args: object) -> NoReturn:
        fail(UNSUPPORTED)

    def iso_read(self, *_args: object) -> NoReturn:
        fail(UNSUPPORTED)

    def ctrl_transfer(
        self,
        dev_handle: Handle,
        bmRequestType: int,
        bRequest: int,
        wValue: int,
        wIndex: int,
        data: "array[int]",
        timeout: int,
    ) -> int:
        view = memoryview(data).cast("B")
        setup = SetupPacket(request_type=bmRequestType, request=bRequest, value=wValue, index=wIndex, length=len(view))
        if setup.is_in:
            ended = self._transfer(dev_handle, 0x80, timeout, length=len(view), setup=setup.build())
            view[: ended.actual] = ended.data
        else:
            ended = self._transfer(dev_handle, 0x00, timeout, data=bytes(view), setup=setup.build())
        return ended.actual

    def _write(self, handle: Handle, ep: int, intf: int, data: "array[int]", timeout: int) -> int:
        self._check_endpoint(handle, ep, intf, is_in=False)
        return self._transfer(handle, ep, timeout, data=data.tobytes()).actual

    def _read(self, handle: Handle, ep: int, intf: int, buff: "array[int]", timeout: int) -> int:
        self._check_endpoint(handle, ep, intf, is_in=True)
        view = memoryview(buff).cast("B")
        ended = self._transfer(handle, ep, timeout, length=len(view))
        view[: ended.actual] = ended.data
        return ended.actual

    def _check_endpoint(self, handle: Handle, ep: int, intf: int, *, is_in: bool) -> None:
        with self._changed:
            shape = endpoint_shapes(handle.attachment.slot.device.identity.speed).get(ep)
            if shape is None or shape.is_in is not is_in:
                fail(NOT_FOUND)
            if handle.attachment.claims.get(intf) is not handle:
                self.claim_interface(handle, intf)

    def _request(self, handle: Handle, key: RequestKey, *, value: int = 0, index: int = 0, length: int = 0) -> bytes:
        kind, request = key.value
        setup = SetupPacket(request_type=kind, request=request, value=value, index=index, length=length)
        return self._transfer(handle, 0x80 if setup.is_in else 0x00, 1000, length=length, setup=setup.build()).data

    def _transfer(self, handle: Handle, endpoint: int, timeout_ms: int, **what: Any) -> Completion:
        """One transfer to its end, or to its time limit (zero: none), when what had been moved counts."""
        deadline = time.monotonic() + timeout_ms / 1000 if timeout_ms else None
        with self._changed:
            self._check_alive(handle)
            attachment, device = handle.attachment, handle.attachment.slot.device
            number = TransferId(next(self._numbers))
            device.submit(Transfer(id=number, endpoint=endpoint, **what))
            while True:
                seen = self._activity
                if not attachment.gone:
                    device.poll()
                    attachment.collect()
                ended = attachment.ended.pop(number, None)
                if ended is None and attachment.gone:
                    fail(NO_DEVICE)
                left = None if deadline is None else deadline - time.monotonic()
                if ended is None and left is not None and left <= 0:
                    ended = device.unlink(number)
                    assert ended is not None
                if ended is not None:
                    return _checked(ended)
                if self._activity == seen:
                    self._changed.wait(left)

    def _check_alive(self, handle: Handle) -> None:
        if handle.closed or handle.attachment.gone:
            fail(NO_DEVICE)


def _checked(ended: Completion) -> Completion:
    partly = ended.status is UrbStatus.UNLINKED and ended.actual > 0
    if ended.status is not UrbStatus.OK and not partly:
        fail(FAILURES[ended.status])
    return ended


def _attributes(descriptor: Any, *, extra: bytes | None = None) -> SimpleNamespace:
    """A parsed descriptor as pyusb reads it: fields as attributes, what stands between as a list of numbers."""
    found = SimpleNamespace(**{name: value for name, value in descriptor.items() if not name.startswith("_")})
    if extra is not None:
        found.extra_descriptors = list(extra)
    return found
