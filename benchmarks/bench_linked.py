"""Linked rounds against bare keyed inserts of the same bytes, by as many clients, in one run; the latency of an award.

Each client is a process; all begin together, with their outboxes in memory, so that what is measured is the way from an
outbox to a committed row: the push and the database. The peer inserts the same moves as rows of the same text under the
same key, in batches of the same size, into a table without meters or checks. One table with journal and sender is
measured by itself.
"""

import json
import multiprocessing
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from multiprocessing.synchronize import Barrier
from pathlib import Path

import psycopg

from benchmarks import Section
from proofs.linked_table import METER, Habits, LinkedBench, rules
from proofs.postgres import Cluster, cluster
from shuffler.journal.entries import MeterMoved, MoveKind
from shuffler.meters.database import migrate, settings
from shuffler.meters.linked import rules_of
from shuffler.meters.sender import SenderLimits
from shuffler.meters.server import Batch, MeterServer
from shuffler.meters.values import HoldState, Wanted

TABLES = (1, 4, 16, 64)
BATCH = SenderLimits().batch
PUSHES = {1: 1_600, BATCH: 100}  # of all tables together, by the rounds in each; five a table at least
REPEATS = 3
AWARDS = 200
FLOOR_PUSH_S = 1.0  # between two pushes of a table: sixty times the pace of a floor, where a round takes a minute
MOST_MOVES = 100_000  # of a table that pushes until the last award is timed
JOURNAL = bytes(16)
Client = Callable[..., None]


def run() -> list[Section]:
    """Throughput by the number of tables, and the latency of awards under load."""
    with cluster(quick=False) as server:
        rows = [_compared(server, tables, size) for size in PUSHES for tables in TABLES]
        latency = [
            _latency(server, "no other table", 1, 0),
            _latency(server, "15 tables, a push a second each", 16, FLOOR_PUSH_S),
            _latency(server, f"15 tables, pushes of {BATCH} without a pause", 16, 0),
        ]
    return [
        Section(
            title="Linked rounds",
            columns=("tables, rounds a push", "linked rounds a second", "bare keyed inserts a second", "ratio"),
            rows=tuple(rows),
            note=(
                "PostgreSQL with fsync, one meter, each table a process with a connection of its own; the peer inserts"
                " the same text under the same key in transactions of the same size, by as many clients, in the same"
                f" run, with no meter, no balances and no checks. The better of {REPEATS} runs each. Reach: ≥ 0.5× with"
                " batching. What limits it is the meter's row: one push at a time moves a meter, while bare inserts of"
                " many clients run side by side. The disk is waited for outside of that, by many tables at once."
            ),
        ),
        Section(
            title="An award on a shared meter",
            columns=("beside it", "awards", "median", "p99"),
            rows=tuple(latency),
            note=(
                "From the wish (outbox pushed before) to the fixed prize, and from there to the award in the ledger:"
                " two transactions. Without a pause, each of them waits behind the pushes of fifteen others."
            ),
        ),
        _whole(),
    ]


# --- throughput ---


def _moves(count: int) -> list[MeterMoved]:
    return [
        MeterMoved(number=at, meter=METER, round_id=f"R{at}", spot=0, kind=MoveKind.CONTRIBUTION, nth=1, change=26,
                   reserve_change=0)
        for at in range(1, count + 1)
    ]  # fmt: skip


def _push(
    url: str, table: str, count: int, size: int, ready: Barrier, done: Barrier, first: int = 0, every_s: float = 0
) -> None:
    moves = _moves(first + count)
    with closing(MeterServer(url)) as server:
        ready.wait()
        for start in range(first, first + count, size):
            time.sleep(every_s)
            end = min(start + size, first + count)
            server.push(table, JOURNAL, Batch(start, b"%d" % start if start else b"", end, b"%d" % end,
                                              tuple(moves[start:end])))  # fmt: skip
        done.wait()


def _insert(url: str, table: str, count: int, size: int, ready: Barrier, done: Barrier, first: int = 0) -> None:
    rows = [
        (table, move.round_id, move.spot, move.kind, move.nth, json.dumps(asdict(move)))
        for move in _moves(first + count)[first:]
    ]
    statement = "INSERT INTO bare VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"
    with psycopg.connect(url, **settings()) as connection:
        ready.wait()
        for start in range(0, count, size):
            with connection.transaction(), connection.cursor() as cursor:
                cursor.executemany(statement, rows[start : start + size])
        done.wait()


def _compared(server: Cluster, tables: int, size: int) -> tuple[str, ...]:
    url = server.database(f"bench_{tables}_{size}")
    _prepare(url, tables)
    count = max(5, PUSHES[size] // tables) * size
    rates: dict[Client, list[float]] = {_push: [], _insert: []}
    for repeat in range(REPEATS):
        for client, found in rates.items():
            found.append(_rate(client, url, tables, count, size, repeat * count))
    linked, bare = (max(found) for found in rates.values())
    what = f"{tables} table{'s' if tables > 1 else ''}, {size}"
    return what, f"{linked:,.0f}", f"{bare:,.0f}", f"{linked / bare:.2f}×"


def _prepare(url: str, tables: int) -> None:
    migrate(url)
    with closing(MeterServer(url)) as server:
        server.create_meter(rules_of(rules(), "bad_beat", METER))
        for table in range(tables):
            server.enrol(f"T{table}", METER, "owner")
        server.connection.execute(
            "CREATE TABLE bare (table_name text, round_id text, spot integer, kind text, nth bigint, body text,"
            " PRIMARY KEY (table_name, round_id, spot, kind, nth))"
        )


def _rate(work: Client, url: str, tables: int, count: int, size: int, first: int) -> float:
    """Rounds a second of all clients together, from the moment when all are ready until all are done."""
    context = multiprocessing.get_context("fork")
    ready, done = context.Barrier(tables + 1), context.Barrier(tables + 1)
    clients = [
        context.Process(target=work, args=(url, f"T{number}", count, size, ready, done, first))
        for number in range(tables)
    ]
    for client in clients:
        client.start()
    ready.wait()
    start = time.perf_counter()
    done.wait()
    took = time.perf_counter() - start
    for client in clients:
        client.join()
    return tables * count / took


# --- awards ---


def _latency(server: Cluster, beside: str, tables: int, every_s: float) -> tuple[str, ...]:
    """One table hits again and again while the others push."""
    url = server.database(f"awards_{tables}_{every_s:.0f}")
    _prepare(url, tables)
    context = multiprocessing.get_context("fork")
    ready, done = context.Barrier(tables), context.Barrier(1)
    size = 1 if every_s else BATCH
    others = [
        context.Process(target=_push, args=(url, f"T{number}", MOST_MOVES, size, ready, done, 0, every_s), daemon=True)
        for number in range(1, tables)
    ]
    for other in others:
        other.start()
    took = []
    with closing(MeterServer(url)) as mine:
        ready.wait()
        for at in range(AWARDS):
            took.append(_award(mine, at))
    for other in others:
        other.kill()
        other.join()
    took.sort()
    told = (f"{one * 1e3:.1f} ms" for one in (took[len(took) // 2], took[int(len(took) * 0.99)]))
    return beside, f"{AWARDS}", *told


def _award(server: MeterServer, at: int) -> float:
    round_id, number = f"R{at}", 2 * at + 1
    contribution = MeterMoved(
        number=number, meter=METER, round_id=round_id, spot=0, kind=MoveKind.CONTRIBUTION, nth=1, change=26,
        reserve_change=0,
    )  # fmt: skip
    _one(server, contribution)
    start = time.perf_counter()
    (hold,) = server.ask("T0", JOURNAL, number, METER, round_id, [Wanted(1, 1, 25)])
    assert hold.state is HoldState.FIXED
    award = MeterMoved(
        number=number + 1, meter=METER, round_id=round_id, spot=1, kind=MoveKind.AWARD, nth=1, change=-hold.pot,
        reserve_change=0, prize=hold.pot, ticket=hold.ticket,
    )  # fmt: skip
    _one(server, award)
    return time.perf_counter() - start


def _one(server: MeterServer, move: MeterMoved) -> None:
    before = move.number - 1
    server.push("T0", JOURNAL, Batch(before, b"%d" % before if before else b"", move.number, b"%d" % move.number,
                                     (move,)))  # fmt: skip


# --- with the engine and the journal ---


def _whole() -> Section:
    """Rounds of one table with its journal on this disk, its sender beside it, against the same without a server."""
    rates = {}
    with cluster(quick=False) as server, tempfile.TemporaryDirectory() as folder:
        url = server.database("whole")
        _prepare(url, 1)
        habits = Habits(hit=0, misdeal=0, back_out=0)
        bench = LinkedBench(url, Path(folder) / "T0.db", "T0", seed=1, habits=habits)
        for name in ("its own journal, not linked", "linked, the sender beside it"):
            if name.startswith("its own"):
                bench.sender.stop()
            else:
                bench = LinkedBench(url, Path(folder) / "T0.db", "T0", seed=1, habits=habits)
            start = time.perf_counter()
            for _ in range(300):
                bench.play()
            rates[name] = 300 / (time.perf_counter() - start)
            bench.close(drain_s=60 if name.startswith("linked") else 0)
    own = next(iter(rates.values()))
    rows = tuple((name, f"{rate:,.0f}", f"{rate / own:.2f}×") for name, rate in rates.items())
    return Section(
        title="A linked table as a whole", columns=("what", "rounds a second", "ratio"), rows=rows,
        note="Engine, journal (synchronous=FULL) and sender of one table, two spots a round, no device.",
    )  # fmt: skip
