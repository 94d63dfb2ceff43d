"""A firmware with its machine, people, memory and a clock of its own, without a wire: for tests, proofs, benchmarks."""

import hashlib
from collections.abc import Callable
from random import Random

from firmware_sim.control.control import Control
from firmware_sim.control.world import Outside, PowerLost, World
from firmware_sim.machine.dealer import Pace, seat_dealer
from firmware_sim.machine.mechanism import Mechanism
from firmware_sim.machine.noise import Noise, TestedNoise
from firmware_sim.machine.profile import Profile
from firmware_sim.machine.shuffling import OrderSource
from firmware_sim.program.event_queue import EventQueue
from firmware_sim.program.firmware import Firmware
from firmware_sim.program.nvstore import NvStore
from firmware_sim.unit.verification import installed_image
from proofs.placement import check_placement
from protocol import messages as m
from protocol.vocabulary import PowerUpCause, Role
from randomness import seeded_source
from randomness.entropy import SeededEntropy

SERIAL = "BARE-0001"


class SeededChance:
    """Repeatable bytes for tests: request i is a hash of (seed, boots, i). A copy goes on by itself."""

    def __init__(self, seed: int, boots: int = 0) -> None:
        self._start = (seed, boots)
        self._requests = 0

    def __call__(self, count: int) -> bytes:
        self._requests += 1
        return hashlib.shake_256(b"bare %d %d %d" % (*self._start, self._requests)).digest(count)


class Bare:
    """Virtual time: `run` goes from deadline to deadline."""

    def __init__(
        self,
        profile: Profile,
        *,
        seed: int = 1,
        hands: str = "auto",
        store: NvStore | None = None,
        pace: Pace | None = None,
        program: type[Firmware] = Firmware,
    ) -> None:
        self.profile = profile
        self._program = program
        self.now_us = 0
        self.outside = Outside()
        self.store = store if store is not None else NvStore()
        self.machine = Mechanism(profile, Noise(SeededEntropy(seed, stream=-1)))
        self.passed: list[m.Event] = []
        self._seed = seed
        self._boots = 0
        self.engine = OrderSource(profile, self.machine, seeded_source(seed))
        self.decks = seat_dealer(hands, self.machine, profile, pace, self.engine.prepare if profile.is_shoe else None)
        self.control = Control(
            profile=profile,
            machine=self.machine,
            firmware=self._running,
            engine=self.engine,
            luck=Random(seed).random,
            world=_Owned(self),
        )
        self.power_up(PowerUpCause.SWITCHED_ON)

    def _running(self) -> Firmware:
        return self.firmware

    def power_up(self, cause: PowerUpCause, memory_lost: bool = False) -> None:
        """A new firmware over the same memory and the same machine."""
        self._boots += 1
        self.events = EventQueue(self.store, lambda: 7)
        noise = TestedNoise(self.machine.noise)
        self.firmware = self._program(
            profile=self.profile,
            store=self.store,
            events=self.events,
            chance=noise.before(SeededChance(self._seed, self._boots)),
            noise_passes=noise.passes,
            now_us=self.now_us,
            serial=SERIAL,
            machine=self.machine,
            image=installed_image(self.profile.name, self.profile.text),
            shuffler=noise.before(self.engine),
            raw=noise.before(self.engine.raw),
            prepared=lambda: self.engine.prepared,
            cause=cause,
            memory_lost=memory_lost,
            seeded=True,
        )
        self.store.commit()
        self.control.attach()

    def cut_power(self, cause: PowerUpCause = PowerUpCause.POWER_RETURNED, memory_lost: bool = False) -> None:
        """The power goes and comes back at once: memory as last committed, cards where they lie."""
        self.store.forget()
        self.machine.power_off(self.now_us)
        if memory_lost:
            self.store.erase()
        self.power_up(cause, memory_lost)

    def lose_power(self, lost: PowerLost) -> None:
        """The power goes and comes back, perhaps several times."""
        for _ in range(lost.times):
            self.cut_power(lost.cause, memory_lost=lost.corrupt)
            if lost.times > 1:
                self.run_for(self.profile.timings.self_test_us)

    def do(self, command: m.Message, role: Role = Role.DEALER) -> m.Message:
        """One command and its reply."""
        reply = self.firmware.execute(command, role, self.now_us)
        self.store.commit()
        check_placement(self.machine)
        return reply

    def step(self) -> bool:
        """Go to the next deadline; False where there is none."""
        due = self.firmware.next_deadline()
        if due is None:
            return False
        if due > self.now_us:
            self.now_us = due
        try:
            self.firmware.tick(self.now_us)
            self.store.commit()
        except PowerLost as lost:
            self.lose_power(lost)
        self.passed.extend(self.firmware.drain())
        check_placement(self.machine)
        return True

    def run(self, until: Callable[[], bool], steps: int = 2000) -> bool:
        """Step until something holds; False where nothing is due any more or the steps are used up."""
        for _ in range(steps):
            if until():
                return True
            if not self.step():
                break
        return until()

    def run_until(self, kind: type[m.Event], steps: int = 2000) -> m.Event:
        """Step until an event of a kind comes that was not there before."""
        seen = self.events.last
        for _ in range(steps):
            for event in self.events.after(seen):
                seen = event.number
                if isinstance(event, kind):
                    return event
            if not self.step():
                break
        raise AssertionError(f"no {kind.__name__} within {steps} steps; {self.do(m.GetStatus())}")

    def run_for(self, duration_us: int) -> None:
        """Let so much time pass."""
        end = self.now_us + duration_us
        while (due := self.firmware.next_deadline()) is not None and due <= end:
            self.step()
        self.now_us = end


class _Owned(World):
    """Power and clock for the control plane; the cable goes nowhere."""

    def __init__(self, device: Bare) -> None:
        self._device = device

    def lose_power(self, lost: PowerLost) -> None:
        self._device.lose_power(lost)

    def pull_cable(self) -> None:
        self._device.outside.pull_cable()

    def turn_clock(self, machine_us: int) -> None:
        self._device.run_for(machine_us)
