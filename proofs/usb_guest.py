"""The claim: a Debian kernel takes the emulated device for a real one.

Boots Debian's kernel in QEMU, attaches the device with Debian's own usbip, and lets a scenario inside the guest judge.
`SHUFFLER_GUEST_PACKAGES` names the folder that proofs/guest/fetch-packages filled.
"""

import asyncio
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware_sim.usb import BytePipe, EchoPipe, UsbBus, UsbDevice, UsbIdentity, UsbipServer
from proofs.guest.image import GuestError, GuestImage, build_image, read_tree
from proofs.guest.machine import Transcript, run_guest

INSIDE = Path(__file__).parent / "guest" / "inside"
PACKAGES_VARIABLE = "SHUFFLER_GUEST_PACKAGES"

# Minutes where seconds are usual: a busy machine emulates slowly.
TIMEOUT_S = 240.0


def packages_folder() -> Path:
    """Where the Debian packages are."""
    try:
        return Path(os.environ[PACKAGES_VARIABLE])
    except KeyError:
        raise GuestError(f"{PACKAGES_VARIABLE} is not set; fill a folder with proofs/guest/fetch-packages") from None


def make_image(folder: Path) -> GuestImage:
    """Kernel and file system with the scenarios in it."""
    files = {f"/guest/{path}": data for path, data in read_tree(INSIDE, "*.py").items()}
    return build_image(packages_folder(), folder, {"/init": (INSIDE / "init").read_bytes(), **files})


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


def bus_with(pipe: BytePipe) -> UsbBus:
    """A bus with one device."""
    bus = UsbBus()
    bus.add(UsbDevice(UsbIdentity(), pipe))
    return bus


def main() -> None:
    with TemporaryDirectory() as folder:
        transcript = asyncio.run(run_scenario(make_image(Path(folder)), "echo", bus_with(EchoPipe())))
    for name, value in transcript.facts.items():
        print(f"{name}: {value}")
    print(f"{transcript.seconds:.1f} s")


if __name__ == "__main__":
    main()
