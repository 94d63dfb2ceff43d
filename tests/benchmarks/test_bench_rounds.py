"""The benchmark of rounds measures rounds that are really played."""

import pytest

from benchmarks import bench_rounds
from round_engine.rules.rulebook import load
from round_engine.table import Table
from round_engine.wagers import SpotWagers


@pytest.mark.parametrize("label", bench_rounds.STAKES)
def test_the_measured_rounds_are_closed_and_balanced(label: str) -> None:
    table = Table(load("south-dakota"))
    wagers = tuple(SpotWagers.of(spot=spot, player=f"p{spot}", **bench_rounds.STAKES[label]) for spot in range(1, 8))
    for number, hands in enumerate(bench_rounds.decks(30)):
        bench_rounds.play(table, number, hands, wagers)
        assert table.in_play().phase == "closed"
        assert table.ledger.total() == 0


def test_product_and_peer_do_as_many_rounds_as_they_say() -> None:
    dealt = bench_rounds.decks(3)
    rules, stakes = load("south-dakota"), bench_rounds.STAKES["ante"]
    assert bench_rounds.rounds(rules, stakes, dealt)() == bench_rounds.journalled(rules, stakes, dealt)() == 3
    assert bench_rounds.pokerkit_ranks(dealt)() == 3
