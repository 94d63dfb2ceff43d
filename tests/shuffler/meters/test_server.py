"""The database itself: what is impossible in it, who may do what, and that two at once wait for one another."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace

import psycopg
import pytest

from proofs.interleavings import CASES, JOURNAL, OnServer, explore
from shuffler.journal.entries import MeterMoved, MoveKind
from shuffler.meters.database import migrations
from shuffler.meters.errors import JournalForked, MeterMisuse, MeterRefused, ServerAway
from shuffler.meters.server import Batch, MeterServer
from shuffler.meters.values import MeterRules, Wanted

pytestmark = pytest.mark.needs("postgresql")

WHOLE = MeterRules(name="m", denomination=1000, spots=7, seed=1000, share_bp=2600, reserve_bp=300)
PARTS = replace(WHOLE, percents=(100, 25))


def move(number: int, kind: MoveKind, change: int = 0, *, round_id: str = "R1", **more: int) -> MeterMoved:
    spot = 3 if kind in (MoveKind.AWARD, MoveKind.BACK_OUT) else 0
    return MeterMoved(
        number=number, meter="m", round_id=round_id, spot=spot, kind=kind, nth=1, change=change, reserve_change=0,
        **more,
    )  # fmt: skip


def batch(*moves: MeterMoved) -> Batch:
    first, last = moves[0].number - 1, moves[-1].number
    return Batch(first, str(first).encode() if first else b"", last, str(last).encode(), moves)


def contribute(server: MeterServer, table: str, change: int = 400) -> None:
    server.push(table, JOURNAL, batch(move(1, MoveKind.CONTRIBUTION, change)))


@pytest.fixture
def server(meters_url: str) -> Iterator[MeterServer]:
    with closing(MeterServer(meters_url)) as found:
        found.create_meter(PARTS)
        for table in ("t1", "t2"):
            found.enrol(table, "m", "owner")
        yield found


def amount(server: MeterServer) -> int:
    (shown,) = server.meters()
    return shown.amount


# --- what is impossible ---


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("UPDATE meters.ledger SET told = 0", "only ever added to"),
        ("DELETE FROM meters.ledger", "only ever added to"),
        ("TRUNCATE meters.ledger CASCADE", "only ever added to"),
        ("DELETE FROM meters.meter", "only ever added to"),
        ("UPDATE meters.meter SET amount = amount + 1", "not what its ledger says"),
        ("UPDATE meters.meter SET held = amount + 1", "held_is_there"),
        ("UPDATE meters.meter SET seed = 1", "keeps its name and seed"),
        ("INSERT INTO meters.ledger (meter, number, kind, nth, told, change, amount, reserve, floor)"
         " VALUES ('m', 2, 'void', 1, -1001, -1001, -1, 0, 0)", "check constraint"),
        ("INSERT INTO meters.ledger (meter, number, kind, nth, told, change, amount, reserve, floor)"
         " VALUES ('m', 2, 'void', 1, -1, -1, 999, 0, 1000)", "meter_not_below_its_floor"),
        ("INSERT INTO meters.ledger (meter, number, kind, nth, told, change, amount, reserve, floor)"
         " VALUES ('m', 3, 'void', 1, 1, 1, 1001, 0, 1000)", "newest row"),
        ("INSERT INTO meters.ledger (meter, number, kind, nth, told, change, amount, reserve, floor)"
         " VALUES ('m', 2, 'void', 1, 1, 1, 1005, 0, 1000)", "not what its ledger says"),
        ("INSERT INTO meters.ledger (meter, number, kind, nth, told, change, amount, reserve, floor)"
         " VALUES ('m', 2, 'void', 1, 5, 1, 1001, 0, 1000)", "nobody_takes_more_than_told"),
        ("INSERT INTO meters.ledger (meter, number, kind, nth, told, change, amount, reserve, floor)"
         " VALUES ('m', 2, 'correction', 1, 1, 1, 1001, 0, 1000)", "two_people"),
        ("INSERT INTO meters.ledger (meter, number, kind, nth, told, change, amount, reserve, floor)"
         " VALUES ('m', 2, 'seed', 1, 1, 1, 1001, 0, 1000)", "once_by_key"),
    ],
)  # fmt: skip
def test_even_the_owner_cannot(server: MeterServer, statement: str, why: str) -> None:
    with pytest.raises(psycopg.Error, match=why):
        server.connection.execute(statement.encode())
    assert amount(server) == 1000


def test_a_meter_whose_awards_take_all_of_it_is_never_below_its_seed(server: MeterServer) -> None:
    server.create_meter(replace(WHOLE, name="whole"))
    statement = (
        "INSERT INTO meters.ledger (meter, number, kind, nth, told, change, amount, reserve, floor)"
        " VALUES ('whole', 2, 'award', 1, -1, -1, 999, 0, 999)"
    )
    with pytest.raises(psycopg.errors.CheckViolation, match="floor_is_the_seed"):
        server.connection.execute(statement.encode())


def test_a_second_award_for_one_key_is_not_paid(server: MeterServer) -> None:
    contribute(server, "t1")
    (hold,) = server.ask("t1", JOURNAL, 1, "m", "R1", [Wanted(3, 1, 25)])
    award = move(2, MoveKind.AWARD, -hold.pot, prize=hold.pot, ticket=hold.ticket)
    assert server.push("t1", JOURNAL, batch(award)) == 1
    before = amount(server)
    assert server.push("t1", JOURNAL, batch(award)) == 0
    with pytest.raises(MeterRefused, match="nothing is reserved"):
        server.push("t1", JOURNAL, batch(replace(award, number=3, nth=2)))
    assert amount(server) == before
    server.ask("t1", JOURNAL, 2, "m", "R1", [Wanted(3, 2, 25)])
    with pytest.raises(MeterRefused, match="not paid a second time"):
        server.push("t1", JOURNAL, batch(replace(award, number=3, nth=2, prize=1, change=-1)))


# --- exactly once ---


def test_a_push_whose_answer_was_lost_changes_nothing_when_it_comes_again(server: MeterServer) -> None:
    moves = [move(at, MoveKind.CONTRIBUTION, 26, round_id=f"R{at}") for at in range(1, 30)]
    assert server.push("t1", JOURNAL, batch(*moves)) == 29
    assert server.push("t1", JOURNAL, batch(*moves)) == 0
    assert amount(server) == 1000 + 29 * 26
    assert server.place("t1").moves == 29


def test_a_push_that_has_returned_is_on_the_disk(server: MeterServer, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    confirm = server.confirm

    def noted(table: str, journal: bytes) -> None:
        row = server.connection.execute("SELECT pg_current_wal_insert_lsn()::text").fetchone()
        assert row is not None
        written.append(row[0])
        confirm(table, journal)

    monkeypatch.setattr(server, "confirm", noted)
    contribute(server, "t1")
    (end,) = written  # of the log when the push was committed
    assert server.connection.execute("SELECT pg_current_wal_flush_lsn() >= %s::pg_lsn", (end,)).fetchone() == (True,)


@pytest.mark.parametrize(
    ("again", "why"),
    [
        (Batch(1, b"other", 2, b"2", (move(2, MoveKind.CONTRIBUTION, 26),)), "not the one that was pushed"),
        (Batch(0, b"", 1, b"1", (move(1, MoveKind.CONTRIBUTION, 27),)), "has another contribution"),
        (Batch(0, b"", 1, b"1", (move(1, MoveKind.CONTRIBUTION, 26, round_id="R9"),)), "not the one that was pushed"),
    ],
)  # fmt: skip
def test_an_older_copy_of_a_journal_is_named_and_not_merged(server: MeterServer, again: Batch, why: str) -> None:
    server.push("t1", JOURNAL, batch(move(1, MoveKind.CONTRIBUTION, 26)))
    with pytest.raises(JournalForked, match=why):
        server.push("t1", JOURNAL, again)
    with pytest.raises(JournalForked, match="another journal"):
        server.push("t1", b"x" * 16, batch(move(2, MoveKind.CONTRIBUTION, 26, round_id="R2")))
    assert amount(server) == 1026


def test_a_push_with_a_gap_is_refused(server: MeterServer) -> None:
    with pytest.raises(MeterRefused, match="pushed up to record 0"):
        server.push("t1", JOURNAL, batch(move(5, MoveKind.CONTRIBUTION, 26)))


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ((move(1, MoveKind.CONTRIBUTION, -26),), "not negative"),
        ((move(1, MoveKind.CONTRIBUTION, 26), move(1, MoveKind.CONTRIBUTION, 26, round_id="R2")), "no outbox"),
        ((replace(move(1, MoveKind.CONTRIBUTION, 26), number=0),), "no outbox"),
        ((replace(move(1, MoveKind.CONTRIBUTION, 26), kind="reset"),), "a table makes no reset"),
        ((replace(move(1, MoveKind.CONTRIBUTION, 26), kind="gift"),), "a table makes no gift"),
        ((move(1, MoveKind.CONTRIBUTION, 26), move(2, MoveKind.CONTRIBUTION, 26)), "once_by_key"),
    ],
)
def test_a_push_that_is_no_outbox_of_a_table_changes_nothing(
    server: MeterServer, moves: tuple[MeterMoved, ...], why: str
) -> None:
    with pytest.raises(MeterRefused, match=why):
        server.push("t1", JOURNAL, Batch(0, b"", 2, b"2", moves))
    assert amount(server) == 1000
    assert server.place("t1").seq == 0


def test_an_award_is_asked_for_after_the_outbox(server: MeterServer) -> None:
    with pytest.raises(MeterRefused, match="the outbox comes first"):
        server.ask("t1", JOURNAL, 1, "m", "R1", [Wanted(3, 1, 25)])


def test_strangers_are_told_what_to_do(server: MeterServer) -> None:
    with pytest.raises(MeterMisuse, match="shuffler meters enrol t9"):
        server.place("t9")
    with pytest.raises(MeterRefused, match="no table t9 is enrolled"):
        server.push("t9", JOURNAL, batch(move(1, MoveKind.CONTRIBUTION, 1)))
    server.create_meter(replace(PARTS, name="other", wager="bad_beat"))
    with pytest.raises(MeterRefused, match="not enrolled at meter other"):
        server.push("t1", JOURNAL, batch(replace(move(1, MoveKind.CONTRIBUTION, 1), meter="other")))


# --- roles ---


LOGINS = {"tina": "meters_table", "olga": "meters_operator", "otto": "meters_operator", "aldo": "meters_auditor"}


@pytest.fixture
def logins(server: MeterServer) -> Callable[[str], MeterServer]:
    for login, role in LOGINS.items():
        made = f"CREATE ROLE {login} LOGIN IN ROLE {role}; EXCEPTION WHEN duplicate_object THEN NULL;"
        server.connection.execute(f"DO $$ BEGIN {made} END $$".encode())
    return lambda login: MeterServer(server.url.replace("owner@", f"{login}@"))


@pytest.mark.parametrize(
    ("login", "statement"),
    [
        ("tina", "INSERT INTO meters.ledger (meter, number, kind, nth, told, change, amount, reserve, floor)"
                 " VALUES ('m', 2, 'void', 1, 1, 1, 1001, 0, 1000)"),
        ("tina", "UPDATE meters.meter SET held = 0"),
        ("tina", "UPDATE meters.hold SET state = 'released'"),
        ("tina", "SELECT meters.enrol('t9', 'm', 'tina', 0)"),
        ("tina", "SELECT meters.propose('correction', 'm', NULL, 1, NULL, 'a', 'b')"),
        ("tina", "SELECT meters.restored()"),
        ("tina", "SELECT meters.move('t1', 'm', NULL)"),
        ("olga", "UPDATE meters.meter SET held = 0"),
        ("olga", "SELECT meters.push('t1', '', 0, '', 1, '', '[]')"),
        ("aldo", "SELECT meters.propose('correction', 'm', NULL, 1, NULL, 'a', 'b')"),
    ],
)  # fmt: skip
def test_a_role_may_not(logins: Callable[[str], MeterServer], login: str, statement: str) -> None:
    with closing(logins(login)) as other, pytest.raises(psycopg.errors.InsufficientPrivilege):
        other.connection.execute(statement.encode())


def test_a_table_may_add_and_read(logins: Callable[[str], MeterServer], server: MeterServer) -> None:
    server.enrol("t1", "m", "tina")
    with closing(logins("tina")) as table:
        contribute(table, "t1")
        assert table.ask("t1", JOURNAL, 1, "m", "R1", [Wanted(3, 1, 25)])
        assert table.snapshots("t1")[0].told == 400
    rows = server.connection.execute("SELECT login FROM meters.ledger WHERE table_name = 't1'").fetchall()
    assert rows == [("tina",)]


def test_a_table_that_belongs_to_a_login_is_pushed_for_by_nobody_else(
    logins: Callable[[str], MeterServer], server: MeterServer
) -> None:
    server.enrol("t1", "m", "tina")
    with pytest.raises(MeterRefused, match="belongs to the login tina"):
        contribute(server, "t1")
    with closing(logins("tina")) as table:
        contribute(table, "t1")


def test_a_correction_takes_two_people_with_logins_of_their_own(logins: Callable[[str], MeterServer]) -> None:
    with closing(logins("olga")) as first, closing(logins("otto")) as second:
        number = first.propose("correction", "Olga", "a sensor counted a wager twice", meter="m", change=250)
        with pytest.raises(MeterRefused, match="another person"):
            first.approve(number, "Otto")
        with pytest.raises(MeterRefused, match="another person"):
            second.approve(number, "Olga")
        assert second.approve(number, "Otto") == 1250
        with pytest.raises(MeterRefused, match="approved by Otto already"):
            second.approve(number, "Otto")
        number = first.propose("correction", "Olga", "too much", meter="m", change=-251)
        with pytest.raises(MeterRefused, match="must keep"):
            second.approve(number, "Otto")
        row = first.connection.execute(
            "SELECT proposed_by, approved_by, reason FROM meters.ledger WHERE kind = 'correction'"
        ).fetchone()
        assert row == ("Olga", "Otto", "a sensor counted a wager twice")


# --- every order of two tables' steps ---


SMALL = [replace(case, loses=False) for case in CASES if 0 in case.percents]


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.title)
def test_the_server_does_what_the_model_does_in_every_state_that_two_tables_can_reach(meters_url: str, case) -> None:
    with closing(MeterServer(meters_url)) as server:
        walk = OnServer(server, case)
        walk.walk()
    assert walk.problems == []
    assert walk.steps > 400


def mutated(meters_url: str, *changes: tuple[str, str]) -> MeterServer:
    """A server whose functions were changed; each change must be in the file."""
    text = next(one.text for one in migrations() if one.number == 2)
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    server = MeterServer(meters_url)
    server.connection.execute(text.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION").encode(), prepare=False)
    return server


NO_KEY = (
    ("IF s.seq = p_from AND s.hash <> p_from_hash", "IF false"),
    ("ELSIF s.seq <> p_from AND p_to > s.seq", "ELSIF false"),
    ("IF p_to <= s.seq THEN", "IF false THEN"),
)


def test_a_server_without_the_key_doubles_a_repeat(meters_url: str) -> None:
    with closing(mutated(meters_url, *NO_KEY)) as server:
        server.connection.execute("ALTER TABLE meters.ledger DROP CONSTRAINT once_by_key")
        server.create_meter(PARTS)
        server.enrol("t1", "m", "owner")
        for _ in range(2):
            contribute(server, "t1")
        assert amount(server) == 1800


def test_the_constraint_alone_stops_a_server_that_forgot_to_look_for_the_key(meters_url: str) -> None:
    with closing(mutated(meters_url, *NO_KEY)) as server:
        server.create_meter(PARTS)
        server.enrol("t1", "m", "owner")
        contribute(server, "t1")
        with pytest.raises(MeterRefused, match="once_by_key"):
            contribute(server, "t1")
        assert amount(server) == 1400


# --- two at once ---


Call = Callable[[MeterServer], object]


class Two:
    """Two connections: the first in a transaction that is not over, the second at the same time."""

    def __init__(self, url: str) -> None:
        self.first, self.second = MeterServer(url), MeterServer(url)

    def close(self) -> None:
        self.first.close()
        self.second.close()

    def at_once(self, one: Call, other: Call, *, commit: bool) -> bool:
        """Both; whether the second had to wait for the first."""
        failed: list[BaseException] = []

        def late() -> None:
            try:
                other(self.second)
            except BaseException as problem:
                failed.append(problem)

        thread = threading.Thread(target=late)
        connection = self.first.connection
        connection.execute("BEGIN")
        one(self.first)
        thread.start()
        waited = False
        while thread.is_alive():
            pid = self.second.connection.info.backend_pid
            row = connection.execute("SELECT cardinality(pg_blocking_pids(%s))", (pid,)).fetchone()
            waited = row is not None and row[0] > 0
            if waited:
                break
        connection.execute("COMMIT" if commit else "ROLLBACK")
        thread.join()
        if failed:
            raise failed[0]
        return waited


def prepared(url: str) -> Two:
    """Each table has contributed; t1 has a quarter fixed and not taken."""
    with closing(MeterServer(url)) as server:
        server.create_meter(PARTS)
        for table in ("t1", "t2"):
            server.enrol(table, "m", "owner")
            contribute(server, table)
        server.ask("t1", JOURNAL, 1, "m", "R1", [Wanted(3, 1, 100)])
    return Two(url)


def pushed(table: str, one: MeterMoved) -> Call:
    return lambda server: server.push(table, JOURNAL, batch(one))


FIRST: dict[str, Call] = {
    "award": pushed("t1", move(2, MoveKind.AWARD, 1000 - 1800, prize=1800, seed=1000, ticket=1)),
    "void": pushed("t1", move(2, MoveKind.VOID, -400)),
    "contribution": pushed("t1", move(2, MoveKind.CONTRIBUTION, 200, round_id="R2")),
    "release": pushed("t1", move(2, MoveKind.RELEASE)),
}
SECOND: dict[str, Call] = {
    "ask": lambda server: server.ask("t2", JOURNAL, 1, "m", "R1", [Wanted(3, 1, 25)]),
    "void": pushed("t2", move(2, MoveKind.VOID, -400)),
    "contribution": pushed("t2", move(2, MoveKind.CONTRIBUTION, 8, round_id="R2")),
}
# What the meter shows, and what t2's reservation is fixed at, when the first commits; rolled back, the second is alone.
EXPECTED = {
    ("award", "ask"): (1000, 250), ("award", "void"): (1000, None), ("award", "contribution"): (1008, None),
    ("void", "ask"): (1400, 350), ("void", "void"): (1000, None), ("void", "contribution"): (1408, None),
    ("contribution", "ask"): (2000, 0), ("contribution", "void"): (1800, None),
    ("contribution", "contribution"): (2008, None),
    ("release", "ask"): (1800, 450), ("release", "void"): (1400, None), ("release", "contribution"): (1808, None),
}  # fmt: skip
ALONE = {"ask": (1800, 0), "void": (1800, None), "contribution": (1808, None)}


def outcome(two: Two) -> tuple[int, int | None]:
    holds = two.first.holds("t2", "m", "R1")
    return amount(two.first), holds[0].pot if holds else None


def test_whoever_comes_second_waits_and_sees_the_meter_after_the_first(postgresql) -> None:
    for number, (one, other) in enumerate(EXPECTED):
        for commit in (True, False):
            url = postgresql.database(f"two{number}{commit}", template="template")
            two = prepared(url)
            try:
                assert two.at_once(FIRST[one], SECOND[other], commit=commit), (one, other)
                assert outcome(two) == (EXPECTED[one, other] if commit else ALONE[other]), (one, other, commit)
            finally:
                two.close()


UNLOCKED = (
    ("FROM meters.meter WHERE name = v_meter FOR UPDATE", "FROM meters.meter WHERE name = v_meter"),
    ("FROM meters.meter WHERE name = p_meter FOR UPDATE", "FROM meters.meter WHERE name = p_meter"),
)
READ_THEN_WRITTEN = (
    "    PERFORM meters.fix_next(p_meter);\n    RETURN QUERY",
    """    UPDATE meters.hold SET state = 'fixed', pot = m.amount * percent / 100, left_over = m.amount * percent / 100
     WHERE meter = p_meter AND state = 'waiting';
    RETURN QUERY""",
)


def test_without_the_lock_the_second_is_given_a_prize_that_is_gone(meters_url: str) -> None:
    """The wrong isolation: what was read before the wait is written after it."""
    two = prepared(meters_url)
    mutated(meters_url, *UNLOCKED, READ_THEN_WRITTEN).close()
    try:
        two.at_once(FIRST["award"], SECOND["ask"], commit=True)
        assert outcome(two) == (1000, 450)
        assert outcome(two) != EXPECTED["award", "ask"]
    finally:
        two.close()


def test_without_the_lock_the_ledger_itself_refuses_a_row_from_the_past(meters_url: str) -> None:
    two = prepared(meters_url)
    mutated(meters_url, *UNLOCKED).close()
    try:
        with pytest.raises(MeterRefused, match="ledger_pkey"):
            two.at_once(FIRST["award"], SECOND["contribution"], commit=True)
        assert amount(two.first) == EXPECTED["award", "ask"][0]
    finally:
        two.close()


def test_a_higher_level_refuses_where_this_one_waits(meters_url: str) -> None:
    two = prepared(meters_url)
    try:
        two.second.connection.execute("SET default_transaction_isolation = 'repeatable read'")
        with pytest.raises(ServerAway, match="could not serialize"):
            two.at_once(FIRST["award"], SECOND["contribution"], commit=True)
    finally:
        two.close()


def test_the_model_has_no_state_that_is_not_sound() -> None:
    for case in CASES:
        found = explore(replace(case, loses=False))
        assert found.problems == []
        assert found.states > 500
