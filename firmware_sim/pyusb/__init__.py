"""A pyusb backend with emulated devices, for programs that use pyusb: no kernel, no root. Needs the extra `usb`.

    bus = UsbBus()
    backend = EmulatedBackend(bus)
    usb.core.find(backend=backend)
"""

from firmware_sim.ports.usb.bus import UsbBus
from firmware_sim.pyusb.backend import EmulatedBackend

__all__ = ["EmulatedBackend", "UsbBus"]
