"""Power, cable and clock of a device, as the control plane reaches them; whoever owns the device overrides each."""

from typing import NoReturn

from firmware_sim.errors import BadControl
from protocol.vocabulary import PowerUpCause


class PowerLost(Exception):
    """The power goes in the middle of a step and nothing of that step is kept. The device's owner switches it on."""

    def __init__(self, cause: PowerUpCause, times: int = 1, corrupt: bool = False) -> None:
        super().__init__(f"{cause.name}, {times} times")
        self.cause = cause
        self.times = times  # how often it comes and goes before it stays
        self.corrupt = corrupt  # a bit of the memory flips meanwhile


class World:
    """A device that nobody owns: every method refuses."""

    def switch_on(self) -> None:
        """Switch on; no-op if it is on."""
        self._refuse("power switch")

    def switch_off(self) -> None:
        """Switch off; no-op if it is off."""
        self._refuse("power switch")

    def lose_power(self, lost: PowerLost) -> None:
        """Cut the power and restore it."""
        self._refuse("power switch", lost)

    def plug(self) -> None:
        """Plug the data cable in."""
        self._refuse("cable")

    def unplug(self) -> None:
        """Pull the data cable and leave it out."""
        self._refuse("cable")

    def pull_cable(self) -> None:
        """Pull the data cable and put it back."""
        self._refuse("cable")

    def turn_clock(self, machine_us: int) -> None:
        """Let the machine's time run ahead at once."""
        self._refuse("clock", machine_us)

    def set_rate(self, rate: float) -> None:
        """Set how fast the machine's clock runs."""
        self._refuse("clock", rate)

    def next_due(self) -> int | None:
        """Microseconds until something is due in the machine."""
        self._refuse("clock")

    def _refuse(self, what: str, *_: object) -> NoReturn:
        raise BadControl(f"nobody owns this device's {what}")


class Outside:
    """What a device is connected to; here to nothing. It is called in the middle of a step, so it acts afterwards."""

    def pull_cable(self) -> None:
        """The cable was pulled and put back."""

    def unplug(self) -> None:
        """The cable was pulled and stays out."""

    def plug(self) -> None:
        """The cable was put in."""

    def power_changed(self, on: bool) -> None:
        """The power came or went."""
