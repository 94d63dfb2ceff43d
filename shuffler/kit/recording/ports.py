"""Replaying over real ports: the edge with sockets, clocks and patience.

As the device the player hangs on the same ports as an emulated one; as the controller it opens any port that a client
can open.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from pathlib import Path

from firmware_sim.ports import DeviceRunner, PtyPort, TcpPort
from shuffler.errors import CannotOpen, LinkLost
from shuffler.kit.recording.as_controller import ReplayedController
from shuffler.kit.recording.as_device import ReplayedDevice
from shuffler.kit.recording.player import ReplayOutcome
from shuffler.transports.ports import OpenPort, Transport, open_transport

LOOK_S = 0.02
LAST_WORD_S = 2.0  # for the peer to take what was said last
REOPEN_S = 0.1


async def serve_device(
    player: ReplayedDevice,
    *,
    tcp: tuple[str, int] | None = None,
    pty: bool = False,
    link: Path | None = None,
    told: Callable[[list[str]], None] = lambda _: None,
) -> ReplayOutcome:
    """Play the device to whoever connects, until the recording is over; `told` gets the addresses. Raises OSError."""
    runner = DeviceRunner(player)
    ports: list[TcpPort | PtyPort] = []
    try:
        if tcp is not None:
            ports.append(await TcpPort.open(runner, *tcp))
        if pty:
            ports.append(await PtyPort.open(runner, link=link))
        loop = asyncio.get_running_loop()

        def pull_soon() -> None:
            """Not in the middle of what the device is saying just now."""
            loop.call_soon(_drop, ports)

        player.pull = pull_soon
        told([port.url for port in ports])
        while not player.done:
            await asyncio.sleep(LOOK_S)
        until = time.monotonic() + LAST_WORD_S
        while not player.idle and time.monotonic() < until:
            await asyncio.sleep(LOOK_S)
        player.last_word()
        return player.outcome()
    finally:
        for port in ports:
            await port.close()
        runner.stop()


def _drop(ports: list[TcpPort | PtyPort]) -> None:
    for port in ports:
        port.drop_client()


def drive_controller(
    player: ReplayedController, url: str, *, baud: int = 115200, open_port: OpenPort = open_transport
) -> ReplayOutcome:
    """Play the controller to the device on a port, until the recording is over; raises CannotOpen."""
    port: Transport | None = open_port(url, baud)
    player.connect(_now())
    reopen_until: float | None = None
    last_word = 0.0
    try:
        while not player.done or (not player.idle and time.monotonic() < last_word):
            if port is None:
                port, reopen_until = _reopened(player, url, baud, open_port, reopen_until)
                continue
            try:
                _step(player, port)
            except LinkLost:
                reopen_until, port = _closed(player, port), None
            if player.wants_pull and port is not None:
                reopen_until, port = _closed(player, port), None
            if player.done and not last_word:
                last_word = time.monotonic() + LAST_WORD_S
        if port is not None:
            with contextlib.suppress(LinkLost):
                port.write(player.data_to_send(_now()))
        return player.outcome()
    finally:
        if port is not None:
            port.close()


def _step(player: ReplayedController, port: Transport) -> None:
    now = _now()
    if data := player.data_to_send(now):
        port.write(data)
    due = player.next_deadline()
    wait_s = LOOK_S if due is None else min(LOOK_S, max(0.0, (due - now) / 1e6))
    data = port.read(wait_s)
    now = _now()
    if data:
        player.receive(data, now)
    player.tick(now)
    if data := player.data_to_send(now):
        port.write(data)


def _closed(player: ReplayedController, port: Transport) -> float:
    """Pull the cable; until when it may be put back."""
    port.close()
    player.lose_cable()
    return time.monotonic() + player.pace.patience_us / 1e6


def _reopened(
    player: ReplayedController, url: str, baud: int, open_port: OpenPort, until: float | None
) -> tuple[Transport | None, float | None]:
    time.sleep(REOPEN_S)
    try:
        port = open_port(url, baud)
    except CannotOpen as problem:
        if until is not None and time.monotonic() > until:
            player.stop(f"the cable was pulled, and the port could not be opened again: {problem}")
        return None, until
    player.connect(_now())
    return port, None


def _now() -> int:
    return time.monotonic_ns() // 1000
