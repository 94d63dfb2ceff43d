"""One end of a recorded conversation played again over a live link: what both roles share. Pure.

The link itself (handshake, sequence numbers, acknowledgements, heartbeats, retransmission) is a real one; what is
played are the messages in it. An own message goes out when everything that preceded it in the recording has been said
again, so the player waits where the recording waited, and whatever the peer says is held against what it said then.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from protocol import messages as m
from protocol.catalogue import Way
from protocol.link import Link
from protocol.secure import Chance
from shuffler.kit.recording.compare import NOTHING, message_differences, whole
from shuffler.kit.recording.conversation import ConversationStep, Ended, Opaque, Opened, Pulled, Said, said_once
from shuffler.kit.recording.differences import Difference, Masked
from shuffler.kit.recording.errors import CannotReplay
from shuffler.kit.recording.lanes import MessageLane, lane
from shuffler.kit.recording.pace import ReplayPace

DIFFERENCES_KEPT = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOutcome:
    """What came of a replay."""

    finished: bool
    stopped: str  # why it ended early; empty where it did not
    compared: int
    differences: tuple[Difference, ...]
    masked: Masked
    polls_recorded: int
    polls_came: int

    @property
    def matches(self) -> bool:
        """Whether the peer said what it said then, to the end."""
        return self.finished and not self.differences


class Player(ABC):
    """Plays the steps; a subclass is one of the two ends."""

    own: Way

    def __init__(self, steps: Sequence[ConversationStep], pace: ReplayPace, chance: Chance) -> None:
        """Raises CannotReplay where there is nothing to say."""
        self.steps = said_once(steps)
        if any(isinstance(step, Opaque) for step in self.steps):
            raise CannotReplay(
                "a secure session is recorded without its keys: record it through `shuffler proxy --secure KEY`"
            )
        if not any(isinstance(step, Opened) for step in self.steps):
            raise CannotReplay("no session was opened in this recording: there is nothing to replay")
        self.pace = pace
        self.chance = chance
        self.stopped = ""
        self.masked = Masked()
        self.differences: list[Difference] = []
        self.compared = 0
        self.polls_came = 0
        self._at = 0  # the next step
        self._moment_us: int | None = None  # when the step before was done
        self._waiting_us: int | None = None  # since when the next step is waited for
        self._peer_lanes: dict[MessageLane, list[Said]] = {}
        for step in self.steps:
            if isinstance(step, Said) and step.way is not self.own:
                self._peer_lanes.setdefault(lane(step.way, step.message), []).append(step)
        self._arrived: dict[MessageLane, int] = dict.fromkeys(MessageLane, 0)
        self._place = {id(step): at for said in self._peer_lanes.values() for at, step in enumerate(said)}
        self._opened = 0  # sessions so far
        self._downs = 0  # sessions that the peer has ended

    # ------------------------------------------------------------------------------------------- for whoever drives

    @property
    @abstractmethod
    def link(self) -> Link:
        """The live link."""

    @property
    def done(self) -> bool:
        """Whether nothing more will be said."""
        return bool(self.stopped) or self._at >= len(self.steps)

    def outcome(self) -> ReplayOutcome:
        """What came of it so far."""
        return ReplayOutcome(
            finished=self._at >= len(self.steps) and not self.stopped,
            stopped=self.stopped,
            compared=self.compared,
            differences=tuple(self.differences),
            masked=self.masked,
            polls_recorded=len(self._peer_lanes.get(MessageLane.POLLS, [])),
            polls_came=self.polls_came,
        )

    def stop(self, why: str) -> None:
        """Nobody can go on."""
        self.stopped = self.stopped or why

    # ------------------------------------------------------------------------------------------------- what comes in

    def _take(self, message: m.Message) -> Said | None:
        """A message of the peer, held against the recorded one in its place; that one, or None where it is not."""
        kind = lane(Way.HOST if self.own is Way.DEVICE else Way.DEVICE, message)
        expected = self._peer_lanes.get(kind, [])
        at = self._arrived[kind]
        name = type(message).__name__
        if at >= len(expected):
            last = self.steps[-1]
            self._differs(whole(last, name, NOTHING, name))
            return None
        recorded = expected[at]
        if type(recorded.message) is not type(message):
            wanted = type(recorded.message).__name__
            self._differs(whole(recorded, wanted, wanted, name))
            self.stop(f"frame {recorded.number}: {wanted} was recorded, {name} came")
            return None
        self._arrived[kind] = at + 1
        self.compared += 1
        for difference in message_differences(recorded, recorded.message, message, self.masked):
            self._differs(difference)
        return recorded

    def _differs(self, difference: Difference) -> None:
        if len(self.differences) < DIFFERENCES_KEPT:
            self.differences.append(difference)

    def _hold_against(self, step: Opened, recorded: m.Message, came: m.Message) -> None:
        """A greeting, compared likewise."""
        self.compared += 1
        for difference in message_differences(step, recorded, came, self.masked):
            self._differs(difference)

    # ------------------------------------------------------------------------------------------------ what goes out

    def _advance(self, now: int) -> None:
        """Do every step that is due."""
        while not self.done:
            step = self.steps[self._at]
            if self._waiting_us is None:
                self._waiting_us = now
            due = self._due_at(step)
            if (due is not None and now < due) or not self._do(step, now):
                self._give_up(step, due, now)
                return
            self._at += 1
            self._moment_us, self._waiting_us = now, None

    def _is_own(self, step: ConversationStep) -> bool:
        return isinstance(step, Said | Ended) and step.way is self.own

    def _due_at(self, step: ConversationStep) -> int | None:
        """When an own step may be done at the earliest, by the pace."""
        if self._moment_us is None or not self._is_own(step):
            return None
        before = self.steps[self._at - 1].at_us if self._at else step.at_us
        return self._moment_us + self.pace.pause_us(step.at_us - before)

    def _give_up(self, step: ConversationStep, due: int | None, now: int) -> None:
        since = max(self._waiting_us or now, due or 0)
        if now - since >= self.pace.patience_us:
            self.stop(f"waited {self.pace.patience_us / 1e6:g} s for {described(step)}, and it did not come")

    def _wants_look(self) -> int | None:
        """When `_advance` may have something to do without hearing anything."""
        if self.done or self._waiting_us is None:
            return None
        due = self._due_at(self.steps[self._at])
        since = max(self._waiting_us, due or 0)
        limit = since + self.pace.patience_us
        return limit if due is None or due <= self._waiting_us else min(due, limit)

    def _do(self, step: ConversationStep, now: int) -> bool:
        """Do one step, or say that it has to wait."""
        match step:
            case Said():
                if step.way is self.own:
                    return self._say(step, now)
                kind = lane(step.way, step.message)
                return kind in (MessageLane.LOOSE, MessageLane.POLLS) or self._arrived[kind] > self._place[id(step)]
            case Opened():
                return self._open(step, now)
            case Ended():
                return self._end(step, now)
            case Pulled():
                return self._pull(step, now)
        return True

    @abstractmethod
    def _say(self, step: Said, now: int) -> bool:
        """Send a message of the own end, fitted to this session."""

    @abstractmethod
    def _open(self, step: Opened, now: int) -> bool:
        """Open a session, or see that it is open."""

    @abstractmethod
    def _end(self, step: Ended, now: int) -> bool:
        """End the session, or see that the peer has."""

    @abstractmethod
    def _pull(self, step: Pulled, now: int) -> bool:
        """Pull the cable where the recording did."""

    @property
    def _is_last_word(self) -> bool:
        """Whether nothing is said any more after the step that is next."""
        return not any(isinstance(step, Said | Opened) for step in self.steps[self._at :])


def described(step: ConversationStep) -> str:
    """A step for people."""
    match step:
        case Said(message=message):
            return f"frame {step.number}, {type(message).__name__}"
        case Opened():
            return f"frame {step.number}, a session"
        case Ended():
            return f"frame {step.number}, the session's end"
    return f"what follows frame {step.number}"
