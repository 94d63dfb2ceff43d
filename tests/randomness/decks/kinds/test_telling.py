"""Which deck a file holds, by its first rows."""

import numpy as np
import pytest

from randomness.decks.errors import KindError
from randomness.decks.kinds import KindSettings, Told, deck_kind, tell
from randomness.decks.kinds.telling import COPY_STEP, NO_CARD

SHORT = deck_kind(36).faces
FEW = [face for face in range(52) if face % 13 >= 7]


def shuffled(cards: list[int], rows: int = 12) -> np.ndarray:
    return np.random.default_rng(5).permuted(np.tile(cards, (rows, 1)), axis=1)


def told(cards: list[int], said: KindSettings | None = None) -> Told:
    rows = shuffled(cards)
    found = tell(rows.tolist(), len(cards), said or KindSettings())
    assert np.array_equal(np.sort(found.kind.lookup[found.codes(rows)], axis=1)[3], found.kind.whole_row)
    return found


@pytest.mark.parametrize(
    ("cards", "words", "first", "by_place"),
    [
        (list(SHORT), "36 cards (without 2, 3, 4, 5)", 0, False),
        ([face + 1 for face in SHORT], "36 cards (without 2, 3, 4, 5)", 1, False),
        (list(range(36)), "36 cards (without 2, 3, 4, 5)", 0, True),
        (list(range(1, 37)), "36 cards (without 2, 3, 4, 5)", 1, True),
        (list(range(54)), "54 cards with 2 jokers", 0, False),
        (list(range(1, 55)), "54 cards with 2 jokers", 1, True),
        ([*range(52), 52, 52], "54 cards with 2 jokers alike", 0, False),
        (list(range(53)), "53 cards with 1 joker", 0, False),
        (list(range(52)) * 2, "2 decks of 52 cards, 104 cards in all, equal faces not told apart", 0, False),
        (list(range(104)), "2 decks of 52 cards, 104 cards in all, equal faces told apart", 0, True),
        (list(range(1, 313)), "6 decks of 52 cards, 312 cards in all, equal faces told apart", 1, True),
        (list(SHORT) * 3, "3 decks of 36 cards (without 2, 3, 4, 5), 108 cards in all, equal faces not told apart", 0,
         False),
        (list(range(54)) * 2, "2 decks of 54 cards with 2 jokers, 108 cards in all, equal faces not told apart", 0,
         False),
        (FEW, "24 cards (without 2, 3, 4, 5, 6, 7, 8)", 0, False),
        ([COPY_STEP * copy + face for copy in (1, 2) for face in range(52)],
         "2 decks of 52 cards, 104 cards in all, equal faces told apart", 0, True),
    ],
)  # fmt: skip
def test_whole_rows_tell_the_deck_and_its_numbering(cards: list[int], words: str, first: int, by_place: bool) -> None:
    found = told(cards)
    assert (found.kind.words(), found.numbered_from, found.by_place) == (words, first, by_place)
    assert found.why == f"told by the first rows, of {len(cards)} cards"


def test_what_is_said_holds_though_no_row_is_whole() -> None:
    rows = [[*SHORT[1:], 0] for _ in range(5)]
    found = tell(rows, 36, KindSettings(deck=36, group=5, seats=6, dealer=False))
    assert found.kind == deck_kind(36, group=5, seats=6, dealer=False)
    assert found.why == "as given"


def test_a_foreign_card_keeps_its_face_and_a_number_beyond_the_shoe_is_no_card() -> None:
    found = told(list(SHORT))
    assert found.codes(np.array([[0, 51, 200]])).tolist() == [[0, 51, 200]]
    assert told(list(range(104))).codes(np.array([[103, 104, 300]])).tolist() == [[103, NO_CARD, NO_CARD]]


@pytest.mark.parametrize(
    ("cards", "said", "why"),
    [
        (list(range(37)), KindSettings(), "no deck that is known"),
        (list(range(51)), KindSettings(group=5), "no deck that is known"),
        (list(range(53)), KindSettings(deck=36), "53 cards: not 1 deck of 36"),
        ([7] * 36, KindSettings(), "no deck that is known"),
        (list(SHORT), KindSettings(deck=36, group=9), "can't be dealt|no deck"),
        ([900 + n for n in range(36)], KindSettings(deck=36), "no deck that is known"),
    ],
)
def test_what_fits_no_deck_is_refused(cards: list[int], said: KindSettings, why: str) -> None:
    with pytest.raises(KindError, match=why):
        tell(shuffled(cards).tolist(), len(cards), said if said.group != 9 else KindSettings(deck=36, group=9, seats=9))
