"""What the blocking and the asyncio client have in common: a connection, and what it knows. No I/O."""

from protocol import messages as m
from protocol.secure import Chance
from shuffler.host.connection import Connection
from shuffler.host.own_events import OwnEvents
from shuffler.host.session import EventsMissing, HostSession, SetBack
from shuffler.host.store import HostStore, MemoryStore


class ClientBase:
    """A device as a table controller sees it, before anybody calls it."""

    def __init__(
        self,
        url: str,
        *,
        store: HostStore | None,
        key: bytes | None,
        only_asks: bool,
        discard_events: bool,
        chance: Chance,
    ) -> None:
        session = HostSession(
            store=store or MemoryStore(chance(16)), chance=chance, key=key, acknowledges=store is not None
        )
        self.connection = Connection(session, url)
        self._keeps = store is not None
        self._own = OwnEvents(session, discard=discard_events) if store is None and not only_asks else None

    @property
    def url(self) -> str:
        """The port."""
        return self.connection.url

    @property
    def session(self) -> HostSession:
        """The session core below this client."""
        return self.connection.session

    @property
    def welcome(self) -> m.Welcome | None:
        """How the device greeted this host last."""
        return self.connection.welcome

    @property
    def same_schema(self) -> bool:
        """Whether the device speaks exactly this host's messages."""
        return self.connection.same_schema

    @property
    def set_back(self) -> SetBack | None:
        """How the device's memory was found set back to an earlier state, while it is."""
        return self.connection.set_back

    @property
    def lost(self) -> str:
        """Why the port was last lost; empty where it never was."""
        return self.connection.lost

    @property
    def connected(self) -> bool:
        """Whether the device answers at the moment."""
        return self.session.is_up

    @property
    def gaps(self) -> list[EventsMissing]:
        """Events that never came; a client without a store can miss none from before its time."""
        return [gap for gap in self.connection.gaps if self._keeps or gap.expected > 1]

    @property
    def _is_ready(self) -> bool:
        """Whether a session is open and it is known which events are this client's."""
        return self.session.is_up and (self._own is None or self._own.decided)

    def _unanswered(self, timeout_s: float) -> str:
        why = "" if self.connected else f": {self.connection.waits_for}"
        return f"no answer from {self.url} in {timeout_s:g} s{why}"
