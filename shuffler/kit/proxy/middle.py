"""The middle of a proxy: to the controller's port it is a device, to the device it is a host's cable. Pure.

What each end said is recorded as it came, before anything is done to it; a secure session that the proxy has the key of
is recorded as the device's side has it, with the session's keys.
"""

from collections.abc import Callable
from typing import Protocol

from protocol.catalogue import Way
from protocol.framing import Framer
from protocol.messages import Hello
from shuffler.kit.proxy.disturbance import Disturbed
from shuffler.kit.proxy.unsealing import Unsealing
from shuffler.kit.recording.format import PieceKind

KINDS = {Way.HOST: PieceKind.HOST, Way.DEVICE: PieceKind.DEVICE}


class Note(Protocol):
    """Takes what happened on the line; `Recorder.note` is one."""

    def __call__(self, kind: PieceKind, data: bytes = b"") -> None: ...


class Middle:
    """Both directions; `forward` takes what goes to the device, `opened` and `closed` follow the controller's cable."""

    def __init__(self, down: Disturbed, up: Disturbed, *, note: Note, unsealing: Unsealing | None = None) -> None:
        """`down` is the way to the device, `up` the way to the controller."""
        self.down, self.up = down, up
        self.forward: Callable[[bytes], None] = _nowhere
        self.closed: Callable[[], None] = _nobody
        self._note = note
        self._unsealing = unsealing
        self._framers = {Way.HOST: Framer(), Way.DEVICE: Framer()}
        self._spoken = False

    # -------------------------------------------------------------------------------- the controller's side: a device

    def receive(self, data: bytes, now: int) -> None:
        """Bytes of the controller."""
        if not self._spoken:
            self._spoken = True
            self._note(PieceKind.PLUGGED)
        self.down.feed(self._through(Way.HOST, data), now)
        self.tick(now)

    def data_to_send(self, now: int) -> bytes:
        """Bytes for the controller."""
        return b"".join(self.up.due(now))

    def tick(self, now: int) -> None:
        """Let time pass."""
        for data in self.down.due(now):
            self.forward(data)

    def next_deadline(self) -> int | None:
        """When `tick` wants to be called."""
        due = [self.down.next_due(), self.up.next_due()]
        return min((one for one in due if one is not None), default=None)

    def pull_cable(self) -> None:
        """The controller's cable is out: so is the device's."""
        if self._spoken:
            self._spoken = False
            self._note(PieceKind.PULLED)
        self.down.clear()
        self.up.clear()
        self._framers = {Way.HOST: Framer(), Way.DEVICE: Framer()}
        self.closed()

    @property
    def has_session(self) -> bool:
        """Whoever is connected stays: the device behind the proxy says when it is enough."""
        return self._spoken

    def yields_to(self, hello: Hello, *, young: bool) -> bool:  # noqa: ARG002
        """A cable on which nothing was said yields."""
        return not self._spoken

    # -------------------------------------------------------------------------------------------- the device's side

    def from_device(self, data: bytes, now: int) -> None:
        """Bytes of the device."""
        self.up.feed(self._through(Way.DEVICE, data), now)

    def _through(self, way: Way, data: bytes) -> bytes:
        """What goes on of the bytes of one end; recorded on the way."""
        if self._unsealing is None:
            self._note(KINDS[way], data)
            return data
        out = []
        for frame in self._framers[way].feed(data):
            line, opened = self._unsealing.passed(way, frame)
            if opened is not None:
                number, keys = opened
                self._note(PieceKind.KEYS, number.to_bytes(4, "little") + keys.host + keys.device)
            out.append(line)
        passed = b"".join(out)
        # One side is recorded in both directions: the device's, whose keys are noted.
        self._note(KINDS[way], passed if way is Way.HOST else data)
        return passed


def _nowhere(data: bytes) -> None:
    """No device is connected."""


def _nobody() -> None:
    """Nobody wants to know."""
