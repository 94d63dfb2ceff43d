"""A proxy with the key in the middle of a secure session: two handshakes, every frame opened and sealed anew. Pure.

Who only listens can't open a secure session even with the pre-shared key, since its keys come from ephemeral ones. A
proxy with the key takes part: to the device it is the host, to the host the device, each with ephemeral keys of its
own. Headers stay as they are, so sequence numbers and acknowledgements are the two ends' own.
"""

from dataclasses import dataclass, replace

from protocol.catalogue import Way
from protocol.codec import decode_body, encode_body
from protocol.errors import RemoteProtocolError
from protocol.framing import SEALED, Frame, pack_header, wrap
from protocol.link import HELLO, WELCOME
from protocol.messages import Hello, Welcome
from protocol.secure import PUBLIC_BYTES, Chance, Ephemeral, Seal, SessionKeys, derive, is_proof, transcript

HELLOS_KEPT = 16


@dataclass(slots=True)
class _Asked:
    hello: Hello  # the host's own
    forwarded: Hello
    ephemeral: Ephemeral  # towards the device
    welcome: tuple[int, Welcome] | None = None


@dataclass(slots=True)
class _Sealed:
    towards_host: Seal
    towards_device: Seal


class Unsealing:
    """Both handshakes of a secure session; `opened` has the keys of the session as the device has it."""

    def __init__(self, key: bytes, chance: Chance) -> None:
        self.refused = 0  # frames and greetings that were not sealed with this key
        self._key = key
        self._chance = chance
        self._asked: dict[bytes, _Asked] = {}
        self._sessions: dict[int, _Sealed] = {}

    def passed(self, way: Way, frame: Frame) -> tuple[bytes, tuple[int, SessionKeys] | None]:
        """The frame as it goes on, and, where it opened a session, that session's number and keys."""
        if frame.sequence == 0 and frame.message == HELLO and way is Way.HOST:
            return self._hello(frame), None
        if frame.sequence == 0 and frame.message == WELCOME and way is Way.DEVICE:
            return self._welcome(frame)
        session = self._sessions.get(frame.session)
        if session is None or not frame.flags & SEALED:
            return _again(frame, frame.body), None
        inward, outward = (
            (session.towards_host, session.towards_device)
            if way is Way.HOST
            else (session.towards_device, session.towards_host)
        )
        header = pack_header(*frame[1:7], version=frame.version)
        body = inward.open(header, frame.body)
        if body is None:
            self.refused += 1
            return b"", None
        return wrap(header, outward.seal(header, body)), None

    def _hello(self, frame: Frame) -> bytes:
        hello = _decoded(frame)
        if not isinstance(hello, Hello) or len(hello.ephemeral) != PUBLIC_BYTES:
            return _again(frame, frame.body)
        if hello.nonce not in self._asked:
            mine = Ephemeral(self._chance)
            self._asked[hello.nonce] = _Asked(hello, replace(hello, ephemeral=mine.public), mine)
            while len(self._asked) > HELLOS_KEPT:
                del self._asked[next(iter(self._asked))]
        return _again(frame, encode_body(self._asked[hello.nonce].forwarded))

    def _welcome(self, frame: Frame) -> tuple[bytes, tuple[int, SessionKeys] | None]:
        welcome = _decoded(frame)
        asked = self._asked.get(welcome.host_nonce) if isinstance(welcome, Welcome) else None
        if asked is None or not isinstance(welcome, Welcome) or len(welcome.ephemeral) != PUBLIC_BYTES:
            return _again(frame, frame.body), None
        if asked.welcome is not None and asked.welcome[0] == frame.session:
            return _again(frame, encode_body(asked.welcome[1])), None
        shared = asked.ephemeral.shared(welcome.ephemeral)
        device = None if shared is None else derive(
            self._key, shared, transcript(asked.forwarded, welcome, frame.session)
        )  # fmt: skip
        if device is None or not is_proof(device, welcome.proof):
            self.refused += 1
            return b"", None
        mine = Ephemeral(self._chance)
        with_host = mine.shared(asked.hello.ephemeral)
        if with_host is None:
            return b"", None
        answer = replace(welcome, ephemeral=mine.public, proof=b"")
        host = derive(self._key, with_host, transcript(asked.hello, answer, frame.session))
        answer = replace(answer, proof=host.proof)
        asked.welcome = frame.session, answer
        self._sessions[frame.session] = _Sealed(
            towards_host=Seal(send=host.device, receive=host.host),
            towards_device=Seal(send=device.host, receive=device.device),
        )
        while len(self._sessions) > HELLOS_KEPT:
            del self._sessions[next(iter(self._sessions))]
        return _again(frame, encode_body(answer)), (frame.session, device)


def _decoded(frame: Frame) -> object:
    try:
        return decode_body(frame.message, frame.body)
    except RemoteProtocolError:
        return None


def _again(frame: Frame, body: bytes) -> bytes:
    return wrap(pack_header(*frame[1:7], version=frame.version), body)
