"""A port's hold on a device: it has it, or it knocks. One cable at a time; a cable without a session yields to a hello.

Whoever connects and says nothing, or dies without a word, keeps nobody out: the first valid hello that comes by another
cable takes the device. While a session is open nobody takes it, and the session ends by the protocol's own silence
rule. A handshake that is under way on a cable just plugged in is left its time.
"""

from collections.abc import Callable

from firmware_sim.ports.runner import DeviceRunner
from protocol.codec import decode_body, encode_body, number_of
from protocol.errors import RemoteProtocolError
from protocol.framing import Framer, pack_header, wrap
from protocol.link import HELLO
from protocol.messages import Hello, Reset
from protocol.vocabulary import ResetReason

KNOCK_MAX = 4096  # bytes kept until a hello is whole; one has some hundred

BUSY = Reset(reason=ResetReason.BUSY, text="another client holds this device: one at a time")
BUSY_FRAME = wrap(pack_header(0, number_of(BUSY), 0, 0, 0, 0), encode_body(BUSY))


class Cable:
    """One connection's way to a device; `write` takes what the device says, `evicted` is told when another takes it."""

    def __init__(self, runner: DeviceRunner, write: Callable[[bytes], None], evicted: Callable[[], None]) -> None:
        self.mine = False
        self._runner = runner
        self._write = write
        self._evicted = evicted
        self._framer = Framer()
        self._kept = b""
        self._hello: Hello | None = None

    def plug(self) -> bool:
        """Hold the device, if nobody else does; what was said before is handed over."""
        if not self.mine and self._runner.attach(self._write, self._let_go):
            self._taken()
        return self.mine

    def claim(self) -> bool:
        """Take the device from a cable without a session, where a valid hello has come by this one."""
        if not self.mine and self._hello is not None and self._runner.claim(self._write, self._let_go, self._hello):
            self._taken()
        return self.mine

    def receive(self, data: bytes) -> bool:
        """Bytes from the host; False while the device is another's."""
        if self.mine:
            self._runner.receive(data)
            return True
        self._knock(data)
        return self.plug() or self.claim()

    def turned_away(self) -> bytes:
        """What to say to a host whose bytes came to nothing; nothing where the cable is out for everybody."""
        if self._hello is not None:
            self._kept, self._hello = b"", None  # it says hello again, if it still wants to
        return BUSY_FRAME if self._runner.attached else b""

    def pull(self) -> bool:
        """The cable is out; whether it had the device."""
        had, self.mine = self.mine, False
        self._kept, self._hello, self._framer = b"", None, Framer()
        if had:
            self._runner.detach()
        return had

    def _knock(self, data: bytes) -> None:
        self._kept = (self._kept + data)[-KNOCK_MAX:]
        for frame in self._framer.feed(data):
            if frame.message == HELLO and frame.session == 0:
                try:
                    hello = decode_body(HELLO, frame.body)
                except RemoteProtocolError:
                    continue
                assert isinstance(hello, Hello)
                self._hello = hello

    def _taken(self) -> None:
        self.mine = True
        kept, self._kept, self._hello = self._kept, b"", None
        if kept:
            self._runner.receive(kept)

    def _let_go(self) -> None:
        self.mine = False
        self._evicted()
