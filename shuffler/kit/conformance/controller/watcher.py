"""The device that watches its host: an emulated one behind a tap that writes everything down and stages the acts.

Each session is one act of `ACTS` in turn; a host that ends with its session is simply started again. Pure: bytes and
`now` (microseconds) in and out, like any device.
"""

import heapq
from dataclasses import replace
from typing import Protocol

from protocol import messages as m
from protocol.catalogue import BY_NUMBER
from protocol.codec import decode_body, encode_body
from protocol.errors import RemoteProtocolError
from protocol.framing import HELLO_VERSION, MAX_ENCODED, SEALED, VERSION, Frame, Framer, pack_header, wrap
from protocol.link import ACK, HELLO, RESET, WELCOME
from protocol.secure import Chance
from protocol.vocabulary import Capability, ResetReason
from shuffler.kit.conformance.controller.transcript import (
    MOST_FRAMES,
    Greeting,
    Poison,
    RunTranscript,
    SeenFrame,
    Tempted,
    WatchedSession,
)
from shuffler.kit.conformance.spoiling import flipped, wrong_check

PLAIN, RESET_ACT, SILENCE, VERSION_ACT, SET_BACK = "plain", "reset", "silence", "version", "set back"
ACTS = (PLAIN, RESET_ACT, SILENCE, VERSION_ACT, SET_BACK, PLAIN)

WITHHELD_US = 3_000_000  # no answer to the first hello: its copies come at 250, 750 and 1,750 ms
TEMPTED_US = 400_000  # how long a poisoned frame stands alone
OVERTAKEN_US = 300_000
SWALLOWED_TIMES = 2
ACT_AFTER = 4  # frames in order of the host, before an act ends its session
ROUND_OVER_US = 1_500_000  # after its last event
PLAIN_US = 60_000_000  # of a host that deals no round
WRONG_VERSION = 9
STUB_REMOVED = m.StubRemoved.entry.number
PLAIN_POISONS = (Poison.WRONG_CHECK, Poison.UNKNOWN_FLAG, Poison.OTHER_VERSION, Poison.OTHER_SESSION)
SEALED_POISONS = (Poison.WRONG_CHECK, Poison.UNSEALED, Poison.BAD_SEAL, Poison.OTHER_SESSION)


class WatchedDevice(Protocol):
    """What the watcher needs of the device behind it; `firmware_sim.unit.emulator.Emulator` is one."""

    def receive(self, data: bytes, now: int) -> None:
        """Take bytes from the line."""

    def data_to_send(self, now: int) -> bytes:
        """Bytes that are due for the line."""

    def tick(self, now: int) -> None:
        """Let time pass."""

    def next_deadline(self) -> int | None:
        """When `tick` wants to be called."""

    def pull_cable(self) -> None:
        """The cable is out."""

    @property
    def has_session(self) -> bool:
        """Whether a host talks to it."""

    def yields_to(self, hello: m.Hello, *, young: bool) -> bool:
        """Whether its cable may be taken by another."""


class Watcher:
    """A device to its host, a transcript to the suite."""

    def __init__(
        self, inner: WatchedDevice, chance: Chance, *, jitter_us: int, key: bytes | None = None,
        acts: tuple[str, ...] = ACTS,
    ) -> None:  # fmt: skip
        self.seen = RunTranscript(jitter_us, key)
        self._inner = inner
        self._chance = chance
        self._acts = acts
        self._from_host, self._from_device = Framer(), Framer()
        self._last_byte = 0
        self._out: list[bytes] = []
        self._later: list[tuple[int, int, bytes]] = []  # due, order, frame for the host
        self._order = 0
        self._greetings: dict[bytes, Greeting] = {}
        self._session: WatchedSession | None = None
        self._staged: list[Poison] = []
        self._stage_at = 0  # frames in order of the device after which the next thing is staged
        self._tempted: Tempted | None = None
        self._held: list[Frame] = []
        self._held_until = 0

    @property
    def acts_left(self) -> int:
        """Acts that no session has played yet."""
        return max(0, len(self._acts) - self._played)

    @property
    def _played(self) -> int:
        """Acts that were played: in a session that the host has used, or by a welcome that it must refuse."""
        refused = sum(why == VERSION_ACT for why in self.seen.impostors.values())
        return refused + sum(bool(session.host) for session in self.seen.sessions)

    # ------------------------------------------------------------------------------------------------ a device's calls

    @property
    def has_session(self) -> bool:
        return self._inner.has_session

    def yields_to(self, hello: m.Hello, *, young: bool) -> bool:
        """As the device behind it says."""
        return self._inner.yields_to(hello, young=young)

    def pull_cable(self) -> None:
        """The cable is out: a session that was under way is over."""
        self._inner.pull_cable()
        self._end_session()
        self._later.clear()
        self._out.clear()

    def receive(self, data: bytes, now: int) -> None:
        """Bytes of the host."""
        self._count_zeros(data)
        before = self._from_host.garbage.total
        for frame in self._from_host.feed(data):
            self.seen.sound += 1
            self.seen.frames += 1
            if self.seen.frames < MOST_FRAMES:
                self._hear(frame, now)
        self.seen.garbage += self._from_host.garbage.total - before

    def data_to_send(self, now: int) -> bytes:
        """Bytes for the host: what the device says, as the act wants it."""
        for frame in self._from_device.feed(self._inner.data_to_send(now)):
            self._say(frame, now)
        self._release(now)
        self._end_of_plain(now)
        while self._later and self._later[0][0] <= now:
            self._out.append(heapq.heappop(self._later)[2])
        data = b"".join(self._out)
        self._out.clear()
        return data

    def tick(self, now: int) -> None:
        """Let time pass."""
        due = self._inner.next_deadline()
        if due is not None and due <= now:
            self._inner.tick(now)

    def next_deadline(self) -> int | None:
        """When something is due, here or in the device."""
        due = [self._inner.next_deadline(), self._later[0][0] if self._later else None]
        if self._held:
            due.append(self._held_until)
        return min((one for one in due if one is not None), default=None)

    # ------------------------------------------------------------------------------------------------- from the host

    def _count_zeros(self, data: bytes) -> None:
        for byte in data:
            if byte == 0 and self._last_byte == 0:
                self.seen.doubled_zeros += 1
            elif byte == 0:
                self.seen.pieces += 1
            self._last_byte = byte

    def _hear(self, frame: Frame, now: int) -> None:
        if frame.message == HELLO and frame.session == 0:
            self._hear_hello(frame, now)
            return
        session = next((one for one in reversed(self.seen.sessions) if one.number == frame.session), None)
        if session is None:
            self.seen.strays.append(SeenFrame(now, frame))
            if frame.session in self.seen.impostors:
                return
        else:
            if not session.host:
                self._begin(session)
            session.host.append(SeenFrame(now, frame))
            if self._swallows(session, frame, now):
                return
            self._note_temptation(session, frame)
        self._inner.receive(_bytes(frame), now)
        if session is not None:
            self._play_act(session, frame, now)

    def _begin(self, session: WatchedSession) -> None:
        """The host has taken the session: from now on it is the one in use, and its act begins."""
        self._end_session()
        session.act = self._acts[self._played] if self._played < len(self._acts) else PLAIN
        if session.act in (VERSION_ACT, SET_BACK):
            session.act = PLAIN  # these are played by a welcome; this one was under way before
        self._session = session
        self._staged = list(SEALED_POISONS if self.seen.key is not None else PLAIN_POISONS)
        self._stage_at = 2

    def _hear_hello(self, frame: Frame, now: int) -> None:
        try:
            hello = decode_body(HELLO, frame.body)
        except RemoteProtocolError:
            self.seen.strays.append(SeenFrame(now, frame))
            return
        assert isinstance(hello, m.Hello)
        greeting = self._greetings.get(hello.nonce)
        if greeting is None:
            greeting = self._greetings[hello.nonce] = Greeting(hello)
            self.seen.greetings.append(greeting)
            self._end_session()
        greeting.frames.append(SeenFrame(now, frame))
        first = greeting.frames[0].at
        if len(self.seen.greetings) == 1 and now - first < WITHHELD_US:
            greeting.withheld_us = WITHHELD_US
            if len(greeting.frames) == 1:
                self._impersonate(hello, now + WITHHELD_US // 2)
            return
        self._inner.receive(_bytes(frame), now)

    def _impersonate(self, hello: m.Hello, at: int) -> None:
        """A welcome to somebody else, of a session that is none of this host's."""
        number = int.from_bytes(self._chance(4), "little") | 1
        self.seen.impostors[number] = "another nonce"
        welcome = _welcome_of(hello, self._chance)
        body = encode_body(replace(welcome, host_nonce=self._chance(16)))
        self._put_later(at, wrap(pack_header(0, WELCOME, number, 0, 0, 0, version=HELLO_VERSION), body))

    def _swallows(self, session: WatchedSession, frame: Frame, now: int) -> bool:
        """Keep one frame of the host from the device a few times, to see it sent again."""
        if session.act != PLAIN or frame.sequence == 0:
            return False
        if not session.swallowed and frame.sequence >= 2:
            session.swallowed[frame.sequence] = now
            return True
        first = session.swallowed.get(frame.sequence)
        copies = sum(one.frame.sequence == frame.sequence for one in session.host)
        return first is not None and copies <= SWALLOWED_TIMES

    def _note_temptation(self, session: WatchedSession, frame: Frame) -> None:
        tempted = self._tempted
        if tempted is not None and session is self._session and frame.acknowledge >= tempted.sequence:
            tempted.taken = True
        if session.overtaken is not None and frame.message == ACK and frame.acknowledge == session.overtaken - 1:
            sealed = bool(frame.flags & SEALED)
            session.overtaken_told = session.overtaken_told or sealed or bool(frame.body[:1] and frame.body[0] & 1)

    def _play_act(self, session: WatchedSession, frame: Frame, now: int) -> None:
        """What ends a session in its act: a reset with an answer kept back, or silence."""
        if session is not self._session or session.over_at is not None or session.silenced_at is not None:
            return
        in_order = sum(one.frame.sequence != 0 for one in session.host)
        entry = BY_NUMBER.get(frame.message)
        if session.act == SILENCE and in_order >= ACT_AFTER:
            session.silenced_at = now
        elif (
            session.act == RESET_ACT and in_order >= ACT_AFTER and entry is not None and entry.effect and frame.sequence
        ):
            if any(one.frame.request == frame.request for one in session.device):
                return  # a copy of one that was answered
            session.unanswered = frame.request
            self._end(session, now)

    def _end_of_plain(self, now: int) -> None:
        """A plain session is over when everything was staged and the round dealt out, or after a while."""
        session = self._session
        if session is None or session.act != PLAIN or session.over_at is not None or self.acts_left == 0:
            return
        overtook = session.overtaken is not None or session.welcome.window == 1
        staged = not self._staged and not self._held and overtook and bool(session.swallowed)
        dealt = any(one.frame.message == STUB_REMOVED and now - one.at > ROUND_OVER_US for one in session.device)
        age = now - session.begun
        if (staged and dealt) or (age > PLAIN_US and staged) or age > 2 * PLAIN_US:
            self._end(session, now)

    def _end(self, session: WatchedSession, now: int) -> None:
        """The device ends the session; what it had to say is lost, and it knows the session no longer."""
        session.over_at = now
        self._inner.data_to_send(now)
        self._inner.pull_cable()
        self._end_session()
        if self.seen.key is None:
            body = encode_body(m.Reset(reason=ResetReason.CLOSED, text="the suite ends this session"))
            self._out.append(wrap(pack_header(0, RESET, session.number, 0, 0, 0), body))

    def _end_session(self) -> None:
        self._session = None
        self._tempted = None
        self._held.clear()

    # ------------------------------------------------------------------------------------------------- to the host

    def _say(self, frame: Frame, now: int) -> None:
        if frame.message == WELCOME:
            self._say_welcome(frame, now)
            return
        session = next((one for one in reversed(self.seen.sessions) if one.number == frame.session), None)
        if session is None:
            self._put(frame)
            return
        if session.silenced_at is not None or (session.over_at is not None and now > session.over_at):
            if frame.message == RESET and session.silenced_at is None:
                self._put(frame)
            return
        if self._held and frame.sequence:
            self._held.append(frame)
            return
        if session.act == PLAIN and session is self._session and frame.sequence and self._stages(session, frame, now):
            return
        self._tell(session, frame, now)

    def _tell(self, session: WatchedSession, frame: Frame, now: int) -> None:
        session.device.append(SeenFrame(now, frame))
        self._put(frame)

    def _say_welcome(self, frame: Frame, now: int) -> None:
        welcome = decode_body(WELCOME, frame.body)
        assert isinstance(welcome, m.Welcome)
        if any(one.number == frame.session for one in self.seen.sessions):
            self._put(frame)
            return
        if frame.session in self.seen.impostors:
            return
        hello = self._greetings[welcome.host_nonce].hello
        played = self._played
        act = self._acts[played] if played < len(self._acts) else PLAIN
        if act == VERSION_ACT and self.seen.key is None:
            self.seen.impostors[frame.session] = VERSION_ACT
            self._put(frame._replace(body=encode_body(replace(welcome, version=WRONG_VERSION))))
            self._inner.pull_cable()
            return
        stored = self._stored(welcome, hello.instance)
        if act == SET_BACK and self.seen.key is None and stored > 1:
            self.seen.set_back_to = stored - 1
            number = int.from_bytes(self._chance(4), "little") | 1
            self.seen.impostors[number] = SET_BACK
            lower = replace(
                welcome, last_event=stored - 1, acknowledged_event=min(welcome.acknowledged_event, stored - 1)
            )
            self._acts = (*self._acts[:played], PLAIN, *self._acts[played + 1 :])
            self._put(frame._replace(body=encode_body(lower), session=number))
            self._inner.pull_cable()
            return
        self.seen.sessions.append(WatchedSession(frame.session, hello, welcome, now, act))
        self._put(frame)

    def _stored(self, welcome: m.Welcome, instance: bytes) -> int:
        """The newest event of this epoch that the host has acknowledged as stored."""
        stored = 0
        for session in self.seen.of_instance(instance):
            if session.welcome.epoch == welcome.epoch:
                for one in session.host:
                    message = one.message
                    if isinstance(message, m.AckEvents):
                        stored = max(stored, message.upto)
        return stored

    def _stages(self, session: WatchedSession, frame: Frame, now: int) -> bool:
        """Hold the frame back and put something else in its place, where one is due; True where it is held."""
        told = {one.frame.sequence for one in session.device}
        if frame.sequence in told or frame.sequence != max(told, default=0) + 1 or frame.sequence < self._stage_at:
            return False
        self._stage_at = frame.sequence + 2
        if self._staged:
            poison = self._staged.pop(0)
            self._tempted = Tempted(poison, frame.sequence)
            session.poisoned.append(self._tempted)
            self._out.append(_poisoned(poison, frame, self._chance))
            self._hold(frame, now, TEMPTED_US)
            return True
        if session.endless_at is None:
            session.endless_at = now
            self._out.append(b"\x2a" * (MAX_ENCODED + 300) + b"\0")
            return False
        if session.overtaken is None and session.welcome.window > 1:
            session.overtaken = frame.sequence
            self._hold(frame, now, OVERTAKEN_US)
            return True
        return False

    def _hold(self, frame: Frame, now: int, how_long_us: int) -> None:
        self._held = [frame]
        self._held_until = now + how_long_us

    def _release(self, now: int) -> None:
        """The sound frames, once the poisoned one has stood alone; for an overtaken one its successor goes first."""
        session = self._session
        if not self._held or session is None:
            self._held.clear()
            return
        overtaken = session.overtaken == self._held[0].sequence and self._tempted is None
        if overtaken and now < self._held_until:
            first = self._held[0].sequence
            for frame in [one for one in self._held[1:] if one.sequence == first + 1]:
                self._held.remove(frame)
                self._tell(session, frame, now)
            return
        if now < self._held_until:
            return
        self._tempted = None
        held, self._held = self._held, []
        for frame in held:
            self._tell(session, frame, now)

    def _put(self, frame: Frame) -> None:
        self._out.append(_bytes(frame))

    def _put_later(self, at: int, data: bytes) -> None:
        self._order += 1
        heapq.heappush(self._later, (at, self._order, data))


def _poisoned(poison: Poison, frame: Frame, chance: Chance) -> bytes:
    match poison:
        case Poison.WRONG_CHECK:
            return wrong_check(_bytes(frame))
        case Poison.UNKNOWN_FLAG:
            return _bytes(frame._replace(flags=frame.flags | 0x40))
        case Poison.OTHER_VERSION:
            return _bytes(frame._replace(version=VERSION + 1))
        case Poison.OTHER_SESSION:
            return _bytes(frame._replace(session=int.from_bytes(chance(4), "little") | 1))
        case Poison.UNSEALED:
            return _bytes(frame._replace(flags=frame.flags & ~SEALED, body=frame.body[:2]))
        case Poison.BAD_SEAL:
            return _bytes(frame._replace(body=frame.body[:-4] + flipped(frame.body[-4:])))


def _bytes(frame: Frame) -> bytes:
    return wrap(pack_header(*frame[1:7], version=frame.version), frame.body)


def _welcome_of(hello: m.Hello, chance: Chance) -> m.Welcome:
    return m.Welcome(
        version=VERSION, capabilities=Capability(0), window=hello.window, max_body=hello.max_body, heartbeat_ms=1000,
        fingerprint=hello.fingerprint, epoch=int.from_bytes(chance(8), "little"), boots=1, last_event=0,
        acknowledged_event=0, command_memory=64, known_instance=False, host_nonce=hello.nonce, nonce=chance(16),
        serial="SOMEBODY-ELSE", ephemeral=b"", proof=b"",
    )  # fmt: skip
