"""A soak of one table: what it counts, what it puts down to which injection, what it finds wrong."""

import pytest

from proofs.kills import rules
from round_engine.money.ledger import HOUSE
from shuffler.virtual.soak.crew import SoakPlan
from shuffler.virtual.soak.table import Soak


def table(rate: float, seed: int = 5, profile: str = "i-deal-style") -> Soak:
    return SoakPlan(rules=rules(), seed=seed, rate=rate, profile=profile).table(0)


def test_without_injections_every_round_is_settled() -> None:
    report = table(0.0).run(20)
    assert (report.rounds, report.settled, report.void) == (20, 20, 0)
    assert report.injections == {}
    assert report.problems == []
    assert report.hold_book.holds["ante"].rounds == 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_an_injection_before_every_round_is_survived(seed: int) -> None:
    report = table(1.0, seed).run(60)
    assert report.injected >= 60
    assert report.problems == []
    assert sum(report.raised.values()) > 10
    assert sum(row.noticed for row in report.injections.values()) <= report.injected


def test_the_same_seed_gives_the_same_soak() -> None:
    assert table(0.3).run(15) == table(0.3).run(15)


def test_money_that_came_from_nowhere_is_found() -> None:
    soak = table(0.0)
    soak.run(2)
    ledger = soak.table.core.table.ledger
    ledger.balances[HOUSE] += 1
    report = soak.reconcile()
    assert report.out_of_balance == 1
    assert any("out of balance by 1 cents" in problem for problem in report.problems)
