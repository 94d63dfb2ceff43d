"""Fuzzing a device: steps into a session, and after every few the question whether it answers and is still right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from protocol import messages as m
from protocol.link import HELLO
from protocol.secure import Chance
from shuffler.errors import LinkLost, ShufflerError
from shuffler.kit.conformance.device.bench import SuiteBench
from shuffler.kit.conformance.device.talk import FrameLine, Talk
from shuffler.kit.conformance.verdict import Failed, NotSeen
from shuffler.kit.conformance.wire import Wire
from shuffler.kit.fuzz.steps import FuzzStep

EVERY = 8  # steps between two looks
REOPENINGS = 3


@dataclass(frozen=True, slots=True)
class Broke:
    """What went wrong, and after how many steps it was seen."""

    problem: str
    after: int


class FuzzedSession:
    """A session that steps are thrown into; a new one is opened where the device has ended it."""

    def __init__(self, wire: Wire, chance: Chance, key: bytes | None) -> None:
        self._bench = SuiteBench(FrameLine(wire), chance, key, deals=False)
        self._talk: Talk | None = None

    def throw(self, step: FuzzStep) -> None:
        """Send one step."""
        talk = self._talk if self._talk is not None and self._talk.ended is None else self._open()
        if step.is_next:
            talk.sent += 1
        data = step.frame(talk.number, talk.sent, talk.expected - 1)
        if talk.seal is not None and not step.raw:
            data = talk.frame(
                step.message, step.body, sequence=talk.sent if step.is_next else max(0, step.sequence),
                request=step.request, flags=step.flags & 0x7F, version=step.version,
            )  # fmt: skip
        talk.line.unsettled = talk.line.unsettled or step.message == HELLO  # its refusal does not say whose it is
        talk.line.put(data)
        talk.step(step.wait_ms * 1000)

    def look(self) -> tuple[m.Info, int]:
        """Who the device is and how often it has started, asked in a fresh session; raises NotSeen or Failed."""
        talk = self._open()
        info, counters = talk.ask(m.GetInfo()), talk.ask(m.GetCounters())
        if not isinstance(info, m.Info) or not isinstance(counters, m.Counters):
            raise Failed(f"GetInfo and GetCounters got {type(info).__name__} and {type(counters).__name__}")
        return info, counters.power_ups

    def _open(self) -> Talk:
        self._talk = None
        for left in range(REOPENINGS, 0, -1):
            try:
                self._talk = self._bench.open()
                break
            except LinkLost:
                if left == 1:
                    raise NotSeen("the line is gone") from None
                self._bench.line.wire.reopen()
        assert self._talk is not None
        del self._bench.talks[:]
        self._bench.line.raw.clear()
        return self._talk


def run(
    wire: Wire, steps: Sequence[FuzzStep], chance: Chance, *, key: bytes | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Broke | None:  # fmt: skip
    """Throw the steps at a device; what broke it, or None. Raises NotSeen where it does not answer to begin with."""
    session = FuzzedSession(wire, chance, key)
    before = session.look()
    for number, step in enumerate(steps, 1):
        try:
            session.throw(step)
            if number % EVERY and number < len(steps):
                continue
            progress(number)
            now = session.look()
        except (NotSeen, Failed, ShufflerError) as problem:
            return Broke(f"after {step.what}: {problem}", number)
        if now[0] != before[0]:
            return Broke(f"after {step.what} it is another device: {now[0]}", number)
        if now[1] != before[1]:
            return Broke(f"after {step.what} it has started anew", number)
    return None
