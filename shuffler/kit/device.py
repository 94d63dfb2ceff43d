"""A device in the hands of a test: every tester action as a method, wherever the device runs.

    device.rig_hands({2: "Qs Ks As"})            the next shuffle deals seat 2 these cards
    device.inject("jam_exit", when="group=1")    a card sticks at the exit while the second group is delivered
    device.clear("jam_exit")                     the jam is cleared
    device.press("OK")

The verbs are those of `firmware_sim.control.actions`, on a TCP port, a pseudo-terminal, USB/IP and in memory alike.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from firmware_sim.control.actions import Remote, Result
from firmware_sim.control.control import Control, Truth
from firmware_sim.program.panel import Panel
from shuffler.kit.settings import DeviceSettings
from shuffler.kit.transcript import Transcript


class KitDevice(Remote, ABC):
    """One device of a test."""

    def __init__(self, settings: DeviceSettings, transcript: Transcript) -> None:
        self.settings = settings
        self.transcript = transcript

    @property
    def serial(self) -> str:
        """Its serial number."""
        return self.settings.serial

    @property
    @abstractmethod
    def url(self) -> str:
        """The URL that a controller opens."""

    @abstractmethod
    def act(self, action: Callable[[Control], Result]) -> Result:
        """Perform something on the device's control plane, between two of its steps."""

    def panel(self) -> Panel:
        """What the dealer sees."""
        return self.act(lambda control: control.panel())

    def truth(self) -> Truth:
        """Where every card really is."""
        return self.act(lambda control: control.truth())

    @abstractmethod
    def deal(self, seats: Sequence[int] = (1, 2, 3), *, limit_s: float = 300.0) -> dict[int, str]:
        """A whole round as a plain controller deals it: each seat's cards by name, 0 the dealer's."""
