"""What comes twice over a run: decks, decks up to a cut or a turn, and permutations from one order to the next.

A permutation is read against the order that went in, where it is given deck by deck; against the deck before, where
none is given. Where one order went into every deck, permutations repeat exactly when decks do, and are not counted
again.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks import fingerprints
from randomness.decks.columns import accelerated
from randomness.decks.kinds.kind import STANDARD, DeckKind
from randomness.decks.repeats import DECKS, PERMUTATIONS, REPEATS_KEPT, RINGS, Repeats
from randomness.result import Outcome, Result

Rows = NDArray[Any]
Words = NDArray[np.uint64]

ONE_ORDER = "every deck was shuffled from one order: permutations repeat exactly when decks do"
NOT_APART = "cards of one face are not told apart, so the permutation that made a deck is not known"


class Copies:
    """Fingerprints of all whole decks of a run, and of the permutations between orders."""

    def __init__(
        self,
        planned: int | None = None,
        *,
        kind: DeckKind = STANDARD,
        most: int = REPEATS_KEPT,
        compiled: bool | None = None,
    ) -> None:
        self.kind = kind
        self.most = most
        self.decks = Repeats(planned, most=most)
        self.permutations = Repeats(planned, most=most)
        self.one_order = False
        """Whether some decks came with one order for all of them."""
        self._compiled = accelerated(kind, compiled)

    def add(
        self, decks: Rows, mixed: Words, rows: NDArray[np.int64], orders: Rows | None, last: Rows | None,
        *, one_order: bool,
    ) -> None:  # fmt: skip
        """The next decks, with the hashes of their orders, the orders that went in (one for all, or one for each), and
        the deck before the first where there is one."""
        self.decks.add(fingerprints.rings(self.kind, decks, compiled=self._compiled), mixed, rows)
        if not self.kind.simple:
            return
        if orders is None:
            before = decks[:-1] if last is None else np.concatenate([last[None], decks[:-1]])
            decks, rows = decks[len(decks) - len(before) :], rows[len(rows) - len(before) :]
        elif one_order:
            self.one_order = True
            return
        else:
            before = orders
        if len(decks):
            moved = fingerprints.moves(self.kind, decks, before, compiled=self._compiled)
            self.permutations.add(moved, np.zeros(len(moved), np.uint64), rows)

    def merge(self, other: "Copies") -> None:
        """Add what another object saw of other rows."""
        self.decks.merge(other.decks)
        self.permutations.merge(other.permutations)
        self.one_order = self.one_order or other.one_order

    def results(self) -> tuple[Result, ...]:
        """One for decks, one for rings, one for permutations."""
        share = "share of decks that repeat an earlier one"
        found = [
            self.decks.copies(DECKS, "are the same deck", unit=share),
            self.decks.alike(RINGS, "are the same deck, cut or turned over", unit=share),
        ]
        if not self.kind.simple:
            found.append(Result(test=PERMUTATIONS, outcome=Outcome.NOT_APPLICABLE, samples=0, unmet=(NOT_APART,)))
        elif self.permutations.decks or not self.one_order:
            what = "were made by the same permutation"
            found.append(self.permutations.copies(PERMUTATIONS, what, unit="share of permutations that came before",
                                                  rarer=1.0))  # fmt: skip
        else:
            found.append(Result(test=PERMUTATIONS, outcome=Outcome.NOT_APPLICABLE, samples=0, unmet=(ONE_ORDER,)))
        return tuple(found)

    def to_state(self) -> dict[str, Any]:
        """Everything, as plain values and arrays."""
        return {
            "most": self.most, "one_order": self.one_order, "decks": self.decks.to_state(),
            "permutations": self.permutations.to_state(),
        }  # fmt: skip

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], *, kind: DeckKind = STANDARD, compiled: bool | None = None
    ) -> "Copies":
        """What gave the state."""
        made = cls(kind=kind, most=int(state["most"]), compiled=compiled)
        made.one_order = bool(state["one_order"])
        made.decks = Repeats.from_state(state["decks"])
        made.permutations = Repeats.from_state(state["permutations"])
        return made
