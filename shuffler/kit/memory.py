"""A device in memory: the emulator and whoever talks to it on one virtual clock, so that no test sleeps."""

from collections.abc import Callable
from typing import Protocol

from firmware_sim.control.control import Control
from firmware_sim.unit.emulator import Emulator
from protocol.vocabulary import PowerUpCause
from shuffler.host.session import Happening
from shuffler.kit.device import KitDevice, Result
from shuffler.kit.settings import DeviceSettings
from shuffler.kit.transcript import Transcript
from shuffler.virtual.bench import VirtualBench

REPLUG_US = 2_000_000  # a pulled cable that somebody puts back by himself


class World(Protocol):
    """Who shares the virtual clock with the device."""

    bench: VirtualBench

    def step(self, until_us: int) -> None:
        """Let the next thing happen, or time pass to `until_us` if that is sooner."""

    def happened(self, happenings: list[Happening]) -> None:
        """This came of a cable that was put in."""


class MemoryDevice(KitDevice):
    """One emulated device and its place in a world."""

    def __init__(
        self, settings: DeviceSettings, emulator: Emulator, transcript: Transcript, world: Callable[[], World]
    ) -> None:
        super().__init__(settings, transcript)
        self.emulator = emulator
        self._world = world
        emulator.unplug = self._pull_after_this_step
        self._pulled = False
        self._plug_at: int | None = None

    @property
    def url(self) -> str:
        return f"memory:{self.serial}"

    @property
    def now_us(self) -> int:
        """The virtual time."""
        return self._world().bench.now

    def act(self, action: Callable[[Control], Result]) -> Result:
        return action(self.emulator.control)

    def advance(self, seconds: float) -> None:
        end = self.now_us + int(seconds * 1_000_000)
        while self.now_us < end:
            self._world().step(end)

    def unplug(self) -> None:
        self._plug_at = None
        self._world().bench.pull()

    def plug(self) -> None:
        self._plug_at = None
        self._world().happened(self._world().bench.plug())

    def power(self, on: bool) -> None:
        if on and not self.emulator.is_on:
            self.emulator.switch_on(self.now_us, PowerUpCause.SWITCHED_ON)
        elif not on:
            self.emulator.switch_off(self.now_us)

    def cut_power(self) -> None:
        self.emulator.power_cycle(PowerUpCause.POWER_RETURNED, self.now_us)

    # ------------------------------------------------------------------------------------------------- for the world

    def until(self, until_us: int) -> int:
        """How far a step may go: not past the moment when a pulled cable is put back."""
        return until_us if self._plug_at is None else min(until_us, self._plug_at)

    def stepped(self) -> None:
        """A step is over: what the control plane did to the cable in its middle is done now."""
        if self._pulled:
            self._pulled = False
            self._world().bench.pull()
            self._plug_at = self.now_us + REPLUG_US
        elif self._plug_at is not None and self.now_us >= self._plug_at:
            self.plug()

    def _pull_after_this_step(self) -> None:
        self._pulled = True
