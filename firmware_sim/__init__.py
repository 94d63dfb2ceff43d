"""The emulated device: mechanism, sensors, faults, firmware, non-volatile memory, and its ports.

`firmware_sim.machine.profile.load` gives a profile and `firmware_sim.control.setup.load` a set-up; an `Emulator` is a
device with its power switch and its control plane, `background` serves several on ports of the operating system. USB
has doors of its own: `firmware_sim.ports.usb`, and `firmware_sim.pyusb` for programs that use pyusb. Names are imported
when first asked for: using one part does not load the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firmware_sim.control.actions import ACTIONS, Action
    from firmware_sim.control.cards import card_code, card_codes
    from firmware_sim.control.control import Control, Truth
    from firmware_sim.control.injections import INJECTIONS, Trigger
    from firmware_sim.control.setup import Setup
    from firmware_sim.errors import BadControl, BadProfile, BadSetup, DeviceError, MemoryCorrupt, WrongMemory
    from firmware_sim.machine.dealer import Pace
    from firmware_sim.machine.profile import Profile
    from firmware_sim.machine.shuffling import kernel_for
    from firmware_sim.ports.serving import Background, Location, Served, background, open_all
    from firmware_sim.program.faults import CATALOGUE, Fault
    from firmware_sim.program.firmware import Firmware
    from firmware_sim.program.image import Image
    from firmware_sim.program.nvstore import Medium, NvStore, VolatileMedium
    from firmware_sim.program.panel import BUTTONS, Panel
    from firmware_sim.unit.device import Device
    from firmware_sim.unit.emulator import Build, Emulator
    from firmware_sim.unit.memory_file import FileMedium
    from firmware_sim.unit.verification import installed_image

_HOMES = {
    "control.actions": ("ACTIONS", "Action"),
    "control.cards": ("card_code", "card_codes"),
    "control.control": ("Control", "Truth"),
    "unit.device": ("Device",),
    "unit.emulator": ("Build", "Emulator"),
    "errors": ("BadControl", "BadProfile", "BadSetup", "DeviceError", "MemoryCorrupt", "WrongMemory"),
    "program.faults": ("CATALOGUE", "Fault"),
    "program.firmware": ("Firmware",),
    "machine.dealer": ("Pace",),
    "program.nvstore": ("Medium", "NvStore", "VolatileMedium"),
    "unit.memory_file": ("FileMedium",),
    "program.panel": ("BUTTONS", "Panel"),
    "machine.profile": ("Profile",),
    "ports.serving": ("Background", "Location", "Served", "background", "open_all"),
    "control.setup": ("Setup",),
    "machine.shuffling": ("kernel_for",),
    "control.injections": ("INJECTIONS", "Trigger"),
    "program.image": ("Image",),
    "unit.verification": ("installed_image",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ACTIONS",
    "BUTTONS",
    "CATALOGUE",
    "INJECTIONS",
    "Action",
    "Background",
    "BadControl",
    "BadProfile",
    "BadSetup",
    "Build",
    "Control",
    "Device",
    "DeviceError",
    "Emulator",
    "Fault",
    "FileMedium",
    "Firmware",
    "Image",
    "Location",
    "Medium",
    "MemoryCorrupt",
    "NvStore",
    "Pace",
    "Panel",
    "Profile",
    "Served",
    "Setup",
    "Trigger",
    "Truth",
    "VolatileMedium",
    "WrongMemory",
    "background",
    "card_code",
    "card_codes",
    "installed_image",
    "kernel_for",
    "open_all",
]


def __getattr__(name: str) -> object:
    if name in _HOME_OF:
        return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
