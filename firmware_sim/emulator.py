"""A whole emulated device with its power switch: the physical machine, its memory, and whatever runs on it now.

The machine and the memory stay when the power goes; firmware, link and session do not. Times are link time in
microseconds; the machine's clock starts at `now` of the first power-up and runs `speed` times as fast.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from firmware_sim.board import Shuffler
from firmware_sim.device import Device
from firmware_sim.events import EventQueue
from firmware_sim.firmware import Firmware
from firmware_sim.hands import Pace, seat_dealer
from firmware_sim.mechanism import Mechanism
from firmware_sim.nvstore import Medium, NvStore
from firmware_sim.profile import Profile
from protocol.vocabulary import PowerUpCause, Role
from randomness import seeded_source, system_source


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """How a device is put together; `seed` makes it repeatable, and it says so on the wire."""

    profile: Profile
    serial: str
    seed: int | None = None
    hands: str = "auto"
    pace: Pace | None = None
    speed: float = 1.0
    key: bytes | None = None
    role_keys: Mapping[Role, bytes] = field(default_factory=dict)
    shuffler: Shuffler | None = None


class Emulator:
    """One device, on or off. `device` is what a cable or a runner is attached to."""

    def __init__(self, build: Build, medium: Medium | None = None, now: int = 0) -> None:
        """Without a medium the memory lasts as long as this object."""
        self.build = build
        self.machine = Mechanism(build.profile)
        self._medium = medium
        self._store = NvStore(medium)
        self._origin = now
        seat_dealer(build.hands, self.machine, build.profile, build.pace)
        self.device = self._power_up(PowerUpCause.SWITCHED_ON, now)

    def power_cycle(self, cause: PowerUpCause, now: int) -> Device:
        """The power went and came back: memory is read anew, the session is gone, cards lie where they lay."""
        if self._medium is not None:
            self._store = NvStore(self._medium)
        else:
            self._store.forget()
        self.device = self._power_up(cause, now)
        return self.device

    def _power_up(self, cause: PowerUpCause, now: int) -> Device:
        build, store = self.build, self._store
        boots = store.get("boots", 0) + 1
        store.put("boots", boots)
        # A stream of its own for each power-up: a restored memory or a second start repeats nothing.
        source = system_source() if build.seed is None else seeded_source(build.seed, stream=boots)
        events = EventQueue(store, lambda: int.from_bytes(source.generate(8), "little"))
        machine_now = int((now - self._origin) * build.speed)
        firmware = Firmware(
            profile=build.profile,
            store=store,
            events=events,
            chance=source.generate,
            now_us=machine_now,
            serial=build.serial,
            machine=self.machine,
            shuffler=build.shuffler,
            cause=cause,
            seeded=build.seed is not None,
        )
        return Device(
            firmware=firmware,
            store=store,
            events=events,
            serial=build.serial,
            boots=boots,
            chance=source.generate,
            key=build.key,
            role_keys=build.role_keys,
            now=now,
            origin=self._origin,
            speed=build.speed,
        )
