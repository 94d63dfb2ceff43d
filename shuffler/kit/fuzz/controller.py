"""Fuzzing a controller: a device that says strange things between the right ones, and watches that its host stays."""

from collections.abc import Sequence
from dataclasses import dataclass

from firmware_sim.unit.emulator import Emulator
from protocol.framing import Framer
from protocol.link import HELLO
from protocol.messages import Hello
from shuffler.kit.fuzz.steps import FuzzStep

GAP_US = 50_000  # between two steps
GONE_US = 15_000_000  # without a word, and without a hello: a controller that has given up for good


@dataclass(slots=True)
class Progress:
    """How far it is, and how the controller is."""

    thrown: int = 0
    alive_at: int = 0  # the last step before a word of the controller
    heard_us: int | None = None
    hellos: int = 0


class Thrower:
    """A device to its host; steps go out one after the other while a session is open."""

    def __init__(self, inner: Emulator, steps: Sequence[FuzzStep]) -> None:
        self.progress = Progress()
        self._inner = inner
        self._steps = steps
        self._framer = Framer()
        self._next_at = 0
        self._raw: list[bytes] = []

    @property
    def done(self) -> bool:
        """Whether every step was thrown."""
        return self.progress.thrown >= len(self._steps)

    def gone(self, now: int) -> bool:
        """Whether the controller has been there and says nothing any more."""
        heard = self.progress.heard_us
        return heard is not None and now - heard > GONE_US

    # ------------------------------------------------------------------------------------------------ a device's calls

    @property
    def has_session(self) -> bool:
        return self._inner.has_session

    def yields_to(self, hello: Hello, *, young: bool) -> bool:
        """As the device behind it says."""
        return self._inner.yields_to(hello, young=young)

    def pull_cable(self) -> None:
        """The cable is out."""
        self._inner.pull_cable()

    def receive(self, data: bytes, now: int) -> None:
        """Bytes of the host: any sound frame is a sign of life."""
        for frame in self._framer.feed(data):
            self.progress.heard_us = now
            self.progress.alive_at = self.progress.thrown
            self.progress.hellos += frame.message == HELLO
        self._inner.receive(data, now)

    def data_to_send(self, now: int) -> bytes:
        """What the device says, with the next step among it where one is due."""
        if self._inner.has_session and now >= self._next_at and not self.done:
            self._throw(self._steps[self.progress.thrown], now)
        data = self._inner.data_to_send(now) + b"".join(self._raw)
        self._raw.clear()
        return data

    def tick(self, now: int) -> None:
        """Let time pass."""
        due = self._inner.next_deadline()
        if due is not None and due <= now:
            self._inner.tick(now)

    def next_deadline(self) -> int | None:
        """When something is due, here or in the device."""
        due = self._inner.next_deadline()
        if self.done or not self._inner.has_session:
            return due
        return self._next_at if due is None else min(due, self._next_at)

    def _throw(self, step: FuzzStep, now: int) -> None:
        """A message in order goes through the device's own stream; anything else is put on the line as it is."""
        self.progress.thrown += 1
        self._next_at = now + GAP_US + step.wait_ms * 1000
        link = self._inner.device.link
        if step.is_next and link.room > 0:
            link.send_encoded(step.message, step.body, step.request)
        elif not step.is_next:
            number = 0 if link.session is None else link.session.number
            self._raw.append(step.frame(number, 0, 0))
