"""`shuffler emulate`: devices without hardware, on TCP, on pseudo-terminals and on USB."""

import asyncio
import json
from enum import Enum
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.control_plane import ControlOptions, ControlPlane, announce, described
from shuffler.cli.keys import read_or_make_key, role_keys
from shuffler.cli.output import fail, say
from shuffler.cli.stopping import on_signal
from shuffler.cli.usb import USBIP_PORT, UsbOptions, attach_command, local_url, open_capture

if TYPE_CHECKING:
    from firmware_sim.control.setup import Setup
    from firmware_sim.machine.profile import Profile
    from firmware_sim.ports.serving import Location, Served
    from firmware_sim.ports.usb import UsbBus
    from shuffler.kit.recording.file import Recorder

DEFAULT_PROFILE = "i-deal-style"
LOOPBACK = ("127.0.0.1", "::1", "localhost")
USB_DEVICES_MAX = 127
PORT_MAX = 65535
SPEED_MAX = 100_000.0
SERIAL_MAX = 255  # bytes, as a text on the wire


NOBODY_THERE = {
    False: "nobody handles the cards: a deck has to be laid in and hands have to be taken. Start with --control PORT to"
    " do that over HTTP, or with --hands auto for an emulated dealer.",
    True: "nobody handles the cards: lay in a deck, take hands and press buttons through the control API.",
}


class Hands(Enum):
    """Who handles the cards."""

    AUTO = "auto"
    MANUAL = "manual"


def emulate(
    profile: Annotated[
        str | None, typer.Option(help="Device profile: a name or a file. Default: the set-up's, else i-deal-style.")
    ] = None,
    tcp: Annotated[
        int | None,
        typer.Option(min=0, max=PORT_MAX, help="TCP port, 0 for any free one; each further device gets the next port."),
    ] = None,
    rfc2217: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=PORT_MAX,
            help="Serve a serial port over the network (RFC 2217) on this port; counts up like --tcp.",
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on, for TCP, RFC 2217 and USB/IP.")] = "127.0.0.1",
    pty: Annotated[bool, typer.Option("--pty", help="Serve a pseudo-terminal (a serial port).")] = False,
    link: Annotated[Path | None, typer.Option(help="Make this symbolic link to the pseudo-terminal.")] = None,
    usbip: Annotated[bool, typer.Option("--usbip", help="Serve USB devices over USB/IP.")] = False,
    usbip_port: Annotated[
        int, typer.Option(min=0, max=PORT_MAX, help="TCP port of the USB/IP server, 0 for any free one.")
    ] = USBIP_PORT,
    usb_id: Annotated[str, typer.Option(help="USB vendor and product id, in hexadecimal.")] = "1209:0001",
    usb_full_speed: Annotated[
        bool,
        typer.Option("--usb-full-speed", help="A full-speed device (12 Mbit/s) instead of high speed (480 Mbit/s)."),
    ] = False,
    record: Annotated[
        Path | None, typer.Option(help="Record the conversation with the device, to replay it.")
    ] = None,
    capture: Annotated[Path | None, typer.Option(help="Record USB and serial traffic for Wireshark (pcapng).")] = None,
    devices: Annotated[int, typer.Option(min=1, max=1000, help="Number of devices.")] = 1,
    hands: Annotated[
        Hands, typer.Option(help="Who handles the cards: auto, an emulated dealer; manual, nobody.")
    ] = Hands.AUTO,
    speed: Annotated[
        float, typer.Option(min=0.01, max=SPEED_MAX, help="Speed of the machine; 1 is that of a real one.")
    ] = 1.0,
    seed: Annotated[int | None, typer.Option(help="Repeatable shuffles; the device says so on the wire.")] = None,
    memory: Annotated[
        Path | None, typer.Option(help="Folder for the devices' non-volatile memory; kept between runs.")
    ] = None,
    memory_key: Annotated[
        Path | None,
        typer.Option(help="Seal the memory with the key in this file; the file is made if it is missing."),
    ] = None,
    setup: Annotated[
        list[str] | None,
        typer.Option(
            help="Rigged decks and scheduled faults: a set-up's name or file. "
            "Once for all devices, or once for each in turn."
        ),
    ] = None,
    baud: Annotated[int | None, typer.Option(min=50, help="Slow the line down to this baud rate.")] = None,
    secure: Annotated[
        Path | None, typer.Option(help="Secure mode with the key in this file; the file is made if it is missing.")
    ] = None,
    role: Annotated[
        list[str] | None,
        typer.Option(help="ROLE=PASSPHRASE, for supervisor, technician or laboratory; may be given several times."),
    ] = None,
    serial: Annotated[str, typer.Option(help="Serial number; further devices count up from it.")] = "SB-0001",
    control: Annotated[
        int | None,
        typer.Option(
            min=0, max=PORT_MAX, help="Serve the control API on this port of the loopback address, 0 for any free one."
        ),
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(help="Where the control API's token is written; only its owner may read it.")
    ] = None,
    audit: Annotated[Path | None, typer.Option(help="Append every change by the control API to this file.")] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say what each device shows and reports, as it happens.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the devices and their addresses as one line of JSON.")
    ] = False,
) -> None:
    """Serve emulated devices until Ctrl-C.

    Without --tcp, --rfc2217, --pty or --usbip a device gets TCP port 7001 on the loopback address and a
    pseudo-terminal.
    """
    from firmware_sim.control.setup import load as load_setup
    from firmware_sim.errors import DeviceError
    from firmware_sim.ports import HAS_PTY, PortSettings, Pty, Tcp
    from firmware_sim.ports.rfc2217 import Rfc2217
    from firmware_sim.ports.serving import Location
    from firmware_sim.ports.usb import Usb, UsbBus
    from firmware_sim.unit.emulator import Build

    if tcp is None and rfc2217 is None and not pty and link is None and not usbip:
        tcp, pty = 7001, HAS_PTY
    if link is not None:
        pty = True
        if devices > 1:
            raise fail("--link names one pseudo-terminal: use it with one device")
    if usbip and devices > USB_DEVICES_MAX:
        raise fail(f"a USB bus has {USB_DEVICES_MAX} sockets: fewer --devices, or no --usbip")
    if host not in LOOPBACK and (tcp is not None or rfc2217 is not None):
        typer.echo(f"warning: {host} is reachable by others, and without --secure anyone may deal", err=True)
    if not isfinite(speed):
        raise fail(f"--speed {speed}: give a number of times, such as 10")
    for option, first in (("--tcp", tcp), ("--rfc2217", rfc2217)):
        if first and first + devices - 1 > PORT_MAX:
            last = first + devices - 1
            raise fail(f"{option} {first} with {devices} devices needs ports up to {last}; the last is {PORT_MAX}")
    names = [numbered(serial, index) for index in range(devices)]
    if not serial or any(len(name.encode(errors="replace")) > SERIAL_MAX for name in names):
        raise fail(f"--serial: a serial number has 1 to {SERIAL_MAX} bytes")
    if setup and len(setup) not in (1, devices):
        raise fail(f"--setup is given {len(setup)} times for {devices} devices: give it once, or once for each device")
    try:
        prepared: list[Setup | None] = [load_setup(name) for name in setup] if setup else [None]
        chosen = [_profile(profile, one) for one in prepared]
    except DeviceError as problem:
        raise fail(str(problem)) from None
    if memory_key is not None and memory is None:
        raise fail("--memory-key seals a memory: give its folder with --memory")
    key = read_or_make_key(secure) if secure is not None else None
    sealing = read_or_make_key(memory_key) if memory_key is not None else None
    usb = UsbOptions(host=host, port=usbip_port, ids=usb_id, full_speed=usb_full_speed) if usbip else None
    bus = UsbBus() if usbip else None
    if record is not None and devices > 1:
        raise fail("--record takes one conversation: use it with one device")
    recording = open_capture(capture, bus)
    recorder = _open_recorder(record, names[0])
    places = []
    for index in range(devices):
        name = names[index]
        which = index % len(prepared)
        build = Build(
            profile=chosen[which],
            serial=name,
            seed=None if seed is None else seed + index,
            hands=hands.value,
            setup=prepared[which],
            speed=speed,
            key=key,
            memory_key=sealing,
            role_keys=role_keys(role or []),
        )
        ports: list[PortSettings] = []
        if tcp is not None:
            ports.append(Tcp(host, tcp + index if tcp else 0, baud))
        if rfc2217 is not None:
            ports.append(Rfc2217(host, rfc2217 + index if rfc2217 else 0, baud))
        if pty:
            ports.append(Pty(link, baud))
        if usb is not None and bus is not None:
            ports.append(Usb(bus, usb.identity(name)))
        places.append(
            Location(
                build=build,
                ports=tuple(ports),
                memory=_memory_file(memory, name),
                capture=recording,
                taps=() if recorder is None else (recorder,),
            )
        )
    plane = None if control is None else ControlOptions(port=control, token_file=token_file, audit=audit)
    try:
        asyncio.run(_serve(places, usb, bus, as_json, plane, verbose=verbose))
    finally:
        for file in (recording, recorder):
            if file is not None:
                file.close()


def _open_recorder(path: Path | None, serial: str) -> "Recorder | None":
    if path is None:
        return None
    from shuffler.kit.recording.file import Recorder

    try:
        return Recorder(path, f"emulated device {serial}")
    except OSError as problem:
        raise fail(f"--record {path}: {problem.strerror or problem}") from None


def _profile(name: str | None, prepared: "Setup | None") -> "Profile":
    from firmware_sim.machine.profile import load

    chosen = load(name or (prepared.profile if prepared is not None else None) or DEFAULT_PROFILE)
    return chosen if prepared is None else prepared.adapt(chosen)


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
    from firmware_sim.unit.memory_file import file_name, make_folder

    try:
        make_folder(folder)
    except OSError as problem:
        raise fail(f"--memory {folder}: {problem.strerror}") from None
    return folder / file_name(serial)


async def _serve(
    places: "list[Location]",
    usb: UsbOptions | None,
    bus: "UsbBus | None",
    as_json: bool,
    control: ControlOptions | None = None,
    *,
    verbose: bool = False,
) -> None:
    from firmware_sim.errors import DeviceError, MemoryCorrupt
    from firmware_sim.ports.serving import open_all

    plane = None if control is None else ControlPlane(control)
    try:
        served = await open_all(places if plane is None else plane.tapped(places))
    except OSError as problem:
        raise fail(f"can't open the port: {problem.strerror or problem}; choose another with --tcp or --link") from None
    except MemoryCorrupt as problem:
        raise fail(f"the memory file is damaged ({problem}): move it away to start with a new one") from None
    except DeviceError as problem:
        raise fail(str(problem)) from None
    attach: dict[str, str] = {}
    direct: dict[str, str] = {}
    server = None
    watching: asyncio.Task[None] | None = None
    try:
        if usb is not None and bus is not None:
            server, port = await usb.serve(bus)
            attach = {one.place.build.serial: attach_command(usb.host, port, one) for one in served}
            direct = {one.place.build.serial: local_url(usb.host, port, one) for one in served}
        address = None if plane is None else await plane.open(served)
        if as_json:
            devices = [_described(one, attach, direct) for one in served]
            typer.echo(json.dumps(devices if address is None else {"devices": devices, **described(address)}))
        else:
            _announce(served, attach, direct)
            if address is not None:
                announce(address)
            if served[0].place.build.hands == Hands.MANUAL.value:
                typer.echo(NOBODY_THERE[address is not None])
        stop = asyncio.Event()
        on_signal(stop)
        if verbose:
            from shuffler.cli.watching import watch

            watching = asyncio.create_task(watch(served, say if not as_json else lambda line: say(line, err=True)))
        await stop.wait()
    finally:
        if watching is not None:
            watching.cancel()
        if plane is not None:
            await plane.close()
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
    from firmware_sim.ports import PtyPort
    from protocol.crc import is_compiled

    for one in served[:20]:
        build = one.place.build
        name = "".join(f" as {port.link}" for port in one.ports if isinstance(port, PtyPort) and port.link is not None)
        mode = "secure" if build.key is not None else "plain"
        say(f"{build.serial}  {build.profile.name}  {mode}  {'  '.join(one.urls)}{name}")
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
