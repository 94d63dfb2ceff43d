"""What a face number means, and how the battery names a card, a place or a seat when it says where to look."""

from collections.abc import Sequence

from round_engine.hands import RANK_SYMBOLS, SUIT_SYMBOLS

CARDS = 52
SUITS = 4
RANKS = 13

RANK_NAMES = RANK_SYMBOLS
SUIT_NAMES = SUIT_SYMBOLS

# Three-card groups from the top of the deck: seven players, then the dealer.
SEATS = 8
GROUP = 3
DEALER = SEATS - 1


def suit_of(face: int) -> int:
    return face // RANKS


def rank_of(face: int) -> int:
    return face % RANKS


def colour_of(face: int) -> int:
    """0 for the outer suits (0 and 3), 1 for the inner ones (1 and 2)."""
    return 1 if suit_of(face) in (1, 2) else 0


def card_name(face: int) -> str:
    """`Q♥` for a face; other codes by number."""
    if 0 <= face < CARDS:
        return RANK_NAMES[rank_of(face)] + SUIT_NAMES[suit_of(face)]
    return f"code {face}"


def seat_name(seat: int) -> str:
    return "dealer" if seat == DEALER else f"player {seat + 1}"


def place_name(position: int) -> str:
    """Positions are counted from 1, the top of the deck, as people do."""
    return f"position {position + 1}"


def names(items: Sequence[int]) -> str:
    return " ".join(card_name(face) for face in items)
