"""Card codes are named on the wire's side as they are on the game's."""

from protocol.cards import FACES, RANKS, SPECIAL, SUIT_LETTERS, SUITS, card_name
from round_engine.hands import cards, symbols


def test_the_wire_and_the_game_write_every_card_alike() -> None:
    assert [card_name(code) for code in range(FACES)] == [cards.name(face) for face in range(FACES)]
    assert (RANKS, SUITS, SUIT_LETTERS) == (symbols.RANK_SYMBOLS, symbols.SUIT_SYMBOLS, symbols.SUIT_LETTERS)


def test_codes_that_are_no_face_have_names_of_their_own() -> None:
    assert all(card_name(code) == text for code, text in SPECIAL.items())
    assert card_name(200) == "code 200"
