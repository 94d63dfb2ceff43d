"""A device on a TCP port: one client at a time, a second one is told so and let go."""

import asyncio
from collections.abc import Callable
from typing import Self

from firmware_sim.ports.pacing import Pacer
from firmware_sim.ports.runner import DeviceRunner
from protocol.codec import encode_body, number_of
from protocol.framing import pack_header, wrap
from protocol.messages import Reset
from protocol.vocabulary import ResetReason

BUSY = Reset(reason=ResetReason.BUSY, text="another client holds this device: one at a time")


class _Client(asyncio.Protocol):
    """One TCP connection."""

    def __init__(self, port: "TcpPort") -> None:
        self._port = port
        self._runner = port.runner
        self._transport: asyncio.Transport | None = None
        self._mine = False
        self._read: Callable[[bytes], None] = port.runner.receive
        self._out: Pacer | None = None
        self._in: Pacer | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._port.clients.add(self)
        write: Callable[[bytes], None] = transport.write
        read: Callable[[bytes], None] = self._runner.receive
        if self._port.baud is not None:
            loop = asyncio.get_running_loop()
            self._out = Pacer(self._port.baud, transport.write, loop)
            self._in = Pacer(self._port.baud, self._runner.receive, loop)
            write, read = self._out.take, self._in.take
        self._mine = self._runner.attach(write)
        self._read = read
        if not self._mine:
            transport.write(wrap(pack_header(0, number_of(BUSY), 0, 0, 0, 0), encode_body(BUSY)))
            transport.close()

    def data_received(self, data: bytes) -> None:
        if self._mine:
            self._read(data)

    def pause_writing(self) -> None:
        """The client does not read: stop listening to it until it does, so that nothing piles up here."""
        assert self._transport is not None
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        assert self._transport is not None
        self._transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._port.clients.discard(self)
        for pacer in (self._out, self._in):
            if pacer is not None:
                pacer.clear()
        if self._mine:
            self._runner.detach()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()


class TcpPort:
    """A listening socket with a device behind it."""

    def __init__(self, runner: DeviceRunner, baud: int | None) -> None:
        self.runner = runner
        self.baud = baud
        self.clients: set[_Client] = set()
        self._server: asyncio.Server | None = None

    @classmethod
    async def open(
        cls, runner: DeviceRunner, host: str = "127.0.0.1", port: int = 0, *, baud: int | None = None
    ) -> Self:
        """Listen; port 0 picks a free one. Raises OSError where the address can't be had."""
        this = cls(runner, baud)
        loop = asyncio.get_running_loop()
        this._server = await loop.create_server(lambda: _Client(this), host, port)
        return this

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        assert self._server is not None
        name = self._server.sockets[0].getsockname()
        return name[0], name[1]

    @property
    def url(self) -> str:
        """The address as pyserial and the client take it."""
        host, port = self.address
        return f"socket://[{host}]:{port}" if ":" in host else f"socket://{host}:{port}"

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
