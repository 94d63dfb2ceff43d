"""What a face number means, and how places are named."""

from randomness.decks import faces


def test_a_face_is_a_rank_and_a_suit() -> None:
    assert [faces.card_name(face) for face in (0, 12, 13, 36, 51)] == ["2♣", "A♣", "2♦", "Q♥", "A♠"]
    assert faces.card_name(52) == "code 52"
    assert [faces.colour_of(face) for face in (0, 13, 26, 39)] == [0, 1, 1, 0]


def test_places_are_counted_from_one_and_the_last_seat_is_the_dealers() -> None:
    assert faces.place_name(0) == "position 1"
    assert [faces.seat_name(seat) for seat in (0, 6, 7)] == ["player 1", "player 7", "dealer"]
    assert faces.SEATS * faces.GROUP == 24
