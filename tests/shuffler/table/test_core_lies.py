"""Every check of the table has a device that tells that one lie, and is caught; an honest device is not."""

import pytest

from proofs.liars import LIARS, Liar, Listening, listen_to, table_on
from protocol import messages as m
from shuffler.host.session import EventArrived


@pytest.mark.parametrize("liar", LIARS, ids=lambda liar: liar.name)
def test_the_lie_is_named_and_no_round_is_settled_on_it(liar: Liar) -> None:
    heard = listen_to(liar, times=2)
    assert heard.caught >= 2, "the lie was believed"
    assert heard.missed == []
    assert heard.settled <= liar.believed


def test_an_extra_group_is_found_and_the_table_plays_on_with_the_next_deck() -> None:
    table = table_on("i-deal-style", 3, seed=5)
    heard = Listening()
    table.desk.books.listeners.append(heard)
    core = table.core
    while not (core.round.is_open and core.round.deck is not None and core.round.deck.all_dealt):
        table.step()
    extra = m.GroupReady(number=99, time_ms=0, round=core.round.deck.round, group=5, seat=1, count=3)
    table.desk.take([EventArrived(extra)], table.bench.now)
    assert ["extra group" in reason for reason in heard.reasons] == [True]
    assert (core.table.ledger.total(), core.table.ledger.balance("layout")) == (0, 0)
    table.play(2)
    assert (core.round.settled, core.round.void) == (2, 1)


def test_an_honest_device_is_believed() -> None:
    table = table_on("i-deal-style", 3, seed=5)
    table.play(50)
    assert (table.core.round.settled, table.core.round.void) == (50, 0)
