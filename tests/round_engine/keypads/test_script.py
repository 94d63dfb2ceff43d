"""The script of keys records each kind of win on each kind of keypad."""

from typing import Any

import pytest

from round_engine.round import operations as op
from round_engine.rules.ruleset import WagerName
from tests.round_engine.support import AKQ_SPADES, NINES, SUPERVISOR, TRIPS, bet, new_table, revealed

NEXUS = {"house": {"systems": {"progressive": "nexus"}}}


@pytest.mark.parametrize("own", [AKQ_SPADES, TRIPS])
@pytest.mark.parametrize(
    ("name", "wager", "changes"),
    [
        ("light-and-wonder", "progressive", {}),
        ("light-and-wonder", "progressive", NEXUS),
        ("ten-dollar-house", "bad_beat", {}),
    ],
)
def test_the_keys_of_a_win_are_all_taken_and_record_it(name: str, wager: WagerName, changes: Any, own: str) -> None:
    table = new_table(name, sides=["bad-beat"] if wager == "bad_beat" else [], **changes)
    revealed(table, [bet(1, ante=500, **{wager: 100})], {1: own}, NINES)
    (due,) = table.dues()
    for press in table.keys_for(due, supervisor=SUPERVISOR):
        table.do(press)
    assert table.dues() == []
    table.do(op.Settle())
