"""The sender against a real server: in order, exactly once, whatever dies; and how a journal from the past is found."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from proofs.linked_table import METER, Habits, LinkedBench, rules
from shuffler.meters import audit
from shuffler.meters.follower import OutboxReader
from shuffler.meters.linked import rules_of
from shuffler.meters.sender import SenderLimits
from shuffler.meters.server import Batch, MeterServer

pytestmark = [pytest.mark.needs("postgresql"), pytest.mark.slow]
QUIET = Habits(hit=0, misdeal=0, back_out=0)
BUSY = Habits(hit=0.5, misdeal=0.2, back_out=0.3)
WAIT_S = 60


@pytest.fixture
def server(meters_url: str) -> Iterator[MeterServer]:
    with closing(MeterServer(meters_url)) as found:
        found.create_meter(rules_of(rules(), "bad_beat", METER))
        for table in ("t1", "t2"):
            found.enrol(table, METER, "owner")
        yield found


def bench(server: MeterServer, path: Path, name: str = "t1", habits: Habits = QUIET) -> LinkedBench:
    return LinkedBench(server.url, path / f"{name}.db", name, seed=5, habits=habits)


def test_two_tables_with_hits_misdeals_and_back_outs_agree_with_the_ledger(server: MeterServer, tmp_path: Path) -> None:
    tables = [bench(server, tmp_path, name, BUSY) for name in ("t1", "t2")]
    for _ in range(10):
        for table in tables:
            table.play()
    for table in tables:
        assert table.close(drain_s=WAIT_S)
    found = audit.reconcile(server, sorted(tmp_path.glob("*.db")))
    assert (found.problems, found.warnings, found.unsent) == ([], [], 0)
    assert found.moves > 40


def test_a_cut_connection_loses_and_doubles_nothing(server: MeterServer, tmp_path: Path) -> None:
    table = bench(server, tmp_path)
    for number in range(6):
        table.play()
        if number % 2:
            server.connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid()"
            )
    assert table.close(drain_s=WAIT_S)
    assert server.meters()[0].amount == 1_000_000 + 6 * 52
    assert not audit.reconcile(server, [tmp_path / "t1.db"]).problems


def test_contributions_are_gathered_and_an_award_takes_them_along_at_once(
    server: MeterServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    push = MeterServer.push

    def counted(self: MeterServer, table: str, journal: bytes, batch: Batch) -> int:
        sizes.append(len(batch.moves))
        return push(self, table, journal, batch)

    monkeypatch.setattr(MeterServer, "push", counted)
    patient = SenderLimits(gather_s=10 * WAIT_S)
    table = LinkedBench(server.url, tmp_path / "t1.db", "t1", seed=5, habits=QUIET, limits=patient)
    assert table.sender.wait(lambda news: news.pushed == 1, WAIT_S)  # what it brought along when it was linked
    for _ in range(5):
        table.play()
    table.habits = Habits(hit=1.0, misdeal=0, back_out=0, spots=1)
    table.play()
    assert table.close(drain_s=WAIT_S)
    assert sizes[:2] == [1, 6]
    assert not audit.reconcile(server, [tmp_path / "t1.db"]).problems


def test_the_outbox_is_read_on_from_any_place_and_its_newest_move_from_the_end(
    server: MeterServer, tmp_path: Path
) -> None:
    table = bench(server, tmp_path, habits=BUSY)
    for _ in range(5):
        table.play()
    assert table.close(drain_s=WAIT_S)
    with closing(OutboxReader(tmp_path / "t1.db")) as reader:
        whole = reader.after(0, b"", 1000)
        first = reader.after(0, b"", 3)
        rest = reader.after(first.end, first.end_hash, 1000)
        assert (*first.moves, *rest.moves) == whole.moves
        assert reader.newest_move() == whole.moves[-1].number == len(whole.moves)


def test_an_older_copy_of_a_journal_is_found_named_and_not_merged(server: MeterServer, tmp_path: Path) -> None:
    path = tmp_path / "t1.db"
    table = bench(server, tmp_path)
    table.play()
    assert table.close(drain_s=WAIT_S)
    shutil.copy(path, tmp_path / "copy")
    table = bench(server, tmp_path)
    for _ in range(3):
        table.play()
    assert table.close(drain_s=WAIT_S)
    before = server.meters()[0].amount
    shutil.copy(tmp_path / "copy", path)

    table = bench(server, tmp_path)
    assert table.sender.wait(lambda news: bool(news.stopped), WAIT_S)
    assert "t1" in table.sender.news.stopped
    assert "older copy" in table.sender.news.stopped
    for _ in range(9):  # it plays on, and now has more records than the server knows: its past is another one
        table.play()
    table.close()
    table = bench(server, tmp_path)
    assert table.sender.wait(lambda news: bool(news.stopped), WAIT_S)
    assert "played on" in table.sender.news.stopped
    table.close()

    assert server.meters()[0].amount == before
    found = audit.reconcile(server, [path])
    assert any("older copy" in problem and "t1" in problem for problem in found.problems)
    assert any("that the journal has not" in problem or "not the one" in problem for problem in found.problems)


def test_a_ledger_that_was_changed_behind_its_triggers_is_found(server: MeterServer, tmp_path: Path) -> None:
    table = bench(server, tmp_path)
    table.play()
    assert table.close(drain_s=WAIT_S)
    server.connection.execute("ALTER TABLE meters.ledger DISABLE TRIGGER ALL")
    server.connection.execute("UPDATE meters.ledger SET told = told - 1, change = change - 1 WHERE number = 3")
    problems = audit.reconcile(server, [tmp_path / "t1.db"]).problems
    assert any("does not follow" in problem for problem in problems)
    assert any("in the ledger" in problem for problem in problems)


def test_a_ledger_that_lost_its_end_is_found(server: MeterServer, tmp_path: Path) -> None:
    table = bench(server, tmp_path)
    table.play()
    assert table.close(drain_s=WAIT_S)
    server.connection.execute("ALTER TABLE meters.ledger DISABLE TRIGGER ALL")
    server.connection.execute("DELETE FROM meters.ledger WHERE number = (SELECT max(number) FROM meters.ledger)")
    problems = audit.reconcile(server, [tmp_path / "t1.db"]).problems
    assert any("is not in the ledger" in problem for problem in problems)


def test_a_dump_that_is_restored_reconciles(postgresql, server: MeterServer, tmp_path: Path) -> None:
    table = bench(server, tmp_path, habits=BUSY)
    for _ in range(6):
        table.play()
    assert table.close(drain_s=WAIT_S)
    name = server.url.rpartition("/")[2]
    dump = postgresql.folder / "dump"
    where = ("-h", "127.0.0.1", "-p", str(postgresql.port), "-U", "owner")
    postgresql.run("pg_dump", *where, "-Fc", "-f", str(dump), name)
    shown = server.meters()
    server.close()
    postgresql.run("dropdb", *where, name)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(server.url)
    postgresql.run("createdb", *where, name)
    postgresql.run("pg_restore", *where, "-d", name, str(dump))
    with closing(MeterServer(server.url)) as again:
        assert again.meters() == shown
        assert not audit.reconcile(again, [tmp_path / "t1.db"]).problems
        table = bench(again, tmp_path)
        table.play()
        assert table.close(drain_s=WAIT_S)
        assert not audit.reconcile(again, [tmp_path / "t1.db"]).problems


def test_a_server_restored_from_an_older_dump_is_brought_up_to_date_by_its_tables(
    postgresql, server: MeterServer, tmp_path: Path
) -> None:
    table = bench(server, tmp_path)
    table.play()
    assert table.close(drain_s=WAIT_S)
    older = postgresql.database(server.url.rpartition("/")[2] + "_older", template=_released(server))
    table = bench(server, tmp_path, habits=Habits(hit=1.0, misdeal=0, back_out=0, spots=1))
    for _ in range(3):
        table.play()
    assert table.close(drain_s=WAIT_S)
    with closing(MeterServer(older)) as again:
        again.restored()  # a copy of the files: nothing in it shows that it is one
    table = LinkedBench(older, tmp_path / "t1.db", "t1", seed=1, habits=QUIET)
    assert table.close(drain_s=WAIT_S)
    with closing(MeterServer(older)) as again:
        found = audit.reconcile(again, [tmp_path / "t1.db"])
        assert found.problems == []
        assert any("older copy" in warning for warning in found.warnings)


def _released(server: MeterServer) -> str:
    """The database's name, with nobody connected, so that it can be copied."""
    server.close()
    return server.url.rpartition("/")[2]


def test_the_outbox_is_read_from_the_file_while_the_table_plays(server: MeterServer, tmp_path: Path) -> None:
    table = bench(server, tmp_path)
    table.play()
    with closing(sqlite3.connect(tmp_path / "t1.db")) as database:
        assert database.execute("SELECT count(*) FROM records").fetchone()[0] > 2
    assert table.sender.wait(lambda news: news.pushed >= table.books.position.meters.newest, WAIT_S)
    table.close()
