"""How a round is divided into groups."""

import pytest

from firmware_sim.machine import profile as profiles
from firmware_sim.program.groups import Group, cards_of, plan_groups
from protocol.messages import GameEntry

GAME = GameEntry(
    game=9, name="Test", cards_per_group=5, dealer_cards=6, groups=7, dealer_first=False, deck_cards=52
)
FIRST = GameEntry(
    game=9, name="Test", cards_per_group=5, dealer_cards=6, groups=7, dealer_first=True, deck_cards=52
)


def test_seats_come_upwards_and_the_dealer_last() -> None:
    groups = plan_groups(GAME, 0b1010010, False)
    assert groups == (Group(2, 5, 0), Group(5, 5, 5), Group(7, 5, 10), Group(0, 6, 15))


def test_where_the_game_says_so_the_dealer_is_first() -> None:
    assert plan_groups(FIRST, 0b11, False) == (Group(0, 6, 0), Group(1, 5, 6), Group(2, 5, 11))


def test_in_rotation_each_gets_one_card_a_lap_and_whoever_has_enough_is_passed_over() -> None:
    groups = plan_groups(GAME, 0b101, True)
    assert [group.seat for group in groups] == [1, 3, 0] * 5 + [0]
    assert [group.first for group in groups] == list(range(16))
    assert {group.size for group in groups} == {1}


@pytest.mark.parametrize("profile", profiles.names())
def test_groups_lie_one_behind_the_other_and_fit_the_deck(profile: str) -> None:
    for game in profiles.load(profile).games:
        for seats in range(1, 1 << game.groups):
            groups = plan_groups(game, seats, profiles.load(profile).is_shoe)
            assert [group.first for group in groups] == [cards_of(groups[:at]) for at in range(len(groups))]
            assert cards_of(groups) == seats.bit_count() * game.cards_per_group + game.dealer_cards <= game.deck_cards


def test_no_groups_take_no_cards() -> None:
    assert cards_of(()) == 0
