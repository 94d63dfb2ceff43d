"""What a check of the device suite gets: the line, chance, the key, and what the round before it has shown."""

from dataclasses import dataclass, field, replace
from typing import Any

from protocol import messages as m
from protocol.secure import Chance
from protocol.vocabulary import ErrorCode, ResetReason
from shuffler.kit.conformance.device.talk import FrameLine, Greeted, Talk, greet, hello_of, secured
from shuffler.kit.conformance.verdict import Failed, NotSeen


@dataclass(slots=True)
class SuiteBench:
    """One device under test. `jitter_us` is what the line itself may add to a time."""

    line: FrameLine
    chance: Chance
    key: bytes | None = None
    jitter_us: int = 250_000
    deals: bool = True  # whether a round may be dealt
    talks: list[Talk] = field(default_factory=list)  # every session so far
    round: "Talk | None" = None  # the one in which a round was dealt
    round_problem: str = ""
    info: m.Info | None = None  # of the device, told in that round
    nonces: list[bytes] = field(default_factory=list)  # of the shuffles that were asked for

    def new_nonce(self) -> bytes:
        """A nonce for a shuffle."""
        self.nonces.append(self.chance(16))
        return self.nonces[-1]

    def hello(self, **changes: Any) -> m.Hello:
        """A hello of a new instance with some fields changed; it demands no key."""
        return replace(hello_of(self.chance), **changes)

    def greet(self, hello: m.Hello) -> Greeted:
        """Its answer; raises NotSeen where there is none."""
        greeted = greet(self.line, hello)
        if greeted is None:
            raise NotSeen("no hello is answered")
        return greeted

    def open(self, **changes: Any) -> Talk:
        """A session of a new instance; raises NotSeen or Failed where there can be none."""
        hello = self.hello(**changes)
        if self.key is None:
            greeted, seal = self.greet(hello), None
        else:
            answered, seal = secured(self.line, self.key, self.chance, hello)
            if answered is None:
                raise NotSeen("no hello is answered")
            greeted = answered
            if isinstance(greeted.answer, m.Welcome) and seal is None:
                raise Failed("the welcome does not prove that the device holds the key")
        if not isinstance(greeted.answer, m.Welcome):
            raise NotSeen(f"the hello is refused: {greeted.answer.reason.name} {greeted.answer.text}")
        talk = Talk(self.line, greeted, seal)
        self.talks.append(talk)
        return talk


def error_of(answer: m.Message, code: ErrorCode, what: str) -> str:
    """Evidence that the answer is this refusal; raises Failed where it is another or none."""
    if not isinstance(answer, m.Error) or answer.code is not code:
        shown = answer.code.name if isinstance(answer, m.Error) else type(answer).__name__
        raise Failed(f"{what} got {shown}, not {code.name}")
    return f"{what} got {code.name}"


def refused(greeted: Greeted, reason: ResetReason, what: str) -> str:
    """Evidence that a hello was refused so; raises Failed."""
    answer = greeted.answer
    if not isinstance(answer, m.Reset):
        raise Failed(f"{what} was welcomed")
    if answer.reason is not reason or greeted.frame.session != 0:
        raise Failed(
            f"{what} was refused with {answer.reason.name} in session {greeted.frame.session}, not {reason.name}"
        )
    return f"{what}: {reason.name}, “{answer.text}”"
