"""The sender: a thread that pushes a table's outbox to the server, in order, and asks for what the table waits for.

It reads the journal by itself and remembers nothing: where to go on, the server says. So it can die at any moment, and
a push whose answer was lost is not repeated blindly: after each new connection the server is asked for its place.
"""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from shuffler.errors import ShufflerError
from shuffler.journal.entries import AwardAsked
from shuffler.journal.errors import JournalError
from shuffler.meters.errors import JournalForked, MeterError, ServerAway, ServerBehind
from shuffler.meters.follower import OutboxReader
from shuffler.meters.server import MeterServer, MeterSnapshot
from shuffler.meters.values import Claim, Hold, HoldState, Wanted

RETRY_S, RETRY_MOST_S = 0.05, 2.0
REFRESH_S = 0.5  # between two looks at the meters while nothing else happens
HOLD_POLL_S, HOLD_POLL_MOST_S = 0.02, 0.25  # while an award waits for another; people key that one


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderLimits:
    """How much may wait while the server is away, and how much goes at once."""

    moves: int = 500  # unsent, then the table stops taking the wager
    seconds: float = 900.0  # of the server's absence, likewise
    batch: int = 200
    gather_s: float = 0.05  # contributions wait so long for others to go with; nothing else waits


class Asked(NamedTuple):
    """A wish for reservations: after so many moves of the outbox."""

    entry: AwardAsked
    moves: int


@dataclass(frozen=True, slots=True)
class News:
    """What the sender knows; a new value whenever something changes."""

    pushed: int = 0  # the newest move that is on the server; -1 while that is not known
    connected: bool = False
    away_since: float | None = None  # by the sender's clock
    trouble: str = ""  # why the server is away
    stopped: str = ""  # why nothing will be sent any more: somebody has to look
    snapshots: tuple[MeterSnapshot, ...] = ()
    holds: tuple[tuple[str, Hold], ...] = ()  # of the newest wish, with their meter


class Sender:
    """Starts with `start`, ends with `stop`; everything else may be called from any thread."""

    def __init__(
        self,
        url: str,
        path: Path | str,
        *,
        table: str,
        journal: bytes,
        limits: SenderLimits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = limits or SenderLimits()
        self._url, self._path, self._table, self._journal = url, Path(path), table, journal
        self._clock = clock
        self._changed = threading.Condition()
        self._wake, self._hurry = threading.Event(), threading.Event()
        self._ending = threading.Event()
        self._asked: dict[str, Asked] = {}  # by meter
        self._claims: dict[str, Claim] = {}  # by meter
        self._confirmed = 0  # the newest record that this process knows to be on the server
        self._news = News(pushed=-1)
        self._thread: threading.Thread | None = None
        self._looked = float("-inf")

    # --- for the table ---

    @property
    def news(self) -> News:
        """What is known now."""
        return self._news

    def start(self) -> None:
        """Begin."""
        self._thread = threading.Thread(target=self._run, name=f"meters-{self._table}", daemon=True)
        self._thread.start()

    def wake(self, *, hurry: bool = False) -> None:
        """There is something new in the journal; with `hurry`, somebody waits for it."""
        if hurry:
            self._hurry.set()
        self._wake.set()

    def ask(self, entry: AwardAsked, moves: int) -> None:
        """Reserve these awards once so many moves are on the server."""
        with self._changed:
            self._asked[entry.meter] = Asked(entry, moves)
            others = tuple(one for one in self._news.holds if one[0] != entry.meter)
            self._news = _with(self._news, holds=others)
        self.wake(hurry=True)

    def hold(self, claim: Claim) -> None:
        """Remember a prize that the server has fixed: a restored server is told of it."""
        with self._changed:
            self._claims[claim.meter] = claim

    def wait(self, until: Callable[[News], bool], timeout: float) -> bool:
        """Until something is so, or the time is up."""
        with self._changed:
            return self._changed.wait_for(lambda: until(self._news), timeout)

    def stop(self, *, drain_s: float = 0.0) -> bool:
        """End; with `drain_s`, all that is in the journal is sent first, if that is possible in time."""
        done = True
        if drain_s > 0 and self._thread is not None:
            with closing(OutboxReader(self._path)) as last:
                newest = last.newest_move()
            self.wake(hurry=True)
            done = self.wait(lambda news: news.pushed >= newest or bool(news.stopped), drain_s)
        self._ending.set()
        self.wake(hurry=True)
        if self._thread is not None:
            self._thread.join(10)
        return done and not self._news.stopped

    # --- the thread ---

    def _run(self) -> None:
        pause = RETRY_S
        while not self._ending.is_set():
            try:
                self._session()
                return
            except ServerAway as problem:
                since = self._news.away_since
                self._tell(
                    connected=False, trouble=str(problem), away_since=self._clock() if since is None else since
                )
                self._ending.wait(pause)  # not for what the table writes meanwhile: that would be a storm
                pause = min(RETRY_MOST_S, 2 * pause) if since is not None else RETRY_S
            except (MeterError, JournalError) as problem:
                self._tell(connected=False, stopped=str(problem))
                self._leave_word(str(problem))
                return
            except ShufflerError as problem:
                self._tell(connected=False, stopped=f"{type(problem).__name__}: {problem}")
                return

    def _leave_word(self, why: str) -> None:
        """Tell the server that this table's moves are refused, so that its `check` fails."""
        with suppress(ShufflerError), closing(MeterServer(self._url)) as server:
            server.note_refusal(self._table, why)

    def _session(self) -> None:
        """One connection, for as long as it lasts."""
        with closing(MeterServer(self._url)) as server, closing(OutboxReader(self._path)) as follower:
            self._serve(server, follower)

    def _serve(self, server: MeterServer, follower: OutboxReader) -> None:
        with self._changed:
            claims = tuple(self._claims.values())
        place = server.arrive(self._table, self._journal, home_of(self._path), seq=self._confirmed, claims=claims)
        verify_place(follower, self._table, self._journal, place.journal, place.seq, place.hash)
        server.confirm(self._table, self._journal)
        seq, hash_, pushed, behind = place.seq, place.hash, place.moves, place.behind
        self._tell(connected=True, away_since=None, trouble="", pushed=pushed)
        self._looked = float("-inf")
        poll = HOLD_POLL_S
        while True:
            batch = follower.after(seq, hash_, self.limits.batch)
            if batch.moves:
                server.push(self._table, self._journal, batch)
                pushed = batch.moves[-1].number
                self._tell(pushed=pushed)
                seq, hash_ = batch.end, batch.end_hash
                self._confirmed = seq
                if len(batch.moves) >= self.limits.batch:
                    continue
            if behind:
                behind = not server.caught_up(self._table, self._journal, pushed)
            waiting = self._reserve(server, pushed)
            now = self._clock()
            if now - self._looked >= REFRESH_S or batch.moves:
                self._looked = now
                self._tell(snapshots=server.snapshots(self._table))
            if self._ending.is_set():
                return
            self._wake.wait(poll if waiting else REFRESH_S)
            if not waiting:
                self._hurry.wait(self.limits.gather_s)
            poll = min(2 * poll, HOLD_POLL_MOST_S) if waiting else HOLD_POLL_S
            self._wake.clear()
            self._hurry.clear()  # before the journal is read: whoever hurries has written by then

    def _reserve(self, server: MeterServer, pushed: int) -> bool:
        """Ask for what is wished, look at what is asked; whether something still waits."""
        with self._changed:
            asked = dict(self._asked)
        waiting = False
        for meter, (entry, moves) in asked.items():
            if moves > pushed:
                waiting = True
                continue
            known = [hold for of, hold in self._news.holds if of == meter and hold.round_id == entry.round_id]
            if not known:
                wanted = [Wanted(*one) for one in zip(entry.spots, entry.nths, entry.percents, strict=True)]
                try:
                    holds = server.ask(self._table, self._journal, moves, meter, entry.round_id, wanted)
                except ServerBehind as problem:
                    waiting = True
                    self._tell(trouble=str(problem))
                    continue
                self._tell(trouble="")
            elif any(hold.state is HoldState.WAITING for hold in known):
                holds = server.holds(self._table, meter, entry.round_id)
            else:
                continue
            waiting = waiting or any(hold.state is HoldState.WAITING for hold in holds)
            if list(holds) != known:
                server.confirm(self._table, self._journal)  # a prize that is told lasts
                others = tuple(one for one in self._news.holds if one[0] != meter)
                self._tell(holds=(*others, *((meter, hold) for hold in holds)))
        return waiting

    def _tell(self, **changes: object) -> None:
        with self._changed:
            self._news = _with(self._news, **changes)
            self._changed.notify_all()


def _with(news: News, **changes: object) -> News:
    from dataclasses import replace

    return replace(news, **changes)  # type: ignore[arg-type]


def home_of(path: Path) -> str:
    """Where a journal's file is; a copy that is played beside it is somewhere else."""
    return f"{socket.gethostname()}:{path.resolve()}"


def verify_place(
    follower: OutboxReader, table: str, journal: bytes, known: bytes | None, seq: int, hash_: bytes
) -> None:
    """Refuse a journal that the server has not seen grow: another one, or an older copy of the right one."""
    if known is not None and known != journal:
        raise JournalForked(
            f"table {table}: the server knows the journal {known.hex()}, this is {journal.hex()}: another table's, or a"
            " new one in its place. It is not merged: enrol it under a name of its own"
        )
    if not seq:
        return
    here = follower.hash_of(seq)
    if here is None:
        raise JournalForked(
            f"table {table}: its journal has {follower.records()} records and the server has moves up to record {seq}:"
            " the journal was restored from an older copy. It is not merged: put the newest copy back"
        )
    if here != hash_:
        raise JournalForked(
            f"table {table}: record {seq} of its journal is not the one whose moves the server has: the journal was"
            " restored from an older copy and played on. It is not merged: put the newest copy back"
        )
