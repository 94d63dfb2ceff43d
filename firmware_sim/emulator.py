"""A whole emulated device with its power switch: the physical machine, its memory, and whatever runs on it now.

The machine and the memory stay when the power goes; firmware, link and session do not. Times are link time in
microseconds; the machine's clock starts at `now` of the first power-up and runs `speed` times as fast. To a cable or a
runner this is the device: it answers while it is on and is silent while it is off.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil
from random import Random

from firmware_sim.control import Control
from firmware_sim.device import Device
from firmware_sim.errors import BadControl, MemoryCorrupt, WrongMemory
from firmware_sim.events import EventQueue
from firmware_sim.firmware import Firmware
from firmware_sim.hands import Pace, seat_dealer
from firmware_sim.mechanism import Mechanism
from firmware_sim.nvstore import Medium, NvStore
from firmware_sim.profile import Profile
from firmware_sim.setup import Setup
from firmware_sim.shuffling import Engine
from firmware_sim.troubles import PowerLost
from protocol.vocabulary import PowerUpCause, Role
from randomness import RandomSource, seeded_source, system_source

MAX_STARTS = 100
MAX_TURNS = 1_000_000  # steps of the machine in one turn of its clock
_TORN_BYTE = 20  # lies in the first record of a memory file, so that others follow it


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
    setup: Setup | None = None  # decks and faults to come
    program: type[Firmware] = Firmware  # another one where a test wants to see it caught
    shuffle_batch: int = 1  # above 1 in a laboratory alone: later shuffles then lie in memory

    def shuffle_source(self, boots: int, starts: int) -> RandomSource:
        """What the shuffles of a power-up are drawn from: fresh entropy, or a stream of the seed for each power-up.

        `boots` is what the memory has counted, `starts` what this process has: where either was set back the other
        still makes another stream.
        """
        return system_source() if self.seed is None else seeded_source(self.seed, stream=_stream(boots, starts))

    def other_source(self, boots: int, starts: int) -> RandomSource:
        """Salts, nonces, epochs: never the stream of the shuffles, so that these depend on nothing else."""
        return system_source() if self.seed is None else seeded_source(self.seed, stream=_stream(boots, starts) + 1)


def _stream(boots: int, starts: int) -> int:
    return (boots << 32) + (starts << 1)


class Emulator:
    """One device, on or off, with its control plane."""

    def __init__(self, build: Build, medium: Medium | None = None, now: int = 0) -> None:
        """Without a medium the memory lasts as long as this object. Raises MemoryCorrupt where it is damaged,
        WrongMemory where it is of a device of another profile."""
        self.build = build
        self.machine = Mechanism(build.profile)
        self.unplug: Callable[[], None] = self.pull_cable  # whoever owns the cable puts its own in
        self.power_failed: Callable[[], None] = _nobody  # told after the power went and came back by itself
        self._medium = medium
        self._store = NvStore()
        self._origin = self._now = now
        self._memory_lost = False
        self._starts = 0
        self.engine = Engine(build.profile, self.machine, build.shuffle_source(0, 0), batch=build.shuffle_batch)
        prepare = self.engine.prepare if build.profile.is_shoe else None
        seat_dealer(build.hands, self.machine, build.profile, build.pace, prepare)
        self.control = Control(
            profile=build.profile,
            machine=self.machine,
            firmware=lambda: self._program,
            engine=self.engine,
            luck=Random(build.seed).random,
        )
        self.control.supply.cycle_power = self._lose_power
        self.control.supply.pull_cable = lambda: self.unplug()
        self.control.turn_clock = self._turn_clock
        self._device: Device | None = None
        self.switch_on(now, PowerUpCause.SWITCHED_ON)
        if build.setup is not None:
            build.setup.apply(self.control)

    # ----------------------------------------------------------------------------------------------------------- power

    @property
    def device(self) -> Device:
        """What runs now; only while the power is on."""
        assert self._device is not None
        return self._device

    @property
    def firmware(self) -> Firmware:
        """The program that runs now; only while the power is on."""
        firmware = self.device.firmware
        assert isinstance(firmware, Firmware)
        return firmware

    @property
    def is_on(self) -> bool:
        return self._device is not None

    def switch_off(self, now: int) -> None:
        """The power goes: cards stop where they are, what was not committed is gone."""
        self._now = now
        if self._device is not None:
            self.machine.power_off(self._device.machine_time(now))
            self._program.power_off()
            self._device = None

    def switch_on(self, now: int, cause: PowerUpCause = PowerUpCause.POWER_RETURNED) -> Device:
        """The power comes back: memory is read anew, the session is gone, cards lie where they lay."""
        self._now = now
        for _ in range(MAX_STARTS):
            try:
                self._read_memory()
                self._device = self._power_up(cause, now)
            except PowerLost as lost:
                cause = lost.cause
                continue
            self.control.attach()
            return self._device
        raise BadControl(f"the power went {MAX_STARTS} times before the device was up")

    def power_cycle(self, cause: PowerUpCause, now: int) -> Device:
        """The power went and came back."""
        self.switch_off(now)
        return self.switch_on(now, cause)

    # ------------------------------------------------------------------------------------------------------- the cable

    def receive(self, data: bytes, now: int) -> None:
        """Take bytes from the line."""
        self._now = now
        if self._device is not None:
            try:
                self._device.receive(data, now)
            except PowerLost as lost:
                self._lose_power(lost)

    def data_to_send(self, now: int) -> bytes:
        """Bytes that are due for the line."""
        return b"" if self._device is None else self._device.data_to_send(now)

    def tick(self, now: int) -> None:
        """Let time pass."""
        self._now = now
        if self._device is not None:
            try:
                self._device.tick(now)
            except PowerLost as lost:
                self._lose_power(lost)

    def next_deadline(self) -> int | None:
        """When `tick` wants to be called."""
        return None if self._device is None else self._device.next_deadline()

    def pull_cable(self) -> None:
        """The cable is out; the machine goes on."""
        if self._device is not None:
            self._device.pull_cable()

    # --------------------------------------------------------------------------------------------------------- private

    def _turn_clock(self, machine_us: int) -> None:
        """Let the machine's time run ahead at once, step by step as it would have run; the cable's does not move."""
        goal = self._machine_time() + machine_us
        for _ in range(MAX_TURNS):
            due = self._program.next_deadline() if self._device is not None else None
            if due is None or due > goal:
                break
            self._set_machine_time(max(due, self._machine_time()))
            self.tick(self._now)
        self._set_machine_time(goal)

    def _machine_time(self) -> int:
        return int((self._now - self._origin) * self.build.speed)

    def _set_machine_time(self, machine_us: int) -> None:
        self._origin = self._now - ceil(machine_us / self.build.speed)
        if self._device is not None:
            self._device.move_origin(self._origin)

    def _lose_power(self, lost: PowerLost) -> None:
        """The power goes in the middle of a step and comes back, perhaps several times, perhaps with a bit flipped."""
        if self._device is None:
            return  # there is none to lose
        for _ in range(lost.times):
            self.switch_off(self._now)
            if lost.corrupt:
                self._flip_a_bit()
            device = self.switch_on(self._now, lost.cause)
            if lost.times > 1:
                self._now += int(self.build.profile.timings.self_test_us / self.build.speed) + 1
                device.tick(self._now)
        self.power_failed()

    def _flip_a_bit(self) -> None:
        if self._medium is None:
            self._store.erase()
            self._memory_lost = True
            return
        data = bytearray(self._medium.read())
        data[_TORN_BYTE] ^= 1
        self._medium.replace(bytes(data))

    def _read_memory(self) -> None:
        if self._medium is None:
            self._store.forget()
            return
        try:
            self._store = NvStore(self._medium)
        except MemoryCorrupt:
            if not self._starts:
                raise  # somebody's file: it is not ours to throw away
            # A device starts all the same, with nothing remembered and a fault that says so.
            self._memory_lost = True
            self._medium.replace(b"")
            self._store = NvStore(self._medium)
        made_for, name = self._store.get("profile"), self.build.profile.name
        if made_for not in (None, name):
            raise WrongMemory(f"this memory is of a device of the profile {made_for}, not {name}: use another file")

    def _power_up(self, cause: PowerUpCause, now: int) -> Device:
        build, store = self.build, self._store
        boots = store.get("boots", 0) + 1
        store.put("boots", boots)
        if store.get("profile") is None:
            store.put("profile", build.profile.name)
        # Sources of their own for each power-up: a restored memory or a second start repeats nothing.
        self._starts += 1
        self.engine.restart(build.shuffle_source(boots, self._starts))
        chance = build.other_source(boots, self._starts).generate
        events = EventQueue(store, lambda: int.from_bytes(chance(8), "little"))
        lost, self._memory_lost = self._memory_lost, False
        self._program = firmware = build.program(
            profile=build.profile,
            store=store,
            events=events,
            chance=chance,
            now_us=int((now - self._origin) * build.speed),
            serial=build.serial,
            machine=self.machine,
            shuffler=self.engine,
            raw=self.engine.raw,
            cause=cause,
            seeded=build.seed is not None,
            memory_lost=lost,
        )
        return Device(
            firmware=firmware,
            store=store,
            events=events,
            serial=build.serial,
            boots=boots,
            chance=chance,
            key=build.key,
            role_keys=build.role_keys,
            now=now,
            origin=self._origin,
            speed=build.speed,
        )


def _nobody() -> None:
    """Nobody wants to know."""
