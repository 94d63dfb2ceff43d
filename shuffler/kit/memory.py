"""A device in memory: the emulator and whoever talks to it on one virtual clock, so that no test sleeps."""

from collections.abc import Callable
from typing import Protocol

from firmware_sim.control.actions import Result
from firmware_sim.control.control import Control
from firmware_sim.control.world import Outside
from firmware_sim.unit.emulator import Emulator
from shuffler.host.session import Happening
from shuffler.kit.device import KitDevice
from shuffler.kit.settings import DeviceSettings
from shuffler.kit.transcript import Transcript
from shuffler.virtual.bench import VirtualBench

REPLUG_US = 2_000_000  # a pulled cable that somebody puts back by himself


class Sharing(Protocol):
    """Who shares the virtual clock with the device."""

    bench: VirtualBench

    def pass_time(self, until_us: int) -> None:
        """Let the next thing happen, or time pass to `until_us` if that is sooner."""

    def happened(self, happenings: list[Happening]) -> None:
        """This came of a cable that was put in."""


class MemoryDevice(KitDevice):
    """One emulated device and its place in a world."""

    def __init__(
        self, settings: DeviceSettings, emulator: Emulator, transcript: Transcript, world: Callable[[], Sharing]
    ) -> None:
        super().__init__(settings, transcript)
        self.emulator = emulator
        self._sharing = world
        emulator.outside = _Cable(self)
        self._pulled = False
        self._plug_at: int | None = None

    @property
    def url(self) -> str:
        return f"memory:{self.serial}"

    @property
    def now_us(self) -> int:
        """The virtual time."""
        return self._sharing().bench.now

    def act(self, action: Callable[[Control], Result]) -> Result:
        self.emulator.tick(self.now_us)
        return action(self.emulator.control)

    def advance(self, seconds: float) -> None:
        """Let virtual time pass for the device and its controller."""
        end = self.now_us + int(seconds * 1_000_000)
        while self.now_us < end:
            self._sharing().pass_time(end)

    # ------------------------------------------------------------------------------------------------- for the world

    def until(self, until_us: int) -> int:
        """How far a step may go: not past the moment when a pulled cable is put back."""
        return until_us if self._plug_at is None else min(until_us, self._plug_at)

    def stepped(self) -> None:
        """A step is over: what the control plane did to the cable in its middle is done now."""
        if self._pulled:
            self._pulled = False
            self._sharing().bench.pull()
            self._plug_at = self.now_us + REPLUG_US
        elif self._plug_at is not None and self.now_us >= self._plug_at:
            self.put_in()

    def pull_soon(self) -> None:
        """Pull the cable after this step and put it back later."""
        self._pulled = True

    def pull_out(self) -> None:
        """Pull the cable now and leave it out."""
        self._plug_at = None
        self._sharing().bench.pull()

    def put_in(self) -> None:
        """Put the cable in now."""
        self._plug_at = None
        self._sharing().happened(self._sharing().bench.plug())


class _Cable(Outside):
    """The virtual cable of one device."""

    def __init__(self, device: MemoryDevice) -> None:
        self._device = device

    def pull_cable(self) -> None:
        self._device.pull_soon()

    def unplug(self) -> None:
        self._device.pull_out()

    def plug(self) -> None:
        self._device.put_in()
