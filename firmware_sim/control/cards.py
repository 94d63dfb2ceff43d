"""Cards as testers write them: by name or by face number."""

from collections.abc import Sequence

from firmware_sim.errors import BadControl
from protocol.cards import JOKER, RANKS, SUIT_LETTERS, SUITS


def card_code(name: str) -> int:
    """The face of a card by name: "Q♠", "Qs", "10h" or "joker"."""
    if name.lower() == "joker":
        return JOKER
    rank, suit = name[:-1].upper().replace("10", "T"), name[-1:]
    suits = SUITS if suit in SUITS else SUIT_LETTERS
    if len(rank) != 1 or rank not in RANKS or suit.lower() not in suits or not suit:
        raise BadControl(f"{name!r} is not a card: write a rank of {RANKS} and a suit of {SUITS} or {SUIT_LETTERS}")
    return RANKS.index(rank) + 13 * suits.index(suit.lower())


def card_codes(names: str | Sequence[int]) -> list[int]:
    """Faces from "Q♠ K♠ A♠" or from numbers."""
    if isinstance(names, str):
        return [card_code(name) for name in names.split()]
    codes = [int(code) for code in names]
    if bad := next((code for code in codes if not 0 <= code <= JOKER), None):
        raise BadControl(f"{bad} is not a face: they are numbered 0 to {JOKER}")
    return codes
