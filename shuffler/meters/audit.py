"""Is a meter server sound, and does its ledger say what the tables' journals say? Both are read, nothing is changed."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from round_engine.money import dollars
from shuffler.journal import JournalError, read
from shuffler.journal.entries import MeterMoved, MoveKind
from shuffler.journal.position import Position
from shuffler.meters.database import sentences
from shuffler.meters.errors import JournalForked, MeterError
from shuffler.meters.follower import OutboxReader
from shuffler.meters.sender import verify_place
from shuffler.meters.server import MeterServer


@dataclass(slots=True)
class MeterAudit:
    """What an audit shows."""

    rows: int = 0
    journals: int = 0
    moves: int = 0
    unsent: int = 0
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


OLD_HOLD_MINUTES = 30  # a prize that is keyed, verified and paid is done with long before
OPEN = "state IN ('waiting', 'fixed', 'claimed')"

# Each finds nothing in a sound database; the columns go into the sentence.
CHECKS: tuple[tuple[str, str], ...] = (
    (
        "meter {0}: row {1} of the ledger does not follow from the row before it",
        """SELECT meter, number FROM (
             SELECT meter, number, change, reserve_change, amount, reserve, lag(amount, 1, 0::bigint) OVER w AS a,
                    lag(reserve, 1, 0::bigint) OVER w AS r, lag(number, 1, 0::bigint) OVER w AS n
               FROM meters.ledger WINDOW w AS (PARTITION BY meter ORDER BY number)) AS l
            WHERE amount <> a + change OR reserve <> r + reserve_change OR number <> n + 1 ORDER BY 1, 2 LIMIT 20""",
    ),
    (
        "meter {0} shows {1} cents and its ledger adds up to {2}",
        """SELECT m.name, m.amount, sum(l.change) FROM meters.meter AS m JOIN meters.ledger AS l ON l.meter = m.name
            GROUP BY m.name HAVING m.amount <> sum(l.change) OR m.reserve <> sum(l.reserve_change)
                OR m.version <> max(l.number)""",
    ),
    (
        "meter {0} holds {1} cents and its reservations {2}",
        """SELECT m.name, m.held, coalesce(sum(h.left_over), 0) FROM meters.meter AS m LEFT JOIN meters.hold AS h
               ON h.meter = m.name AND h.state = 'fixed'
            GROUP BY m.name HAVING m.held <> coalesce(sum(h.left_over), 0)""",
    ),
    (
        "table {0} has told meter {1} {2} cents, and the ledger has {3}",
        """SELECT s.table_name, s.meter, s.told, coalesce(sum(l.told), 0)
             FROM meters.enrolment AS s
             LEFT JOIN meters.ledger AS l ON l.meter = s.meter AND l.table_name = s.table_name
            GROUP BY s.table_name, s.meter HAVING s.told <> coalesce(sum(l.told), 0)
                OR s.told_reserve <> coalesce(sum(l.told_reserve), 0)""",
    ),
    (
        "meter {0}: ticket {1} was fixed at {2} cents, and row {3} of the ledger says {4}",
        """SELECT h.meter, h.ticket, h.amount, h.version, l.amount FROM meters.hold AS h
             LEFT JOIN meters.ledger AS l ON l.meter = h.meter AND l.number = h.version
            WHERE h.version > 0 AND h.amount IS DISTINCT FROM l.amount LIMIT 20""",
    ),
    (
        "meter {0}: ticket {1} was fixed before ticket {2} was done with",
        """SELECT meter, ticket, before FROM (
             SELECT meter, ticket, fixed_at, lag(ticket) OVER w AS before, lag(ended_at) OVER w AS ended
               FROM meters.hold WHERE version > 0 WINDOW w AS (PARTITION BY meter ORDER BY ticket)) AS h
            WHERE before IS NOT NULL AND (ended IS NULL OR ended > fixed_at) LIMIT 20""",
    ),
    (
        "meter {0}: ticket {1} is taken, and no award of {2} cents stands in the ledger",
        """SELECT h.meter, h.ticket, h.pot FROM meters.hold AS h WHERE h.state = 'taken' AND NOT EXISTS (
             SELECT FROM meters.ledger AS l WHERE l.meter = h.meter AND l.ticket = h.ticket AND l.kind = 'award'
                AND l.told = -h.pot) LIMIT 20""",
    ),
    (
        "table {0} has not sent again what this restored server lacks: no award is reserved until it has",
        "SELECT table_name FROM meters.enrolled WHERE behind ORDER BY 1",
    ),
    (
        "table {0} was refused at {1}: {2}",
        """SELECT table_name, to_char(refused_at, 'YYYY-MM-DD HH24:MI:SS'), refused FROM meters.enrolled
            WHERE refused IS NOT NULL AND NOT retired ORDER BY 1""",
    ),
    (
        "meter {0}: ticket {1} of table {2}, round {3}, has been open since {4}: `shuffler meters release` frees it",
        f"""SELECT meter, ticket, table_name, round_id, to_char(asked_at, 'YYYY-MM-DD HH24:MI:SS') FROM meters.hold
            WHERE {OPEN} AND asked_at < clock_timestamp() - interval '{OLD_HOLD_MINUTES} minutes'
            ORDER BY meter, ticket""",
    ),
    (
        "meter {0}, row {1}: table {2} contributed {3} cents in round {4}, more than its spots can",
        """SELECT l.meter, l.number, l.table_name, l.told, l.round_id FROM meters.ledger AS l
             JOIN meters.meter AS m ON m.name = l.meter WHERE l.kind = 'contribution'
              AND (l.told > meters.most_contributed(m.denomination, m.spots, m.share_bp)
                   OR l.told_reserve > meters.most_contributed(m.denomination, m.spots, m.reserve_bp)) LIMIT 20""",
    ),
    (
        "meter {0}: table {1} took back {2} cents of round {3}, which gave {4}",
        """SELECT meter, table_name, -sum(told) FILTER (WHERE kind = 'void'), round_id,
                  coalesce(sum(told) FILTER (WHERE kind = 'contribution'), 0) FROM meters.ledger
            WHERE kind IN ('void', 'contribution') GROUP BY meter, table_name, round_id
           HAVING sum(told) < 0 OR sum(told_reserve) < 0 LIMIT 20""",
    ),
    (
        "meter {0}, row {1}: the back-out of table {2}, round {3}, has no award",
        """SELECT l.meter, l.number, l.table_name, l.round_id FROM meters.ledger AS l WHERE l.kind = 'back-out'
              AND NOT EXISTS (SELECT FROM meters.ledger AS a WHERE a.kind = 'award'
                  AND (a.meter, a.table_name, a.round_id, a.spot, a.nth)
                    = (l.meter, l.table_name, l.round_id, l.spot, l.nth)) LIMIT 20""",
    ),
    (
        "meter {0}, row {1}: a {2} of table {3} is not a table's to make",
        """SELECT meter, number, kind, table_name FROM meters.ledger WHERE table_name <> '' AND kind NOT IN
              ('transfer', 'contribution', 'award', 'reset', 'back-out', 'void') LIMIT 20""",
    ),
)
WARNINGS: tuple[tuple[str, str], ...] = (
    (
        "meter {0}: the award of table {1}, round {2}, was not reserved here: the server is an older copy",
        """SELECT l.meter, l.table_name, l.round_id FROM meters.ledger AS l WHERE l.kind = 'award' AND NOT EXISTS (
             SELECT FROM meters.hold AS h WHERE h.meter = l.meter AND h.ticket = l.ticket
                AND h.table_name = l.table_name) LIMIT 20""",
    ),
    (
        "meter {0}: table {1} has had an award of round {2} reserved since {3}",
        f"""SELECT meter, table_name, round_id, to_char(asked_at, 'YYYY-MM-DD HH24:MI:SS') FROM meters.hold
            WHERE {OPEN} AND asked_at >= clock_timestamp() - interval '{OLD_HOLD_MINUTES} minutes'
            ORDER BY meter, ticket""",
    ),
    (
        "proposal {0} of {1} ({2}) waits for a second person",
        "SELECT number, proposed_by, kind FROM meters.proposal WHERE approved_by IS NULL ORDER BY number",
    ),
)


def check(server: MeterServer) -> MeterAudit:
    """The server by itself: ledger, balances, reservations, order of awards."""
    found = MeterAudit()
    connection = server.connection
    with sentences(server.url), connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")  # one moment for all questions
        ((found.rows,),) = connection.execute("SELECT count(*) FROM meters.ledger").fetchall()
        for text, query in CHECKS:
            found.problems += [text.format(*row) for row in connection.execute(query.encode()).fetchall()]
        for text, query in WARNINGS:
            found.warnings += [text.format(*row) for row in connection.execute(query.encode()).fetchall()]
    return found


# --- against the journals ---


class _Row(NamedTuple):
    """A row of the ledger, as far as a journal can know it."""

    meter: str
    round_id: str
    spot: int
    kind: str
    nth: int
    told: int
    told_reserve: int


def reconcile(
    server: MeterServer, journals: Iterable[Path], progress: Callable[[int], None] | None = None
) -> MeterAudit:
    """The server, and its ledger against every journal that is given, move by move."""
    found = check(server)
    seen: set[str] = set()
    for path in journals:
        try:
            table = _Books(path, found, progress)
        except JournalError as problem:
            found.problems.append(str(problem))
            continue
        found.journals += 1
        if not table.name:
            found.warnings.append(f"{path}: no meter of it is shared")
            continue
        if table.name in seen:
            found.problems.append(f"{path}: a second journal of table {table.name}")
            continue
        seen.add(table.name)
        try:
            _compare(server, table, found)
        except MeterError as problem:
            found.problems.append(f"{path}: {problem}")
    with sentences(server.url):
        rows = server.connection.execute("SELECT table_name FROM meters.enrolled WHERE seq > 0 ORDER BY 1").fetchall()
    if missing := [name for (name,) in rows if name not in seen]:
        found.warnings.append(f"no journal was given for {', '.join(missing)}")
    return found


class _Books:
    """One journal's moves."""

    def __init__(self, path: Path, found: MeterAudit, progress: Callable[[int], None] | None) -> None:
        self.path = path
        self.moves: list[MeterMoved] = []
        position = Position()
        for record in read(path):
            for entry in record.entries:
                position.take(entry)
                if isinstance(entry, MeterMoved):
                    self.moves.append(entry)
            if progress is not None and not record.seq % 1000:
                progress(record.seq)
        self.instance = position.instance
        names = {link.table for link in position.meters.links.values()}
        self.name = names.pop() if names else ""
        found.moves += len(self.moves)

    def rows(self) -> Iterator[tuple[int, _Row]]:
        """The rows that the moves make, with the number of the move."""
        for move in self.moves:
            key = move.meter, move.round_id, move.spot
            if move.kind is MoveKind.RELEASE:
                continue
            if move.kind is not MoveKind.AWARD:
                yield move.number, _Row(*key, move.kind, move.nth, move.change, move.reserve_change)
                continue
            yield move.number, _Row(*key, "award", move.nth, -move.prize, 0)
            if move.seed or move.from_reserve:
                restart = move.seed + move.from_reserve
                yield move.number, _Row(*key, "reset", move.nth, restart, -move.from_reserve)


def _compare(server: MeterServer, table: _Books, found: MeterAudit) -> None:
    place = server.place(table.name)
    who = f"table {table.name} ({table.path})"
    with closing(OutboxReader(table.path)) as follower:
        try:
            verify_place(follower, table.name, table.instance, place.journal, place.seq, place.hash)
        except JournalForked as problem:
            found.problems.append(f"{table.path}: {problem}")
            if place.journal is not None and place.journal != table.instance:
                return
    with sentences(server.url):
        rows = server.connection.execute(
            "SELECT meter, round_id, spot, kind, nth, told, told_reserve FROM meters.ledger WHERE table_name = %s",
            (table.name,),
        ).fetchall()
    there = {_key(row): _Row(*row) for row in rows}
    for number, row in table.rows():
        known = there.pop(_key(row), None)
        if known is None:
            if number <= place.moves:
                found.problems.append(f"{who}: the {row.kind} of round {row.round_id} is not in the ledger")
            else:
                found.unsent += 1
        elif known != row:
            found.problems.append(
                f"{who}: the {row.kind} of round {row.round_id} is {dollars(row.told)} here and {dollars(known.told)}"
                " in the ledger"
            )
    for known in list(there.values())[:20]:
        found.problems.append(
            f"{who}: the ledger has a {known.kind} of round {known.round_id} ({dollars(known.told)}) that the journal"
            " has not"
        )


def _key(row: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(row)[:5]


class LedgerRow(NamedTuple):
    """One row, as `watch` shows it."""

    number: int
    kind: str
    table: str
    round_id: str
    change: int


def rows_after(server: MeterServer, meter: str, number: int, most: int = 200) -> list[LedgerRow]:
    """The newest rows after a number."""
    with sentences(server.url):
        rows = server.connection.execute(
            "SELECT * FROM (SELECT number, kind, table_name, round_id, change FROM meters.ledger WHERE meter = %s AND"
            " number > %s ORDER BY number DESC LIMIT %s) AS newest ORDER BY number",
            (meter, number, most),
        ).fetchall()
    return [LedgerRow(*row) for row in rows]


def exported(server: MeterServer) -> Iterator[dict[str, Any]]:
    """Every row of the ledger as plain data, in order, however many there are."""
    connection = server.connection
    with sentences(server.url), connection.transaction(), connection.cursor("export") as cursor:
        cursor.execute("SELECT * FROM meters.ledger ORDER BY meter, number")
        names = [column.name for column in cursor.description or ()]
        for row in cursor:
            plain = dict(zip(names, row, strict=True))
            yield plain | {"at": plain["at"].isoformat()}
