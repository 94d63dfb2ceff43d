"""Whether each deck is whole: every card as often as its kind has it, with the row number of each that is not."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.integrity import BrokenDecks
from randomness.decks.kinds import DeckKind

Numbers = NDArray[np.intp]
Codes = NDArray[np.int64]


def whole_rows(kind: DeckKind, numbers: Numbers) -> NDArray[np.bool_]:
    """Which rows of card numbers hold each card as often as the deck does."""
    return np.asarray((np.sort(numbers, axis=1) == kind.whole_row).all(axis=1))


def describe(kind: DeckKind, codes: Codes) -> str:
    """What is wrong with one row of codes."""
    numbers = kind.lookup[codes]
    held = np.bincount(numbers[numbers < kind.distinct], minlength=kind.distinct)
    few = [
        kind.card_name(card) + (f" ({held[card]} of {many})" if held[card] else "")
        for card, many in enumerate(kind.copies)
        if held[card] < many
    ]
    extra = [
        f"{kind.card_name(card)} {held[card]} times" + (f" instead of {many}" if many > 1 else "")
        for card, many in enumerate(kind.copies)
        if held[card] > many
    ]
    strange = sorted({int(code) for code in codes[numbers >= kind.distinct]})
    wrong = ["a number that is no card" if code >= 256 else kind.code_name(code) for code in strange]
    parts = [("missing", few), ("has", extra), ("not of this deck:", wrong)]
    return "; ".join(f"{what} {', '.join(items)}" for what, items in parts if items)


class KindIntegrity(BrokenDecks):
    """Decks of any kind."""

    too_many = "too often"

    def __init__(self, kind: DeckKind) -> None:
        super().__init__(kind.copies, kind.cards, np.int64)
        self.kind = kind

    def card_name(self, card: int) -> str:
        return self.kind.card_name(card)

    def describe(self, codes: Codes) -> str:
        return describe(self.kind, codes)

    @classmethod
    def from_state(cls, kind: DeckKind, state: Mapping[str, Any]) -> "KindIntegrity":
        return cls(kind).restore(state)
