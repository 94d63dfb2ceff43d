"""The blocking driver of a connection: a port that comes and goes, read and written step by step.

What it needs is handed to it: how to open the port, the clock, how to let time pass. Whatever is due for the line is on
it when a step returns.
"""

import contextlib
from collections.abc import Callable

from shuffler.errors import BadAddress, CannotOpen, LinkLost
from shuffler.host.connection import Connection
from shuffler.host.session import Happening
from shuffler.transports.ports import Transport


class Line:
    """One connection over one port at a time."""

    def __init__(
        self,
        connection: Connection,
        open_port: Callable[[str], Transport],
        *,
        clock: Callable[[], int],
        pause: Callable[[float], None],
    ) -> None:
        """`clock` gives microseconds, `pause` lets seconds pass."""
        self.connection = connection
        self.was_idle = True  # whether nothing came in the last step
        self._open_port = open_port
        self._clock = clock
        self._pause = pause
        self.port: Transport | None = None

    def connect(self) -> Transport:
        """Return the port, opened; raises CannotOpen."""
        return self._open_port(self.connection.url)

    def plug(self, port: Transport) -> None:
        """Say hello on an open port."""
        self.port = port
        self.connection.opened(self._clock())
        self.flush()

    def open(self) -> None:
        """Open the port now and say hello; raises CannotOpen."""
        self.plug(self.connect())

    def step(self, wait_s: float) -> list[Happening]:
        """Read what has come, waiting a moment for it, let time pass, write what is due; raises BadAddress.

        Without a port the same happens, but for the reading; the port is opened when it is time.
        """
        return self.take(self._read(wait_s))

    def take(self, data: bytes) -> list[Happening]:
        """The rest of a step: bytes that were read are handed over, time passes, what is due is written."""
        self.was_idle = not data
        now = self._clock()
        happenings = self.connection.receive(data, now) if data else []
        happenings += self.connection.tick(now)
        if self.connection.wants_close(now):
            self.lose(self.connection.waits_for)
        self._send_due(now)
        return happenings

    def flush(self) -> None:
        """Whatever is due goes on the line: acknowledgements, heartbeats and a new hello as well as commands."""
        self._send_due(self._clock())

    def _send_due(self, now: int) -> None:
        data = self.connection.data_to_send(now)
        if data and self.port is not None:
            try:
                self.port.write(data)
            except LinkLost as problem:
                self.lose(str(problem))

    def close(self, why: str) -> None:
        """End the session in good order where there is one, and let the port go."""
        now = self._clock()
        self.connection.session.close(now)
        if self.port is not None:
            with contextlib.suppress(LinkLost):
                self.port.write(self.connection.data_to_send(now))
        self.lose(why)

    def _read(self, wait_s: float) -> bytes:
        if self.port is None and not self._reopen(wait_s):
            return b""
        assert self.port is not None
        try:
            return self.port.read(wait_s)
        except LinkLost as problem:
            self.lose(str(problem))
            return b""

    def _reopen(self, wait_s: float) -> bool:
        now = self._clock()
        if not self.connection.wants_port(now):
            due = self.connection.next_deadline() or now
            self._pause(min(wait_s, max(0.0, (due - now) / 1e6)))
            return False
        try:
            self.open()
        except BadAddress:
            raise  # waiting would not help
        except CannotOpen as problem:
            self.connection.not_opened(str(problem), self._clock())
        return self.port is not None

    def lose(self, why: str) -> None:
        """Close the port: it is gone, or no longer wanted."""
        if self.port is not None:
            self.port.close()
            self.port = None
        self.connection.lose(why, self._clock())
