"""Whether each deck is a deck: counted and kept with its row number, never averaged away."""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from randomness.decks.faces import CARDS, card_name
from randomness.result import Finding, Null, Outcome, Result

Decks = NDArray[np.uint8]

NAME = "deck-integrity"
MOST_KEPT = 100


def whole_rows(decks: Decks, *, compiled: bool) -> NDArray[np.bool_]:
    """Which rows hold each of the 52 faces exactly once."""
    if compiled:
        good = np.empty(len(decks), np.bool_)
        importlib.import_module("randomness.decks.compiled").whole(decks, good)
        return good
    return np.asarray((np.sort(decks, axis=1) == np.arange(CARDS, dtype=np.uint8)).all(axis=1))


def describe(deck: Decks) -> str:
    """What is wrong with one deck."""
    counts = np.bincount(deck, minlength=256)
    missing = [card_name(face) for face in range(CARDS) if counts[face] == 0]
    extra = [f"{card_name(face)} {counts[face]} times" for face in range(CARDS) if counts[face] > 1]
    wrong = [card_name(face) for face in range(CARDS, 256) if counts[face]]
    parts = [("missing", missing), ("has", extra), ("no card:", wrong)]
    return "; ".join(f"{what} {', '.join(items)}" for what, items in parts if items)


class BrokenDecks(ABC):
    """Decks that are not whole: how many, which cards, and the first hundred of them with their rows."""

    too_many: str

    def __init__(self, copies: Sequence[int], cards: int, code: type[np.integer[Any]]) -> None:
        self._copies = tuple(copies)
        self.decks = 0
        self.invalid = 0
        self.bad_inputs = 0
        self.missing = np.zeros(len(self._copies), np.int64)
        self.extra = np.zeros(len(self._copies), np.int64)
        self.rows = np.zeros(0, np.int64)
        self.kept: NDArray[Any] = np.zeros((0, cards), code)

    @abstractmethod
    def card_name(self, card: int) -> str:
        """A card by its number within the deck."""

    @abstractmethod
    def describe(self, codes: NDArray[Any]) -> str:
        """What is wrong with one deck."""

    def count(self, codes: NDArray[Any], numbers: NDArray[Any], good: NDArray[np.bool_], first_row: int) -> None:
        """Count a chunk, as it came and as numbers within the deck; `first_row` numbers its first deck."""
        self.decks += len(codes)
        bad = np.flatnonzero(~good)
        if not len(bad):
            return
        self.invalid += len(bad)
        for card, many in enumerate(self._copies):
            held = (numbers[bad] == card).sum(axis=1)
            self.missing[card] += int(np.maximum(many - held, 0).sum())
            self.extra[card] += int(np.maximum(held - many, 0).sum())
        self._keep(bad + first_row, codes[bad])

    def add_bad_inputs(self, rows: NDArray[np.int64], orders: NDArray[Any]) -> None:
        """Decks that are whole, but whose stated input order is not."""
        self.bad_inputs += len(rows)
        self._keep(rows, orders)

    def _keep(self, rows: NDArray[np.int64], codes: NDArray[Any]) -> None:
        rows = np.concatenate([self.rows, rows])
        first = np.argsort(rows, kind="stable")[:MOST_KEPT]
        self.rows, self.kept = rows[first], np.concatenate([self.kept, codes])[first]

    def merge(self, other: Self) -> None:
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
            Finding(place=f"row {row}: {self.describe(codes)}", observed=1.0, expected=0.0, z=float("inf"))
            for row, codes in zip(self.rows.tolist(), self.kept, strict=True)
        ]
        worst = int((self.missing + self.extra).argmax())
        totals = [
            Finding(place=f"{self.card_name(worst)} {what}", observed=float(many), expected=0.0, z=float("inf"))
            for what, many in (("missing", self.missing[worst]), (self.too_many, self.extra[worst]))
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

    def restore(self, state: Mapping[str, Any]) -> Self:
        """Take the counts of a checkpoint."""
        self.decks, self.invalid = int(state["decks"]), int(state["invalid"])
        self.bad_inputs = int(state["bad_inputs"])
        self.missing, self.extra = np.array(state["missing"], np.int64), np.array(state["extra"], np.int64)
        self.rows = np.array(state["rows"], np.int64)
        self.kept = np.array(state["kept"], self.kept.dtype).reshape(-1, self.kept.shape[1])
        return self


class Integrity(BrokenDecks):
    """Decks of the 52 faces."""

    too_many = "more than once"

    def __init__(self) -> None:
        super().__init__([1] * CARDS, CARDS, np.uint8)

    def card_name(self, card: int) -> str:
        return card_name(card)

    def describe(self, codes: NDArray[Any]) -> str:
        return describe(codes)

    def add(self, decks: Decks, good: NDArray[np.bool_], first_row: int) -> None:
        """Count a chunk; `first_row` numbers its first deck."""
        self.count(decks, decks, good, first_row)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Integrity":
        return cls().restore(state)
