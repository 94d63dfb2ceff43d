"""The proof of shared meters at its small size, and that it can fail."""

from pathlib import Path

import pytest

from proofs import linked
from proofs.linked_table import Habits
from proofs.postgres import Cluster
from shuffler.meters.server import MeterServer

pytestmark = [pytest.mark.needs("postgresql"), pytest.mark.slow]


def test_tables_that_are_killed_and_a_server_that_crashes_lose_no_cent(
    postgresql: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linked, "HABITS", Habits(spots=2, hit=0.05, misdeal=0.05, back_out=0.1))
    ended = linked.run(postgresql, tmp_path, tables=3, rounds=150, accidents=20, seed=3)
    assert ended.problems == []
    assert ended.done.total() == 20
    assert ended.seen[0].startswith("150 rounds")


def test_a_proof_that_was_stopped_goes_on_with_its_rounds_and_accidents(postgresql: Cluster, tmp_path: Path) -> None:
    for rounds, accidents in ((20, 1), (40, 3)):
        ended = linked.run(postgresql, tmp_path, tables=2, rounds=rounds, accidents=accidents, seed=5)
        assert ended.problems == []
        assert ended.done.total() == accidents
        assert ended.seen[0].startswith(f"{rounds} rounds")


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        ("DELETE FROM meters.ledger WHERE kind = 'contribution' AND round_id = 'R2'", "exactly once"),
        ("UPDATE meters.ledger SET told = told - 100 WHERE kind = 'award'", "players were paid"),
        ("UPDATE meters.meter SET amount = floor - 1, version = version", "below its floor"),
        ("UPDATE meters.hold SET state = 'waiting' WHERE state = 'taken'", "left open"),
        ("UPDATE meters.hold SET fixed_at = fixed_at - interval '1 hour' WHERE ticket > 1", "before ticket"),
    ],
)
def test_the_proof_finds_what_it_looks_for(
    postgresql: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str, found: str
) -> None:
    monkeypatch.setattr(linked, "HABITS", Habits(spots=1, hit=1.0, misdeal=0, back_out=0))
    seed = 100 + abs(hash(harm)) % 1_000_000
    assert linked.run(postgresql, tmp_path, tables=1, rounds=4, accidents=0, seed=seed).problems == []
    server = MeterServer(postgresql.url(f"linked{seed}"))
    for table in ("ledger", "meter", "hold"):
        server.connection.execute(f"ALTER TABLE meters.{table} DISABLE TRIGGER ALL".encode())
    for constraint in ("meter_not_below_its_floor", "held_is_there", "floor_is_the_seed"):
        server.connection.execute(f"ALTER TABLE meters.meter DROP CONSTRAINT {constraint}".encode())
    server.connection.execute(harm.encode())
    problems, _ = linked.objections(server.url, tmp_path, ["T01"])
    server.close()
    assert any(found in problem for problem in problems)
