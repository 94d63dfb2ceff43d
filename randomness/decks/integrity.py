"""Whether each deck is a deck: counted and kept with its row number, never averaged away."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.columns import accelerated, kernel
from randomness.decks.kinds.kind import STANDARD, DeckKind
from randomness.result import Finding, Null, Outcome, Result

Codes = NDArray[Any]

NAME = "deck-integrity"
MOST_KEPT = 100


def whole_rows(kind: DeckKind, numbers: Codes, *, compiled: bool | None = None) -> NDArray[np.bool_]:
    """Which rows of card numbers hold each card as often as the deck does."""
    if accelerated(kind, compiled) and numbers.dtype == np.uint8:
        good = np.empty(len(numbers), np.bool_)
        kernel().whole(numbers, good)
        return good
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


class Integrity:
    """Decks that are not whole: how many, which cards, and the first hundred of them with their rows."""

    def __init__(self, kind: DeckKind = STANDARD) -> None:
        self.kind = kind
        self.decks = 0
        self.invalid = 0
        self.bad_inputs = 0
        self.missing = np.zeros(kind.distinct, np.int64)
        self.extra = np.zeros(kind.distinct, np.int64)
        self.rows = np.zeros(0, np.int64)
        self.kept: Codes = np.zeros((0, kind.cards), np.int64)

    def count(self, codes: Codes, numbers: Codes, good: NDArray[np.bool_], first_row: int) -> None:
        """Count a chunk, as it came and as numbers within the deck; `first_row` numbers its first deck."""
        self.decks += len(codes)
        bad = np.flatnonzero(~good)
        if not len(bad):
            return
        self.invalid += len(bad)
        for card, many in enumerate(self.kind.copies):
            held = (numbers[bad] == card).sum(axis=1)
            self.missing[card] += int(np.maximum(many - held, 0).sum())
            self.extra[card] += int(np.maximum(held - many, 0).sum())
        self._keep(bad + first_row, codes[bad])

    def add_bad_inputs(self, rows: NDArray[np.int64], orders: Codes) -> None:
        """Decks that are whole, but whose stated input order is not."""
        self.bad_inputs += len(rows)
        self._keep(rows, orders)

    def _keep(self, rows: NDArray[np.int64], codes: Codes) -> None:
        rows = np.concatenate([self.rows, rows])
        first = np.argsort(rows, kind="stable")[:MOST_KEPT]
        self.rows, self.kept = rows[first], np.concatenate([self.kept, codes])[first]

    def merge(self, other: "Integrity") -> None:
        self.decks += other.decks
        self.invalid += other.invalid
        self.bad_inputs += other.bad_inputs
        self.missing += other.missing
        self.extra += other.extra
        self._keep(other.rows, other.kept)

    def result(self) -> Result:
        """p is 0 or 1: a whole deck stays whole, whatever the shuffle."""
        broken = self.invalid + self.bad_inputs
        shown = [
            Finding(place=f"row {row}: {describe(self.kind, codes)}", observed=1.0, expected=0.0, z=float("inf"))
            for row, codes in zip(self.rows.tolist(), self.kept, strict=True)
        ]
        worst = int((self.missing + self.extra).argmax())
        too_many = "more than once" if self.kind.simple else "too often"
        totals = [
            Finding(place=f"{self.kind.card_name(worst)} {what}", observed=float(many), expected=0.0, z=float("inf"))
            for what, many in (("missing", self.missing[worst]), (too_many, self.extra[worst]))
            if many
        ]
        return Result(
            test=NAME,
            outcome=Outcome.TESTED if self.decks else Outcome.TOO_FEW,
            samples=self.decks,
            statistic=float(broken) if self.decks else None,
            p=(0.0 if broken else 1.0) if self.decks else None,
            null=Null.EXACT if self.decks else None,
            effect=broken / self.decks if self.decks else None,
            effect_unit="share of decks that are not whole",
            unmet=() if self.decks else ("no decks were given",),
            findings=tuple(totals + shown),
        )

    def to_state(self) -> dict[str, Any]:
        """All counts, as a checkpoint holds them."""
        return {
            "decks": self.decks,
            "invalid": self.invalid,
            "bad_inputs": self.bad_inputs,
            "missing": self.missing.copy(),
            "extra": self.extra.copy(),
            "rows": self.rows.copy(),
            "kept": self.kept.copy(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], *, kind: DeckKind = STANDARD) -> "Integrity":
        """What gave the state."""
        self = cls(kind)
        self.decks, self.invalid = int(state["decks"]), int(state["invalid"])
        self.bad_inputs = int(state["bad_inputs"])
        self.missing, self.extra = np.array(state["missing"], np.int64), np.array(state["extra"], np.int64)
        self.rows = np.array(state["rows"], np.int64)
        self.kept = np.array(state["kept"], self.kept.dtype).reshape(-1, self.kept.shape[1])
        return self
