"""One secure session between both links, with fixed bytes instead of random ones: shown in the vectors."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from protocol import messages as m
from protocol.codec import decode_body
from protocol.device_link import DeviceLink, Identity
from protocol.framing import Frame, Framer
from protocol.host_link import HostLink
from protocol.link import HELLO, LinkUp, Received
from protocol.render.examples import typical
from protocol.secure import COUNTER_BYTES, KEY_BYTES, Ephemeral, SessionKeys, derive, transcript
from protocol.story import EPOCH, GAME, SERIAL, made_up

KEY = made_up("pre-shared key", KEY_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A frame of the secure session with its message."""

    sender: str
    message: m.Message
    frame: Frame
    line: bytes

    @property
    def counter(self) -> int:
        """The packet counter."""
        return int.from_bytes(self.frame.body[:COUNTER_BYTES], "little")


@dataclass(frozen=True, slots=True, kw_only=True)
class Handshake:
    """Messages, keys and frames of the session."""

    host_private: bytes
    device_private: bytes
    hello: m.Hello
    hello_line: bytes
    welcome: m.Welcome
    welcome_line: bytes
    session: int
    transcript: bytes
    digest: bytes
    shared: bytes
    keys: SessionKeys
    proof_key: bytes
    sealed: tuple[Sealed, ...]


def _recorded(name: str, draws: list[bytes]) -> Callable[[int], bytes]:
    """Return a deterministic source of bytes that keeps what it returned."""

    def chance(count: int) -> bytes:
        draws.append(made_up(f"{name} {len(draws)}", count))
        return draws[-1]

    return chance


def _identity(_: m.Hello) -> Identity:
    return Identity(
        serial=SERIAL, epoch=EPOCH, boots=12, last_event=70, acknowledged_event=70, command_memory=64,
        known_instance=False,
    )  # fmt: skip


@cache
def handshake() -> Handshake:
    """Return hello, welcome, the host's first heartbeat, a command, its answer and an event."""
    host_draws: list[bytes] = []
    device_draws: list[bytes] = []
    host = HostLink(instance=made_up("instance", 16), chance=_recorded("host", host_draws), key=KEY)
    device = DeviceLink(identity=_identity, chance=_recorded("device", device_draws), key=KEY)
    host.connect(0, 17)
    hello_line = host.data_to_send(0)
    device.receive(hello_line, 0)
    welcome_line = device.data_to_send(0)
    host.receive(welcome_line, 0)
    host_private = next(draw for draw in host_draws if len(draw) == KEY_BYTES)
    device_private = next(draw for draw in device_draws if len(draw) == KEY_BYTES)
    welcome = host.welcome
    assert host.session is not None
    assert welcome is not None
    hello = decode_body(HELLO, _only(hello_line).body)
    assert isinstance(hello, m.Hello)
    shared = Ephemeral(lambda _: host_private).shared(welcome.ephemeral)
    assert shared is not None
    said = transcript(hello, welcome, host.session.number)
    sealed = [_sent("host", m.Heartbeat(uptime_ms=0, last_event=0), 0, host, device)]
    host.send(m.SelectGame(game=GAME), 17)
    sealed.append(_sent("host", m.SelectGame(game=GAME), 17, host, device))
    device.send(m.Done(), 17)
    sealed.append(_sent("device", m.Done(), 17, device, host))
    event = typical(m.GroupRemoved)
    device.send(event)
    sealed.append(_sent("device", event, 0, device, host))
    return Handshake(
        host_private=host_private,
        device_private=device_private,
        hello=hello,
        hello_line=hello_line,
        welcome=welcome,
        welcome_line=welcome_line,
        session=host.session.number,
        transcript=said,
        digest=hashlib.sha256(said).digest(),
        shared=shared,
        keys=derive(KEY, shared, said),
        proof_key=_okm(shared, said)[2 * KEY_BYTES :],
        sealed=tuple(sealed),
    )


def _okm(shared: bytes, said: bytes) -> bytes:
    """Return all three keys in a row; `derive` does not return the last one."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    info = b"shuffler-bench/secure/1" + hashlib.sha256(said).digest()
    okm = HKDF(hashes.SHA256(), 3 * KEY_BYTES, salt=KEY, info=info).derive(shared)
    keys = derive(KEY, shared, said)
    assert okm.startswith(keys.host + keys.device)
    return okm


def _sent(
    sender: str, message: m.Message, request: int, end: HostLink | DeviceLink, other: HostLink | DeviceLink
) -> Sealed:
    line = end.data_to_send(0)
    happened = other.receive(line, 0)
    assert [event for event in happened if isinstance(event, LinkUp) or event == Received(message, request)]
    return Sealed(sender=sender, message=message, frame=_only(line), line=line)


def _only(line: bytes) -> Frame:
    (frame,) = Framer().feed(line)
    return frame
