"""Devices that each break one numbered rule: what the conformance suite has to catch and name."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MethodType
from typing import Any

from cobs import cobs

from firmware_sim.machine.profile import load
from firmware_sim.program.command_memory import Forgotten, New, Repeat, Stale
from firmware_sim.unit.emulator import Build, Emulator
from proofs.rewired import Rewired, fields, header, without, written
from protocol import messages as m
from protocol.catalogue import BY_NUMBER
from protocol.codec import decode_body, encode_body
from protocol.framing import HEADER_SIZE, RETRANSMITTED, Frame, Framer, pack_header
from protocol.link import HEARTBEAT, HELLO, RESET, WELCOME, Received
from protocol.vocabulary import Capability, Fate, MisdealReason, ResetReason
from shuffler.virtual.bench import DeviceEnd

KEY = bytes(range(32))
Break = Callable[[Emulator], DeviceEnd]


@dataclass(frozen=True, slots=True)
class BrokenDevice:
    """One rule, how it is broken, and the device that does."""

    rule: str
    how: str
    make: Break
    secure: bool = False

    def build(self) -> DeviceEnd:
        """A fresh one."""
        key = KEY if self.secure else None
        return self.make(
            Emulator(Build(profile=load("i-deal-style"), serial="MUTANT", seed=1, session_seed=1, key=key))
        )


def rewired(**how: Any) -> Break:
    """Broken on the line."""
    return lambda emulator: Rewired(emulator, **how)


def inside(change: Callable[[Emulator], None]) -> Break:
    """Broken within: the change is made once, at power-up."""

    def make(emulator: Emulator) -> DeviceEnd:
        change(emulator)
        return emulator

    return make


def each_step(change: Callable[[Emulator, int], None]) -> Break:
    """Broken within, again and again."""
    return lambda emulator: Rewired(emulator, each=change)


# ---------------------------------------------------------------------------------------------------------- on the line


def ethernet_check(frame: Frame) -> bytes:
    raw = pack_header(*frame[1:7], version=frame.version) + frame.body
    return b"\0" + bytes(cobs.encode(raw + zlib.crc32(raw).to_bytes(4, "little"))) + b"\0"


def is_event(frame: Frame) -> bool:
    return 0x60 <= frame.message < 0x80


def numbered_on(frame: Frame) -> Frame:
    """Event 4 and all behind it count one too many."""
    if not is_event(frame):
        return frame
    event = decode_body(frame.message, frame.body)
    assert isinstance(event, m.Event)
    return frame if event.number < 4 else frame._replace(body=encode_body(replace(event, number=event.number + 1)))


def backwards(frame: Frame) -> Frame:
    if not is_event(frame):
        return frame
    event = decode_body(frame.message, frame.body)
    assert isinstance(event, m.Event)
    return frame._replace(body=encode_body(replace(event, time_ms=10_000_000 - event.time_ms)))


def lenient(frame: Frame) -> Frame:
    """Bodies of commands without fields are cut to nothing, however long they were."""
    entry = BY_NUMBER.get(frame.message)
    return frame._replace(body=b"") if entry is not None and entry.body is m.GetStatus else frame


def demands_nothing(frame: Frame) -> Frame:
    return fields(m.Hello, must=Capability(0))(frame) or frame


def any_effect_has_an_id(frame: Frame) -> Frame:
    entry = BY_NUMBER.get(frame.message)
    return frame._replace(request=4_000_000) if entry is not None and entry.effect and not frame.request else frame


# --------------------------------------------------------------------------------------------------------------- within


class NoCheck(Framer):
    """Takes any check."""

    def _decode(self, piece: bytes) -> Frame | None:
        try:
            raw = cobs.decode(piece)
        except cobs.DecodeError:
            return None
        if len(raw) < HEADER_SIZE + 4:
            return None
        return Frame._make((*_unpacked(raw), raw[HEADER_SIZE:-4]))


def _unpacked(raw: bytes) -> tuple[Any, ...]:
    from protocol.framing import HEADER_FORMAT

    return HEADER_FORMAT.unpack_from(raw)


class ShortFramer(Framer):
    """Throws pieces of more than 256 bytes away."""

    def _decode(self, piece: bytes) -> Frame | None:
        return None if len(piece) > 256 else super()._decode(piece)


class Forgetful(dict[bytes, Any]):
    """Remembers no welcome."""

    def get(self, key: bytes, default: Any = None) -> Any:
        return default


def no_check(emulator: Emulator) -> None:
    emulator.device.link.framer = NoCheck()


def short_frames(emulator: Emulator) -> None:
    emulator.device.link.framer = ShortFramer()


def talks_back(emulator: Emulator, now: int) -> None:
    link = emulator.device.link
    if link.framer.garbage.total:
        link.framer.garbage = type(link.framer.garbage)()
        link.end(ResetReason.BAD_HELLO, "that was noise", now)


def any_version(emulator: Emulator) -> None:
    link = emulator.device.link
    judged = link._refusal
    link._refusal = lambda hello: judged(replace(hello, version_min=2, version_max=2))  # type: ignore[method-assign]


def two_welcomes(emulator: Emulator, _: int) -> None:
    emulator.device.link._welcomes = Forgetful()


def hello_ends_all(emulator: Emulator) -> DeviceEnd:
    def into(frame: Frame) -> Frame:
        if frame.message == HELLO:
            emulator.device.link.session = None
        return frame

    return Rewired(emulator, into=into)


def wide_window(emulator: Emulator, _: int) -> None:
    if (session := emulator.device.link.session) is not None:
        session.stream.window = 64


def takes_copies(emulator: Emulator, _: int) -> None:
    session = emulator.device.link.session
    if session is None or getattr(session.stream, "bent", False):
        return
    stream, accept = session.stream, session.stream.accept

    class Bent(type(stream)):  # type: ignore[misc]
        bent = True

        def accept(self, frame: Frame, now: int, early: int = 0) -> list[Frame]:
            is_copy = 0 < frame.sequence < self._expected
            ready: list[Frame] = super().accept(frame, now, early)
            return [frame] if is_copy else ready

    assert accept
    stream.__class__ = Bent


def takes_strays(emulator: Emulator) -> None:
    link = emulator.device.link

    def stray(_: Any, frame: Frame, events: list[Any]) -> None:
        events.append(Received(decode_body(frame.message, frame.body), frame.request))

    link._stray = MethodType(stray, link)  # type: ignore[method-assign]


def never_gives_up(emulator: Emulator, _: int) -> None:
    if (session := emulator.device.link.session) is not None:
        session.stream._tries.clear()


def never_lost(emulator: Emulator, now: int) -> None:
    if (session := emulator.device.link.session) is not None:
        session.heard_us = now


def silent_on_strangers(emulator: Emulator) -> None:
    emulator.device.link._unknown_session = lambda frame: None  # type: ignore[method-assign]


def pretends(emulator: Emulator) -> None:
    firmware = emulator.firmware
    does = firmware.execute

    def execute(command: m.Message, role: Any, now_us: int) -> m.Message:
        return m.Done() if isinstance(command, m.NoteHead) else does(command, role, now_us)

    firmware.execute = execute  # type: ignore[method-assign]


def looked_up(change: Callable[[Any, Any, bytes, int], Any]) -> Callable[[Emulator], None]:
    """Another verdict of the command memory."""

    def bend(emulator: Emulator) -> None:
        memory = emulator.device.commands
        look = memory.look_up

        def look_up(instance: bytes, request: int, command: m.Message) -> Any:
            return change(look(instance, request, command), memory, instance, request)

        memory.look_up = look_up  # type: ignore[method-assign]

    return bend


def conflict_as_repeat(verdict: Any, *_: Any) -> Any:
    return Repeat(m.Done()) if type(verdict).__name__ == "Conflict" else verdict


def told_fate(change: Callable[[Any, Any, bytes, int], Any]) -> Callable[[Emulator], None]:
    """Another fate; `change` gets the true teller, the memory, the instance and the id."""

    def bend(emulator: Emulator) -> None:
        memory = emulator.device.commands
        tell = memory.fate
        memory.fate = lambda instance, request: change(tell, memory, instance, request)  # type: ignore[method-assign]

    return bend


def _never(request: int) -> m.FateTold:
    return m.FateTold(command=request, fate=Fate.NEVER_EXECUTED, code=0)


def unfenced(tell: Any, memory: Any, instance: bytes, request: int) -> m.Message:
    verdict = memory.look_up(instance, request, m.Load())
    return _never(request) if isinstance(verdict, New) else tell(instance, request)  # type: ignore[no-any-return]


def fences_without_end(tell: Any, memory: Any, instance: bytes, request: int) -> m.Message:
    told = tell(instance, request)
    return _never(request) if isinstance(told, m.Error) else told  # type: ignore[no-any-return]


def lies_of_what_was_done(tell: Any, memory: Any, instance: bytes, request: int) -> m.Message:
    told = tell(instance, request)
    return replace(told, fate=Fate.NEVER_EXECUTED) if request == 12 else told  # type: ignore[no-any-return]


def stored_by_arrival(emulator: Emulator, _: int) -> None:
    device = emulator.device
    session = device.link.session
    if session is not None and session.stream.idle and device._sent_event > device.events.acknowledged:
        device.events.acknowledge(device._sent_event)
        device.store.commit()


def only_news(emulator: Emulator) -> DeviceEnd:
    seen: set[int] = set()

    def each(bent: Emulator, _: int) -> None:
        session = bent.device.link.session
        if session is not None and session.number not in seen:
            seen.add(session.number)

    def out(frame: Frame) -> Frame | None:
        return frame

    device = emulator.device
    handle = device._handle

    def on(event: Any, now: int) -> None:
        handle(event, now)
        if type(event).__name__ == "LinkUp":
            device._sent_event = device.events.last

    device._handle = on  # type: ignore[method-assign]
    return Rewired(emulator, each=each, out=out)


def says_nothing_of_nonsense(emulator: Emulator) -> None:
    device = emulator.device
    handle = device._handle

    def on(event: Any, now: int) -> None:
        if type(event).__name__ != "Undecodable":
            handle(event, now)

    device._handle = on  # type: ignore[method-assign]


def too_long_for_small_hosts(emulator: Emulator) -> None:
    emulator.device._fitting = lambda reply: reply  # type: ignore[method-assign]


def everyone_may(emulator: Emulator) -> None:
    emulator.device.authority.may = lambda roles: True  # type: ignore[method-assign]


def plain_resets_count(emulator: Emulator) -> DeviceEnd:
    def into(frame: Frame) -> Frame:
        link = emulator.device.link
        if frame.message == RESET and link.session is not None and frame.session == link.session.number:
            link.session = None
        return frame

    return Rewired(emulator, into=into)


def opens_without_a_key(emulator: Emulator) -> None:
    link = emulator.device.link
    judged = link._refusal

    def refusal(hello: m.Hello) -> Any:
        if not hello.must & Capability.SECURE:
            link._key = None
        return None if link._key is None else judged(hello)

    link._refusal = refusal  # type: ignore[method-assign]


def _first_card_again(message: Any) -> Any:
    opening = message.opening
    return replace(opening, cards=opening.cards[:1] * len(opening.cards))


# fmt: off
BROKEN_DEVICES: tuple[BrokenDevice, ...] = (
    BrokenDevice("B-4",  "cuts a body that is too long", rewired(into=lenient)),
    BrokenDevice("B-8",  "its events' times run backwards", rewired(out=backwards)),
    BrokenDevice("F-1",  "writes no delimiter before a frame", rewired(write=lambda frame: written(frame)[1:])),
    BrokenDevice("F-2",  "checks with the CRC of Ethernet", rewired(write=ethernet_check)),
    BrokenDevice("F-2",  "takes frames whose check is wrong", inside(no_check)),
    BrokenDevice("F-3",  "drops frames of more than 256 bytes", inside(short_frames)),
    BrokenDevice("F-4",  "ends the session when it hears noise", each_step(talks_back)),
    BrokenDevice("F-5",  "takes frames with flags that it does not know", rewired(into=header(flags=lambda frame: frame.flags & 0x81))),
    BrokenDevice("V-1",  "frames the welcome with the session's version", rewired(out=header(lambda frame: frame.message == WELCOME, version=2))),
    BrokenDevice("V-2",  "frames the session with the hello's version", rewired(out=header(version=1))),
    BrokenDevice("V-2",  "takes frames of any version", rewired(into=header(lambda frame: frame.message != HELLO, version=2))),
    BrokenDevice("V-3",  "welcomes a host of any version", inside(any_version)),
    BrokenDevice("V-5",  "is silent about messages that it does not know", inside(says_nothing_of_nonsense)),
    BrokenDevice("V-6",  "has the fingerprint of another catalogue", rewired(out=fields(m.Welcome, fingerprint=bytes(8)))),
    BrokenDevice("H-2",  "opens a new session for each copy of a hello", each_step(two_welcomes)),
    BrokenDevice("H-3",  "does not echo the nonce", rewired(out=fields(m.Welcome, host_nonce=bytes(16)))),
    BrokenDevice("H-4",  "ends the session when any hello comes", hello_ends_all),
    BrokenDevice("H-6",  "does not look at what a hello demands", rewired(into=demands_nothing)),
    BrokenDevice("H-7",  "always says its own window", rewired(out=fields(m.Welcome, window=16))),
    BrokenDevice("S-1",  "leaves numbers out", rewired(out=header(sequence=lambda frame: frame.sequence * 2))),
    BrokenDevice("S-2",  "sends 64 frames ahead", each_step(wide_window)),
    BrokenDevice("S-3",  "takes copies as new", each_step(takes_copies)),
    BrokenDevice("S-4",  "acknowledges what has not come", rewired(out=header(lambda frame: frame.message != WELCOME, acknowledge=lambda frame: frame.acknowledge + 1))),
    BrokenDevice("S-5",  "does not tell what came early", rewired(out=fields(m.Ack, early=0))),
    BrokenDevice("S-6",  "takes commands outside the order", inside(takes_strays)),
    BrokenDevice("S-7",  "does not mark what it sends again", rewired(out=header(flags=lambda frame: frame.flags & ~RETRANSMITTED))),
    BrokenDevice("S-10", "never gives up", each_step(never_gives_up)),
    BrokenDevice("L-1",  "sends no heartbeats", rewired(out=without(lambda frame: frame.message == HEARTBEAT))),
    BrokenDevice("L-2",  "never takes a host for lost", each_step(never_lost)),
    BrokenDevice("L-3",  "does not listen to resets", rewired(into=without(lambda frame: frame.message == RESET))),
    BrokenDevice("L-4",  "does not answer strangers", inside(silent_on_strangers)),
    BrokenDevice("C-1",  "carries out commands under id 0", rewired(into=any_effect_has_an_id)),
    BrokenDevice("C-2",  "says done and does nothing", inside(pretends)),
    BrokenDevice("C-3",  "carries out a repeat again", inside(looked_up(lambda verdict, *_: New() if isinstance(verdict, Repeat) else verdict))),
    BrokenDevice("C-4",  "gives another command the first one's answer", inside(looked_up(conflict_as_repeat))),
    BrokenDevice("C-5",  "carries out what was overtaken", inside(looked_up(lambda verdict, *_: New() if isinstance(verdict, Stale) else verdict))),
    BrokenDevice("C-6",  "calls what it has forgotten overtaken", inside(looked_up(lambda verdict, *_: Stale() if isinstance(verdict, Forgotten) else verdict))),
    BrokenDevice("C-7",  "carries out ids from before the hello", inside(looked_up(lambda verdict, *_: New() if isinstance(verdict, Forgotten) else verdict))),
    BrokenDevice("C-10", "fences nothing off", inside(told_fate(unfenced))),
    BrokenDevice("C-11", "promises more fences than it keeps", inside(told_fate(fences_without_end))),
    BrokenDevice("C-12", "says of a command it did that it never will", inside(told_fate(lies_of_what_was_done))),
    BrokenDevice("E-1",  "forgets events once they have arrived", each_step(stored_by_arrival)),
    BrokenDevice("E-2",  "tells a new session nothing of what waits", only_news),
    BrokenDevice("E-3",  "says nothing to an impossible acknowledgement", rewired(into=without(lambda frame: False), out=without(lambda frame: frame.message == m.Error.entry.number and not frame.request))),
    BrokenDevice("E-6",  "numbers its passing events", rewired(out=fields(m.ShuffleProgressed, number=7))),
    BrokenDevice("E-7",  "leaves an event number out", rewired(out=numbered_on)),
    BrokenDevice("P-1",  "welcomes hosts that are too small", rewired(into=fields(m.Hello, max_body=lambda hello: max(768, hello.max_body)))),
    BrokenDevice("P-3",  "sends long replies to small hosts", inside(too_long_for_small_hosts)),
    BrokenDevice("D-2",  "counts one card too few", rewired(out=fields(m.DeckLoaded, count=lambda event: event.count - 1))),
    BrokenDevice("D-3",  "binds a shuffle to a nonce of its own", rewired(out=fields(m.ShuffleCompleted, nonce=b"\7" * 16))),
    BrokenDevice("D-5",  "does not withhold the dealer's cards", rewired(out=fields(m.GroupRemoved, withheld=False))),
    BrokenDevice("D-6",  "discloses a player's hand as the dealer's", rewired(out=fields(m.HandDisclosed, seat=2))),
    BrokenDevice("D-7",  "counts one card too many in the stub", rewired(out=fields(m.StubRemoved, count=lambda event: event.count + 1))),
    BrokenDevice("D-14", "gives another reason for a void round", rewired(out=fields(m.Misdealt, reason=MisdealReason(1)))),
    BrokenDevice("X-1",  "opens plain sessions though a key is set", inside(opens_without_a_key), secure=True),
    BrokenDevice("X-2",  "proves nothing in its welcome", rewired(out=fields(m.Welcome, proof=bytes(32))), secure=True),
    BrokenDevice("X-4",  "believes a plain reset", plain_resets_count, secure=True),
    BrokenDevice("R-1",  "asks for no role", inside(everyone_may)),
    BrokenDevice("K-1",  "names one card three times", rewired(out=fields(m.HandDisclosed, opening=_first_card_again))),
    BrokenDevice("K-2",  "opens with other salts", rewired(out=fields(m.GroupRemoved, opening=lambda event: replace(event.opening, salts=bytes(len(event.opening.salts)))))),
)
# fmt: on
