"""Names of cards, at the edges only."""

import pytest

from round_engine.errors import CardError
from round_engine.hands.cards import card, name, names, parse, parse_hand, rank, suit


def test_every_card_is_named_and_read_back() -> None:
    for face in range(52):
        assert parse(name(face)) == face
        assert parse(name(face)[0].lower() + "cdhs"[suit(face)].upper()) == face


@pytest.mark.parametrize(
    ("face", "text"), [(0, "2♣"), (12, "A♣"), (13, "2♦"), (36, "Q♥"), (51, "A♠"), (8, "T♣")]
)
def test_rank_is_the_remainder_and_suit_the_quotient_of_13(face: int, text: str) -> None:
    assert name(face) == text
    assert (rank(face), suit(face)) == (face % 13, face // 13)


def test_ten_may_be_written_with_two_digits() -> None:
    assert parse("10h") == parse("T♥") == 34


def test_hands_are_read_and_written_with_spaces() -> None:
    assert names(parse_hand("Qh 6c 4d")) == "Q♥ 6♣ 4♦"


@pytest.mark.parametrize("text", ["", "Q", "h", "1h", "Qx", "11h", "QQh", "♥Q"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(CardError, match="is not the name of a card"):
        parse(text)


@pytest.mark.parametrize("face", [-1, 52, 1.0, True, "Qh", None])
def test_what_is_no_face_is_refused(face: object) -> None:
    with pytest.raises(CardError, match="is not a card"):
        card(face)


def test_a_card_twice_in_a_hand_is_refused() -> None:
    with pytest.raises(CardError, match="occurs twice"):
        parse_hand("Qh 6c Qh")
