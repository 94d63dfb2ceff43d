"""A table on a real line: the same desk and bridge, with a transport that comes and goes, in real time."""

import time
from collections.abc import Callable, Mapping, Sequence
from random import Random

from round_engine.table import Table
from shuffler.bots import Bot
from shuffler.desk import Books, Desk
from shuffler.errors import CannotOpen, LinkLost
from shuffler.session import Disconnected, Happening, HostSession
from shuffler.transports import Transport, open_transport

WAIT_S = 0.02
REOPEN_S = 0.05
REOPEN_MAX_S = 1.0


class LiveTable:
    """One table over one port at a time; `swap` puts the backup's port in its place."""

    def __init__(
        self,
        url: str,
        table: Table,
        books: Books,
        bots: Sequence[Bot],
        *,
        chance: Random,
        last_round: int = 0,
        device_rounds: Mapping[str, int] | None = None,
        key: bytes | None = None,
        open_port: Callable[[str], Transport] = open_transport,
    ) -> None:
        self.url = url
        self.host = HostSession(store=books, chance=chance.randbytes, key=key)
        self.desk = Desk(
            table, books, bots, self.host, chance=chance, last_round=last_round, device_rounds=device_rounds,
            carry=self._carry,
        )  # fmt: skip
        self._open_port = open_port
        self._transport: Transport | None = None
        self._reopen_at = 0.0
        self._wait_s = REOPEN_S

    @property
    def done(self) -> int:
        """Rounds that have come to an end in this run."""
        return self.desk.bridge.settled + self.desk.bridge.void

    def play(self, rounds: int, *, limit_s: float = float("inf")) -> None:
        """Until so many more rounds have come to an end, or the time is up."""
        goal, end = self.done + rounds, time.monotonic() + limit_s
        while self.done < goal and time.monotonic() < end:
            self.step()

    def step(self) -> None:
        """Read what has come, let time pass, act."""
        if self._transport is None and not self._reopen():
            return
        assert self._transport is not None
        try:
            data = self._transport.read(WAIT_S)
        except LinkLost:
            self._lose()
            return
        now = _now()
        happenings = self.host.receive(data, now) if data else []
        due = self.host.next_deadline()
        if due is not None and due <= now:
            happenings += self.host.tick(now)
        if any(isinstance(happening, Disconnected) for happening in happenings):
            self.host.connect(now)
        self.desk.bridge.tick(now)
        self.desk.take(happenings, now)

    def swap(self, url: str, why: str) -> None:
        """Switch off and unplug this device, plug in the backup; a half-dealt round is void."""
        self.desk.bridge.unplugged(why)
        self.close_port()
        self.url = url
        self._reopen_at = 0.0
        self.desk.take([], _now())

    def close_port(self) -> None:
        """Let the port go, with a goodbye where there is a session."""
        self.host.close(_now())
        self._carry()
        self._lose()

    def _carry(self) -> list[Happening]:
        data = self.host.data_to_send(_now())
        if data and self._transport is not None:
            try:
                self._transport.write(data)
            except LinkLost:
                self._lose()
        return []

    def _lose(self) -> None:
        if self._transport is not None:
            self._transport.close()
            self._transport = None
        self.host.lose_cable()
        self._wait_s = REOPEN_S
        self._reopen_at = time.monotonic() + self._wait_s

    def _reopen(self) -> bool:
        now = time.monotonic()
        if now < self._reopen_at:
            time.sleep(min(WAIT_S, self._reopen_at - now))
            return False
        try:
            self._transport = self._open_port(self.url)
        except CannotOpen:
            self._wait_s = min(REOPEN_MAX_S, 2 * self._wait_s)
            self._reopen_at = time.monotonic() + self._wait_s
            return False
        self.host.connect(_now())
        self._carry()
        return True


def _now() -> int:
    return time.monotonic_ns() // 1000
