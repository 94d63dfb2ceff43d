"""The table's proofs, small: `make proof-kills`, `make proof-swap` and `make proof-soak` run them in full."""

from pathlib import Path

import pytest

from proofs import kills, soak, swap


@pytest.mark.slow
def test_the_books_hold_through_kills_cuts_and_pulls(tmp_path: Path) -> None:
    found, done = kills.run(20, seed=3, folder=tmp_path)
    assert found.problems == []
    assert sum(done.values()) == 20
    assert found.settled >= 3
    assert found.groups > 0


@pytest.mark.slow
def test_the_backup_takes_over_under_load_and_nothing_is_lost(tmp_path: Path) -> None:
    found = swap.run(25, seed=5, folder=tmp_path)
    assert found.problems == []
    assert found.void > 0
    assert found.settled > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_soak_with_every_fault_balances_to_the_cent(seed: int) -> None:
    report = soak.run(400, seed=seed, rate=0.2)
    assert report.problems == []
    assert report.out_of_balance == 0
    assert report.rounds >= 400
    assert len(report.injected) >= 20
    assert sum(report.raised.values()) > 30
    assert all(row.p_holm > 1e-6 for row in report.holds)
