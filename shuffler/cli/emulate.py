"""`shuffler emulate`: devices without hardware, on TCP, on pseudo-terminals and on USB."""

import asyncio
import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.keys import read_or_make_key, role_keys
from shuffler.cli.output import fail
from shuffler.cli.usb import USBIP_PORT, UsbOptions, attach_command, local_url, open_capture

if TYPE_CHECKING:
    from firmware_sim.serving import Place, Served
    from firmware_sim.usb import UsbBus

DEFAULT_PROFILE = "i-deal-style"
LOOPBACK = ("127.0.0.1", "::1", "localhost")
USB_DEVICES_MAX = 127


def emulate(
    profile: Annotated[
        str | None, typer.Option(help="Which device: a profile's name or file; i-deal-style, or the set-up's own.")
    ] = None,
    tcp: Annotated[int | None, typer.Option(help="TCP port, 0 for a free one; further devices take the next.")] = None,
    host: Annotated[str, typer.Option(help="Address for TCP and USB/IP.")] = "127.0.0.1",
    pty: Annotated[bool, typer.Option("--pty", help="Serve a pseudo-terminal (a serial port).")] = False,
    link: Annotated[Path | None, typer.Option(help="A name of your own for the pseudo-terminal.")] = None,
    usbip: Annotated[bool, typer.Option("--usbip", help="Serve USB devices over USB/IP (docs/usb.md).")] = False,
    usbip_port: Annotated[int, typer.Option(help="TCP port of the USB/IP server, 0 for a free one.")] = USBIP_PORT,
    usb_id: Annotated[str, typer.Option(help="USB vendor and product id, hexadecimal.")] = "1209:0001",
    usb_full_speed: Annotated[bool, typer.Option("--usb-full-speed", help="12 Mbit/s instead of 480.")] = False,
    capture: Annotated[Path | None, typer.Option(help="Record USB and serial traffic for Wireshark (pcapng).")] = None,
    devices: Annotated[int, typer.Option(min=1, max=1000, help="How many devices in this process.")] = 1,
    hands: Annotated[str, typer.Option(help="auto: an emulated dealer acts; manual: nobody does.")] = "auto",
    speed: Annotated[float, typer.Option(min=0.01, help="How many times as fast as a real machine.")] = 1.0,
    seed: Annotated[int | None, typer.Option(help="Repeatable shuffles, and marked so on the wire.")] = None,
    memory: Annotated[Path | None, typer.Option(help="Folder for non-volatile memory, kept across runs.")] = None,
    setup: Annotated[
        str | None, typer.Option(help="Decks and faults to come: a set-up's name or file (docs/device.md).")
    ] = None,
    baud: Annotated[int | None, typer.Option(min=50, help="Slow the line to this rate.")] = None,
    secure: Annotated[Path | None, typer.Option(help="Secure mode with the key in this file; made if missing.")] = None,
    role: Annotated[list[str] | None, typer.Option(help="ROLE=WORDS: supervisor, technician or laboratory.")] = None,
    serial: Annotated[str, typer.Option(help="Serial number; further devices count up.")] = "SB-0001",
    as_json: Annotated[bool, typer.Option("--json", help="Print where the devices are as one line of JSON.")] = False,
) -> None:
    """Start emulated devices and serve them until Ctrl-C.

    Without --tcp, --pty or --usbip a device gets TCP port 7001 on the loopback address and a pseudo-terminal.
    """
    from firmware_sim.emulator import Build
    from firmware_sim.errors import DeviceError
    from firmware_sim.profile import load
    from firmware_sim.serving import Place
    from firmware_sim.setup import load as load_setup
    from firmware_sim.usb import UsbBus

    if tcp is None and not pty and link is None and not usbip:
        tcp, pty = 7001, True
    if link is not None:
        pty = True
        if devices > 1:
            raise fail("--link names one pseudo-terminal: use it with one device")
    if usbip and devices > USB_DEVICES_MAX:
        raise fail(f"a USB bus has {USB_DEVICES_MAX} sockets: fewer --devices, or no --usbip")
    if host not in LOOPBACK and tcp is not None:
        typer.echo(f"warning: {host} is reachable by others, and without --secure anyone may deal", err=True)
    try:
        prepared = load_setup(setup) if setup is not None else None
        chosen = load(profile or (prepared.profile if prepared is not None else None) or DEFAULT_PROFILE)
        if prepared is not None:
            chosen = prepared.adapt(chosen)
    except DeviceError as problem:
        raise fail(str(problem)) from None
    key = read_or_make_key(secure) if secure is not None else None
    usb = UsbOptions(host=host, port=usbip_port, ids=usb_id, full_speed=usb_full_speed) if usbip else None
    bus = UsbBus() if usbip else None
    recording = open_capture(capture, bus)
    places = []
    for index in range(devices):
        name = numbered(serial, index)
        build = Build(
            profile=chosen,
            serial=name,
            seed=None if seed is None else seed + index,
            hands=hands,
            setup=prepared,
            speed=speed,
            key=key,
            role_keys=role_keys(role or []),
        )
        port = None if tcp is None else (host, tcp + index if tcp else 0)
        places.append(
            Place(
                build=build,
                tcp=port,
                pty=pty,
                link=link,
                baud=baud,
                memory=_memory_file(memory, name),
                usb=bus,
                usb_identity=None if usb is None else usb.identity(name),
                capture=recording,
            )
        )
    try:
        asyncio.run(_serve(places, usb, bus, as_json))
    finally:
        if recording is not None:
            recording.close()


def numbered(serial: str, index: int) -> str:
    """The serial number of the n-th device: its trailing digits count up."""
    if index == 0:
        return serial
    digits = len(serial) - len(serial.rstrip("0123456789"))
    stem, tail = serial[: len(serial) - digits], serial[len(serial) - digits :]
    return f"{stem}{int(tail or 0) + index:0{max(digits, 1)}d}"


def _memory_file(folder: Path | None, serial: str) -> Path | None:
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise fail(f"--memory {folder}: {problem.strerror}") from None
    return folder / f"{serial}.nv"


async def _serve(places: "list[Place]", usb: UsbOptions | None, bus: "UsbBus | None", as_json: bool) -> None:
    from firmware_sim.errors import DeviceError, MemoryCorrupt
    from firmware_sim.serving import open_all

    try:
        served = await open_all(places)
    except OSError as problem:
        raise fail(f"can't open the port: {problem.strerror or problem}; choose another with --tcp or --link") from None
    except MemoryCorrupt as problem:
        raise fail(f"the memory file is damaged ({problem}): move it away to start with a new one") from None
    except DeviceError as problem:
        raise fail(str(problem)) from None
    attach: dict[str, str] = {}
    direct: dict[str, str] = {}
    server = None
    try:
        if usb is not None and bus is not None:
            server, port = await usb.serve(bus)
            attach = {one.place.build.serial: attach_command(usb.host, port, one) for one in served}
            direct = {one.place.build.serial: local_url(usb.host, port, one) for one in served}
        if as_json:
            typer.echo(json.dumps([_described(one, attach, direct) for one in served]))
        else:
            _announce(served, attach, direct)
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        await stop.wait()
    finally:
        if server is not None:
            await server.stop()
        for one in served:
            await one.close()
    if not as_json:
        typer.echo("\nswitched off")


def _described(one: "Served", attach: dict[str, str], direct: dict[str, str]) -> dict[str, object]:
    serial = one.place.build.serial
    described: dict[str, object] = {"serial": serial, "urls": one.urls}
    return described | ({"attach": attach[serial], "usbip": direct[serial]} if serial in attach else {})


def _announce(served: "list[Served]", attach: dict[str, str], direct: dict[str, str]) -> None:
    from protocol.crc import is_compiled

    for one in served[:20]:
        build = one.place.build
        name = f" as {one.place.link}" if one.place.link is not None else ""
        mode = "secure" if build.key is not None else "plain"
        typer.echo(f"{build.serial}  {build.profile.name}  {mode}  {'  '.join(one.urls)}{name}")
        if build.serial in attach:
            typer.echo(f"  attach on Linux, as root:  modprobe vhci-hcd; {attach[build.serial]}")
            typer.echo(f"  then open /dev/ttyACM0; or, with nothing attached, {direct[build.serial]}")
    if len(served) > 20:
        typer.echo(f"… and {len(served) - 20} more; --json lists them all")
    if not is_compiled():
        typer.echo("note: crcmod runs without its C extension, some 18 times slower; install a compiler and reinstall")
    first = served[0].urls[0]
    port = direct[served[0].place.build.serial] if first.startswith("usb:") else first
    typer.echo(f"try:  shuffler deal {port}\nCtrl-C switches off")
