"""One USB/IP connection, seen from the server: bytes in, bytes out, a device held in between. No sockets, no clock.

A connection first asks (list, import) and, once an import succeeded, carries transfers until it ends. Push with
`receive_data`, drain with `data_to_send`; after `wake` was called, `poll`; when `closing` is set, send what is left
and hang up; when the peer hung up, `connection_lost`.
"""

from collections.abc import Callable
from functools import lru_cache

from firmware_sim.ports.usb.bus import BUS_NUMBER, Slot, UsbBus
from firmware_sim.ports.usb.descriptors import (
    CLASS_COMMUNICATIONS,
    PROTOCOL_NONE,
    SUBCLASS_ACM,
    configuration_descriptor,
)
from firmware_sim.ports.usb.identity import Speed
from protocol.usb.errors import DeviceBusy, DeviceUnknown, UsbipViolation
from protocol.usb.layouts import parse_configuration
from protocol.usb.requests import SetupPacket
from protocol.usb.transfers import Transfer, TransferId, UrbStatus
from protocol.usb.usbip_wire import (
    HEADER_SIZE,
    IMPORT_REQUEST_SIZE,
    OP_COMMON,
    SHORT_NOT_OK,
    VERSION,
    CmdSubmit,
    CmdUnlink,
    DeviceRecord,
    Op,
    OpStatus,
    RetSubmit,
    RetUnlink,
    build_ret_submit,
    build_ret_unlink,
    parse_command,
    refuse,
    reply_devices,
    reply_import,
    text_field,
)

# Hosts that cannot reset a port over USB/IP send a hub's request to the device instead, and Linux's server takes it for
# a reset (`is_reset_device_cmd`, drivers/usb/usbip/stub_rx.c): SET_FEATURE(PORT_RESET) with a hub port as recipient.
PORT_RESET = (0x23, 0x03, 0x0004)


@lru_cache
def interface_codes(speed: Speed) -> tuple[tuple[int, int, int], ...]:
    """Class, subclass and protocol of each interface."""
    found = (item.descriptor for item in parse_configuration(configuration_descriptor(speed)).interfaces)
    return tuple((item.bInterfaceClass, item.bInterfaceSubClass, item.bInterfaceProtocol) for item in found)


def device_record(slot: Slot) -> DeviceRecord:
    """A slot as list and import show it."""
    identity = slot.device.identity
    return DeviceRecord(
        path=f"/sys/devices/shuffler-bench/usb{BUS_NUMBER}/{slot.busid}",
        busid=slot.busid,
        bus_number=BUS_NUMBER,
        device_number=slot.number,
        speed=identity.speed,
        vendor_id=identity.vendor_id,
        product_id=identity.product_id,
        release_bcd=identity.release_bcd,
        device_class=CLASS_COMMUNICATIONS,
        device_subclass=SUBCLASS_ACM,
        device_protocol=PROTOCOL_NONE,
        configuration=slot.device.configuration,
        configurations=1,
        interfaces=interface_codes(identity.speed),
    )


class UsbipSession:
    """A server's end of one connection; also the host that the bus sees holding the device."""

    def __init__(self, bus: UsbBus, *, wake: Callable[[], None]) -> None:
        self._bus = bus
        self._wake = wake
        self._inbox = bytearray()
        self._outbox: list[bytes] = []
        self._submits: dict[int, CmdSubmit] = {}
        self._device_id = 0
        self.slot: Slot | None = None
        self.closing: str | None = None

    # ---- the bus calls -----------------------------------------------------------------------------------------------

    def stirred(self) -> None:
        self._wake()

    def removed(self) -> None:
        self.slot = None
        self._submits.clear()
        self.closing = "the device was unplugged"
        self._wake()

    # ---- the edge calls ----------------------------------------------------------------------------------------------

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the peer, in pieces of any size."""
        if self.closing is not None:
            return
        self._inbox += data
        at, end = 0, len(self._inbox)
        try:
            while at < end and self.closing is None:
                used = self._transfer_at(at) if self.slot is not None else self._request_at(at)
                if used == 0:
                    break
                at += used
        except UsbipViolation as error:
            self._close(str(error))
        del self._inbox[:at]
        self._collect()

    @property
    def restless(self) -> bool:
        """Whether a `poll` may move something: the device has stirred since the last one began."""
        return self.slot is not None and self.slot.device.restless

    def poll(self) -> None:
        """Let the device move, after a wake-up."""
        if self.slot is not None:
            self.slot.device.poll()
            self._collect()

    def data_to_send(self) -> bytes:
        """Everything for the peer since the last call."""
        sent = b"".join(self._outbox)
        self._outbox.clear()
        return sent

    def connection_lost(self) -> None:
        """The peer is gone: give the device back."""
        self._release()
        self._inbox.clear()
        self._outbox.clear()
        self.closing = self.closing or "the peer hung up"

    # ---- first phase -------------------------------------------------------------------------------------------------

    def _request_at(self, at: int) -> int:
        if len(self._inbox) - at < OP_COMMON.size:
            return 0
        version, code, _ = OP_COMMON.unpack_from(self._inbox, at)
        if code == Op.REQUEST_DEVICES:
            reply, used = Op.REPLY_DEVICES, OP_COMMON.size
        elif code == Op.REQUEST_IMPORT:
            reply, used = Op.REPLY_IMPORT, IMPORT_REQUEST_SIZE
        else:
            raise UsbipViolation(f"request {code:#06x} is neither list nor import")
        if version != VERSION:
            self._outbox.append(refuse(reply, OpStatus.ERROR))
            raise UsbipViolation(f"protocol version {version:#06x}; this server speaks {VERSION:#06x}")
        if len(self._inbox) - at < used:
            return 0
        if code == Op.REQUEST_DEVICES:
            self._outbox.append(reply_devices([device_record(slot) for slot in self._bus]))
        else:
            self._import(text_field(bytes(self._inbox[at + OP_COMMON.size : at + used])))
        return used

    def _import(self, busid: str) -> None:
        try:
            self.slot = self._bus.attach(busid, self)
        except DeviceBusy as error:
            self._refuse_import(OpStatus.BUSY, error)
        except DeviceUnknown as error:
            self._refuse_import(OpStatus.NO_DEVICE, error)
        else:
            self._device_id = self.slot.device_id
            self._outbox.append(reply_import(device_record(self.slot)))

    def _refuse_import(self, status: OpStatus, why: Exception) -> None:
        self._outbox.append(refuse(Op.REPLY_IMPORT, status))
        self.closing = f"import refused: {why}"

    # ---- second phase ------------------------------------------------------------------------------------------------

    def _transfer_at(self, at: int) -> int:
        if len(self._inbox) - at < HEADER_SIZE:
            return 0
        command = parse_command(self._inbox, at)
        if command.device_id != self._device_id:
            raise UsbipViolation(f"device id {command.device_id:#x}; this connection holds {self._device_id:#x}")
        if isinstance(command, CmdUnlink):
            self._unlink(command)
            return HEADER_SIZE
        if command.is_in:
            self._submit(command, b"")
            return HEADER_SIZE
        start = at + HEADER_SIZE
        end = start + command.length
        if len(self._inbox) < end:
            return 0
        with memoryview(self._inbox) as view:
            data = view[start:end].tobytes()
        self._submit(command, data)
        return end - at

    def _submit(self, command: CmdSubmit, data: bytes) -> None:
        assert self.slot is not None
        if command.seqnum in self._submits and self._still_pending(command.seqnum):
            raise UsbipViolation(f"submit {command.seqnum} is pending already")
        device = self.slot.device
        if command.endpoint == 0:
            request = SetupPacket.parse(command.setup)
            if (request.request_type, request.request, request.value) == PORT_RESET:
                device.reset()
                self._collect()
                reply = RetSubmit(command.seqnum, UrbStatus.OK, 0, command.start_frame, command.packets)
                self._outbox.append(build_ret_submit(reply))
                return
        self._submits[command.seqnum] = command
        number, setup = TransferId(command.seqnum), command.setup if command.endpoint == 0 else None
        if command.is_in:
            short_not_ok = command.flags & SHORT_NOT_OK != 0
            device.submit(Transfer(number, command.endpoint | 0x80, b"", command.length, setup, short_not_ok))
        else:
            device.submit(Transfer(number, command.endpoint, data, 0, setup))

    def _still_pending(self, seqnum: int) -> bool:
        self._collect()
        return seqnum in self._submits

    def _unlink(self, command: CmdUnlink) -> None:
        assert self.slot is not None
        self._collect()  # a victim that has ended is told before the unlink that came too late
        ended = self.slot.device.unlink(TransferId(command.victim))
        if ended is not None:
            del self._submits[command.victim]
        status = UrbStatus.OK if ended is None else UrbStatus.UNLINKED
        self._outbox.append(build_ret_unlink(RetUnlink(seqnum=command.seqnum, status=status)))

    def _collect(self) -> None:
        if self.slot is None:
            return
        for ended in self.slot.device.take_completions():
            command = self._submits.pop(ended.id)
            reply = RetSubmit(command.seqnum, ended.status, ended.actual, command.start_frame, command.packets)
            self._outbox.append(build_ret_submit(reply, ended.data))

    # ---- the end -----------------------------------------------------------------------------------------------------

    def _close(self, why: str) -> None:
        self.closing = why
        self._release()

    def _release(self) -> None:
        slot, self.slot = self.slot, None
        self._submits.clear()
        if slot is not None:
            self._bus.detach(slot, self)
