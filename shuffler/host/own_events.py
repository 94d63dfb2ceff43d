"""What a client without a store may acknowledge: its own events, never those that wait for another host. Pure.

Events are the evidence of what was dealt, and the device forgets them once they are acknowledged. So a client that
keeps none looks first at what was waiting when it came, and leaves the events of a round alone. What waits besides (a
power-up, a deck that was shuffled and not dealt) settles nobody's wager; the gap is in that host's books all the same.
"""

from collections.abc import Iterable

from shuffler.errors import EventsWaiting
from shuffler.host.session import Connected, EventArrived, Happening, HostSession

QUIET_US = 2_000_000  # without one of them: the rest was acknowledged by another host since the welcome


class OwnEvents:
    """Holds a session's acknowledgements back until the events that waited before its own have been seen."""

    def __init__(self, session: HostSession, *, discard: bool) -> None:
        self.decided = discard
        self._session = session
        self._until: int | None = None
        self._quiet_at = 0
        self._waiting = 0
        self._rounds: set[int] = set()
        session.acknowledges = discard

    def look(self, happenings: Iterable[Happening], now: int) -> None:
        """Time has passed, and this has happened on the line; raises EventsWaiting where another host's events wait."""
        self.tick(now)
        for happening in happenings:
            self.take(happening, now)

    def take(self, happening: Happening, now: int) -> None:
        """One thing that happened on the line; raises EventsWaiting where another host's events wait."""
        if self.decided:
            return
        match happening:
            case Connected(welcome, _):
                self._until, self._waiting = welcome.last_event, 0
                self._quiet_at = now + QUIET_US
                if welcome.last_event <= welcome.acknowledged_event:
                    self._decide()
            case EventArrived(event) if self._until is not None and event.number:
                self._quiet_at = now + QUIET_US
                if number := getattr(event, "round", 0):
                    self._waiting += 1
                    self._rounds.add(number)
                if event.number >= self._until:
                    self._decide()

    def tick(self, now: int) -> None:
        """Let time pass; raises EventsWaiting likewise."""
        if not self.decided and self._until is not None and self._session.is_up and now >= self._quiet_at:
            self._decide()

    def _decide(self) -> None:
        if self._waiting:
            welcome = self._session.link.welcome
            serial = welcome.serial if welcome is not None else "the device"
            first, *more = sorted(self._rounds)
            rounds = f"round {first}" if not more else f"rounds {first} to {more[-1]}"
            raise EventsWaiting(
                f"{self._waiting} events of {rounds} wait in {serial} for the host that caused them, and would be lost:"
                " open that table again, or discard them (--discard-events)"
            )
        self.decided = self._session.acknowledges = True
