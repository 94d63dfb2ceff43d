"""A meter server as a table and an operator see it: a call is a transaction of the database, a push one that lasts."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from round_engine.rules.ruleset import Wager
from shuffler.journal.entries import MeterMoved
from shuffler.meters.database import connect, open_pool, sentences, verify_version
from shuffler.meters.errors import MeterMisuse
from shuffler.meters.values import Hold, HoldState, MeterRules, Wanted

if TYPE_CHECKING:
    from shuffler.meters.database import Connection

_METER = (
    "name, wager, seed, share_bp, reserve_bp, cap, rounding, percents, award_order, version, amount, reserve, floor,"
    " held"
)
_HOLD = "ticket, table_name, round_id, spot, nth, percent, state, pot, left_over, amount, reserve, floor"


class StoredAt(NamedTuple):
    """How far a table's journal has been pushed."""

    journal: bytes | None
    seq: int
    hash: bytes
    moves: int


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
        row = self._one("SELECT journal, seq, hash, moves FROM meters.enrolled WHERE table_name = %s", (table,))
        if row is None:
            raise MeterMisuse(f"no table {table} is enrolled: `shuffler meters enrol {table} METER`")
        return StoredAt(None if row[0] is None else bytes(row[0]), row[1], bytes(row[2]), row[3])

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
            "SELECT meters.create_meter(%s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (rules.name, rules.wager, rules.seed, rules.share_bp, rules.reserve_bp, rules.cap, rules.rounding,
             list(rules.percents), rules.order),
        )  # fmt: skip

    def enrol(self, table: str, meter: str, login: str | None = None) -> None:
        """Let a table push to a meter; with `login`, that role alone may push for it."""
        self._one("SELECT meters.enrol(%s, %s, %s)", (table, meter, login))

    def propose(self, meter: str, change: int, reason: str, by: str) -> int:
        """A correction that waits for a second person; its number."""
        row = self._one("SELECT meters.propose(%s, %s, %s, %s)", (meter, change, reason, by))
        assert row is not None
        return int(row[0])

    def approve(self, number: int, by: str) -> int:
        """The second person agrees; what the meter shows then."""
        row = self._one("SELECT meters.approve(%s, %s)", (number, by))
        assert row is not None
        return int(row[0])

    # --- inside ---

    def _one(self, query: str, values: Iterable[Any] = ()) -> tuple[Any, ...] | None:
        rows = self._all(query, values)
        return rows[0] if rows else None

    def _all(self, query: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        with sentences(self.url):
            return self.connection.execute(query.encode(), tuple(values)).fetchall()


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


def _hold(row: tuple[Any, ...]) -> Hold:
    ticket, table, round_id, spot, nth, percent, state, pot, left, amount, reserve, floor = row
    return Hold(
        ticket=ticket, table=table, round_id=round_id, spot=spot, nth=nth, percent=percent, state=HoldState(state),
        pot=pot, left=left, amount=amount, reserve=reserve, floor=floor,
    )  # fmt: skip


def _shown(row: tuple[Any, ...]) -> Shown:
    name, wager, seed, share_bp, reserve_bp, cap, rounding, percents, order, version, *balances = row[:14]
    amount, reserve, floor, held = balances
    rules = MeterRules(
        name=name, wager=Wager(wager), seed=seed, share_bp=share_bp, reserve_bp=reserve_bp, cap=cap, rounding=rounding,
        percents=tuple(percents), order=order,
    )  # fmt: skip
    return Shown(rules, version, amount, reserve, floor, held)
