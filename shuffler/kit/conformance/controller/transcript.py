"""What the watching device saw: every session with both directions, and what was done to it on purpose."""

from dataclasses import dataclass, field
from enum import Enum

from protocol import messages as m
from protocol.codec import decode_body
from protocol.errors import RemoteProtocolError
from protocol.framing import SEALED, Frame

MOST_FRAMES = 200_000  # of one run: then it is judged by what was seen


class Poison(Enum):
    """A copy of the next frame that a host must drop, held out to it in place of the sound one."""

    WRONG_CHECK = "a wrong check"
    UNKNOWN_FLAG = "the unknown flag 0x40"
    OTHER_VERSION = "another version"
    OTHER_SESSION = "another session"
    UNSEALED = "no seal"
    BAD_SEAL = "a wrong seal"


@dataclass(frozen=True, slots=True)
class SeenFrame:
    """A sound frame, either way."""

    at: int
    frame: Frame

    @property
    def message(self) -> m.Message | None:
        """The body as a message; None where it can't be read or is sealed."""
        if self.frame.flags & SEALED:
            return None
        try:
            return decode_body(self.frame.message, self.frame.body)
        except RemoteProtocolError:
            return None


@dataclass(slots=True)
class Tempted:
    """A poisoned frame: what it was, which number it had, and what the host had acknowledged by the end of it."""

    poison: Poison
    sequence: int
    taken: bool = False


@dataclass(slots=True)
class WatchedSession:
    """One session from its welcome on."""

    number: int
    hello: m.Hello
    welcome: m.Welcome
    begun: int
    act: str
    host: list[SeenFrame] = field(default_factory=list)
    device: list[SeenFrame] = field(default_factory=list)  # as it was put on the line, copies too
    poisoned: list[Tempted] = field(default_factory=list)
    silenced_at: int | None = None  # from here on the host hears nothing
    over_at: int | None = None  # the device knows it no longer
    swallowed: dict[int, int] = field(default_factory=dict)  # host's sequence -> when it first came and was not taken
    overtaken: int | None = None  # a frame that was sent behind its successor
    overtaken_told: bool = False  # the host has said so in an Ack before it came
    unanswered: int | None = None  # a command's id whose answer was kept back until the end
    endless_at: int | None = None  # a piece without an end was sent


@dataclass(slots=True)
class Greeting:
    """A hello and its copies, as they came."""

    hello: m.Hello
    frames: list[SeenFrame] = field(default_factory=list)
    withheld_us: int = 0  # for how long it was not answered


@dataclass(slots=True)
class RunTranscript:
    """The whole run."""

    jitter_us: int
    key: bytes | None = None
    greetings: list[Greeting] = field(default_factory=list)
    sessions: list[WatchedSession] = field(default_factory=list)
    impostors: dict[int, str] = field(default_factory=dict)  # numbers of sessions that were never real, and why
    strays: list[SeenFrame] = field(default_factory=list)  # frames of the host in no session of the device's
    doubled_zeros: int = 0
    pieces: int = 0
    sound: int = 0
    garbage: int = 0
    set_back_to: int | None = None  # the newest event that the host was told of, lower than what it has stored
    frames: int = 0

    @property
    def quiet_line(self) -> bool:
        """Whether nothing that the host sent was damaged."""
        return self.garbage == 0

    def of_instance(self, instance: bytes) -> list[WatchedSession]:
        """The sessions of one instance, in order."""
        return [one for one in self.sessions if one.hello.instance == instance]


def newest_event(session: WatchedSession) -> int:
    """The highest number of an event that was told in a session."""
    return max((one.message.number for one in session.device if isinstance(one.message, m.Event)), default=0)
