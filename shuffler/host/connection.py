"""A session over a port that comes and goes: when to open it, when to say hello again, what to tell the caller. No I/O.

The one reconnect policy of the host. A driver owns the port and the clock. At every step it opens the port where
`wants_port` says so, closes it where `wants_close` does, tells how that went, hands over bytes and time, and puts on
the line whatever `data_to_send` gives. Times are microseconds.
"""

from protocol import messages as m
from shuffler.host.session import Connected, Disconnected, EventsMissing, Happening, HostSession, SetBack
from shuffler.timeouts import USUAL

GAPS_KEPT = 100


class Connection:
    """One session, and the state of the port below it."""

    def __init__(self, session: HostSession, url: str) -> None:
        self.session = session
        self.url = url
        self.welcome: m.Welcome | None = None
        self.same_schema = True
        self.gaps: list[EventsMissing] = []
        self.refusal: Disconnected | None = None  # of the last hello, if it was refused
        self.set_back: SetBack | None = None  # the device's memory is older than the store
        self.lost = ""  # why the port was last lost, or could not be opened
        self.is_open = False
        self._wait_us = USUAL.reopen_us
        self._reopen_at = 0
        self._stale_at = 0
        self._hello_at: int | None = None  # after a refusal
        self._down_since: int | None = None
        self._forged = session.link.counters.bad_seal

    # ---------------------------------------------------------------------------------------------------- the port

    def wants_port(self, now: int) -> bool:
        """Whether the driver should try to open the port now."""
        return not self.is_open and now >= self._reopen_at

    def opened(self, now: int) -> None:
        """The port is open: say hello."""
        self.is_open = True
        self._say_hello(now)
        self._stale_at = now + USUAL.stale_us

    def not_opened(self, why: str, now: int) -> None:
        """The port could not be opened: a little longer until the next attempt."""
        self.lost = why
        self.refusal, self.session.link.hearsay = None, None  # whoever said so is not there any more
        self._forged = self.session.link.counters.bad_seal
        self._back_off(now)

    def lose(self, why: str, now: int) -> None:
        """The port is gone. Only a welcome makes the next wait short again: a port that just opens is no gain."""
        if self.wants_close(now):
            self.refusal = None  # nobody has answered since
        self.lost = why
        self.is_open = False
        self._hello_at = None
        self._note_down(now)
        self.session.lose_cable()
        self._back_off(now)

    def wants_close(self, now: int) -> bool:
        """Whether nobody has answered for so long that the driver should close the port and open it again."""
        return self.is_open and not self.session.is_up and now >= self._stale_at

    def move(self, url: str) -> None:
        """From now on another port is meant; the one before must be closed."""
        self.url = url
        self.lost = ""
        self.refusal, self.set_back, self.session.link.hearsay = None, None, None
        self._wait_us, self._reopen_at = USUAL.reopen_us, 0
        self._down_since = None

    # -------------------------------------------------------------------------------------------------- bytes and time

    def receive(self, data: bytes, now: int) -> list[Happening]:
        """Take bytes from the line."""
        return self._note(self.session.receive(data, now), now)

    def tick(self, now: int) -> list[Happening]:
        """Let time pass."""
        if self._hello_at is not None and now >= self._hello_at:
            self._say_hello(now)
        due = self.session.next_deadline()
        happenings = self.session.tick(now) if due is not None and due <= now else []
        if not self.session.is_up:
            self._note_down(now)
        return self._note(happenings, now)

    def data_to_send(self, now: int) -> bytes:
        """Bytes that are due for the line; nothing while the port is closed."""
        return self.session.data_to_send(now) if self.is_open else b""

    def next_deadline(self) -> int | None:
        """When the driver should look again: `tick`, `wants_port` or `wants_close` may have news."""
        if not self.is_open:
            return self._reopen_at
        due = self.session.next_deadline()
        if not self.session.is_up and (due is None or self._stale_at < due):
            due = self._stale_at
        if self._hello_at is not None and (due is None or self._hello_at < due):
            due = self._hello_at
        return due

    # ----------------------------------------------------------------------------------------------- for the caller

    def silent_us(self, now: int) -> int:
        """How long there has been no session; 0 while there is one."""
        return 0 if self.session.is_up or self._down_since is None else now - self._down_since

    @property
    def waits_for(self) -> str:
        """Why there is no session, as a sentence that says what to do."""
        link = self.session.link
        if link.is_up:
            return f"{self.url} has not told all its events"
        if self.set_back is not None:
            return self.set_back.text
        if self.refusal is not None:
            reason = self.refusal.reason.name.lower().replace("_", " ")
            return f"{self.url} refuses the session ({reason}): {self.refusal.text}"
        if link.hearsay is not None:
            return f"{self.url} answers, but not with a key: {link.hearsay.text}; leave out the key, or set it there"
        if link.counters.bad_seal > self._forged:
            return f"{self.url} answers with another key than this one: is it the right key file?"
        if not self.is_open and self.lost:
            return self.lost
        if link.framer.garbage.total or link.framer.pending:
            return f"{self.url} answers, but not in this protocol: is it the right port and baud rate?"
        return f"no device answers on {self.url}: is it switched on?"

    # ------------------------------------------------------------------------------------------------------- inside

    def _say_hello(self, now: int) -> None:
        self._hello_at = None
        self._note_down(now)
        self.session.connect(now)

    def _note_down(self, now: int) -> None:
        if self._down_since is None:
            self._down_since = now

    def _back_off(self, now: int) -> None:
        self._note_down(now)
        self._reopen_at = now + self._wait_us
        self._wait_us = min(USUAL.reopen_max_us, 2 * self._wait_us)

    def _note(self, happenings: list[Happening], now: int) -> list[Happening]:
        for happening in happenings:
            match happening:
                case Connected(welcome, same_schema):
                    self.welcome, self.same_schema = welcome, same_schema
                    self.refusal, self.set_back = None, None
                    self._wait_us = USUAL.reopen_us
                    self._hello_at, self._down_since = None, None
                    self._forged = self.session.link.counters.bad_seal
                case Disconnected(refused=True):
                    self.refusal = happening
                    self._hello_at = now + self._wait_us
                    self._wait_us = min(USUAL.reopen_max_us, 2 * self._wait_us)
                case Disconnected():
                    self._stale_at = now + USUAL.stale_us
                    self._say_hello(now)
                case SetBack():
                    self.set_back = happening
                case EventsMissing():
                    self.gaps.append(happening)
                    del self.gaps[:-GAPS_KEPT]
        return happenings
