"""What a table's login can do: its own share of its own rounds, its own awards, and no more of either back."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import product
from random import Random

import psycopg
import pytest

from proofs.hostile_login import JOURNAL, KINDS, RULES, Attack, attack, prepare
from shuffler.journal.entries import MeterMoved, MoveKind
from shuffler.meters import database
from shuffler.meters.audit import check
from shuffler.meters.errors import MeterLocked, MeterRefused, ServerAway
from shuffler.meters.server import Batch, MeterServer
from shuffler.meters.values import Wanted

pytestmark = pytest.mark.needs("postgresql")

def move(number: int, kind: str, change: int = 0, reserve_change: int = 0, **more: object) -> MeterMoved:
    plain = MeterMoved(
        number=number, meter="m", round_id="R1", spot=0, kind=MoveKind.CONTRIBUTION, nth=1, change=change,
        reserve_change=reserve_change,
    )  # fmt: skip
    return replace(plain, kind=kind, **more)  # type: ignore[arg-type]


def push(server: MeterServer, table: str, *moves: MeterMoved) -> int:
    place = server.place(table)
    end = place.seq + len(moves)
    return server.push(table, JOURNAL, Batch(place.seq, place.hash, end, str(end).encode(), moves))


@pytest.fixture
def server(meters_url: str) -> Iterator[MeterServer]:
    with closing(MeterServer(meters_url)) as found:
        prepare(found)
        yield found


def login(server: MeterServer, name: str) -> MeterServer:
    return MeterServer(server.url.replace("owner@", f"{name}@"))


def award(prize: int, ticket: int, seed: int = 0, **more: object) -> MeterMoved:
    return move(2, "award", seed - prize, prize=prize, seed=seed, ticket=ticket, spot=3, **more)


REFUSED = {
    "a million dollars as a transfer": (
        move(1, "transfer", 100_000_000, round_id=""), "enrolled to transfer less"),
    "a negative transfer": (move(1, "transfer", -1, round_id=""), "not negative"),
    "a correction of 900,000 dollars": (move(1, "correction", -90_000_000), "makes no correction"),
    "a correction upwards": (move(1, "correction", 1), "makes no correction"),
    "envy from the meter": (move(1, "envy", -10_000), "makes no envy"),
    "a seed": (move(1, "seed", 1_000_000), "makes no seed"),
    "a release row of the operators": (move(1, "release", 5), "moves no money"),
    "a contribution above seven shares": (move(1, "contribution", 7 * 26 + 1), "at most 182 and 21 cents"),
    "a reserve above seven shares": (move(1, "contribution", 182, 22), "at most 182 and 21 cents"),
    "a second contribution of a round": (move(1, "contribution", 26, nth=2), "contributes once"),
    "a void of what was never given": (move(1, "void", -26), "at most what its round gave: 0 and 0 cents"),
    "a void that adds": (move(1, "void", 26), "at most what its round gave"),
    "a back-out of what was never awarded": (
        move(1, "back-out", 50_000, spot=3), "takes back one award of this table"),
    "an award that was never reserved": (replace(award(100_000, 1, 100_000), number=1), "nothing is reserved"),
    "an award with the largest ticket": (replace(award(1, 2**63 - 1), number=1), "nothing is reserved"),
    "an award that adds up to nothing": (
        replace(award(100_000, 1, 100_000), number=1, change=7), "the seed and the reserve that restart"),
    "an award of less than nothing": (replace(award(-5, 1), number=1), "the seed and the reserve that restart"),
    "a move without an amount": (move(1, "contribution", None), "names every amount"),  # type: ignore[arg-type]
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(server: MeterServer, name: str) -> None:
    wrong, why = REFUSED[name]
    with closing(login(server, "hostile")) as hostile, pytest.raises(MeterRefused, match=why):
        push(hostile, "t2", wrong)
    assert server.meters()[0].amount == RULES.seed
    assert check(server).problems == []


def test_what_a_table_has_is_taken(server: MeterServer) -> None:
    """Each bound at its edge: the largest share, all of a void, an award from a hold, all of it backed out."""
    with closing(login(server, "hostile")) as table:
        push(table, "t2", move(1, "transfer", 400, 100, round_id=""), move(2, "contribution", 182, 21))
        (hold,) = table.ask("t2", JOURNAL, 2, "m", "R1", [Wanted(3, 1, 25)])
        push(table, "t2", replace(award(hold.pot, hold.ticket), number=3))
        push(table, "t2", move(4, "back-out", hold.pot, spot=3))
        push(table, "t2", move(5, "void", -182, -21))
        with pytest.raises(MeterRefused, match="transfers its own meter once"):
            push(table, "t2", move(6, "transfer", 1, round_id=""))
        with pytest.raises(MeterRefused, match="0 and 0 cents"):
            push(table, "t2", move(6, "void", -1, nth=2))
        with pytest.raises(MeterRefused, match="takes back one award"):
            push(table, "t2", move(6, "back-out", hold.pot + 1, spot=3, nth=2))
    assert server.meters()[0].amount == RULES.seed + 400
    assert check(server).problems == []


def test_another_tables_rows_and_reservations_are_out_of_reach(server: MeterServer) -> None:
    with closing(login(server, "honest")) as honest, closing(login(server, "hostile")) as hostile:
        push(honest, "t1", move(1, "contribution", 182))
        (hold,) = honest.ask("t1", JOURNAL, 1, "m", "R1", [Wanted(3, 1, 100)])
        with pytest.raises(MeterRefused, match="belongs to the login honest"):
            push(hostile, "t1", move(2, "void", -182))
        with pytest.raises(MeterRefused, match="belongs to the login honest"):
            hostile.ask("t1", JOURNAL, 1, "m", "R1", [Wanted(4, 1, 100)])
        push(hostile, "t2", move(1, "contribution", 1))
        with pytest.raises(MeterRefused, match="nothing is reserved"):
            push(hostile, "t2", award(hold.pot, hold.ticket, RULES.seed))
        with pytest.raises(MeterRefused, match="at most what its round gave: 1 and 0"):
            push(hostile, "t2", move(2, "void", -2))
        push(honest, "t1", award(hold.pot, hold.ticket, RULES.seed))
    assert check(server).problems == []


def test_reservations_are_bounded(server: MeterServer) -> None:
    with closing(login(server, "hostile")) as hostile:
        with pytest.raises(MeterRefused, match="has contributed nothing"):
            hostile.ask("t2", JOURNAL, 0, "m", "R1", [Wanted(3, 1, 100)])
        push(hostile, "t2", move(1, "contribution", 1), move(2, "contribution", 1, round_id="R2"))
        with pytest.raises(MeterRefused, match="at most 7 awards"):
            hostile.ask("t2", JOURNAL, 2, "m", "R1", [Wanted(spot, 1, 25) for spot in range(8)])
        hostile.ask("t2", JOURNAL, 2, "m", "R1", [Wanted(3, 1, 100)])
        with pytest.raises(MeterRefused, match="another round reserved"):
            hostile.ask("t2", JOURNAL, 2, "m", "R2", [Wanted(3, 1, 100)])


@pytest.mark.slow
def test_every_pair_of_kinds_leaves_the_law_intact(server: MeterServer) -> None:
    with closing(login(server, "honest")) as honest, closing(login(server, "hostile")) as hostile:
        for pair in product(KINDS, KINDS):
            assert attack(server, honest, hostile, Attack.of_kinds(pair, Random("-".join(pair)))) == []


@pytest.mark.slow
def test_random_pushes_leave_the_law_intact(server: MeterServer) -> None:
    with closing(login(server, "honest")) as honest, closing(login(server, "hostile")) as hostile:
        assert attack(server, honest, hostile, Attack.at_random(300, Random(31))) == []


# --- nothing blocks ---


def test_an_open_transaction_of_a_table_is_ended_by_whoever_waits_for_it(
    server: MeterServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOCK_TIMEOUT_MS", 6_000)
    with closing(login(server, "honest")) as honest, closing(login(server, "hostile")) as hostile:
        hostile.connection.execute("SET idle_in_transaction_session_timeout = 0")
        hostile.connection.execute("BEGIN")
        push(hostile, "t2", move(1, "contribution", 1))  # the meter is locked now
        with pytest.raises(MeterLocked, match="lock timeout"):
            push(honest, "t1", move(1, "contribution", 26))
        push(honest, "t1", move(1, "contribution", 26))
        with pytest.raises(psycopg.OperationalError):
            hostile.connection.execute("COMMIT")
    assert server.meters()[0].amount == RULES.seed + 26


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """A process that SIGSTOP holds: its kernel still takes what is sent to it."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_stopped_backend_is_away_after_the_limit(server: MeterServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "ANSWER_TIMEOUT_S", 0.5)
    with closing(MeterServer(server.url)) as other:
        with stopped(other.connection.info.backend_pid), pytest.raises(ServerAway, match=r"no answer for 0\.5 s"):
            other.meters()
        with pytest.raises(ServerAway):  # a late answer is nobody's
            other.meters()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://floor.example/meters",
        "postgresql://floor.example/meters?sslmode=require",
        "postgresql://10.1.2.3/meters?sslmode=verify-ca",
        "postgresql:///meters?host=127.0.0.1,floor.example",
    ],
)
def test_a_server_on_another_machine_shows_its_certificate(url: str) -> None:
    with pytest.raises(database.MeterMisuse, match="sslmode=verify-full"):
        database.verify_address(url)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://floor.example/meters?sslmode=verify-full",
        "postgresql://127.0.0.1/meters",
        "postgresql://[::1]/meters",
        "postgresql://localhost/meters",
        "postgresql:///meters",
        "postgresql:///meters?host=/var/run/postgresql",
    ],
)
def test_loopback_needs_no_certificate(url: str) -> None:
    database.verify_address(url)
