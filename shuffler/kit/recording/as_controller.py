"""The controller's end of a recording, played to a live device. Pure: bytes and time in, bytes out.

Its commands are the recorded ones under ids of a new instance, so that a device that remembers the first conversation
does not take them for repeats. Proofs of a role are made anew from the role's words. A question for the status is asked
again until it brings the recorded answer.
"""

from collections.abc import Mapping, Sequence

from protocol import messages as m
from protocol.catalogue import Way
from protocol.host_link import HostLink
from protocol.link import LinkDown, LinkUp, Received
from protocol.secure import Chance
from protocol.vocabulary import Role
from shuffler.host.commands import answer
from shuffler.kit.recording.compare import message_differences
from shuffler.kit.recording.conversation import ConversationStep, Ended, Opened, Pulled, Said
from shuffler.kit.recording.differences import Masked, field_differences
from shuffler.kit.recording.lanes import MessageLane, lane
from shuffler.kit.recording.pace import ReplayPace
from shuffler.kit.recording.player import Player

POLL_US = 20_000


class ReplayedController(Player):
    """A controller that says what the recorded one said; `wants_pull` where its cable was pulled."""

    own = Way.HOST

    def __init__(
        self,
        steps: Sequence[ConversationStep],
        pace: ReplayPace,
        chance: Chance,
        *,
        key: bytes | None = None,
        secrets: Mapping[Role, str] | None = None,
    ) -> None:
        super().__init__(_without_idle_polls(steps), pace, chance)
        self.wants_pull = False
        self._secrets = secrets or {}
        self._link = HostLink(instance=chance(16), chance=chance, key=key)
        self._sessions = [step for step in self.steps if isinstance(step, Opened)]
        self._requests: dict[int, int] = {}  # recorded: live
        self._unanswered: dict[int, m.Message] = {}
        self._next = 1
        self._newest = 0
        self._event_numbers: list[int] = []
        self._challenge: m.Challenge | None = None
        self._poll: int | None = None  # the request that asks for the status
        self._poll_again_us: int | None = None
        self._poll_since_us = 0
        self._status: m.Message | None = None
        self._plugged = False

    @property
    def link(self) -> HostLink:
        return self._link

    # ------------------------------------------------------------------------------------------------- bytes and time

    def connect(self, now: int) -> None:
        """The cable is in."""
        self._plugged = True
        self._link.connect(now, self._next)
        self._advance(now)

    def lose_cable(self) -> None:
        """The cable is out."""
        self._plugged = False
        self._downs += self._link.is_up
        self._link.lose_cable()
        self.wants_pull = False

    def receive(self, data: bytes, now: int) -> list[object]:
        """Take bytes from the line."""
        for event in self._link.receive(data, now):
            match event:
                case LinkUp(_, _, welcome):
                    assert welcome is not None
                    self._up(welcome)
                case LinkDown(_, text, refused):
                    self._down(now, text if refused else "")
                case Received(message, request):
                    self._hear(message, request)
        self._advance(now)
        return []

    def tick(self, now: int) -> list[object]:
        """Let time pass."""
        for event in self._link.tick(now):
            if isinstance(event, LinkDown):
                self._down(now, "")
        self._advance(now)
        return []

    def next_deadline(self) -> int | None:
        """When `tick` wants to be called."""
        due = [self._link.next_deadline(), self._wants_look(), self._poll_again_us]
        return min((one for one in due if one is not None), default=None)

    def data_to_send(self, now: int) -> bytes:
        """Bytes that are due for the line."""
        return self._link.data_to_send(now)

    @property
    def idle(self) -> bool:
        """Whether all that was said has been acknowledged."""
        return self._link.session is None or self._link.session.stream.idle

    # --------------------------------------------------------------------------------------------------------- inside

    def _up(self, welcome: m.Welcome) -> None:
        if self._opened < len(self._sessions):
            step = self._sessions[self._opened]
            if self._at >= self.steps.index(step):
                self._hold_against(step, step.welcome, welcome)
                self._opened += 1
        self._downs = 0
        for request, command in self._unanswered.items():
            self._link.send(command, request)

    def _down(self, now: int, refused: str) -> None:
        self._downs += 1
        if refused:
            self.stop(f"the device refuses the session: {refused}")
        elif self._plugged and not self.done:
            self._link.connect(now, self._next)

    def _hear(self, message: m.Message, request: int) -> None:
        if isinstance(message, m.Event) and message.number:
            if message.number <= self._newest:
                return
            self._newest = message.number
            self._event_numbers.append(message.number)
        if request and self._unanswered.pop(request, None) is None:
            return
        if request == self._poll and request:
            self._status = message
            return
        if lane(Way.DEVICE, message) is MessageLane.LOOSE:
            return
        recorded = self._take(message)
        if isinstance(message, m.Challenge):
            self._challenge = message
        if recorded is not None and self._requests.get(recorded.request, 0) != request:
            self.stop(f"frame {recorded.number}: {type(message).__name__} answers another command than then")

    def _say(self, step: Said, now: int) -> bool:
        if self._link.room <= 0:
            return False
        match step.message:
            case m.GetStatus():
                return self._ask_status(step, now)
            case m.AckEvents(upto=upto):
                self._link.send(m.AckEvents(upto=self._live_number(upto)))
            case m.ProveRole(role=role):
                return self._prove(step, role)
            case command:
                self._command(command, step.request)
        return True

    def _command(self, command: m.Message, recorded: int) -> int:
        request = self._next
        self._next += 1
        self._requests[recorded] = request
        self._unanswered[request] = command
        self._link.send(command, request)
        return request

    def _prove(self, step: Said, role: Role) -> bool:
        if self._challenge is None or self._link.session is None or self._link.welcome is None:
            return False
        secret = self._secrets.get(role)
        if secret is None:
            self.stop(
                f"frame {step.number} proves the role {role.name.lower()}: give its words with"
                f" --role {role.name.lower()}=PASSPHRASE"
            )
            return False
        serial, session = self._link.welcome.serial, self._link.session.number
        self._command(answer(self._challenge, secret, serial=serial, session=session, role=role), step.request)
        return True

    def _live_number(self, recorded: int) -> int:
        """The number that the device has now given to the event of that number then."""
        events = self._peer_lanes.get(MessageLane.EVENTS, [])
        numbers = [step.message.number for step in events if isinstance(step.message, m.Event)]
        place = min(sum(1 for number in numbers if number <= recorded), len(self._event_numbers))
        return self._event_numbers[place - 1] if place else recorded

    def _ask_status(self, step: Said, now: int) -> bool:
        """Ask until the answer is the recorded one, or patience ends."""
        wanted = self._status_then(step)
        if self._poll is None:
            self.polls_came += 1
            self._poll, self._status, self._poll_since_us = self._command(step.message, step.request), None, now
            return False
        if self._status is None or (self._poll_again_us is not None and now < self._poll_again_us):
            return False
        same = wanted is None or (
            type(self._status) is type(wanted) and not field_differences(wanted, self._status, Masked())
        )
        if not same and now - self._poll_since_us < self.pace.patience_us:
            if self._poll_again_us is None:
                self._poll_again_us = now + POLL_US
                return False
            self._poll_again_us, self._status = None, None
            self.polls_came += 1
            self._poll = self._command(step.message, step.request)
            return False
        if wanted is not None:
            self.compared += 1
            if type(self._status) is type(wanted):
                for difference in message_differences(step, wanted, self._status, self.masked):
                    self._differs(difference)
            else:
                self.stop(f"frame {step.number}: GetStatus was answered by {type(self._status).__name__}")
        self._poll = self._status = self._poll_again_us = None
        return True

    def _status_then(self, asked: Said) -> m.Message | None:
        return next(
            (
                step.message
                for step in self.steps
                if isinstance(step, Said) and step.way is Way.DEVICE and step.request == asked.request != 0
            ),
            None,
        )

    def _give_up(self, step: ConversationStep, due: int | None, now: int) -> None:
        """A question that gets no answer as recorded has patience of its own."""
        if not isinstance(step, Said) or not isinstance(step.message, m.GetStatus) or self._status is None:
            super()._give_up(step, due, now)

    def _open(self, step: Opened, now: int) -> bool:  # noqa: ARG002
        return self._opened > self._sessions.index(step)

    def _end(self, step: Ended, now: int) -> bool:
        if step.way is Way.HOST:
            if not self.idle:
                return False
            self._link.close(now, step.reset.reason, step.reset.text)
            return True
        return self._downs > 0

    def _pull(self, step: Pulled, now: int) -> bool:  # noqa: ARG002
        if not self._is_last_word:
            self.wants_pull = True
        return True


def _without_idle_polls(steps: Sequence[ConversationStep]) -> list[ConversationStep]:
    """Of questions for the status that follow each other only the last counts: the others were how the host waited."""
    kept: list[ConversationStep] = []
    later: type[m.Message] | None = None
    dropped: set[int] = set()
    for step in reversed(steps):
        if isinstance(step, Said) and step.way is Way.HOST and lane(Way.HOST, step.message) is not MessageLane.LOOSE:
            if isinstance(step.message, m.GetStatus) and later is m.GetStatus:
                dropped.add(step.request)
                continue
            later = type(step.message)
        kept.append(step)
    return [
        step
        for step in reversed(kept)
        if not (isinstance(step, Said) and isinstance(step.message, m.Status) and step.request in dropped)
    ]
