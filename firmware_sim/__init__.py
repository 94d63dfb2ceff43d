"""The emulated device: mechanism, sensors, faults, firmware, non-volatile memory, and its ports.

`firmware_sim.profile.load` gives a profile and `firmware_sim.setup.load` a set-up; an `Emulator` is a device with its
power switch and its control plane, `background` serves several on ports of the operating system. USB has a door of its
own: `firmware_sim.usb`. Names are imported when first asked for, so that using one part does not load the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firmware_sim.bare import Bare
    from firmware_sim.control import Control, Truth, card_code, card_codes
    from firmware_sim.device import Device
    from firmware_sim.emulator import Build, Emulator
    from firmware_sim.errors import BadControl, BadProfile, BadSetup, DeviceError, MemoryCorrupt, WrongMemory
    from firmware_sim.faults import CATALOGUE, Fault
    from firmware_sim.firmware import Firmware
    from firmware_sim.hands import Pace
    from firmware_sim.nvstore import FileMedium, Medium, NvStore, VolatileMedium
    from firmware_sim.panel import BUTTONS, Panel
    from firmware_sim.profile import Profile
    from firmware_sim.serving import Background, Place, Served, background, open_all
    from firmware_sim.setup import Setup
    from firmware_sim.shuffling import kernel_for
    from firmware_sim.trouble_table import TROUBLES, Trigger
    from firmware_sim.verification import Image, installed_image

_HOMES = {
    "bare": ("Bare",),
    "control": ("Control", "Truth", "card_code", "card_codes"),
    "device": ("Device",),
    "emulator": ("Build", "Emulator"),
    "errors": ("BadControl", "BadProfile", "BadSetup", "DeviceError", "MemoryCorrupt", "WrongMemory"),
    "faults": ("CATALOGUE", "Fault"),
    "firmware": ("Firmware",),
    "hands": ("Pace",),
    "nvstore": ("FileMedium", "Medium", "NvStore", "VolatileMedium"),
    "panel": ("BUTTONS", "Panel"),
    "profile": ("Profile",),
    "serving": ("Background", "Place", "Served", "background", "open_all"),
    "setup": ("Setup",),
    "shuffling": ("kernel_for",),
    "trouble_table": ("TROUBLES", "Trigger"),
    "verification": ("Image", "installed_image"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BUTTONS",
    "CATALOGUE",
    "TROUBLES",
    "Background",
    "BadControl",
    "BadProfile",
    "BadSetup",
    "Bare",
    "Build",
    "Control",
    "Device",
    "DeviceError",
    "Emulator",
    "Fault",
    "FileMedium",
    "Firmware",
    "Image",
    "Medium",
    "MemoryCorrupt",
    "NvStore",
    "Pace",
    "Panel",
    "Place",
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
