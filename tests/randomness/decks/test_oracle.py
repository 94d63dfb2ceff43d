"""The oracle on decks whose figures anyone can count."""

import deck_oracle as oracle
import pytest

SORTED = list(range(52))
REVERSED = SORTED[::-1]
# One perfect riffle: the two halves, card by card.
RIFFLED = [card for pair in zip(range(26), range(26, 52), strict=True) for card in pair]
SWAPPED = [1, 0, *range(2, 52)]

#                        sorted reversed riffled swapped
COUNTS = {
    "successions":        (51,   0,      0,      49),
    "adjacencies":        (51,   51,     0,      50),
    "rising_sequences":   (1,    52,     2,      2),
    "descents":           (0,    51,     25,     1),
    "valleys":            (0,    0,      25,     1),
    "peaks":              (0,    0,      25,     0),
    "inversions":         (0,    1326,   325,    1),
    "fixed_points":       (52,   0,      2,      50),
    "longest_increasing": (52,   1,      27,     51),
    "suit_runs":          (4,    4,      52,     4),
    "colour_runs":        (3,    3,      51,     3),
    "rank_runs":          (52,   52,     26,     52),
}  # fmt: skip
DECKS = (SORTED, REVERSED, RIFFLED, SWAPPED)


def cells(function: str, w: list[int]) -> list[int]:
    return [cell for cell, amount in getattr(oracle, function)(w, oracle.inverse(w)) for _ in range(amount)]


@pytest.mark.parametrize(
    ("function", "deck", "value"),
    [(name, deck, value) for name, values in COUNTS.items() for deck, value in zip(DECKS, values, strict=True)],
)
def test_counts(function: str, deck: list[int], value: int) -> None:
    assert cells(function, deck) == [value]


def test_cycles() -> None:
    assert cells("cycles", SORTED) == [52]
    assert cells("cycles", REVERSED) == [26]
    assert cells("cycles", SWAPPED) == [51]
    assert cells("cycles", [*range(1, 52), 0]) == [1]


def test_guessing_the_next_card_up() -> None:
    assert cells("riffle_guess", SORTED) == [52]
    # Two interleaved sequences: every guess after the first misses until only the upper half is left.
    assert cells("riffle_guess", [*range(26, 52), *range(26)]) == [51]
    # Downwards the guess is always the lowest that is left: only the last card is right.
    assert cells("riffle_guess", REVERSED) == [1]


def test_guessing_in_the_direction_last_seen() -> None:
    assert cells("shelf_guess", SORTED) == [52]
    # The top card and the second are missed, then the fall is followed to the end.
    assert cells("shelf_guess", REVERSED) == [50]
    assert cells("shelf_guess", [*range(0, 52, 2), *range(51, 0, -2)]) == [1 + 1 + 24]


def test_tables() -> None:
    assert cells("by_position", SWAPPED)[:3] == [1, 52 + 0, 2 * 52 + 2]
    assert cells("adjacent", SWAPPED)[:2] == [52 * 1 + 0, 52 * 0 + 2]
    assert cells("distances", SWAPPED)[:3] == [1, 2, 1]
    assert cells("lehmer", REVERSED) == [52 * position + 51 - position for position in range(52)]
    assert dict(oracle.card_distances(SORTED, SORTED))[3 * 52 + 10] == 7
    assert dict(oracle.correlation(SORTED, SORTED))[51] == -51 * 51


def test_orders_inside_a_group() -> None:
    deck = [5, 9, 7, *(card for card in range(52) if card not in (5, 9, 7))]
    assert cells("group_order", deck)[:2] == [1, 6 + 0]
    pair = [0, 13, 5, *(card for card in range(52) if card not in (0, 13, 5))]
    assert cells("rank_order", pair)[0] == 6


def test_kinds_at_two_positions() -> None:
    assert cells("same_rank", SORTED)[0] == 13
    assert len(cells("same_suit", SORTED)) == 4 * 78
    assert cells("position_pairs", SORTED)[:2] == [1, 52 * 52 + 2]


def test_hands() -> None:
    values = [oracle.strength(range(3 * seat, 3 * seat + 3)) for seat in range(8)]
    # 234 567 89T JQK of clubs are straight flushes, A♣ 2♦ 3♦ a straight, then straight flushes of diamonds.
    assert [cell % 6 for cell, _ in oracle.hands(values)] == [5, 5, 5, 5, 3, 5, 5, 5]
    scores = dict.fromkeys(range(9), 0)
    for cell, amount in oracle.seat_scores(values):
        scores[cell] += amount
    assert scores[4] == -7
    assert sum(scores[seat] for seat in range(8)) == 0
    assert len(list(oracle.hand_pairs(values))) == 28


def test_the_decks_before() -> None:
    before = [SORTED, REVERSED]
    assert dict(oracle.lag_matches(SORTED, before)) == {52: 1, 53: 1}
    assert [cell for cell, _ in oracle.lag_order(SORTED, before)] == [0, 52 + 51, 104 + 51, 104 + 52]
    shifts = [cell for cell, _ in oracle.lag_shifts([51, *range(51)], [SORTED])]
    assert sorted(set(shifts)) == [1]
    assert dict(oracle.lag_correlation(SORTED, before))[53 + 52] == 1
    assert dict(oracle.serial(SORTED, before))[0] == 51 * 51
    assert list(oracle.serial(SORTED, [])) == []
