"""Kinds of decks: cards, copies, kinds of cards, names, and what can't be dealt."""

import numpy as np
import pytest

from randomness.decks.errors import KindError
from randomness.decks.kinds import DECKS, STANDARD, DeckKind, deck_kind


@pytest.mark.parametrize("cards", DECKS)
@pytest.mark.parametrize("shoe", [1, 2, 4, 6, 8])
def test_a_deck_has_its_cards_and_every_card_its_copies(cards: int, shoe: int) -> None:
    kind = deck_kind(cards, shoe=shoe)
    assert kind.cards == cards * shoe == sum(kind.copies) == len(kind.whole_row) == len(kind.factory)
    assert set(kind.copies) == {shoe}
    assert kind.simple == (shoe == 1)
    assert np.array_equal(np.sort(kind.lookup[kind.factory]), kind.whole_row)
    apart = deck_kind(cards, shoe=shoe, told_apart=True)
    assert apart.simple
    assert len({apart.card_name(card) for card in range(apart.distinct)}) == cards * shoe


def test_short_decks_leave_out_the_low_cards_and_spanish_ones_the_tens() -> None:
    assert deck_kind(36).rank_names == tuple("6789TJQKA")
    assert deck_kind(32).card_name(0) == "7♣"
    assert "T" not in deck_kind(48).rank_names
    assert deck_kind(40).rank_names == tuple("234567JQKA")
    assert deck_kind(24, ranks="9,10,J,Q,K,A").rank_names == tuple("9TJQKA")


def test_jokers_are_a_rank_a_suit_and_a_colour_of_their_own() -> None:
    kind = deck_kind(54)
    assert [kind.card_name(card) for card in (51, 52, 53)] == ["A♠", "joker 1", "joker 2"]
    assert kind.ranks[53] == 13
    assert kind.suits[52] == 4
    assert kind.colours[52] == 2
    alike = deck_kind(54, jokers_alike=True)
    assert alike.copies[-1] == 2
    assert not alike.simple
    assert alike.card_name(52) == "joker"


def test_the_standard_deck_is_52_cards_in_threes_to_seven_and_a_dealer() -> None:
    assert deck_kind(52) == STANDARD
    assert STANDARD.standard
    assert not deck_kind(52, group=5, seats=6).standard
    assert [STANDARD.seat_name(seat) for seat in (0, 7, 8)] == ["player 1", "dealer", "the undealt cards"]
    assert deck_kind(52, seats=7, dealer=False).seat_name(6) == "player 7"


def test_it_says_in_words_what_it_is_and_how_it_is_dealt() -> None:
    assert deck_kind(36).words() == "36 cards (without 2, 3, 4, 5)"
    six = deck_kind(54, shoe=6, group=2, seats=5, dealer=False)
    assert six.words() == "6 decks of 54 cards with 2 jokers, 324 cards in all, equal faces not told apart"
    assert six.dealing() == "groups of 2 from the top to 5 players, no dealer"
    said = six.describe()
    assert (said["cards"], said["decks_mixed"], said["group"], said["told_apart"]) == (324, 6, 2, False)


def test_as_many_players_as_there_are_cards_for_where_nobody_says() -> None:
    assert deck_kind(36).seats == 7
    assert deck_kind(36, group=7).seats == 4
    assert DeckKind.from_state(deck_kind(40, group=5).to_state()) == deck_kind(40, group=5)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"deck": 37}, "no deck of 37 cards is known"),
        ({"deck": 36, "group": 5, "seats": 7}, "8 groups of 5 can't be dealt from 36 cards"),
        ({"deck": 52, "shoe": 17}, "a shoe is 1 to 16 decks"),
        ({"deck": 20, "ranks": "TJQKA"}, "at least 24 cards"),
        ({"deck": 36, "ranks": "6789TJQKB"}, "'B' is no rank"),
        ({"deck": 36, "ranks": "66789TJQK"}, "have one twice"),
        ({"deck": 40, "ranks": "6789TJQKA"}, "are 36 cards"),
        ({"deck": 52, "group": 0}, "can't be dealt"),
    ],
)
def test_what_is_no_deck_is_refused_with_the_reason(settings: dict[str, object], why: str) -> None:
    with pytest.raises(KindError, match=why):
        deck_kind(**settings)  # type: ignore[arg-type]
