"""The shuffling engine: the kernel's orders one by one, rigging, wear, and a shoe's decks prepared by hand."""

import pytest

from firmware_sim.errors import BadControl
from firmware_sim.machine import profile as profiles
from firmware_sim.machine.mechanism import Mechanism, composition
from firmware_sim.machine.profile import Profile
from firmware_sim.machine.shuffling import AS_DRAWN, HandShuffled, OrderSource, any_shuffle, arrange, kernel_for
from protocol.cards import CUT_CARD
from protocol.vocabulary import DeviceFlag
from randomness import seeded_source

PROFILE = profiles.load("i-deal-style")
GAME = PROFILE.games[0]


def engine(profile: Profile = PROFILE, batch: int = 1, seed: int = 5) -> OrderSource:
    machine = Mechanism(profile)
    machine.introduce(composition(52))
    machine.places.move(machine.places.aside, "aside", "stack")
    return OrderSource(profile, machine, seeded_source(seed), batch=batch)


@pytest.mark.parametrize("batch", [1, 3, 8])
def test_shuffle_i_is_slice_i_mod_b_of_request_i_div_b(batch: int) -> None:
    made, kernel, source = engine(batch=batch), kernel_for(PROFILE, GAME), seeded_source(5)
    requests = [kernel.permutations(52, batch, source).tolist() for _ in range(-(-10 // batch))]
    assert [made(52, GAME).order for _ in range(10)] == [requests[i // batch][i % batch] for i in range(10)]


def test_a_restart_throws_away_what_was_drawn_ahead() -> None:
    made = engine(batch=8)
    made(52, GAME)
    made.restart(seeded_source(9))
    assert made(52, GAME).order == engine(batch=8, seed=9)(52, GAME).order


def test_another_game_or_number_of_cards_draws_anew_for_it() -> None:
    made = engine(batch=4)
    made(52, GAME)
    joker = PROFILE.games[-1]
    assert joker.deck_cards == 53
    assert sorted(made(53, joker).order) == list(range(53))


def test_a_rack_has_a_compartment_for_each_group_and_one_for_the_dealer() -> None:
    ace = profiles.load("ace-style")
    kernel = kernel_for(ace, ace.games[0])
    orders = kernel.permutations(52, 200, seeded_source(1)).tolist()
    # Inside a group the order is the feed's: three cards of a compartment lie as they came in.
    for order in orders:
        groups = [order[at : at + 3] for at in range(0, 24, 3)]
        assert all(group in (sorted(group), sorted(group, reverse=True)) for group in groups)


def test_rigged_orders_are_used_once_in_turn_and_marked() -> None:
    made = engine()
    made.rigged += [[51, 50], [0]]
    first, second, third = (made(52, GAME) for _ in range(3))
    assert (first.order[:2], second.order[0]) == ([51, 50], 0)
    assert [draw.flags for draw in (first, second, third)] == [DeviceFlag.RIGGED, DeviceFlag.RIGGED, DeviceFlag(0)]
    assert sorted(first.order) == list(range(52))


def test_wear_changes_the_kernel_and_marks_its_shuffles_until_it_is_mended() -> None:
    made = engine()
    made.wear(sticky=0.5)
    worn = made(52, GAME)
    assert worn.flags == DeviceFlag.RIGGED
    assert worn.order != engine()(52, GAME).order
    made.wear()
    assert made(52, GAME).flags == DeviceFlag(0)


def test_faces_are_found_wherever_they_lie_and_the_others_stay_as_drawn() -> None:
    order, faces = [3, 1, 0, 2], [10, 11, 12, 13]
    assert arrange(order, faces, [12]) == [2, 3, 1, 0]
    assert arrange(order, faces, [AS_DRAWN, 10]) == [3, 0, 1, 2]
    assert arrange(order, faces, []) == order


def test_a_face_that_is_not_there_is_named() -> None:
    with pytest.raises(BadControl, match="no 2♣ left to put at position 2"):
        arrange([0, 1], [5, 6], [5, 0])
    with pytest.raises(BadControl, match="position 2"):
        arrange([0, 1], [5, 6], [5, 5])


def test_a_shoes_deck_is_shuffled_by_hand_and_the_cut_card_goes_in_from_the_end() -> None:
    shoe = profiles.load("dealing-shoe")
    machine = Mechanism(shoe)
    cards = machine.introduce([*composition(52), CUT_CARD])
    made = OrderSource(shoe, machine, seeded_source(5))
    deck = made.prepare(cards)
    plain = [card for card in deck if card != cards[-1]]
    assert deck.index(cards[-1]) == 52 - shoe.build.cut_card_from_end
    assert plain == kernel_for(shoe, shoe.games[0]).permutations(52, 1, seeded_source(5))[0].tolist()
    assert made.prepared == HandShuffled()
    made.rigged.append([7])
    assert machine.faces[made.prepare(cards)[0]] == 7
    assert made.prepared == HandShuffled(DeviceFlag.RIGGED)
    made.prepare(cards)
    assert made.prepared == HandShuffled()
    made.rigged.append([7, 7, 7])
    made.prepare(cards)
    assert made.prepared.flags == DeviceFlag.RIGGED
    assert made.prepared.note.startswith("rigged order left out: the deck has no 9♣ left to put at position 2")


def test_any_shuffle_is_a_permutation_and_draws_again_where_two_keys_are_equal() -> None:
    asked: list[int] = []

    def chance(count: int) -> bytes:
        asked.append(count)
        return bytes(count) if len(asked) == 1 else b"".join(n.to_bytes(8, "big") for n in (3, 1, 2))

    assert any_shuffle(chance)(3, GAME).order == [1, 2, 0]
    assert asked == [24, 24]
