"""The table's proofs, small: `make proof-kills`, `make proof-swap` and `make proof-soak` run them in full."""

from pathlib import Path

import pytest

from firmware_sim.control.injections import INJECTIONS
from proofs import kills, swap
from shuffler.virtual.soak.crew import SoakPlan, soak


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
@pytest.mark.timeout(1200)
def test_a_soak_of_ten_thousand_rounds_with_every_fault_balances_to_the_cent() -> None:
    report = soak(SoakPlan(rules=kills.rules(), seed=3, rate=0.1), 10_000)
    assert report.problems == []
    assert report.out_of_balance == 0
    assert report.settled + report.void == 10_000
    assert set(report.injections) == {kind.name for kind in INJECTIONS}
    for name, row in report.injections.items():
        assert row.recovered > 0.5 * row.injected, name
        # A wrong back is nothing this profile has a sensor for.
        assert row.noticed > 0.5 * row.injected or name == "wrong_back", name
    assert all(row.p_holm > 1e-6 for row in report.holds)
