"""The traffic: steps drawn from a seed, each one thing that no good peer sends, or a good one out of its order."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from protocol.catalogue import CATALOGUE, Chapter, Way
from protocol.framing import MAX_ENCODED, VERSION, pack_header, wrap
from protocol.render.examples import all_examples
from shuffler.kit.conformance.spoiling import wrong_check

SESSION, NEXT, LAST = -1, -2, -3  # in a step: the session's number, the next sequence, the last one


@dataclass(frozen=True, slots=True)
class FuzzStep:
    """One thing to send: a frame whose header may name the session in use and its next number, or plain bytes."""

    what: str
    raw: bytes = b""  # as it is; empty where a frame is to be made
    message: int = 0
    body: bytes = b""
    version: int = VERSION
    flags: int = 0
    session: int = SESSION
    sequence: int = NEXT
    acknowledge: int = LAST
    request: int = 0
    wait_ms: int = 0

    def frame(self, session: int, sequence: int, acknowledge: int) -> bytes:
        """The bytes, in that session."""
        if self.raw:
            return self.raw
        numbers = {SESSION: session, NEXT: sequence, LAST: acknowledge}
        header = pack_header(
            self.flags, self.message, numbers.get(self.session, self.session),
            numbers.get(self.sequence, self.sequence),
            numbers.get(self.acknowledge, self.acknowledge), self.request, version=self.version,
        )  # fmt: skip
        return wrap(header, self.body)

    @property
    def is_next(self) -> bool:
        """Whether it takes the next number of the session."""
        return not self.raw and self.sequence == NEXT and self.session == SESSION


Maker = Callable[[Random, Way], FuzzStep]


def _example(chance: Random, way: Way) -> tuple[int, bytes]:
    """A message that this peer receives, as an example has it."""
    fitting = [
        one for one in all_examples() if one.entry.way in (way, Way.BOTH) and one.entry.chapter is not Chapter.LINK
    ]
    chosen = chance.choice(fitting)
    return chosen.entry.number, chosen.frame.body


def noise(chance: Random, _: Way) -> FuzzStep:
    return FuzzStep("noise", raw=chance.randbytes(chance.choice((1, 5, 40, 300))))


def endless(chance: Random, _: Way) -> FuzzStep:
    return FuzzStep(
        "a piece without an end", raw=bytes([chance.randrange(1, 256)]) * (MAX_ENCODED + chance.randrange(1000))
    )


def damaged(chance: Random, way: Way) -> FuzzStep:
    number, body = _example(chance, way)
    return FuzzStep("a frame with a wrong check", raw=wrong_check(wrap(pack_header(0, number, 1, 1, 0, 1), body)))


def sound(chance: Random, way: Way) -> FuzzStep:
    number, body = _example(chance, way)
    return FuzzStep("a sound message", message=number, body=body, request=_request(chance, way))


def reshaped(chance: Random, way: Way) -> FuzzStep:
    number, body = _example(chance, way)
    at = chance.randrange(len(body) + 1)
    cut = (body[:at], body + chance.randbytes(3), body[:at] + chance.randbytes(2) + body[at + 2 :])
    return FuzzStep("a malformed body", message=number, body=chance.choice(cut), request=_request(chance, way))


def unknown(chance: Random, way: Way) -> FuzzStep:
    known = {entry.number for entry in CATALOGUE}
    number = chance.choice([one for one in range(256) if one not in known])
    body = chance.randbytes(chance.choice((0, 4, 60)))
    return FuzzStep("an unknown message", message=number, body=body, request=_request(chance, way))


def backwards(chance: Random, way: Way) -> FuzzStep:
    wrong = [entry for entry in CATALOGUE if entry.way not in (way, Way.BOTH)]
    number = chance.choice(wrong).number
    body = next(one.frame.body for one in all_examples() if one.entry.number == number)
    return FuzzStep("a message that goes the other way", message=number, body=body, request=_request(chance, way))


def out_of_order(chance: Random, way: Way) -> FuzzStep:
    number, body = _example(chance, way)
    sequence = chance.choice((0, 1, 2, 40, 0xFFFF_FFFF))
    request = _request(chance, way)
    return FuzzStep("a number out of order", message=number, body=body, sequence=sequence, request=request)


def strange_header(chance: Random, way: Way) -> FuzzStep:
    number, body = _example(chance, way)
    return FuzzStep(
        "a strange header", message=number, body=body, version=chance.choice((0, 1, VERSION, 3, 255)),
        flags=chance.choice((0x01, 0x02, 0x40, 0x80, 0xFF)), session=chance.choice((SESSION, 0, 0xFFFF_FFFF)),
        sequence=chance.randrange(1, 5), acknowledge=chance.choice((0, 0xFFFF_FFFF)), request=_request(chance, way),
    )  # fmt: skip


def loose(chance: Random, _: Way) -> FuzzStep:
    number = chance.choice((1, 2, 4, 5))
    body = next(one.frame.body for one in all_examples() if one.entry.number == number)
    if chance.random() < 0.5:
        body = chance.randbytes(chance.randrange(len(body) + 2))
    return FuzzStep("a link message", message=number, body=body, sequence=0, session=chance.choice((SESSION, 0)))


def pause(chance: Random, _: Way) -> FuzzStep:
    return FuzzStep("a pause", raw=b"\0", wait_ms=chance.choice((1, 30, 400)))


def _request(chance: Random, way: Way) -> int:
    return 0 if way is Way.DEVICE and chance.random() < 0.7 else chance.choice((0, 1, 2, 70, 0xFFFF_FFFF))


MAKERS: tuple[Maker, ...] = (
    noise, endless, damaged, sound, sound, sound, reshaped, reshaped, unknown, backwards, out_of_order, strange_header,
    loose, pause,
)  # fmt: skip


def steps(seed: int, count: int, way: Way) -> list[FuzzStep]:
    """So many steps for a peer that receives messages of that way."""
    chance = Random(seed)
    return [chance.choice(MAKERS)(chance, way) for _ in range(count)]
