"""A proxy on real ports: the controller connects to TCP or a pseudo-terminal, the device is on any port a client opens.

The edge with sockets, a thread that reads the device's port, and the clock.
"""

import asyncio
import contextlib
import threading
from pathlib import Path

from firmware_sim.ports import DeviceRunner, PtyPort, TcpPort
from shuffler.errors import CannotOpen, LinkLost
from shuffler.kit.proxy.middle import Middle
from shuffler.transports.ports import OpenPort, Transport, open_transport

READ_S = 0.05
REOPEN_S = 0.2


class ProxyServer:
    """One proxy; at most one controller at a time."""

    def __init__(
        self, middle: Middle, url: str, *, baud: int = 115200, open_port: OpenPort = open_transport
    ) -> None:
        self.middle = middle
        self.lost = ""  # why the device's port was last lost, or could not be opened
        self._url, self._baud, self._open_port = url, baud, open_port
        self._runner: DeviceRunner | None = None
        self._loop = asyncio.get_running_loop()
        self._ports: list[TcpPort | PtyPort] = []
        self._transport: Transport | None = None
        self._opening: asyncio.Task[None] | None = None
        self._reader: threading.Thread | None = None
        self._waiting: list[bytes] = []
        middle.forward = self._forward
        middle.closed = self._hang_up

    async def open(self, *, tcp: tuple[str, int] | None, pty: bool = False, link: Path | None = None) -> list[str]:
        """Listen for controllers; the addresses. Raises OSError."""
        self._runner = DeviceRunner(self.middle)
        if tcp is not None:
            self._ports.append(await TcpPort.open(self._runner, *tcp))
        if pty:
            self._ports.append(await PtyPort.open(self._runner, link=link))
        return [port.url for port in self._ports]

    async def close(self) -> None:
        """Let both ends go."""
        for port in self._ports:
            await port.close()
        if self._runner is not None:
            self._runner.stop()
        if self._opening is not None:
            self._opening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._opening
        self._hang_up()
        if self._reader is not None:
            await self._loop.run_in_executor(None, self._reader.join)

    # ---------------------------------------------------------------------------------------------- the device's port

    def _forward(self, data: bytes) -> None:
        if self._transport is not None:
            try:
                self._transport.write(data)
            except LinkLost as problem:
                self._lose(self._transport, str(problem))
            return
        self._waiting = [*self._waiting[-63:], data]  # until the port is open; a host repeats what is lost
        if self._opening is None or self._opening.done():
            self._opening = self._loop.create_task(self._connect())

    async def _connect(self) -> None:
        try:
            transport = await self._loop.run_in_executor(None, self._open_port, self._url, self._baud)
        except CannotOpen as problem:
            self.lost = str(problem)
            await asyncio.sleep(REOPEN_S)
            self._drop_controller()
            return
        self._transport = transport
        self._reader = threading.Thread(target=self._read, args=(transport,), name="proxy-device", daemon=True)
        self._reader.start()
        waiting, self._waiting = self._waiting, []
        for data in waiting:
            self._forward(data)

    def _read(self, transport: Transport) -> None:
        """In a thread of its own, until the port is closed or lost."""
        try:
            while self._transport is transport:
                if data := transport.read(READ_S):
                    self._call(self._arrived, transport, data)
        except LinkLost as problem:
            self._call(self._lose, transport, str(problem))
        finally:
            transport.close()

    def _call(self, what: object, *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            self._loop.call_soon_threadsafe(what, *arguments)  # type: ignore[arg-type]

    def _arrived(self, transport: Transport, data: bytes) -> None:
        if self._transport is transport and self._runner is not None:
            self.middle.from_device(data, DeviceRunner.now())
            self._runner.wake()

    def _lose(self, transport: Transport, why: str) -> None:
        if self._transport is transport:
            self.lost = why
            self._hang_up()
            self._drop_controller()

    def _hang_up(self) -> None:
        """Let the device's port go; its reading thread closes it, since it may be in the middle of a read."""
        self._transport = None
        self._waiting = []

    def _drop_controller(self) -> None:
        """The device is gone: so is the controller's cable."""
        for port in self._ports:
            port.drop_client()
