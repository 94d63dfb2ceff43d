"""Whether each deck is a deck: counted and kept with its row number, never averaged away."""

import importlib
from collections.abc import Mapping
from typing import Any

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


class Integrity:
    """Invalid decks: how many, which cards, and the first hundred of them with their rows."""

    def __init__(self) -> None:
        self.decks = 0
        self.invalid = 0
        self.missing = np.zeros(CARDS, np.int64)
        self.extra = np.zeros(CARDS, np.int64)
        self.wrong_codes = 0
        self.bad_inputs = 0
        self.rows = np.zeros(0, np.int64)
        self.kept: Decks = np.zeros((0, CARDS), np.uint8)

    def add(self, decks: Decks, good: NDArray[np.bool_], first_row: int) -> None:
        """Count a chunk; `first_row` numbers its first deck."""
        self.decks += len(decks)
        bad = np.flatnonzero(~good)
        if not len(bad):
            return
        faces = decks[bad]
        self.invalid += len(bad)
        for face in range(CARDS):
            held = (faces == face).sum(axis=1)
            self.missing[face] += int((held == 0).sum())
            self.extra[face] += int(np.maximum(held - 1, 0).sum())
        self.wrong_codes += int((faces >= CARDS).sum())
        self._keep(bad + first_row, faces)

    def add_bad_inputs(self, rows: NDArray[np.int64], orders: Decks) -> None:
        """Decks that are whole, but whose stated input order is not."""
        self.bad_inputs += len(rows)
        self._keep(rows, orders)

    def _keep(self, rows: NDArray[np.int64], faces: Decks) -> None:
        rows = np.concatenate([self.rows, rows])
        first = np.argsort(rows, kind="stable")[:MOST_KEPT]
        self.rows, self.kept = rows[first], np.concatenate([self.kept, faces])[first]

    def merge(self, other: "Integrity") -> None:
        self.decks += other.decks
        self.invalid += other.invalid
        self.bad_inputs += other.bad_inputs
        self.missing += other.missing
        self.extra += other.extra
        self.wrong_codes += other.wrong_codes
        self._keep(other.rows, other.kept)

    def result(self) -> Result:
        """p is 0 or 1: a whole deck stays whole, whatever the shuffle."""
        broken = self.invalid + self.bad_inputs
        shown = [
            Finding(place=f"row {row}: {describe(deck)}", observed=1.0, expected=0.0, z=float("inf"))
            for row, deck in zip(self.rows.tolist(), self.kept, strict=True)
        ]
        worst = int((self.missing + self.extra).argmax())
        totals = [
            Finding(place=f"{card_name(worst)} {what}", observed=float(count), expected=0.0, z=float("inf"))
            for what, count in (("missing", self.missing[worst]), ("more than once", self.extra[worst]))
            if count
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
        return {
            "decks": self.decks,
            "invalid": self.invalid,
            "bad_inputs": self.bad_inputs,
            "missing": self.missing.copy(),
            "extra": self.extra.copy(),
            "wrong_codes": self.wrong_codes,
            "rows": self.rows.copy(),
            "kept": self.kept.copy(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Integrity":
        made = cls()
        made.decks, made.invalid = int(state["decks"]), int(state["invalid"])
        made.bad_inputs, made.wrong_codes = int(state["bad_inputs"]), int(state["wrong_codes"])
        made.missing, made.extra = np.array(state["missing"], np.int64), np.array(state["extra"], np.int64)
        made.rows = np.array(state["rows"], np.int64)
        made.kept = np.array(state["kept"], np.uint8).reshape(-1, CARDS)
        return made
