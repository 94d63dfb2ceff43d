"""Hosts that each break one numbered rule: what the watching device has to catch and name."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from proofs.broken_devices import NoCheck, ethernet_check
from proofs.playing_host import Make
from proofs.rewired import Change, Written, fields, header, same, written
from protocol import messages as m
from protocol.catalogue import BY_NUMBER
from protocol.codec import decode_body, encode_body
from protocol.framing import RETRANSMITTED, Frame, Framer
from protocol.link import ACK, HEARTBEAT, HELLO, RESET, WELCOME
from shuffler.host.session import Happening, HostSession
from shuffler.host.store import MemoryStore


@dataclass(frozen=True, slots=True)
class BrokenHost:
    """One rule, how it is broken, and the host that does."""

    rule: str
    how: str
    make: Make
    secure: bool = False


class Bent(HostSession):
    """A host session with something between it and its line, and something done to it at every step."""

    out: Change = staticmethod(same)
    into: Change = staticmethod(same)
    write: Written = staticmethod(written)
    each: Callable[["Bent", int], None] = staticmethod(lambda _host, _now: None)

    def bend(self, **how: Any) -> "Bent":
        for name, value in how.items():
            setattr(self, name, value)
        self._ours, self._theirs = Framer(), Framer()
        return self

    def receive(self, data: bytes, now: int) -> list[Happening]:
        self.each(self, now)
        if self.into is same:
            happenings = super().receive(data, now)
        else:
            happenings = []
            for frame in self._theirs.feed(data):
                changed = self.into(frame)
                if changed is not None:
                    happenings += super().receive(written(changed), now)
        self.each(self, now)
        return happenings

    def tick(self, now: int) -> list[Happening]:
        self.each(self, now)
        happenings = super().tick(now)
        self.each(self, now)
        return happenings

    def data_to_send(self, now: int) -> bytes:
        data = super().data_to_send(now)
        if not data or (self.out is same and self.write is written):
            return data
        changed = [self.out(frame) for frame in self._ours.feed(data)]
        return b"".join(self.write(frame) for frame in changed if frame is not None)


def bent(**how: Any) -> Make:
    """The product's host with something changed."""

    def make(chance: Random, key: bytes | None) -> HostSession:
        host = Bent(store=MemoryStore(chance.randbytes(16)), chance=chance.randbytes, key=key)
        return host.bend(**how)

    return make


def _is(kind: type[m.Message]) -> Callable[[Frame], bool]:
    number = kind.entry.number
    return lambda frame: frame.message == number


# ------------------------------------------------------------------------------------------------------------- the ways


def changing_hello(frame: Frame) -> Frame:
    """Every copy of a hello is another hello of the same nonce."""
    if frame.message != HELLO:
        return frame
    hello = decode_body(HELLO, frame.body)
    assert isinstance(hello, m.Hello)
    changing_hello.count += 1  # type: ignore[attr-defined]
    return frame._replace(body=encode_body(replace(hello, next_request=changing_hello.count)))  # type: ignore[attr-defined]


changing_hello.count = 0  # type: ignore[attr-defined]


def impatient(host: Bent, now: int) -> None:
    """Hello every 60 ms."""
    link = host.link
    if link._hello is not None:
        link._hello_at = min(link._hello_at, now + 60_000)


def takes_any_welcome(host: Bent) -> Change:
    def into(frame: Frame) -> Frame:
        hello = host.link._hello
        if frame.message == WELCOME and hello is not None:
            welcome = decode_body(WELCOME, frame.body)
            assert isinstance(welcome, m.Welcome)
            return frame._replace(body=encode_body(replace(welcome, host_nonce=hello.nonce)))
        return frame

    return into


def with_host(make: Callable[[Bent], dict[str, Any]]) -> Make:
    """Changes that must know the host."""

    def build(chance: Random, key: bytes | None) -> HostSession:
        host = Bent(store=MemoryStore(chance.randbytes(16)), chance=chance.randbytes, key=key)
        return host.bend(**make(host))

    return build


def no_framing_check(host: Bent) -> dict[str, Any]:
    host.link.framer = NoCheck()
    return {}


def only_the_first_heartbeat(host: Bent) -> dict[str, Any]:
    spoken: set[int] = set()

    def out(frame: Frame) -> Frame | None:
        if frame.message == HEARTBEAT and frame.session in spoken:
            return None
        spoken.add(frame.session)
        return frame

    return {"out": out}


def no_heartbeat_first(host: Bent) -> dict[str, Any]:
    spoken: set[int] = set()

    def out(frame: Frame) -> Frame | None:
        if frame.message == HEARTBEAT and frame.session not in spoken:
            spoken.add(frame.session)
            return None
        return frame

    return {"out": out}


def deaf_to_silence(host: Bent, now: int) -> None:
    if host.link.session is not None:
        host.link.session.heard_us = now
        host.link.session.stream._tries.clear()


def never_set_back(host: Bent) -> dict[str, Any]:
    host.store.newest_event = lambda serial, epoch: 0  # type: ignore[method-assign]
    return {}


def forgets_the_unanswered(host: Bent) -> dict[str, Any]:
    def each(bent_host: Bent, now: int) -> None:
        if not bent_host.is_up:
            bent_host._open.clear()

    return {"each": each}


def new_ids_after_a_loss(host: Bent) -> dict[str, Any]:
    """Numbers its commands from 1 again in every session."""

    def out(frame: Frame) -> Frame:
        entry = BY_NUMBER.get(frame.message)
        if entry is not None and entry.reply is not None and frame.sequence:
            return frame._replace(request=(frame.request - 1) % 3 + 1)
        return frame

    return {"out": out}


def ahead_of_events(frame: Frame) -> Frame:
    return fields(m.AckEvents, upto=lambda message: message.upto + 1)(frame) or frame


def wide(host: Bent, now: int) -> None:
    if host.link.session is not None:
        host.link.session.stream.window = 64


def chatters(host: Bent, now: int) -> None:
    """Asks far more than the window allows."""
    wide(host, now)
    session = host.link.session
    if session is not None and not host._awaited and session.stream.idle and session.stream._next < 40:
        for _ in range(20):
            host.link.send(m.GetStatus(), 0x4000_0000)


def loose_commands(frame: Frame) -> Frame:
    return header(_is(m.GetInfo), sequence=0)(frame) or frame


def skipping(frame: Frame) -> Frame:
    return frame._replace(sequence=frame.sequence * 2) if frame.sequence else frame


def padded(frame: Frame) -> Frame:
    return frame._replace(body=frame.body + b"\0") if frame.message == m.GetStatus.entry.number else frame


def round_one(frame: Frame) -> Frame:
    return fields(m.BeginRound, round=1)(frame) or frame


def any_version(host: Bent) -> dict[str, Any]:
    def into(frame: Frame) -> Frame:
        return fields(m.Welcome, version=2)(frame) or frame

    return {"into": into}


def takes_all_flags(frame: Frame) -> Frame:
    return frame._replace(flags=frame.flags & 0x81)


def takes_all_versions(frame: Frame) -> Frame:
    return frame._replace(version=2) if frame.message != WELCOME and frame.message != RESET else frame


def takes_all_sessions(host: Bent) -> dict[str, Any]:
    def into(frame: Frame) -> Frame:
        session = host.link.session
        known = session is not None and frame.message not in (WELCOME, RESET)
        return frame._replace(session=session.number) if known and session is not None else frame

    return {"into": into}


def short_memory(host: Bent) -> dict[str, Any]:
    """A piece without an end is kept for ever, and nothing is heard behind it."""

    class Stuck(Framer):
        def feed(self, data: bytes) -> list[Frame]:
            if self.stuck or data.count(0x2A) > 500:
                self.stuck = True
                return []
            return super().feed(data)

        stuck = False

    host.link.framer = Stuck()
    return {}


# fmt: off
BROKEN_HOSTS: tuple[BrokenHost, ...] = (
    BrokenHost("B-4", "sends a byte too many", bent(out=padded)),
    BrokenHost("F-1", "writes no delimiter before a frame", bent(write=lambda frame: written(frame)[1:])),
    BrokenHost("F-2", "checks with the CRC of Ethernet", bent(write=ethernet_check)),
    BrokenHost("F-2", "takes frames whose check is wrong", with_host(no_framing_check)),
    BrokenHost("F-3", "is stuck behind a piece without an end", with_host(short_memory)),
    BrokenHost("F-5", "takes frames with flags that it does not know", bent(into=takes_all_flags)),
    BrokenHost("F-5", "sets a flag that no version has", bent(out=header(lambda frame: frame.message == ACK, flags=0x20))),
    BrokenHost("V-1", "frames the hello with version 2", bent(out=header(lambda frame: frame.message == HELLO, version=2))),
    BrokenHost("V-2", "frames the session with version 1", bent(out=header(version=1))),
    BrokenHost("V-2", "takes frames of any version", bent(into=takes_all_versions)),
    BrokenHost("V-4", "goes on in a version that it did not offer", with_host(any_version)),
    BrokenHost("H-1", "changes its hello when it repeats it", bent(out=changing_hello)),
    BrokenHost("H-1", "says hello every 60 ms", bent(each=impatient)),
    BrokenHost("H-1", "gives its hello a request id", bent(out=header(lambda frame: frame.message == HELLO, request=1))),
    BrokenHost("H-3", "takes a welcome to somebody else", with_host(lambda host: {"into": takes_any_welcome(host)})),
    BrokenHost("H-5", "sends no heartbeat when it is welcomed", with_host(no_heartbeat_first)),
    BrokenHost("H-8", "trusts a memory that was set back", with_host(never_set_back)),
    BrokenHost("S-1", "leaves numbers out", bent(out=skipping)),
    BrokenHost("S-2", "sends far more than the window", bent(each=chatters)),
    BrokenHost("S-4", "acknowledges what has not come", bent(out=header(lambda frame: bool(frame.session), acknowledge=lambda frame: frame.acknowledge + 5))),
    BrokenHost("S-5", "does not tell what came early", bent(out=fields(m.Ack, early=0))),
    BrokenHost("S-6", "sends questions outside the order", bent(out=loose_commands)),
    BrokenHost("S-7", "does not mark what it sends again", bent(out=header(flags=lambda frame: frame.flags & ~RETRANSMITTED))),
    BrokenHost("L-1", "sends no heartbeats", with_host(only_the_first_heartbeat)),
    BrokenHost("L-2", "never takes a device for lost", bent(each=deaf_to_silence)),
    BrokenHost("L-4", "takes frames of other sessions", with_host(takes_all_sessions)),
    BrokenHost("C-1", "uses ids again", with_host(new_ids_after_a_loss)),
    BrokenHost("C-9", "forgets commands whose answer was lost", with_host(forgets_the_unanswered)),
    BrokenHost("E-3", "acknowledges an event before it came", bent(out=ahead_of_events)),
    BrokenHost("P-1", "offers a window of none", bent(out=fields(m.Hello, window=0))),
    BrokenHost("D-1", "begins the same round again", bent(out=round_one)),
    BrokenHost("D-3", "shuffles with the same nonce", bent(out=fields(m.Shuffle, nonce=b"\7" * 16))),
)
# fmt: on
