"""Where cards are: moved from one place to another, and never in two."""

import pytest
from device_support import of, powered

from firmware_sim.control.control import Truth
from firmware_sim.errors import BadControl
from firmware_sim.machine.places import PLACES, Places
from proofs.placement import check_placement
from protocol import messages as m
from protocol.vocabulary import DealState, RoundState


def test_cards_move_in_the_order_given_to_the_end_or_to_a_position() -> None:
    places = Places(aside=[0, 1, 2, 3, 4])
    assert places.move([0, 1], "aside", "infeed") == [0, 1]
    places.move([4, 2], "aside", "infeed", at=1)
    assert (places.infeed, places.aside) == ([0, 4, 2, 1], [3])
    places.move([2, 1], "infeed", "infeed", at=0)
    assert places.infeed == [2, 1, 0, 4]
    assert (places.find(3), places.find(9)) == ("aside", None)
    assert places.is_sound(5)


def test_a_place_can_be_moved_as_a_whole_though_it_changes_meanwhile() -> None:
    places = Places(table=[2, 0, 1])
    assert places.move(places.table, "table", "aside") == [2, 0, 1]
    assert (places.table, places.aside) == ([], [2, 0, 1])


@pytest.mark.parametrize("cards", [[5], [1, 5], [1, 1]])
def test_a_card_that_is_not_there_is_not_moved_and_nothing_else_is(cards: list[int]) -> None:
    places = Places(table=[0, 1])
    with pytest.raises(BadControl, match="are not all in table"):
        places.move(cards, "table", "aside")
    assert (places.table, places.aside) == ([0, 1], [])


def test_nobody_can_put_another_list_in_a_places_stead() -> None:
    with pytest.raises(AttributeError):
        Places().table = []  # type: ignore[misc]


def test_the_truth_has_every_place() -> None:
    assert Truth.__slots__ == PLACES


def test_the_check_names_cards_that_are_lost_and_doubled() -> None:
    device = powered()
    device.machine.places = Places(infeed=[0, 1], aside=[1, *range(3, len(device.machine.faces))])
    with pytest.raises(AssertionError, match=r"cards in no place: \[2\]; in several places: \[1\]"):
        check_placement(device.machine)


def test_a_card_put_back_after_the_table_was_cleared_is_in_one_place() -> None:
    device = powered(hands="manual")
    control = device.control
    control.lay_in(device.decks[0])
    device.do(m.Load())
    device.run_until(m.DeckLoaded)
    device.do(m.Shuffle(nonce=bytes(16)))
    assert device.run(lambda: device.firmware.deal.state is DealState.READY)
    device.do(m.BeginRound(round=1, seats=1))
    device.do(m.DealGroup(round=1, groups=0))
    device.run_until(m.GroupReady)
    control.inject("card_put_back")
    control.lift()
    control.gather()
    device.run(lambda: device.firmware.deal.round_state is RoundState.DECIDING, steps=50)
    check_placement(device.machine)
    assert of(device, m.GroupRemoved)
