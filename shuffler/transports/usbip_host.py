"""A USB/IP host in user space, over a blocking socket: lists, attaches and moves transfers with no kernel behind it.

For tests, benchmarks and machines without vhci_hcd. One thread at a time.
"""

import socket
import struct
from contextlib import AbstractContextManager
from typing import NamedTuple, Self

from protocol.usb.errors import DeviceBusy, DeviceUnknown, RemoteUsbError, ServerUnreachable, UsbipViolation
from protocol.usb.requests import SetupPacket
from protocol.usb.transfers import UrbStatus
from protocol.usb.usbip_wire import (
    DEFAULT_PORT,
    DEVICE,
    DEVICE_COUNT,
    HEADER_SIZE,
    INTERFACE_SIZE,
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
    build_submit,
    build_unlink,
    parse_return,
    request_devices,
    request_import,
)
from shuffler.transports.ports import keep_alive
from shuffler.transports.ready import Ready

DEVICES_MAX = 4096
TIMEVAL = struct.Struct("@ll")  # seconds and microseconds, as setsockopt takes them


class Reaped(NamedTuple):
    """A reply: to a submit (with what came in) or to an unlink."""

    reply: RetSubmit | RetUnlink
    data: bytes = b""


def list_devices(host: str = "127.0.0.1", port: int = DEFAULT_PORT, *, timeout_s: float = 5.0) -> list[DeviceRecord]:
    """What a server exports."""
    with _Stream(host, port, timeout_s) as stream:
        stream.send(request_devices())
        _expect(stream, Op.REPLY_DEVICES)
        (count,) = DEVICE_COUNT.unpack(stream.exactly(DEVICE_COUNT.size))
        if count > DEVICES_MAX:
            raise UsbipViolation(f"a list of {count} devices")
        found = []
        for _ in range(count):
            raw = stream.exactly(DEVICE.size)
            found.append(DeviceRecord.parse(raw, stream.exactly(raw[-1] * INTERFACE_SIZE)))
        return found


class UsbipHost:
    """A device attached over the network. `submit` and `reap` are the two halves of a transfer."""

    def __init__(
        self, busid: str, host: str = "127.0.0.1", port: int = DEFAULT_PORT, *, timeout_s: float = 5.0
    ) -> None:
        self._stream = _Stream(host, port, timeout_s)
        try:
            self._stream.send(request_import(busid))
            _expect(self._stream, Op.REPLY_IMPORT)
            self.record = DeviceRecord.parse(self._stream.exactly(DEVICE.size))
        except BaseException:
            self._stream.close()
            raise
        self._device_id = self.record.device_id
        self._seqnum = 0
        self._directions: dict[int, bool] = {}
        self._reaped: dict[int, Reaped] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up, which detaches."""
        self._stream.close()

    def batch(self) -> AbstractContextManager[None]:
        """Submits inside the block leave together at its end, as a host controller's driver queues them."""
        return _Batch(self._stream)

    # ---- halves of a transfer ----------------------------------------------------------------------------------------

    def submit_out(self, endpoint: int, data: bytes, setup: bytes = bytes(8)) -> int:
        """Send an OUT transfer; the answer is its number."""
        return self._submit(False, endpoint, 0, len(data), setup, data)

    def submit_in(self, endpoint: int, length: int, setup: bytes = bytes(8), *, short_not_ok: bool = False) -> int:
        """Ask for an IN transfer; the answer is its number."""
        flags = SHORT_NOT_OK if short_not_ok else 0
        return self._submit(True, endpoint & 0x0F, flags, length, setup)

    def unlink(self, victim: int) -> int:
        """Take a transfer back; the answer is the number under which the reply comes."""
        self._seqnum += 1
        command = CmdUnlink(seqnum=self._seqnum, device_id=self._device_id, victim=victim)
        self._stream.send(build_unlink(command))
        return self._seqnum

    def reap(self, seqnum: int) -> Reaped:
        """Wait for the reply with that number; others that come first are kept for their turn."""
        while (reaped := self._reaped.pop(seqnum, None)) is None:
            found = self._next()
            self._reaped[found.reply.seqnum] = found
        return reaped

    def is_reaped(self, seqnum: int) -> bool:
        """Whether the reply has come already, so that `reap` would not wait."""
        while self._stream.holds(HEADER_SIZE) and seqnum not in self._reaped:
            found = self._next()
            self._reaped[found.reply.seqnum] = found
        return seqnum in self._reaped

    def wait(self, seconds: float) -> bool:
        """Wait for a reply at most so long; whether there is something to reap."""
        return self._stream.holds(HEADER_SIZE) or self._stream.readable(seconds)

    def reap_all(self) -> list[Reaped]:
        """Every reply that has come, in order; waits for none."""
        found = list(self._reaped.values())
        self._reaped.clear()
        while self._stream.holds(HEADER_SIZE) or self._stream.fetch():
            if self._stream.holds(HEADER_SIZE):
                found.append(self._next())
        return found

    def _submit(self, is_in: bool, endpoint: int, flags: int, length: int, setup: bytes, data: bytes = b"") -> int:
        self._seqnum = seqnum = self._seqnum + 1
        self._directions[seqnum] = is_in
        command = CmdSubmit(seqnum, self._device_id, is_in, endpoint, flags, length, setup=setup)
        self._stream.send(build_submit(command, data))
        return seqnum

    def _next(self) -> Reaped:
        reply = parse_return(self._stream.exactly(HEADER_SIZE))
        if isinstance(reply, RetUnlink):
            return Reaped(reply)
        is_in = self._directions.pop(reply.seqnum, None)
        if is_in is None:
            raise UsbipViolation(f"a reply to transfer {reply.seqnum}, which is not under way")
        return Reaped(reply, self._stream.exactly(reply.actual) if is_in else b"")

    # ---- whole transfers ---------------------------------------------------------------------------------------------

    def control(self, setup: SetupPacket, data: bytes = b"") -> Reaped:
        """One control transfer; the caller looks at its status."""
        if setup.is_in:
            return self.reap(self.submit_in(0, setup.length, setup.build()))
        return self.reap(self.submit_out(0, data, setup.build()))

    def write(self, endpoint: int, data: bytes) -> None:
        """One OUT transfer that must succeed."""
        _succeeded(self.reap(self.submit_out(endpoint, data)))

    def read(self, endpoint: int, length: int) -> bytes:
        """One IN transfer that must succeed; waits for data."""
        return _succeeded(self.reap(self.submit_in(endpoint, length))).data


def _succeeded(reaped: Reaped) -> Reaped:
    if reaped.reply.status != UrbStatus.OK:
        raise RemoteUsbError(f"transfer {reaped.reply.seqnum} ended with status {reaped.reply.status}")
    return reaped


def _expect(stream: "_Stream", code: Op) -> None:
    version, got, status = OP_COMMON.unpack(stream.exactly(OP_COMMON.size))
    if version != VERSION or got != code:
        raise UsbipViolation(f"reply {got:#06x} of version {version:#06x} where {code:#06x} was due")
    if status == OpStatus.BUSY:
        raise DeviceBusy("the device is attached elsewhere")
    if status == OpStatus.NO_DEVICE:
        raise DeviceUnknown("the server has no such device")
    if status != OpStatus.OK:
        raise RemoteUsbError(f"the server refused with status {status}")


class _Batch(AbstractContextManager[None]):
    """Holds a stream's submits back for the length of a block."""

    def __init__(self, stream: "_Stream") -> None:
        self._stream = stream

    def __enter__(self) -> None:
        self._stream.hold()

    def __exit__(self, *exc: object) -> None:
        self._stream.let_go()


class _Stream:
    """A socket that gives exactly as many bytes as asked for."""

    def __init__(self, host: str, port: int, timeout_s: float) -> None:
        try:
            self._socket = socket.create_connection((host, port), timeout=timeout_s)
        except OSError as error:
            reason = error.strerror or error
            raise ServerUnreachable(f"cannot reach a USB/IP server on {host} port {port}: {reason}") from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        keep_alive(self._socket)
        # The system keeps the limit: a socket's own would cost a call before every other.
        self._socket.setblocking(True)
        limit = TIMEVAL.pack(int(timeout_s), int(timeout_s % 1 * 1e6))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        self._inbox = b""
        self._at = 0  # how much of it was taken
        self._held: list[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def hold(self) -> None:
        self._held = []

    def let_go(self) -> None:
        held, self._held = self._held, None
        if held:
            self.send(b"".join(held))

    def send(self, data: bytes) -> None:
        if self._held is not None:
            self._held.append(data)
            return
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise RemoteUsbError(f"the server hung up: {error}") from error

    def holds(self, count: int) -> bool:
        return len(self._inbox) - self._at >= count

    def readable(self, seconds: float) -> bool:
        return Ready(self._socket).within(seconds)

    def fetch(self) -> bool:
        """Take what has come without waiting; whether there was something."""
        if not self.readable(0):
            return False
        self._receive()
        return True

    def _receive(self) -> None:
        try:
            data = self._socket.recv(262144)
        except BlockingIOError:
            raise TimeoutError("the server sent nothing in time") from None
        except OSError as error:
            raise RemoteUsbError(f"the server hung up: {error}") from error
        if not data:
            raise RemoteUsbError("the server hung up")
        self._inbox = self._inbox[self._at :] + data
        self._at = 0

    def exactly(self, count: int) -> bytes:
        end = self._at + count
        while end > len(self._inbox):
            self._receive()
            end = self._at + count
        taken = self._inbox[self._at : end]
        self._at = end
        return taken
