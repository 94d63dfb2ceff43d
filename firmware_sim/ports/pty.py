"""A device on a pseudo-terminal: a serial port that any program can open and close as often as it likes.

A second program that opens the same terminal can't be refused (nor can it on a real serial port as root): the session
number in every frame keeps their conversations apart, and the newest valid hello wins. A device that is held by another
port says so to whoever writes here, and comes over when that port has no session and a valid hello comes by this one.
"""

import asyncio
import contextlib
import errno
import os
import select
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from firmware_sim.ports.cable import Cable
from firmware_sim.ports.pacing import Pacer
from firmware_sim.ports.port import Port
from firmware_sim.ports.runner import DeviceRunner

try:
    import termios
    import tty
except ImportError:  # Windows
    AVAILABLE = False
else:
    AVAILABLE = hasattr(os, "openpty") and hasattr(select, "poll")

READ_SIZE = 65536
WRITE_LIMIT = 1 << 16
POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Pty:
    """A pseudo-terminal; `link` is a name of your choice for it."""

    link: Path | None = None
    baud: int | None = None

    async def open(self, runner: DeviceRunner, _serial: str) -> "PtyPort":
        """Make it."""
        return await PtyPort.open(runner, link=self.link, baud=self.baud)


class PtyPort(Port):
    """The controlling side of a pseudo-terminal with a device behind it."""

    def __init__(self, runner: DeviceRunner, master: int, path: str, link: Path | None, baud: int | None) -> None:
        self._master = master
        self.path = path
        self.link = link
        self._loop = asyncio.get_running_loop()
        self._waiting = bytearray()
        self._opened = False
        self._closed = False
        self._timer: asyncio.TimerHandle | None = None
        self._out = Pacer(baud, self._write, self._loop) if baud is not None else None
        self._in = Pacer(baud, self._arrived, self._loop) if baud is not None else None
        self._receive = self._in.take if self._in is not None else self._arrived
        self._put = self._out.take if self._out is not None else self._write
        self._cable = Cable(runner, self._put, _stays_open)
        self._watch()

    @classmethod
    async def open(cls, runner: DeviceRunner, *, link: Path | None = None, baud: int | None = None) -> Self:
        """Make a pseudo-terminal; `link` is a name of your choice for it. Raises OSError where it can't be had."""
        if not AVAILABLE:
            raise OSError(errno.ENOSYS, "this system has no pseudo-terminals: use a TCP port")
        master, slave = os.openpty()
        tty.setraw(slave)
        path = os.ttyname(slave)
        os.close(slave)
        os.set_blocking(master, False)
        if link is not None:
            try:
                if link.is_symlink():
                    link.unlink()
                link.symlink_to(path)
            except OSError:
                os.close(master)
                raise
        return cls(runner, master, path, link, baud)

    @property
    def url(self) -> str:
        """The terminal's path."""
        return self.path

    async def close(self) -> None:
        """Take the terminal away; the name goes with it."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        self._loop.remove_reader(self._master)
        self._loop.remove_writer(self._master)
        self._cable.pull()
        os.close(self._master)
        if self.link is not None and self.link.is_symlink() and os.readlink(self.link) == self.path:
            self.link.unlink()

    def _watch(self) -> None:
        """Wait for a program to open the terminal; the kernel signals only that none has it."""
        if self._closed:
            return
        poll = select.poll()
        poll.register(self._master, select.POLLIN)
        hung_up = any(flags & select.POLLHUP for _, flags in poll.poll(0))
        if hung_up:
            self._timer = self._loop.call_later(POLL_S, self._watch)
            return
        self._cable.plug()
        self._opened = True
        self._loop.add_reader(self._master, self._readable)

    def _readable(self) -> None:
        try:
            data = os.read(self._master, READ_SIZE)
        except BlockingIOError:
            return
        except OSError as problem:
            if problem.errno != errno.EIO:
                raise
            data = b""
        if data:
            self._receive(data)
        else:
            self._hang_up()

    def _arrived(self, data: bytes) -> None:
        if not self._cable.receive(data) and (said := self._cable.turned_away()):
            self._put(said)

    def drop_client(self) -> None:
        """Pull the cable: what was under way is lost; the program that has the terminal open may go on."""
        if self._opened:
            self._hang_up()

    def _hang_up(self) -> None:
        """The last program has closed the terminal: the cable is out."""
        self._opened = False
        self._loop.remove_reader(self._master)
        self._loop.remove_writer(self._master)
        self._waiting.clear()
        for pacer in (self._out, self._in):
            if pacer is not None:
                pacer.clear()
        self._cable.pull()
        with contextlib.suppress(termios.error):
            termios.tcflush(self._master, termios.TCIOFLUSH)
        self._timer = self._loop.call_later(POLL_S, self._watch)

    def _write(self, data: bytes) -> None:
        if not self._waiting:
            try:
                written = os.write(self._master, data)
            except BlockingIOError:
                written = 0
            except OSError as problem:
                if problem.errno != errno.EIO:
                    raise
                return
            if written == len(data):
                return
            data = data[written:]
            self._loop.add_writer(self._master, self._writable)
        self._waiting += data
        if len(self._waiting) > WRITE_LIMIT:
            self._loop.remove_reader(self._master)

    def _writable(self) -> None:
        try:
            written = os.write(self._master, self._waiting)
        except BlockingIOError:
            return
        except OSError as problem:
            if problem.errno != errno.EIO:
                raise
            self._hang_up()
            return
        del self._waiting[:written]
        if not self._waiting:
            self._loop.remove_writer(self._master)
        if len(self._waiting) <= WRITE_LIMIT and self._opened:
            self._loop.add_reader(self._master, self._readable)


def _stays_open() -> None:
    """Another port has the device: this terminal stays open, and may knock."""
