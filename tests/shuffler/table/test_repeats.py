"""A deck that lies as an earlier one did is found; decks that merely resemble each other are not accused."""

import pytest

from protocol import messages as m
from protocol.vocabulary import CommitKind, DeviceFlag
from shuffler.table.checks import DeckWatch, Lie
from shuffler.table.repeats import DECKS_KEPT, RepeatedDeals


def deck(number: int, cards: tuple[int, ...], *, root: bytes = b"", flags: DeviceFlag = DeviceFlag(0)) -> DeckWatch:
    shuffled = m.ShuffleCompleted(
        number=1, time_ms=0, shuffle=number, count=52, game=1, kind=CommitKind.NOTHING, flags=flags, nonce=bytes(16),
        root=root or number.to_bytes(32, "big"),
    )  # fmt: skip
    made = DeckWatch(
        serial="SB", epoch=7, shuffled=shuffled, deck_cards=52, commits=CommitKind.NOTHING, reads_faces=True
    )
    made.places = dict(enumerate(cards))
    made.order, made.named = (0,), {1}  # all of it is disclosed
    return made


NINE = (3, 1, 4, 15, 9, 2, 6, 5, 35)


def test_nine_cards_in_the_same_order_are_a_repeat() -> None:
    repeats = RepeatedDeals()
    repeats.check_order(deck(1, NINE))
    repeats.check_order(deck(1, NINE))  # looked at again: the same deck
    repeats.check_order(deck(2, (*NINE[:8], 36)))
    with pytest.raises(Lie, match="repeat: the deck lies as in shuffle SB/0000000000000007/1"):
        repeats.check_order(deck(3, (*NINE, 40)))


def test_six_cards_are_a_repeat_when_it_happens_twice() -> None:
    repeats = RepeatedDeals()
    repeats.check_order(deck(1, NINE))
    repeats.check_order(deck(2, NINE[:6]))
    with pytest.raises(Lie, match="repeat"):
        repeats.check_order(deck(3, NINE[:6]))


def test_fewer_cards_and_rigged_decks_are_left_alone() -> None:
    repeats = RepeatedDeals()
    for number in range(1, 5):
        repeats.check_order(deck(number, NINE[:5]))
        repeats.check_order(deck(number, NINE, flags=DeviceFlag.RIGGED))


def test_no_commitment_comes_twice_but_the_one_to_nothing() -> None:
    repeats = RepeatedDeals()
    repeats.check_root(deck(1, (), root=bytes(32)))
    repeats.check_root(deck(2, (), root=bytes(32)))
    repeats.check_root(deck(3, (), root=b"r" * 32))
    with pytest.raises(Lie, match="same commitment"):
        repeats.check_root(deck(4, (), root=b"r" * 32))


def test_its_memory_is_bounded() -> None:
    repeats = RepeatedDeals()
    for number in range(1, 3 * DECKS_KEPT):
        cards = (number % 52, number // 52 % 52, number // 2704, *NINE)
        repeats.check_root(deck(number, ()))
        repeats.check_order(deck(number, cards))
    assert len(repeats._begun) <= 2 * DECKS_KEPT
    assert len(repeats._roots) <= DECKS_KEPT
