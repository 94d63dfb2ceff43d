"""The device's end of a recording, played to a live controller. Pure: to a port it is a device like any other.

A controller that comes back after a lost line, or repeats a command, is served as a device would: its command is
answered with the first answer, and events that it has not acknowledged are told again.
"""

from collections.abc import Callable, Sequence

from protocol import messages as m
from protocol.catalogue import Way
from protocol.device_link import DeviceLink, Identity
from protocol.link import LinkDown, LinkUp, Received
from protocol.messages import Hello
from protocol.secure import Chance
from protocol.vocabulary import ErrorCode
from shuffler.kit.recording.compare import acknowledged
from shuffler.kit.recording.conversation import ConversationStep, Ended, Opened, Pulled, Said
from shuffler.kit.recording.differences import Difference
from shuffler.kit.recording.pace import ReplayPace
from shuffler.kit.recording.player import Player
from shuffler.kit.recording.recommit import Commitments


class ReplayedDevice(Player):
    """A device that says what the recorded one said; `pull` is called where its cable was pulled."""

    own = Way.DEVICE

    def __init__(
        self, steps: Sequence[ConversationStep], pace: ReplayPace, chance: Chance, *, key: bytes | None = None
    ) -> None:
        super().__init__(steps, pace, chance)
        self.pull: Callable[[], None] = _nobody
        self._commitments = Commitments(self.steps)
        self._sessions = [step for step in self.steps if isinstance(step, Opened)]
        self._numbers = [step.session for step in self._sessions]
        self._requests: dict[int, int] = {}  # recorded: live
        self._answers: dict[int, m.Message] = {}  # live request: what was answered
        self._nonces: dict[bytes, bytes] = {}  # of shuffles, recorded: live
        self._told: list[m.Event] = []
        self._acknowledged = 0
        self._statuses = [
            (at, step.message)
            for at, step in enumerate(self.steps)
            if isinstance(step, Said) and isinstance(step.message, m.Status)
        ]
        self._status = 0  # the next of them
        heartbeat_ms = self._sessions[0].welcome.heartbeat_ms
        self._link = DeviceLink(identity=self._identity, chance=self._drawn, key=key, heartbeat_ms=heartbeat_ms)

    @property
    def link(self) -> DeviceLink:
        return self._link

    # -------------------------------------------------------------------------------------------------- as a device

    def receive(self, data: bytes, now: int) -> None:
        """Take bytes from the line."""
        for event in self._link.receive(data, now):
            match event:
                case LinkUp(_, hello, _):
                    assert hello is not None
                    self._up(hello, now)
                case LinkDown():
                    self._downs += 1
                case Received(message, request):
                    self._command(message, request, now)
        self._advance(now)

    def data_to_send(self, now: int) -> bytes:
        """Bytes that are due for the line."""
        return self._link.data_to_send(now)

    def tick(self, now: int) -> None:
        """Let time pass."""
        for event in self._link.tick(now, self._told[-1].number if self._told else 0):
            self._downs += isinstance(event, LinkDown)
        self._advance(now)

    def next_deadline(self) -> int | None:
        """When `tick` wants to be called."""
        due = [self._link.next_deadline(), self._wants_look()]
        return min((one for one in due if one is not None), default=None)

    def pull_cable(self) -> None:
        """The cable is out."""
        self._downs += self._link.is_up
        self._link.lose_cable()

    @property
    def has_session(self) -> bool:
        """Whether a controller talks to it."""
        return self._link.is_up

    def yields_to(self, hello: Hello, *, young: bool) -> bool:
        """Whether another cable may take its place."""
        return self._link.yields_to(hello, young=young)

    @property
    def idle(self) -> bool:
        """Whether all that was said has been acknowledged."""
        return self._link.session is None or self._link.session.stream.idle

    # ------------------------------------------------------------------------------------------------------- inside

    def _identity(self, hello: Hello) -> Identity:  # noqa: ARG002
        welcome = self._sessions[min(self._opened, len(self._sessions) - 1)].welcome
        again = self._opened >= len(self._sessions)
        told = self._told[-1].number if self._told else 0
        return Identity(
            serial=welcome.serial,
            epoch=welcome.epoch,
            boots=welcome.boots,
            last_event=max(welcome.last_event, told),
            acknowledged_event=max(welcome.acknowledged_event, self._acknowledged),
            command_memory=welcome.command_memory,
            known_instance=True if again else welcome.known_instance,
        )

    def _drawn(self, count: int) -> bytes:
        """Session numbers as recorded, everything else by chance."""
        if count == 4 and self._numbers:
            return self._numbers.pop(0).to_bytes(4, "little")
        return self.chance(count)

    def _up(self, hello: Hello, now: int) -> None:
        if self._opened < len(self._sessions):
            step = self._sessions[self._opened]
            if self._at >= self.steps.index(step):
                self._hold_against(step, step.hello, hello)
                self._opened += 1
        self._downs = 0
        for event in self._told:
            if event.number > self._acknowledged:
                self._link.send(event)
        self._advance(now)

    def _command(self, command: m.Message, request: int, now: int) -> None:
        if isinstance(command, m.AckEvents):
            self._acknowledged = max(self._acknowledged, command.upto)
        elif isinstance(command, m.GetStatus):
            self.polls_came += 1
            self._link.send(self._status_now(), request)
        elif request and request in self._answers:
            self._link.send(self._answers[request], request)
        elif not (request and request in self._requests.values()):
            self._new_command(command, request, now)

    def _new_command(self, command: m.Message, request: int, now: int) -> None:
        recorded = self._take(command)
        if recorded is None:
            return
        self._requests[recorded.request] = request
        if isinstance(command, m.Shuffle) and isinstance(recorded.message, m.Shuffle):
            self._nonces[recorded.message.nonce] = command.nonce
        self._advance(now)

    def _status_now(self) -> m.Status | m.Error:
        """The next recorded answer up to the command that is waited for; after that the last one again."""
        frontier = next(
            (at for at in range(self._at, len(self.steps)) if self._is_awaited(self.steps[at])), len(self.steps)
        )
        ready = [status for at, status in self._statuses if at < frontier]
        if not self._statuses:
            return m.Error(code=ErrorCode.NOT_NOW, text="no status was recorded")
        if self._status < len(ready):
            while self._statuses[self._status][0] < self._at and self._status + 1 < len(ready):
                self._status += 1  # nobody asked while that was so
            self._status += 1
        status = self._statuses[max(0, min(self._status, len(self._statuses)) - 1)][1]
        assert isinstance(status, m.Status)
        return status

    def _is_awaited(self, step: ConversationStep) -> bool:
        """Whether a step is a command that the controller still has to send."""
        return isinstance(step, Said) and step.way is Way.HOST and id(step) in self._place and not self._do(step, 0)

    def _say(self, step: Said, now: int) -> bool:  # noqa: ARG002
        message = step.message
        if isinstance(message, m.Status):
            return True  # told when asked
        if self._link.room <= 0:
            return False
        match message:
            case m.ShuffleCompleted():
                message = self._commitments.completed(message, self._nonces.get(message.nonce, message.nonce))
            case m.GroupRemoved() | m.HandDisclosed() | m.Stub():
                message = self._commitments.opened(message)
        request = self._requests.get(step.request, step.request)
        if request:
            self._answers[request] = message
        if isinstance(message, m.Event) and message.number:
            self._told.append(message)
        self._link.send(message, request)
        return True

    def _open(self, step: Opened, now: int) -> bool:  # noqa: ARG002
        return self._opened > self._sessions.index(step)

    def _end(self, step: Ended, now: int) -> bool:
        if step.way is Way.DEVICE:
            self._link.end(step.reset.reason, step.reset.text, now)
            return True
        return self._downs > 0 and not self._link.is_up

    def _pull(self, step: Pulled, now: int) -> bool:  # noqa: ARG002
        if self._link.is_up and not self._is_last_word:
            self.pull()
        return True

    def last_word(self) -> None:
        """At the end: whether events were acknowledged as far as they were then."""
        wanted = acknowledged(self.steps)
        if self._acknowledged < wanted:
            last = self.steps[-1]
            self._differs(
                Difference(
                    number=last.number, at_us=last.at_us, message="AckEvents", field="upto", recorded=str(wanted),
                    came=str(self._acknowledged),
                )
            )  # fmt: skip


def _nobody() -> None:
    """Nobody holds the cable."""
