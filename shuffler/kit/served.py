"""A device on a port of the operating system, in a thread of its own: for controllers that open a port by its name."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from firmware_sim.control.actions import Result
from firmware_sim.control.control import Control
from firmware_sim.ports import PortSettings, Pty, Tcp
from firmware_sim.ports.serving import Background, Location, background
from firmware_sim.ports.usb import Usb, UsbBus
from shuffler.host.client import Client
from shuffler.kit.dealing import deal_round
from shuffler.kit.device import KitDevice
from shuffler.kit.settings import DeviceSettings
from shuffler.kit.transcript import Transcript

LOOPBACK = ("127.0.0.1", 0)  # 0: a free port


_PORTS: dict[str, Callable[[], PortSettings]] = {"tcp": Tcp, "pty": Pty, "usbip": lambda: Usb(UsbBus())}


def _wall_us() -> int:
    return time.time_ns() // 1000


class ServedDevice(KitDevice):
    """One device behind a TCP port, a pseudo-terminal or a USB/IP server."""

    def __init__(self, settings: DeviceSettings, transcript: Transcript, place: Background) -> None:
        super().__init__(settings, transcript)
        self._place = place

    @property
    def url(self) -> str:
        return self._place.usbip_url() if self.settings.port == "usbip" else self._place.url

    def act(self, action: Callable[[Control], Result]) -> Result:
        return self._place.do(lambda served: served.do(action))

    def deal(self, seats: Sequence[int] = (1, 2, 3), *, limit_s: float = 300.0) -> dict[int, str]:
        with self.connect() as client:
            return deal_round(client, seats, nonce=os.urandom(16), limit_s=limit_s)

    def connect(self) -> Client:
        """A client on its port; use it in a `with` block."""
        return Client.open(self.url, key=self.settings.key, discard_events=True)


@contextmanager
def served(settings: DeviceSettings) -> Iterator[ServedDevice]:
    """A device on its port for the length of a `with` block."""
    transcript = Transcript(settings.serial, _wall_us)
    place = Location(build=settings.build(), ports=(_PORTS[settings.port](),), taps=(transcript,))
    with background([place], usbip=LOOPBACK if settings.port == "usbip" else None) as running:
        yield ServedDevice(settings, transcript, running)
