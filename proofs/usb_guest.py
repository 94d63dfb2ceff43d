"""The claim: a Debian kernel takes the emulated device for a real one.

Boots Debian's kernel in QEMU, attaches the device with Debian's own usbip, and lets a scenario inside the guest judge.
`SHUFFLER_GUEST_PACKAGES` names the folder that proofs/guest/fetch-packages filled.
"""

import asyncio
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import cobs
import construct

import protocol
import shuffler
from firmware_sim.machine.profile import load
from firmware_sim.ports.capture import CaptureFile
from firmware_sim.ports.serving import Location, open_all
from firmware_sim.ports.usb import Speed, Usb, UsbBus, UsbDevice, UsbIdentity, UsbipServer
from firmware_sim.unit.emulator import Build
from proofs import evidence
from proofs.echo_pipe import EchoPipe
from proofs.guest.image import GuestError, GuestImage, build_image, read_tree
from proofs.guest.machine import Transcript, run_guest

INSIDE = Path(__file__).parent / "guest" / "inside"
PACKAGES_VARIABLE = "SHUFFLER_GUEST_PACKAGES"

# Minutes where seconds are usual: a busy machine emulates slowly.
TIMEOUT_S = 240.0

# Slow enough for the cable to come out and go in again in the middle of a deal.
TABLE_SPEED = 10.0
TABLE_SEED = 7


def packages_folder() -> Path:
    """Where the Debian packages are."""
    try:
        return Path(os.environ[PACKAGES_VARIABLE])
    except KeyError:
        raise GuestError(f"{PACKAGES_VARIABLE} is not set; fill a folder with proofs/guest/fetch-packages") from None


def make_image(folder: Path) -> GuestImage:
    """Kernel and file system with the scenarios in it, and the client with the libraries Debian does not package."""
    files = {"/init": (INSIDE / "init").read_bytes()}
    files |= {f"/guest/{path}": data for path, data in read_tree(INSIDE, "*.py").items()}
    for package in (protocol, shuffler, construct, cobs):
        home = Path(str(package.__file__)).parent
        files |= {f"/app/{home.name}/{path}": data for path, data in read_tree(home, "*.py").items()}
    return build_image(packages_folder(), folder, files)


async def run_scenario(image: GuestImage, scenario: str, bus: UsbBus) -> Transcript:
    """Serve the bus, boot, run; wishes of the guest pull and plug the first device's cable."""
    server = UsbipServer(bus)
    port = await server.start(port=0)
    wishes = {"unplug": bus.unplug, "plug": bus.plug}
    try:
        return await run_guest(
            image, scenario=scenario, port=port, timeout_s=TIMEOUT_S, grant=lambda wish: wishes[wish]("1-1")
        )
    finally:
        await server.stop()


def two_echoes() -> UsbBus:
    """A bus with two devices that send back what they get, the second at full speed."""
    bus = UsbBus()
    for serial, speed in (("BENCH-0001", Speed.HIGH), ("BENCH-0002", Speed.FULL)):
        bus.add(UsbDevice(UsbIdentity(serial=serial, speed=speed), EchoPipe()))
    return bus


async def play_at_a_table(image: GuestImage, capture: CaptureFile | None = None) -> Transcript:
    """The emulated shuffler itself behind the port, some times as fast as a real one."""
    bus = UsbBus()
    bus.watch(None if capture is None else capture.transfer)
    build = Build(profile=load("i-deal-style"), serial="SB-0001", seed=TABLE_SEED, speed=TABLE_SPEED)
    served = await open_all([Location(build=build, ports=(Usb(bus),), capture=capture)])
    try:
        return await run_scenario(image, "table", bus)
    finally:
        for one in served:
            await one.close()


def main() -> None:
    with TemporaryDirectory() as folder:
        image = make_image(Path(folder))
        told = {
            "echo": asyncio.run(run_scenario(image, "echo", two_echoes())),
            "table": asyncio.run(play_at_a_table(image)),
        }
    parts = []
    for scenario, transcript in told.items():
        rows = "".join(f"| {name} | {value} |\n" for name, value in transcript.facts.items())
        head = f"## {scenario}: boot to power-off in {transcript.seconds:.1f} s\n\n| fact | told |\n|---|---|\n"
        parts.append(head + rows)
    body = "\n".join(parts)
    print(body)
    evidence.record("usb_guest", command="make proof-usb-guest", seed=TABLE_SEED, body=body)


if __name__ == "__main__":
    try:
        main()
    except GuestError as problem:
        raise SystemExit(str(problem)) from None
