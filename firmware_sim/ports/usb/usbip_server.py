"""The USB/IP server's edge: sockets, and the little that needs a clock. Everything it says comes from the session."""

import asyncio
import ipaddress
import logging
import threading
from collections.abc import Callable
from typing import cast

from firmware_sim.ports.keep_alive import keep_alive
from firmware_sim.ports.usb.bus import UsbBus
from firmware_sim.ports.usb.usbip_session import UsbipSession
from protocol.usb.errors import LocalUsbError
from protocol.usb.usbip_wire import DEFAULT_PORT

log = logging.getLogger(__name__)

CONNECTIONS_MAX = 256

# A client asks for a device at once after connecting, and reads the last answer; who takes longer is not one.
PATIENCE_S = 10.0

SETTLE_ROUNDS = 8

EXPOSED = (
    "USB/IP has no authentication and no encryption: anyone who can reach %s port %d can take the devices. "
    "Use a loopback address and a tunnel, or a network that nobody else is on."
)


def is_loopback(host: str) -> bool:
    """Whether an address stays on this machine; a name other than localhost is taken for one that does not."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class UsbipServer:
    """Serves the devices of a bus. Runs in the event loop that started it."""

    def __init__(self, bus: UsbBus) -> None:
        self._bus = bus
        bus.guard_with(threading.RLock)
        self._server: asyncio.Server | None = None
        self._connections: set[_Connection] = set()
        self.accepted = 0

    async def start(self, host: str = "127.0.0.1", port: int = DEFAULT_PORT) -> int:
        """Listen; the answer is the port (of use where 0 was asked for)."""
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(self._accept, host, port)
        except OSError as error:
            raise LocalUsbError(f"cannot listen on {host} port {port}: {error.strerror or error}") from error
        bound = int(self._server.sockets[0].getsockname()[1])
        log.info("USB/IP server on %s port %d", host, bound)
        if not is_loopback(host):
            log.warning(EXPOSED, host, bound)
        return bound

    def _accept(self) -> "_Connection":
        self.accepted += 1
        return _Connection(self._bus, self._connections)

    async def stop(self) -> None:
        """Stop listening and hang up on everyone; devices are given back."""
        if self._server is None:
            return
        self._server.close()
        for connection in tuple(self._connections):
            connection.hang_up()
        await self._server.wait_closed()
        self._server = None
        await asyncio.sleep(0)  # lets the transports tell their protocols

    @property
    def connections(self) -> int:
        """How many are open; `accepted` counts all there ever were."""
        return len(self._connections)


class _Connection(asyncio.Protocol):
    def __init__(self, bus: UsbBus, everyone: set["_Connection"]) -> None:
        self._everyone = everyone
        self._bus = bus
        self._session = UsbipSession(bus, wake=self._wake)
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._transport: asyncio.Transport | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._woken = False  # a wake-up is on its way
        self._inside = False  # the session is at work in this thread, and looks at the device before it ends
        self._peer = "?"

    # ---- asyncio calls -----------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast(asyncio.Transport, transport)  # other loops' transports are ones by shape only
        self._peer = "{}:{}".format(*transport.get_extra_info("peername")[:2])
        if len(self._everyone) >= CONNECTIONS_MAX:
            log.warning("%s refused: %d connections are open", self._peer, len(self._everyone))
            transport.abort()
            return
        self._transport = transport
        self._everyone.add(self)
        keep_alive(transport.get_extra_info("socket"))
        self._set_deadline(self._asked_nothing)

    def data_received(self, data: bytes) -> None:
        held_before = self._session.slot
        with self._bus.guard:
            self._inside = True
            self._session.receive_data(data)
            self._settle()
            held = self._session.slot
            answers = self._session.data_to_send()
        if held is not None and held_before is None:
            log.info("%s attached %s (%s)", self._peer, held.busid, held.device.identity.serial)
        self._send(answers)

    def pause_writing(self) -> None:
        # Who does not read the answers is not asked for more questions.
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        if self._transport is not None:
            self._transport.resume_reading()

    def connection_lost(self, _exc: Exception | None) -> None:
        with self._bus.guard:
            held = self._session.slot
            self._session.connection_lost()
        self._everyone.discard(self)
        self._transport = None
        if self._deadline is not None:
            self._deadline.cancel()
        if held is not None:
            log.info("%s detached %s", self._peer, held.busid)

    # ---- own ---------------------------------------------------------------------------------------------------------

    def hang_up(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _set_deadline(self, action: Callable[[], None]) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self._loop.call_later(PATIENCE_S, action)

    def _wake(self) -> None:
        here = threading.get_ident() == self._thread
        if not (here and self._inside) and not self._woken and not self._loop.is_closed():
            self._woken = True
            (self._loop.call_soon if here else self._loop.call_soon_threadsafe)(self._awake)

    def _settle(self) -> None:
        """Follow up what the device stirred meanwhile; at most a few times, then others have their turn."""
        rounds = 0
        while self._session.restless and rounds < SETTLE_ROUNDS:
            rounds += 1
            self._session.poll()
        self._inside = False
        if self._session.restless:
            self._wake()

    def _awake(self) -> None:
        self._woken = False
        with self._bus.guard:
            self._inside = True
            self._session.poll()
            self._settle()
            answers = self._session.data_to_send()
        self._send(answers)

    def _send(self, data: bytes) -> None:
        if self._transport is None:
            return
        if data:
            self._transport.write(data)
        if self._session.closing is not None and not self._transport.is_closing():
            log.info("%s: closing: %s", self._peer, self._session.closing)
            self._transport.close()
            self._set_deadline(self.hang_up)  # for a peer that does not read the last answer

    def _asked_nothing(self) -> None:
        if self._transport is not None and self._session.slot is None:
            log.info("%s: closing: asked for no device within %g s", self._peer, PATIENCE_S)
            self._transport.abort()

