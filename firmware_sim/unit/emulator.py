"""A whole emulated device with its power switch: the physical machine, its memory, and whatever runs on it now.

The machine and the memory stay when the power goes; firmware, link and session do not. Times are link time in
microseconds; the machine's clock starts at `now` of the first power-up and runs as `clock` says. To a cable
or a runner this is the device: it answers while it is on and is silent while it is off.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from firmware_sim.control.control import Control
from firmware_sim.control.setup import Setup
from firmware_sim.control.world import Outside, PowerLost, World
from firmware_sim.errors import BadControl, MemoryCorrupt, WrongMemory
from firmware_sim.machine.dealer import Pace, seat_dealer
from firmware_sim.machine.mechanism import Mechanism
from firmware_sim.machine.noise import Noise, RenewedSource, TestedNoise
from firmware_sim.machine.profile import Profile
from firmware_sim.machine.shuffling import OrderSource
from firmware_sim.program.event_queue import EventQueue
from firmware_sim.program.firmware import Firmware
from firmware_sim.program.nvstore import Medium, NvStore
from firmware_sim.unit.clock import MachineClock
from firmware_sim.unit.device import Device
from firmware_sim.unit.seal import SealingKey
from firmware_sim.unit.snapshot import Snapshot
from firmware_sim.unit.verification import installed_image
from protocol.messages import Hello
from protocol.vocabulary import PowerUpCause, Role
from randomness import RandomSource, seeded_source, system_source
from randomness.entropy import SeededEntropy, SystemEntropy

MAX_STARTS = 100
MAX_TURNS = 1_000_000  # steps of the machine in one turn of its clock
_NOISE_STREAM = -1  # no power-up has it
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
    memory_key: bytes | None = None  # seals what the memory's medium holds
    role_keys: Mapping[Role, bytes] = field(default_factory=dict)
    setup: Setup | None = None  # decks and faults to come
    program: type[Firmware] = Firmware  # another one where a test wants to see it caught
    session_seed: int | None = None  # tests alone: what would be secret repeats too
    shuffle_batch: int = 1  # above 1 in a laboratory alone: later shuffles then lie in memory

    def noise(self) -> Noise:
        """The noise source of the machine."""
        return Noise(SystemEntropy() if self.seed is None else SeededEntropy(self.seed, stream=_NOISE_STREAM))

    def shuffle_source(self, boots: int, starts: int, noise: TestedNoise | None = None) -> RandomSource:
        """What the shuffles of a power-up are drawn from: fresh noise, or a stream of the seed for each power-up.

        `boots` is what the memory has counted, `starts` what this process has: where either was set back the other
        still makes another stream.
        """
        return self._source(_stream(boots, starts), noise if noise is not None else TestedNoise(self.noise()))

    def other_source(self, boots: int, starts: int, noise: TestedNoise) -> RandomSource:
        """Salts: never the stream of the shuffles, so that these depend on nothing else."""
        return self._source(_stream(boots, starts) + 1, noise)

    def _source(self, stream: int, noise: TestedNoise) -> RandomSource:
        seed = self.seed
        if seed is None:
            return RenewedSource(lambda: system_source(entropy=noise, prediction_resistance=True))
        return seeded_source(seed, stream=stream)

    def session_source(self, boots: int, starts: int) -> RandomSource:
        """Epochs, session numbers, ephemeral keys, challenges: a seed that somebody knows must not foretell them."""
        seed = self.session_seed
        return system_source() if seed is None else seeded_source(seed, stream=_stream(boots, starts) + 1)


def _stream(boots: int, starts: int) -> int:
    return (boots << 32) + (starts << 1)


class Emulator:
    """One device, on or off, with its control plane."""

    def __init__(
        self, build: Build, medium: Medium | None = None, now: int = 0, *, restored: Snapshot | None = None
    ) -> None:
        """Without a medium the memory lasts as long as this object. Raises MemoryCorrupt where it is damaged,
        WrongMemory where it is of a device of another profile.

        `restored`: where the cards lay when the medium's memory was copied; the device begins a new epoch.
        """
        self.build = build
        self.machine = Mechanism(build.profile, build.noise())
        self.outside: Outside = _LooseCable(self)  # the owner of the cable puts its own in
        self._medium = medium
        self._store = NvStore()
        self._now = now
        self.clock = MachineClock(now, build.speed)
        self._memory_lost = False
        self._restored = restored is not None
        self._starts = 0
        self.engine = OrderSource(build.profile, self.machine, build.shuffle_source(0, 0), batch=build.shuffle_batch)
        prepare = self.engine.prepare if build.profile.is_shoe else None
        seat_dealer(build.hands, self.machine, build.profile, build.pace, prepare)
        if restored is not None:
            restored.lay_out(self.machine)
            self.machine.people.find_decks()
        self.control = Control(
            profile=build.profile,
            machine=self.machine,
            firmware=lambda: self._program,
            engine=self.engine,
            luck=Random(build.seed).random,
            world=_Owned(self),
        )
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

    @property
    def now(self) -> int:
        """The line's time when the device was last driven."""
        return self._now

    @property
    def machine_us(self) -> int:
        """What the machine's clock showed when the device was last driven."""
        return self._machine_time()

    def switch_off(self, now: int) -> None:
        """The power goes: cards stop where they are, what was not committed is gone."""
        self._now = now
        if self._device is not None:
            self.machine.power_off(self._device.machine_time(now))
            self._program.power_off()
            self._device = None
            self.outside.power_changed(False)

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
            self.outside.power_changed(True)
            return self._device
        raise BadControl(f"the power went {MAX_STARTS} times before the device was up")

    def power_cycle(self, cause: PowerUpCause, now: int) -> Device:
        """The power went and came back."""
        self.switch_off(now)
        return self.switch_on(now, cause)

    def snapshot(self) -> Snapshot:
        """Memory and cards, to go on from elsewhere; refused while cards move, and where the memory has no medium."""
        if self._medium is None:
            raise BadControl("this device's memory is not kept in one piece: give it a memory file to copy it")
        build = self.build
        return Snapshot.of(
            self.machine, profile=build.profile.name, serial=build.serial, hands=build.hands,
            memory=self._medium.read(),
        )  # fmt: skip

    # ------------------------------------------------------------------------------------------------------- the cable

    def receive(self, data: bytes, now: int) -> None:
        """Take bytes from the line."""
        self._now = now
        if self._device is not None:
            try:
                self._device.receive(data, now)
            except PowerLost as lost:
                self.lose_power(lost)

    def data_to_send(self, now: int) -> bytes:
        """Bytes that are due for the line."""
        return b"" if self._device is None else self._device.link.data_to_send(now)

    def tick(self, now: int) -> None:
        """Let time pass."""
        self._now = now
        if self._device is not None:
            try:
                self._device.tick(now)
            except PowerLost as lost:
                self.lose_power(lost)

    def next_deadline(self) -> int | None:
        """When `tick` wants to be called."""
        return None if self._device is None else self._device.next_deadline()

    def pull_cable(self) -> None:
        """The cable is out; the machine goes on."""
        if self._device is not None:
            self._device.pull_cable()

    @property
    def has_session(self) -> bool:
        """Whether a host talks to it."""
        return self._device is not None and self._device.has_session

    def yields_to(self, hello: Hello, *, young: bool) -> bool:
        """Whether its cable may be taken by another that brings this hello; while it is off, by any."""
        return self._device is None or self._device.yields_to(hello, young=young)

    # ----------------------------------------------------------------------------------------------------------- clock

    def turn_clock(self, machine_us: int) -> None:
        """Let the machine's time run ahead at once, step by step as it would have run; the cable's does not move."""
        goal = self._machine_time() + machine_us
        for _ in range(MAX_TURNS):
            due = self._program.next_deadline() if self._device is not None else None
            if due is None or due > goal:
                break
            self._set_machine_time(max(due, self._machine_time()))
            self.tick(self._now)
        self._set_machine_time(goal)

    def set_rate(self, rate: float) -> None:
        """Set how fast the machine's clock runs from now on."""
        self.clock.run_at(self._now, rate)

    def next_due(self) -> int | None:
        """How long until something happens in the machine, in its own time; None where nothing will by itself."""
        due = self._program.next_deadline() if self._device is not None else None
        return None if due is None else max(0, due - self._machine_time())

    # --------------------------------------------------------------------------------------------------------- private

    def _machine_time(self) -> int:
        return self.clock.at(self._now)

    def _set_machine_time(self, machine_us: int) -> None:
        self.clock.turn(self._now, machine_us)

    def lose_power(self, lost: PowerLost) -> None:
        """The power goes in the middle of a step and comes back, perhaps several times, perhaps with a bit flipped."""
        if self._device is None:
            return  # there is none to lose
        for _ in range(lost.times):
            self.switch_off(self._now)
            if lost.corrupt:
                self._flip_a_bit()
            device = self.switch_on(self._now, lost.cause)
            if lost.times > 1:
                self._now += self.clock.link_us(self.build.profile.timings.self_test_us) + 1
                device.tick(self._now)

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
            self._store = self._open(self._medium)
        except MemoryCorrupt:
            if not self._starts:
                raise  # somebody's file: it is not ours to throw away
            # A device starts all the same, with nothing remembered and a fault that says so.
            self._memory_lost = True
            self._medium.replace(b"")
            self._store = self._open(self._medium)
        made_for, name = self._store.get("profile"), self.build.profile.name
        if made_for not in (None, name):
            raise WrongMemory(f"this memory is of a device of the profile {made_for}, not {name}: use another file")

    def _open(self, medium: Medium) -> NvStore:
        key = self.build.memory_key
        sealing = None if key is None else SealingKey(key, system_source().generate)
        return NvStore(medium, sealing)

    def _power_up(self, cause: PowerUpCause, now: int) -> Device:
        build, store = self.build, self._store
        boots = store.get("boots", 0) + 1
        store.put("boots", boots)
        if store.get("profile") is None:
            store.put("profile", build.profile.name)
        # Sources of their own for each power-up: a restored memory or a second start repeats nothing.
        self._starts += 1
        noise = TestedNoise(self.machine.noise)
        self.engine.restart(build.shuffle_source(boots, self._starts, noise))
        chance = build.other_source(boots, self._starts, noise).generate
        secrets = build.session_source(boots, self._starts).generate
        if self._restored:
            for key in ("epoch", "former", *store.keys("event:"), *store.keys("former:")):
                store.put(key, None)
        events = EventQueue(store, lambda: int.from_bytes(secrets(8), "little"))
        lost, self._memory_lost = self._memory_lost, False
        restored, self._restored = self._restored, False
        self._program = firmware = build.program(
            profile=build.profile,
            store=store,
            events=events,
            chance=noise.before(chance),
            noise_passes=noise.passes,
            now_us=self.clock.at(now),
            serial=build.serial,
            machine=self.machine,
            image=installed_image(build.profile.name, build.profile.text),
            shuffler=noise.before(self.engine),
            raw=noise.before(self.engine.raw),
            prepared=lambda: self.engine.prepared,
            cause=cause,
            seeded=build.seed is not None,
            memory_lost=lost,
        )
        if restored:
            firmware.board.write(f"restored from a snapshot: epoch {events.epoch:016x} begins")
        return Device(
            firmware=firmware,
            store=store,
            events=events,
            serial=build.serial,
            boots=boots,
            chance=secrets,
            key=build.key,
            role_keys=build.role_keys,
            now=now,
            clock=self.clock,
        )


class _LooseCable(Outside):
    """A cable that nobody owns: pulled, it ends the session."""

    def __init__(self, emulator: Emulator) -> None:
        self._emulator = emulator

    def pull_cable(self) -> None:
        self._emulator.pull_cable()


class _Owned(World):
    """An emulator's power, cable and clock for its control plane; times are those it was last driven at."""

    def __init__(self, emulator: Emulator) -> None:
        self._emulator = emulator

    def switch_on(self) -> None:
        if not self._emulator.is_on:
            self._emulator.switch_on(self._emulator.now, PowerUpCause.SWITCHED_ON)

    def switch_off(self) -> None:
        self._emulator.switch_off(self._emulator.now)

    def lose_power(self, lost: PowerLost) -> None:
        self._emulator.lose_power(lost)

    def plug(self) -> None:
        self._emulator.outside.plug()

    def unplug(self) -> None:
        self._emulator.outside.unplug()

    def pull_cable(self) -> None:
        self._emulator.outside.pull_cable()

    def turn_clock(self, machine_us: int) -> None:
        self._emulator.turn_clock(machine_us)

    def set_rate(self, rate: float) -> None:
        self._emulator.set_rate(rate)

    def next_due(self) -> int | None:
        return self._emulator.next_due()
