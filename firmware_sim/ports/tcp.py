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

PATIENCE_S = 0.5
BUSY = Reset(reason=ResetReason.BUSY, text="another client holds this device: one at a time")


class _Client(asyncio.Protocol):
    """One TCP connection."""

    def __init__(self, port: "TcpPort") -> None:
        self._port = port
        self._runner = port.runner
        self._transport: asyncio.Transport | None = None
        self._mine = False
        self._read: Callable[[bytes], None] = port.runner.receive
        self._write: Callable[[bytes], None] = _nowhere
        self._patience: asyncio.TimerHandle | None = None
        self._out: Pacer | None = None
        self._in: Pacer | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._port.clients[self] = None
        write: Callable[[bytes], None] = transport.write
        read: Callable[[bytes], None] = self._runner.receive
        if self._port.baud is not None:
            loop = asyncio.get_running_loop()
            self._out = Pacer(self._port.baud, transport.write, loop)
            self._in = Pacer(self._port.baud, self._runner.receive, loop)
            write, read = self._out.take, self._in.take
        self._write, self._read = write, read
        if not self._take():
            # The client before may have gone a moment ago, its goodbye still unread: wait for that before refusing.
            transport.pause_reading()
            self._patience = asyncio.get_running_loop().call_later(PATIENCE_S, self._refuse)

    def _take(self) -> bool:
        """Hold the device, if nobody else does."""
        self._mine = self._runner.attach(self._write)
        return self._mine

    def retry(self) -> bool:
        """The device is free: the first that waited has it."""
        if self._patience is None or not self._take():
            return False
        assert self._transport is not None
        self._patience.cancel()
        self._patience = None
        self._transport.resume_reading()
        return True

    def _refuse(self) -> None:
        assert self._transport is not None
        self._patience = None
        self._transport.write(wrap(pack_header(0, number_of(BUSY), 0, 0, 0, 0), encode_body(BUSY)))
        self._transport.close()

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
        self._port.clients.pop(self, None)
        for pacer in (self._out, self._in):
            if pacer is not None:
                pacer.clear()
        if self._patience is not None:
            self._patience.cancel()
        if self._mine:
            self._runner.detach()
            self._port.freed()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()


class TcpPort:
    """A listening socket with a device behind it."""

    def __init__(self, runner: DeviceRunner, baud: int | None) -> None:
        self.runner = runner
        self.baud = baud
        self.clients: dict[_Client, None] = {}  # in the order they came
        self._server: asyncio.Server | None = None
        self._address = ("", 0)

    @classmethod
    async def open(
        cls, runner: DeviceRunner, host: str = "127.0.0.1", port: int = 0, *, baud: int | None = None
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
        return f"socket://[{host}]:{port}" if ":" in host else f"socket://{host}:{port}"

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
