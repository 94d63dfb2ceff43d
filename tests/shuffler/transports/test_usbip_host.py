"""The USB/IP host in user space against servers that lie, stop in the middle or say nothing."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from firmware_sim.ports.usb import DeviceBusy, DeviceUnknown, RemoteUsbError, UsbipViolation
from protocol.usb.usbip_wire import (
    HEADER_SIZE,
    DeviceRecord,
    RetSubmit,
    RetUnlink,
    build_ret_submit,
    build_ret_unlink,
    reply_devices,
    reply_import,
)
from shuffler.transports.usbip_host import UsbipHost, list_devices

RECORD = DeviceRecord(
    path="/x", busid="1-1", bus_number=1, device_number=1, speed=3, vendor_id=1, product_id=2, release_bcd=0,
    device_class=2, device_subclass=2, device_protocol=0, configuration=0, configurations=1, interfaces=((2, 2, 0),),
)  # fmt: skip
IMPORT_SIZE = 40

Script = Callable[[socket.socket], None]


@contextmanager
def server(script: Script) -> Iterator[int]:
    """One connection, answered by a script."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.settimeout(10)
                script(connection)

        thread = threading.Thread(target=answer)
        thread.start()
        yield listening.getsockname()[1]
        thread.join(10)


def says(*answers: bytes) -> Script:
    """Take an import, accept it, and answer each following header."""

    def script(connection: socket.socket) -> None:
        connection.recv(IMPORT_SIZE, socket.MSG_WAITALL)
        connection.sendall(reply_import(RECORD))
        for answer in answers:
            connection.recv(HEADER_SIZE, socket.MSG_WAITALL)
            connection.sendall(answer)

    return script


def only(answer: bytes) -> Script:
    def script(connection: socket.socket) -> None:
        connection.recv(8)
        connection.sendall(answer)

    return script


def test_a_list_is_read() -> None:
    with server(only(reply_devices([RECORD]))) as port:
        assert list_devices(port=port) == [RECORD]


@pytest.mark.parametrize(
    ("answer", "problem", "match"),
    [
        (struct.pack(">HHI", 0x0111, 5, 0) + struct.pack(">I", 5000), UsbipViolation, "5000 devices"),
        (struct.pack(">HHI", 0x0106, 5, 0), UsbipViolation, "version 0x0106"),
        (struct.pack(">HHI", 0x0111, 3, 0), UsbipViolation, "0x0003"),
        (struct.pack(">HHI", 0x0111, 5, 1), RemoteUsbError, "refused with status 1"),
        (struct.pack(">HHI", 0x0111, 5, 0) + b"\0\0", RemoteUsbError, "hung up"),
    ],
)
def test_a_list_that_is_none(answer: bytes, problem: type[Exception], match: str) -> None:
    with server(only(answer)) as port, pytest.raises(problem, match=match):
        list_devices(port=port)


@pytest.mark.parametrize(("status", "problem"), [(2, DeviceBusy), (4, DeviceUnknown), (5, RemoteUsbError)])
def test_a_refused_import(status: int, problem: type[Exception]) -> None:
    with server(only(struct.pack(">HHI", 0x0111, 3, status))) as port, pytest.raises(problem):
        UsbipHost("1-1", port=port)


@pytest.mark.parametrize(
    ("answer", "problem", "match"),
    [
        (build_ret_submit(RetSubmit(seqnum=7, status=0, actual=0)), UsbipViolation, "transfer 7, which is not under"),
        (build_ret_submit(RetSubmit(seqnum=1, status=0, actual=1 << 30)), UsbipViolation, "length 1073741824"),
        (struct.pack(">I", 9) + bytes(44), UsbipViolation, "command 0x9"),
        (build_ret_submit(RetSubmit(seqnum=1, status=0, actual=5), b"ab"), RemoteUsbError, "hung up"),
        (build_ret_submit(RetSubmit(seqnum=1, status=-32, actual=0)), RemoteUsbError, "status -32"),
    ],
)
def test_a_reply_that_is_none(answer: bytes, problem: type[Exception], match: str) -> None:
    with server(says(answer)) as port, UsbipHost("1-1", port=port) as host, pytest.raises(problem, match=match):
        host.read(0x82, 64)


def test_a_silent_server_is_given_up() -> None:
    done = threading.Event()

    def silent(connection: socket.socket) -> None:
        says()(connection)
        done.wait(10)

    with server(silent) as port, UsbipHost("1-1", port=port, timeout_s=0.1) as host:
        with pytest.raises(TimeoutError, match="sent nothing in time"):
            host.read(0x82, 64)
        done.set()


def test_replies_are_reaped_as_they_came_and_a_half_one_is_waited_for() -> None:
    first = build_ret_submit(RetSubmit(seqnum=2, status=0, actual=3), b"two")
    second = build_ret_submit(RetSubmit(seqnum=1, status=0, actual=3), b"one")
    more = threading.Event()

    def script(connection: socket.socket) -> None:
        says()(connection)
        connection.recv(3 * HEADER_SIZE, socket.MSG_WAITALL)
        connection.sendall(first + second[:20])
        more.wait(10)
        connection.sendall(second[20:] + build_ret_unlink(RetUnlink(seqnum=3, status=0)))

    with server(script) as port, UsbipHost("1-1", port=port) as host:
        assert not host.wait(0)
        assert host.reap_all() == []
        with host.batch():
            numbers = [host.submit_in(0x82, 64), host.submit_in(0x82, 64)]
            host.unlink(99)
        assert numbers == [1, 2]
        assert host.wait(10)
        came = host.reap_all()
        while not came:
            came = host.reap_all()
        assert [(one.reply.seqnum, one.data) for one in came] == [(2, b"two")]
        assert not host.wait(0)  # the half one is not there yet
        more.set()
        assert host.reap(1).data == b"one"
        assert host.reap(3).reply == RetUnlink(seqnum=3, status=0)
