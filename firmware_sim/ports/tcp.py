"""A device on a TCP port: one client at a time; a second one waits a moment, then is told so and let go.

A connection without a session yields to a valid hello that comes by another one, and is closed when it has been idle
for too long; the system asks silent peers whether they are still there. So nobody locks the device by saying nothing.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Self, cast

from firmware_sim.ports.cable import BUSY_FRAME, Cable
from firmware_sim.ports.keep_alive import keep_alive
from firmware_sim.ports.pacing import Pacer
from firmware_sim.ports.port import Port
from firmware_sim.ports.runner import DeviceRunner

PATIENCE_S = 0.5
IDLE_S = 10.0  # without a session
CLIENTS_MAX = 64


class NotTelnet(Exception):
    """The client does not keep to its protocol: nothing it says can be understood any more."""


class Telnet(Protocol):
    """A protocol around the stream."""

    def inward(self, data: bytes) -> bytes:
        """The stream in what a client sent; raises NotTelnet."""

    def outward(self, data: bytes) -> None:
        """Send a part of the stream."""


@dataclass(frozen=True, slots=True)
class Tcp:
    """A TCP port; 0 picks a free one."""

    host: str = "127.0.0.1"
    port: int = 0
    baud: int | None = None

    async def open(self, runner: DeviceRunner, _serial: str) -> "TcpPort":
        """Listen."""
        return await TcpPort.open(runner, self.host, self.port, baud=self.baud)


class _Client(asyncio.Protocol):
    """One TCP connection."""

    def __init__(self, port: "TcpPort") -> None:
        self._port = port
        self._runner = port.runner
        self._transport: asyncio.Transport | None = None
        self._cable: Cable | None = None
        self._read: Callable[[bytes], None] = _nowhere
        self._write: Callable[[bytes], None] = _nowhere
        self._telnet: Telnet | None = None
        self._patience: asyncio.TimerHandle | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._pacers: list[Pacer] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast(asyncio.Transport, transport)  # other loops' transports are ones by shape only
        self._transport = transport
        if self._runner.unplugged or len(self._port.clients) >= CLIENTS_MAX:
            transport.abort()
            return
        self._port.clients[self] = None
        keep_alive(transport.get_extra_info("socket"))
        write: Callable[[bytes], None] = transport.write
        self._read = self._receive
        if self._port.telnet is not None:
            self._telnet = self._port.telnet(transport.write)
            write = self._telnet.outward
        self._write = write
        loop = asyncio.get_running_loop()
        if self._port.baud is not None:
            out, into = Pacer(self._port.baud, write, loop), Pacer(self._port.baud, self._receive, loop)
            self._pacers = [out, into]
            write, self._read = out.take, into.take
        self._cable = Cable(self._runner, write, self.close)
        if self._cable.plug():
            self._watch_idleness()
        else:
            # The client before may have gone a moment ago, its goodbye still unread: wait for that before refusing.
            self._patience = loop.call_later(PATIENCE_S, self._refuse)

    def retry(self) -> bool:
        """The device is free: the first that waited has it."""
        if self._patience is None or self._cable is None or not self._cable.plug():
            return False
        self._accepted()
        return True

    def _receive(self, data: bytes) -> None:
        assert self._cable is not None
        if self._cable.receive(data) and self._patience is not None:
            self._accepted()

    def _accepted(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
        self._watch_idleness()

    def _refuse(self) -> None:
        assert self._transport is not None
        assert self._cable is not None
        self._patience = None
        if self._cable.claim():
            self._watch_idleness()
            return
        self._write(BUSY_FRAME)
        self._transport.close()

    def _watch_idleness(self) -> None:
        self._idle = asyncio.get_running_loop().call_later(IDLE_S, self._look_for_session)

    def _look_for_session(self) -> None:
        if self._runner.has_session:
            self._watch_idleness()
        else:
            self.close()

    def data_received(self, data: bytes) -> None:
        if self._telnet is not None:
            try:
                data = self._telnet.inward(data)
            except NotTelnet:
                self.close()
                return
        if data:
            self._read(data)

    def pause_writing(self) -> None:
        """The client does not read: stop listening to it until it does, so that nothing piles up here."""
        assert self._transport is not None
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        assert self._transport is not None
        self._transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._port.clients.pop(self, None)
        for pacer in self._pacers:
            pacer.clear()
        for timer in (self._patience, self._idle):
            if timer is not None:
                timer.cancel()
        self._patience = None
        if self._cable is not None and self._cable.pull():
            self._port.freed()

    def close(self) -> None:
        """Hang up at once."""
        if self._transport is not None:
            self._transport.abort()


class TcpPort(Port):
    """A listening socket with a device behind it."""

    scheme = "socket"
    telnet: Callable[[Callable[[bytes], None]], "Telnet"] | None = None  # what clients speak around the stream

    def __init__(self, runner: DeviceRunner, baud: int | None) -> None:
        self.runner = runner
        self.baud = baud
        self.clients: dict[_Client, None] = {}  # in the order they came
        self._server: asyncio.Server | None = None
        self._address = ("", 0)

    @classmethod
    async def open(
        cls,
        runner: DeviceRunner,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        baud: int | None = None,
    ) -> Self:
        """Listen; port 0 picks a free one. Raises OSError where the address can't be had."""
        this = cls(runner, baud)
        loop = asyncio.get_running_loop()
        this._server = await loop.create_server(lambda: _Client(this), host, port)
        this._address = this._server.sockets[0].getsockname()[:2]
        return this

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        return self._address

    @property
    def url(self) -> str:
        """The address as pyserial and the client take it."""
        host, port = self.address
        return f"{self.scheme}://[{host}]:{port}" if ":" in host else f"{self.scheme}://{host}:{port}"

    def freed(self) -> None:
        """The device is free again: give it to a client that waits."""
        for client in self.clients:
            if client.retry():
                return

    def drop_client(self) -> None:
        """Pull the cable: the connection is reset; the client may connect again."""
        for client in list(self.clients):
            client.close()

    async def close(self) -> None:
        """Stop listening and let the client go."""
        self.drop_client()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()


def _nowhere(data: bytes) -> None:
    """Before a connection is made nothing can be written."""
