"""`shuffler proxy`: between any controller and any device."""

import asyncio
import os
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.keys import read_key
from shuffler.cli.output import fail, say
from shuffler.cli.stopping import on_signal

if TYPE_CHECKING:
    from shuffler.kit.proxy.disturbance import Disturbance, DisturbanceCounts, Disturbed
    from shuffler.kit.proxy.unsealing import Unsealing
    from shuffler.kit.recording.file import Recorder

PORT_MAX = 65535
DEFAULT_PORT = 7101


def proxy(
    url: Annotated[str, typer.Argument(help="The device: /dev/ttyACM0, socket://HOST:PORT, usb://…, usbip://…")],
    tcp: Annotated[
        int | None, typer.Option(min=0, max=PORT_MAX, help="TCP port for the controller, 0 for any free one.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    pty: Annotated[bool, typer.Option("--pty", help="Serve the controller a pseudo-terminal.")] = False,
    link: Annotated[Path | None, typer.Option(help="Make this symbolic link to the pseudo-terminal.")] = None,
    record: Annotated[Path | None, typer.Option(help="Record the conversation in this file.")] = None,
    secure: Annotated[
        Path | None, typer.Option(help="Open secure sessions with the key in this file; without it they stay opaque.")
    ] = None,
    baud: Annotated[int, typer.Option(min=50, help="Baud rate of the device's serial port.")] = 115200,
    bad: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of bad frames, all kinds alike; 0.1 is one in ten.")
    ] = 0.0,
    drop: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of frames dropped.")] = 0.0,
    corrupt: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of frames with bits flipped.")] = 0.0,
    duplicate: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of frames sent twice.")] = 0.0,
    reorder: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of frames overtaken by the next.")] = 0.0,
    delay: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of frames delayed.")] = 0.0,
    split: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of frames written in two pieces.")] = 0.0,
    delay_ms: Annotated[int, typer.Option(min=0, max=60_000, help="Longest delay.")] = 150,
    latency_ms: Annotated[int, typer.Option(min=0, max=60_000, help="Delay of every frame.")] = 0,
    seed: Annotated[int, typer.Option(help="Repeats the same disturbances for the same frames.")] = 1,
) -> None:
    """Stand between a controller and a device until Ctrl-C.

    Without --tcp or --pty the controller finds it on TCP port 7101 of the loopback address. Frames are disturbed in
    both directions; what each end really said is recorded.
    """
    from dataclasses import replace

    from shuffler.kit.proxy.disturbance import Disturbance, Disturbed
    from shuffler.kit.proxy.unsealing import Unsealing

    if tcp is None and not pty and link is None:
        tcp = DEFAULT_PORT
    shares = (drop, corrupt, duplicate, reorder, delay)
    if bad and any((*shares, split)):
        raise fail("--bad already has all kinds: give either it or the single ones")
    if sum(shares) > 1:
        raise fail(f"the shares add up to {sum(shares):g} of all frames: at most 1 can go wrong")
    how = Disturbance.bad(bad) if bad else Disturbance(
        drop=drop, corrupt=corrupt, duplicate=duplicate, reorder=reorder, delay=delay, split=split
    )
    how = replace(how, delay_us=1000 * delay_ms, latency_us=1000 * latency_ms)
    down, up = Disturbed(how, Random(f"{seed} down")), Disturbed(how, Random(f"{seed} up"))
    unsealing = Unsealing(read_key(secure), os.urandom) if secure is not None else None
    recorder = _recorder(record, url)
    try:
        where = None if tcp is None else (host, tcp)
        asyncio.run(_serve(url, baud, down, up, recorder, unsealing, tcp=where, pty=pty or bool(link), link=link))
    finally:
        if recorder is not None:
            recorder.close()
    for name, direction in (("to the device", down), ("to the controller", up)):
        say(f"{name}: {_summary(direction.counted, how)}")
    if record is not None:
        say(f"recorded in {record}")


def _recorder(path: Path | None, url: str) -> "Recorder | None":
    if path is None:
        return None
    from shuffler.kit.recording.file import Recorder

    try:
        return Recorder(path, f"proxy to {url}")
    except OSError as problem:
        raise fail(f"--record {path}: {problem.strerror or problem}") from None


def _summary(counted: "DisturbanceCounts", how: "Disturbance") -> str:
    if how.is_quiet:
        return f"about {counted.frames} frames"
    return (
        f"{counted.frames} frames, {counted.dropped} dropped, {counted.corrupted} corrupted,"
        f" {counted.duplicated} sent twice, {counted.reordered} overtaken, {counted.delayed} delayed,"
        f" {counted.split} split"
    )


async def _serve(
    url: str,
    baud: int,
    down: "Disturbed",
    up: "Disturbed",
    recorder: "Recorder | None",
    unsealing: "Unsealing | None",
    *,
    tcp: tuple[str, int] | None,
    pty: bool,
    link: Path | None,
) -> None:
    from shuffler.errors import CannotOpen
    from shuffler.kit.proxy.middle import Middle
    from shuffler.kit.proxy.serving import ProxyServer
    from shuffler.kit.recording.format import PieceKind
    from shuffler.transports.ports import open_transport

    def nowhere(kind: PieceKind, data: bytes = b"") -> None:
        """Nothing is recorded."""

    try:  # a wrong address should be told now, not to the first controller
        open_transport(url, baud).close()
    except CannotOpen as problem:
        raise fail(str(problem)) from None
    note = nowhere if recorder is None else recorder.note
    server = ProxyServer(Middle(down, up, note=note, unsealing=unsealing), url, baud=baud)
    try:
        addresses = await server.open(tcp=tcp, pty=pty, link=link)
    except OSError as problem:
        raise fail(f"can't open the port: {problem.strerror or problem}; choose another with --tcp or --link") from None
    try:
        say(f"{'  '.join(addresses)}  to  {url}\nCtrl-C ends it")
        stop = asyncio.Event()
        on_signal(stop)
        await stop.wait()
    finally:
        await server.close()
