"""One frozen view of a table, whatever the table is doing."""

from dataclasses import FrozenInstanceError

import msgspec
import pytest

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from round_engine.rules.rulebook import load
from round_engine.table import Table
from shuffler.table.players import seated
from shuffler.table.values import CallMisdeal, Want
from shuffler.table.view import view_of
from shuffler.virtual.memory_books import MemoryBooks
from shuffler.virtual.table import VirtualTable, quick


@pytest.fixture
def table() -> VirtualTable:
    build = quick(Build(profile=load_profile("i-deal-style"), serial="SEEN", seed=5))
    return VirtualTable(Table(load("south-dakota")), MemoryBooks(), seated("always", 2), build, seed=1)


def test_a_round_is_seen_from_its_wagers_to_its_end(table: VirtualTable) -> None:
    while not table.core.round.is_open:
        table.step()
    dealing = view_of(table.core)
    assert dealing.round is not None
    assert dealing.round.id == "R1"
    assert dealing.on_layout > 0
    assert dealing.round.dealer.cards == ()
    while table.done < 1:
        table.step()
    over = view_of(table.core, opened=[0, 1])
    assert over.round is not None
    assert (over.settled, over.void, over.on_layout, over.out_of_balance) == (1, 0, 0, 0)
    assert len(over.round.dealer.cards) == 3
    assert [spot.commitment for spot in over.round.spots.values()] == [True, False]
    assert sum(over.round.net.values()) + over.tray + sum(one.booked for one in over.meters) == sum(
        one.seed for one in over.meters
    )


def test_a_view_is_a_value_and_stays_as_it_was(table: VirtualTable) -> None:
    before = view_of(table.core)
    with pytest.raises(FrozenInstanceError):
        before.settled = 7  # type: ignore[misc]
    table.play(1)
    assert before.settled == 0
    assert view_of(table.core) == view_of(table.core) != before


def test_a_misdeal_is_seen_with_its_reason(table: VirtualTable) -> None:
    while not table.core.round.is_open:
        table.step()
    table.desk.move(CallMisdeal("a card fell"), table.bench.now)
    view = view_of(table.core)
    assert view.round is not None
    assert (view.round.misdeal, view.void, view.wants) == ("a card fell", 1, Want.DEVICE)


def test_the_view_is_plain_data_for_the_api(table: VirtualTable) -> None:
    table.play(1)
    plain = msgspec.to_builtins(view_of(table.core), str_keys=True)
    assert set(plain["round"]["spots"]) == {"1", "2"}
    assert plain["wants"] == table.core.wants.value
