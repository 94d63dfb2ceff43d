"""The host's end of a cable: a socket, a serial port, or anything pyserial opens by URL; blocking, with a limit."""

import contextlib
import os
import re
import socket
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Protocol
from urllib.parse import urlsplit

from shuffler.errors import BadAddress, CannotOpen, LinkLost
from shuffler.transports.ready import Ready

READ_SIZE = 65536
CONNECT_S = 5.0
SLICE_S = 0.02  # of one read of a port without a descriptor
WRITE_S = 2.0  # for a port that takes nothing; longer would keep whoever writes from everything else
KEEP_ALIVE = (("TCP_KEEPIDLE", 10), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3))  # a vanished peer is noticed in 25 s

# Schemes with a module of their own, which has `open_transport(url)`; all others are pyserial's.
MODULES: dict[str, str] = {"usb": "shuffler.transports.usb", "usbip": "shuffler.transports.usbip"}


class Transport(Protocol):
    """Bytes out, bytes in; every call raises LinkLost once the cable is gone."""

    def read(self, timeout_s: float) -> bytes:
        """What has arrived, waiting for it at most so long; empty when nothing has."""

    def write(self, data: bytes) -> None:
        """All of it, before this returns."""

    def close(self) -> None:
        """Let go; never raises."""


class OpenPort(Protocol):
    """Opens a port by URL at a baud rate; raises CannotOpen. `open_transport` is the real one."""

    def __call__(self, url: str, baud: int = 115200) -> Transport: ...


def open_transport(url: str, baud: int = 115200) -> Transport:
    """Open `/dev/ttyACM0`, `tcp://host:port`, `usb://…`, `usbip://…` or any pyserial URL; raises CannotOpen."""
    try:
        scheme = urlsplit(url).scheme if "://" in url else ""
    except ValueError as problem:
        raise CannotOpen(f"{url}: {problem}") from problem
    if scheme in ("socket", "tcp"):
        return SocketTransport(url)
    if scheme in MODULES:
        opener: Callable[[str], Transport] = import_module(MODULES[scheme]).open_transport
        return opener(url)
    return SerialTransport(url, baud)


def keep_alive(connection: socket.socket) -> None:
    """Have the system ask a silent peer whether it is still there."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEP_ALIVE:
        if hasattr(socket, name):  # not every system has all three
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _write_all(put: Callable[[bytes], int], data: bytes, where: int | socket.socket) -> None:
    """Write it without blocking, waiting where the other end is slow; raises LinkLost where it takes too long."""
    until: float | None = None
    while data:
        try:
            data = data[put(data) :]
        except BlockingIOError:
            now = time.monotonic()
            until = until or now + WRITE_S
            if not Ready(where, writing=True).within(max(0.0, until - now)):
                raise LinkLost(f"the other end takes no data for {WRITE_S:g} s") from None


class SocketTransport:
    """A TCP connection."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        try:
            host, port = parts.hostname, parts.port
        except ValueError as problem:
            raise BadAddress(f"{url}: {problem}") from problem
        if host is None or port is None:
            raise BadAddress(f"{url}: expected socket://HOST:PORT")
        try:
            self._socket = socket.create_connection((host, port), CONNECT_S)
            self._socket.setblocking(False)  # with a limit of its own every call would ask the system twice
        except OSError as problem:
            reason = problem.strerror or problem
            raise CannotOpen(f"{url}: {reason}; is the device running? (`shuffler emulate --tcp {port}`)") from problem
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        keep_alive(self._socket)
        self._ready = Ready(self._socket)

    def fileno(self) -> int:
        """For event loops."""
        return self._socket.fileno()

    def read(self, timeout_s: float) -> bytes:
        try:
            if timeout_s > 0 and not self._ready.within(timeout_s):
                return b""
            data = self._socket.recv(READ_SIZE)
        except BlockingIOError:
            return b""
        except OSError as problem:
            raise LinkLost(f"the connection broke: {problem}") from problem
        if not data:
            raise LinkLost("the device closed the connection")
        return data

    def write(self, data: bytes) -> None:
        try:
            _write_all(self._socket.send, data, self._socket)
        except OSError as problem:
            raise LinkLost(f"the connection broke: {problem}") from problem

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.close()


class SerialTransport:
    """A serial port through pyserial; where it has a file descriptor, that is read directly."""

    def __init__(self, url: str, baud: int) -> None:
        import serial

        try:
            # pyserial's network port has a limit of its own for writes, and refuses to be given one.
            limit_s = None if url.lower().startswith("rfc2217:") else CONNECT_S
            self._port = serial.serial_for_url(url, baudrate=baud, timeout=0, write_timeout=limit_s)
        except (ValueError, LookupError, re.error) as problem:  # pyserial has URLs that are patterns and options
            raise BadAddress(f"{url}: {problem}") from problem
        except (serial.SerialException, OSError) as problem:
            raise CannotOpen(f"{url}: {problem}") from problem
        self._failures = (serial.SerialException, OSError, TypeError)  # pyserial reads a closed port as a TypeError
        self._fd: int | None = None
        with contextlib.suppress(OSError, AttributeError):
            self._fd = self._port.fileno()
        if self._fd is not None:
            self._ready = Ready(self._fd)
        else:
            self._port.timeout = SLICE_S

    def fileno(self) -> int | None:
        """For event loops; None where the port has no descriptor."""
        return self._fd

    def read(self, timeout_s: float) -> bytes:
        try:
            if self._fd is None:
                return self._read_slices(timeout_s)
            if not self._ready.within(timeout_s):
                return b""
            data = os.read(self._fd, READ_SIZE)
        except self._failures as problem:
            raise LinkLost(f"the serial port is gone: {problem}") from problem
        if not data:
            raise LinkLost("the serial port is gone")
        return data

    def _read_slices(self, timeout_s: float) -> bytes:
        """Without a descriptor; another time-out would have a network port negotiate its settings anew, so it stays."""
        until = time.monotonic() + timeout_s
        while not (waiting := self._port.in_waiting) and time.monotonic() < until:
            if first := self._port.read(1):
                return bytes(first) + bytes(self._port.read(self._port.in_waiting))
        return bytes(self._port.read(waiting)) if waiting else b""

    def write(self, data: bytes) -> None:
        try:
            if self._fd is None:
                self._port.write(data)
                return
            _write_all(partial(os.write, self._fd), data, self._fd)
        except self._failures as problem:
            raise LinkLost(f"the serial port is gone: {problem}") from problem

    def close(self) -> None:
        with contextlib.suppress(*self._failures):
            self._port.close()
