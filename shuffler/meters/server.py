"""A meter server as a table and an operator see it: a call is a transaction of the database, a push one that lasts."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from shuffler.journal.entries import MeterMoved
from shuffler.meters.database import connect, open_pool, sentences, verify_version
from shuffler.meters.errors import MeterLocked, MeterMisuse, MeterRefused, ServerAway
from shuffler.meters.values import Claim, Hold, HoldState, MeterRules, Wanted

if TYPE_CHECKING:
    from shuffler.meters.database import Connection

Proposal = Literal["correction", "release", "retire", "moved"]

_METER = (
    "name, wager, denomination, spots, seed, share_bp, reserve_bp, cap, rounding, percents, award_order, version,"
    " amount, reserve, floor, held"
)
_HOLD = "ticket, table_name, round_id, spot, nth, percent, state, pot, left_over, amount, reserve, floor"


_PLACE = "journal, seq, hash, moves, behind"


class StoredAt(NamedTuple):
    """How far a table's journal has been pushed."""

    journal: bytes | None
    seq: int
    hash: bytes
    moves: int
    behind: bool  # the server was restored, and this table has to send again


@dataclass(frozen=True, slots=True)
class Shown:
    """A meter as the server shows it."""

    rules: MeterRules
    version: int
    amount: int
    reserve: int
    floor: int
    held: int


@dataclass(frozen=True, slots=True)
class MeterSnapshot:
    """A meter, and all that one table has told of it."""

    shown: Shown
    told: int
    told_reserve: int


class Batch(NamedTuple):
    """A stretch of a journal: what is after record `start` up to record `end`, and the moves in it."""

    start: int
    start_hash: bytes
    end: int
    end_hash: bytes
    moves: tuple[MeterMoved, ...]


class MeterServer:
    """One connection to a server; raises MeterError."""

    def __init__(self, url: str, *, connection: "Connection | None" = None) -> None:
        """On a connection of its own, whose schema is checked, or on one of a pool."""
        self.url = url
        self.connection: Connection = connect(url) if connection is None else connection
        if connection is None:
            try:
                with sentences(url):
                    verify_version(self.connection)
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Let the connection go."""
        self.connection.close()

    # --- for tables ---

    def place(self, table: str) -> StoredAt:
        """How far the table is; MeterMisuse where it is not enrolled."""
        row = self._one(f"SELECT {_PLACE} FROM meters.enrolled WHERE table_name = %s", (table,))
        if row is None:
            raise MeterMisuse(f"no table {table} is enrolled: `shuffler meters enrol {table} METER --login LOGIN`")
        return _place(row)

    def arrive(self, table: str, journal: bytes, home: str, *, seq: int = 0, claims: Sequence[Claim] = ()) -> StoredAt:
        """Connect a table whose journal is at `home` and was pushed up to `seq`; return how far the server is."""
        row = self._one(
            f"SELECT {_PLACE} FROM meters.arrive(%s, %s, %s, %s, %s::jsonb)",
            (table, journal, home, seq, json.dumps([one._asdict() for one in claims])),
        )
        assert row is not None
        return _place(row)

    def caught_up(self, table: str, journal: bytes, moves: int) -> bool:
        """Say that all `moves` of the outbox are sent; return whether others need not wait for this table."""
        row = self._one("SELECT meters.caught_up(%s, %s, %s)", (table, journal, moves))
        assert row is not None
        return bool(row[0])

    def note_refusal(self, table: str, why: str) -> None:
        """Leave word for `check` that this table's moves are refused."""
        self._one("SELECT meters.note_refusal(%s, %s)", (table, why))

    def push(self, table: str, journal: bytes, batch: Batch) -> int:
        """A stretch of the outbox, all or nothing; how many of its moves were new."""
        row = self._one(
            "SELECT meters.push(%s, %s, %s, %s, %s, %s, %s::jsonb)",
            (table, journal, batch.start, batch.start_hash, batch.end, batch.end_hash, _json(batch.moves)),
        )
        self.confirm(table, journal)
        assert row is not None
        return int(row[0])

    def confirm(self, table: str, journal: bytes) -> None:
        """Wait until what has been seen here is on the server's disk: others' pushes are visible before they last."""
        self._one("SELECT meters.confirm(%s, %s)", (table, journal))

    def ask(
        self, table: str, journal: bytes, moves: int, meter: str, round_id: str, wanted: Sequence[Wanted]
    ) -> tuple[Hold, ...]:
        """Reserve awards of a round; its reservations, in their order. `moves` of the outbox must be there before."""
        rows = self._all(
            f"SELECT {_HOLD} FROM meters.ask(%s, %s, %s, %s, %s, %s::jsonb)",
            (table, journal, moves, meter, round_id, json.dumps([one._asdict() for one in wanted])),
        )
        return tuple(map(_hold, rows))

    def holds(self, table: str, meter: str, round_id: str) -> tuple[Hold, ...]:
        """The reservations of a round."""
        rows = self._all(
            f"SELECT {_HOLD} FROM meters.hold WHERE table_name = %s AND meter = %s AND round_id = %s ORDER BY ticket",
            (table, meter, round_id),
        )
        return tuple(map(_hold, rows))

    def snapshots(self, table: str) -> tuple[MeterSnapshot, ...]:
        """Every meter of a table, with what the table has told."""
        columns = ", ".join(f"m.{name.strip()}" for name in _METER.split(","))
        rows = self._all(
            f"SELECT {columns}, s.told, s.told_reserve FROM meters.enrolment AS s JOIN meters.meter AS m"
            " ON m.name = s.meter WHERE s.table_name = %s ORDER BY m.name",
            (table,),
        )
        return tuple(MeterSnapshot(_shown(row), row[-2], row[-1]) for row in rows)

    # --- for operators ---

    def meters(self) -> tuple[Shown, ...]:
        """Every meter."""
        return tuple(map(_shown, self._all(f"SELECT {_METER} FROM meters.meter ORDER BY name")))

    def create_meter(self, rules: MeterRules) -> None:
        """A new meter at its seed."""
        self._one(
            "SELECT meters.create_meter(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (rules.name, rules.wager, rules.denomination, rules.spots, rules.seed, rules.share_bp,
             rules.reserve_bp, rules.cap, rules.rounding, list(rules.percents), rules.order),
        )  # fmt: skip

    def enrol(self, table: str, meter: str, login: str, *, transfer: int = 0) -> None:
        """Let a table push to a meter with that login alone; its own meter may bring `transfer` cents along."""
        self._one("SELECT meters.enrol(%s, %s, %s, %s)", (table, meter, login, transfer))

    def restored(self) -> None:
        """Say that the server was restored from a copy of its files."""
        self._one("SELECT meters.restored()")

    def propose(
        self, kind: Proposal, by: str, reason: str, *, meter: str | None = None, table: str | None = None,
        change: int = 0, ticket: int | None = None,
    ) -> int:  # fmt: skip
        """Propose what takes two people; return the proposal's number."""
        row = self._one(
            "SELECT meters.propose(%s, %s, %s, %s, %s, %s, %s)", (kind, meter, table, change, ticket, reason, by)
        )
        assert row is not None
        return int(row[0])

    def approve(self, number: int, by: str) -> int | None:
        """Carry out a proposal as the second person; return what its meter shows then."""
        row = self._one("SELECT meters.approve(%s, %s)", (number, by))
        assert row is not None
        return None if row[0] is None else int(row[0])

    # --- inside ---

    def _one(self, query: str, values: Iterable[Any] = ()) -> tuple[Any, ...] | None:
        rows = self._all(query, values)
        return rows[0] if rows else None

    def _all(self, query: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            with sentences(self.url):
                return self.connection.execute(query.encode(), tuple(values)).fetchall()
        except MeterLocked:
            with suppress(ServerAway, MeterRefused), sentences(self.url):
                self.connection.execute("SELECT meters.unblock()")
            raise


class MeterPool:
    """For a program that looks now and then for a long time: a connection that was cut is replaced by a new one."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._pool = open_pool(url)

    def close(self) -> None:
        """Let all connections go."""
        self._pool.close()

    @contextmanager
    def server(self) -> Iterator[MeterServer]:
        """A server that answers; raises ServerAway."""
        with sentences(self.url), self._pool.connection() as connection:
            yield MeterServer(self.url, connection=connection)


_FIELDS = tuple(field.name for field in fields(MeterMoved))


def _json(moves: Iterable[MeterMoved]) -> str:
    return json.dumps([{name: getattr(move, name) for name in _FIELDS} for move in moves])


def _place(row: tuple[Any, ...]) -> StoredAt:
    journal, seq, hash_, moves, behind = row
    return StoredAt(None if journal is None else bytes(journal), seq, bytes(hash_), moves, behind)


def _hold(row: tuple[Any, ...]) -> Hold:
    ticket, table, round_id, spot, nth, percent, state, pot, left, amount, reserve, floor = row
    return Hold(
        ticket=ticket, table=table, round_id=round_id, spot=spot, nth=nth, percent=percent, state=HoldState(state),
        pot=pot, left=left, amount=amount, reserve=reserve, floor=floor,
    )  # fmt: skip


def _shown(row: tuple[Any, ...]) -> Shown:
    name, wager, denomination, spots, seed, share_bp, reserve_bp, cap, rounding, percents, order, version = row[:12]
    amount, reserve, floor, held = row[12:16]
    rules = MeterRules(
        name=name, wager=wager, denomination=denomination, spots=spots, seed=seed, share_bp=share_bp,
        reserve_bp=reserve_bp, cap=cap, rounding=rounding, percents=tuple(percents), order=order,
    )  # fmt: skip
    return Shown(rules, version, amount, reserve, floor, held)
