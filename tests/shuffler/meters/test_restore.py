"""A server restored from a back-up: its tables send again what it lacks; nothing is lost, stuck or given out twice."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from proofs.linked_table import METER, Habits, LinkedBench, rules
from proofs.postgres import Cluster
from shuffler.meters import audit
from shuffler.meters.errors import JournalForked, ServerBehind
from shuffler.meters.linked import rules_of
from shuffler.meters.sender import home_of
from shuffler.meters.server import MeterServer
from shuffler.meters.values import Wanted

pytestmark = [pytest.mark.needs("postgresql"), pytest.mark.slow]

HITS = Habits(hit=1.0, misdeal=0, back_out=0, spots=1)
QUIET = Habits(hit=0, misdeal=0, back_out=0)
WAIT_S = 60


@pytest.fixture
def server(meters_url: str) -> Iterator[MeterServer]:
    with closing(MeterServer(meters_url)) as found:
        found.create_meter(rules_of(rules(), "bad_beat", METER))
        for table in ("t1", "t2"):
            found.enrol(table, METER, "owner")
        yield found


def played(url: str, folder: Path, name: str, rounds: int, habits: Habits = HITS) -> None:
    """Open a table, play, and leave with everything sent."""
    table = LinkedBench(url, folder / f"{name}.db", name, seed=5 + rounds, habits=habits)
    for _ in range(rounds):
        table.play()
    assert table.close(drain_s=WAIT_S)


def dump(cluster: Cluster, url: str, name: str) -> None:
    at = ("-h", "127.0.0.1", "-p", str(cluster.port), "-U", "owner")
    cluster.run("pg_dump", *at, "-Fc", "-f", str(cluster.folder / name), url.rpartition("/")[2])


def restore(cluster: Cluster, name: str, into: str) -> str:
    """As docs/linked.md says."""
    url = cluster.database(into)
    at = ("-h", "127.0.0.1", "-p", str(cluster.port), "-U", "owner")
    cluster.run("pg_restore", *at, "-d", into, str(cluster.folder / name))
    return url


def tickets(server: MeterServer) -> list[int]:
    rows = server.connection.execute(
        "SELECT DISTINCT ticket, table_name, round_id, spot, nth FROM meters.ledger WHERE kind = 'award'"
        " UNION SELECT ticket, table_name, round_id, spot, nth FROM meters.hold"
    ).fetchall()
    return sorted(row[0] for row in rows)


def paid(server: MeterServer) -> int:
    row = server.connection.execute("SELECT sum(told)::bigint FROM meters.ledger WHERE kind = 'award'").fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize("first", ["t1", "t2"])
def test_awards_of_two_tables_after_the_dump_come_back(
    postgresql: Cluster, server: MeterServer, tmp_path: Path, first: str
) -> None:
    played(server.url, tmp_path, "t1", 1)
    played(server.url, tmp_path, "t2", 1)
    dump(postgresql, server.url, f"{first}.dump")
    for table in ("t1", "t2", "t1"):
        played(server.url, tmp_path, table, 2)
    before, known = paid(server), tickets(server)
    url = restore(postgresql, f"{first}.dump", server.url.rpartition("/")[2] + "_again")
    second = "t2" if first == "t1" else "t1"
    played(url, tmp_path, first, 0)
    with closing(MeterServer(url)) as again:
        assert audit.check(again).problems == [
            f"table {second} has not sent again what this restored server lacks: no award is reserved until it has"
        ]
        with pytest.raises(ServerBehind, match=f"waits for: {second}"):
            again.ask(first, again.place(first).journal or b"", 0, METER, "R1", [Wanted(3, 9, 25)])
        played(url, tmp_path, second, 0)
        assert paid(again) == before
        assert audit.reconcile(again, sorted(tmp_path.glob("*.db"))).problems == []
        played(url, tmp_path, first, 1)
        later = tickets(again)
        assert len(set(later)) == len(later)
        assert not set(later) & set(range(max(known) + 1, 1_000_000)), "a number that may have been given out before"


def test_a_restore_at_every_point_of_a_history_loses_nothing(
    postgresql: Cluster, server: MeterServer, tmp_path: Path
) -> None:
    """The dump is taken after each of six steps; both tables come back in either order."""
    name = server.url.rpartition("/")[2]
    server.close()
    steps = [("t1", HITS), ("t2", HITS), ("t1", QUIET), ("t2", HITS), ("t1", HITS)]
    for number, (table, habits) in enumerate(steps):
        postgresql.database(f"{name}_at{number}", template=name)
        played(server.url, tmp_path, table, 1, habits)
    with closing(MeterServer(server.url)) as last:
        before = paid(last)
    for number in range(len(steps)):
        url = postgresql.url(f"{name}_at{number}")
        folder = tmp_path / f"at{number}"
        with closing(MeterServer(url)) as again:
            again.restored()
        order = ("t1", "t2") if number % 2 else ("t2", "t1")
        for table in order:
            played(url, tmp_path, table, 0)
        with closing(MeterServer(url)) as again:
            assert paid(again) == before, folder
            assert audit.reconcile(again, sorted(tmp_path.glob("*.db"))).problems == []


def test_a_table_that_will_not_come_back_is_retired_by_two_people(
    postgresql: Cluster, server: MeterServer, tmp_path: Path
) -> None:
    played(server.url, tmp_path, "t1", 1)
    played(server.url, tmp_path, "t2", 1)
    server.restored()
    played(server.url, tmp_path, "t1", 0)
    assert len(audit.check(server).problems) == 1
    approved(server, server.propose("retire", "Ann", "its disk is gone", table="t2"))
    assert audit.check(server).problems == []
    played(server.url, tmp_path, "t1", 1)


def approved(server: MeterServer, number: int) -> None:
    """Approve it as another person with a login of their own."""
    made = "CREATE ROLE second_operator LOGIN IN ROLE meters_operator; EXCEPTION WHEN duplicate_object THEN NULL;"
    server.connection.execute(f"DO $$ BEGIN {made} END $$".encode())
    with closing(MeterServer(server.url.replace("owner@", "second_operator@"))) as other:
        other.approve(number, "Bob")


def test_a_dead_tables_reservation_is_freed_by_two_people(server: MeterServer, tmp_path: Path) -> None:
    played(server.url, tmp_path, "t1", 1, QUIET)
    place = server.place("t1")
    rounds = server.connection.execute("SELECT round_id FROM meters.ledger WHERE kind = 'contribution'").fetchall()
    (hold,) = server.ask("t1", place.journal or b"", place.moves, METER, rounds[0][0], [Wanted(1, 1, 100)])
    server.connection.execute("UPDATE meters.hold SET asked_at = asked_at - interval '2 hours'")
    (problem,) = audit.check(server).problems
    assert problem.startswith(f"meter {METER}: ticket {hold.ticket} of table t1, round {rounds[0][0]}, has been open")
    number = server.propose("release", "Ann", "the table burned down", meter=METER, ticket=hold.ticket)
    approved(server, number)
    assert audit.check(server).problems == []
    row = server.connection.execute(
        "SELECT ticket, change, proposed_by, approved_by, reason FROM meters.ledger WHERE kind = 'release'"
    ).fetchone()
    assert row == (hold.ticket, 0, "Ann", "Bob", "the table burned down")
    played(server.url, tmp_path, "t2", 1)  # the next hit at another table is paid


def test_a_copy_of_a_journal_is_refused_before_its_first_push(server: MeterServer, tmp_path: Path) -> None:
    played(server.url, tmp_path, "t1", 1, QUIET)
    copy = tmp_path / "copy" / "t1.db"
    copy.parent.mkdir()
    shutil.copy(tmp_path / "t1.db", copy)
    place = server.place("t1")
    with pytest.raises(JournalForked, match="a copy of it"):
        server.arrive("t1", place.journal or b"", home_of(copy))
    table = LinkedBench(server.url, copy, "t1", seed=9, habits=QUIET)
    assert table.sender.wait(lambda news: bool(news.stopped), WAIT_S)
    assert not table.close()
    assert "table t1 was refused" in " ".join(audit.check(server).problems)
    played(server.url, tmp_path, "t1", 1, QUIET)  # the real one goes on, and the refusal is over
    assert audit.check(server).problems == []
    approved(server, server.propose("moved", "Ann", "a new disk", table="t1"))
    server.arrive("t1", place.journal or b"", home_of(copy))


def test_a_table_that_was_further_waits_for_an_operator(server: MeterServer, tmp_path: Path) -> None:
    """A copy of the server's files looks like the server; only its tables know better, and a table may lie."""
    played(server.url, tmp_path, "t1", 1, QUIET)
    place = server.place("t1")
    with pytest.raises(ServerBehind, match="shuffler meters restored"):
        server.arrive("t1", place.journal or b"", home_of(tmp_path / "t1.db"), seq=place.seq + 5)
    assert not server.place("t1").behind
