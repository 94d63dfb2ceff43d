"""Whole decks seen twice, in bounded memory: a sample of decks chosen by the first bits of their hash.

Equal decks have equal hashes, so a sample by hash holds all copies of a deck or none. When the sample is full, the
limit is halved: what stays depends on the decks alone, not on their order or on how they were divided and merged.
"""

import importlib
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.tails import gamma_tails
from randomness.result import Finding, Null, Outcome, Result

NAME = "repeated-decks"
MOST_KEPT = 1 << 18
MOST_SHOWN = 20
_PENDING = 1 << 17
_WORD = 2.0**64
_NO_ROW = np.iinfo(np.int64).max


def hashes(decks: NDArray[np.uint8], *, compiled: bool) -> NDArray[np.uint64]:
    """A 64-bit hash of each row: multiply and shift over its thirteen 32-bit words."""
    words = np.ascontiguousarray(decks, np.uint8).view("<u4")
    if compiled:
        out = np.empty(len(decks), np.uint64)
        importlib.import_module("randomness.decks.compiled").hashes(words, out)
        return out
    h = np.full(len(decks), 0x9E3779B97F4A7C15, np.uint64)
    for word in words.T:
        h = (h ^ word) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    h *= np.uint64(0x94D049BB133111EB)
    return np.asarray(h ^ (h >> np.uint64(32)))


class Repeats:
    """Each sampled hash with how often it came, and the first two rows where it did."""

    def __init__(self, planned: int | None = None) -> None:
        """A run of so many decks begins at the limit that it would come to, so that its shards keep little."""
        self.decks = 0
        self.level = max(1, (planned or 0) // MOST_KEPT).bit_length() - 1
        self.hash = np.zeros(0, np.uint64)
        self.count = np.zeros(0, np.int64)
        self.rows = np.zeros((0, 2), np.int64)
        self._pending: list[tuple[NDArray[np.uint64], NDArray[np.int64]]] = []
        self._waiting = 0

    def add(self, hashes_: NDArray[np.uint64], rows: NDArray[np.int64]) -> None:
        self.decks += len(hashes_)
        if self.level:
            below = hashes_ < self._limit()
            hashes_, rows = hashes_[below], rows[below]
        self._pending.append((hashes_, rows))
        self._waiting += len(hashes_)
        if self._waiting > _PENDING:
            self._settle()

    def merge(self, other: "Repeats") -> None:
        self._settle()
        other._settle()
        self.decks += other.decks
        self.level = max(self.level, other.level)
        self._join(other.hash, other.count, other.rows)

    def _limit(self) -> np.uint64:
        return np.uint64((1 << (64 - self.level)) - 1)

    def _settle(self) -> None:
        if not self._pending:
            return
        fresh = np.concatenate([part for part, _ in self._pending])
        rows = np.concatenate([part for _, part in self._pending])
        self._pending, self._waiting = [], 0
        order = np.argsort(fresh)
        both = np.full((len(rows), 2), _NO_ROW, np.int64)
        both[:, 0] = rows[order]
        self._join(fresh[order], np.ones(len(fresh), np.int64), both)

    def _join(self, hash_: NDArray[np.uint64], count: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
        """Add sorted entries; entries of one hash become one, with the two lowest rows of them all."""
        every = np.concatenate([self.hash, hash_])
        if not len(every):
            return
        order = np.argsort(every, kind="stable")  # two sorted runs: a merge
        every, counts = every[order], np.concatenate([self.count, count])[order]
        both = np.concatenate([self.rows, rows])[order]
        starts = np.flatnonzero(np.concatenate([[True], every[1:] != every[:-1]]))
        lowest = np.minimum.reduceat(both[:, 0], starts)
        group = np.cumsum(np.concatenate([[0], (every[1:] != every[:-1]).astype(np.intp)]))
        others = np.where(both[:, 0] == lowest[group], both[:, 1], both[:, 0])
        self.hash = every[starts]
        self.count = np.add.reduceat(counts, starts)
        self.rows = np.stack([lowest, np.minimum.reduceat(others, starts)], axis=1)
        while True:
            if self.level:
                keep = self.hash < self._limit()
                self.hash, self.count, self.rows = self.hash[keep], self.count[keep], self.rows[keep]
            if len(self.hash) <= MOST_KEPT:
                return
            self.level += 1

    def result(self) -> Result:
        """The chance of as many repeats by accident of the hash; of the decks themselves it is nil (1 in 8·10^67)."""
        self._settle()
        repeats = int((self.count - 1).sum())
        pairs = self.decks * (self.decks - 1) / 2
        by_accident = pairs / _WORD / 2**self.level
        twice = np.flatnonzero(self.count > 1)
        twice = twice[np.argsort(self.rows[twice, 0], kind="stable")]
        if not self.decks:
            return Result(test=NAME, outcome=Outcome.TOO_FEW, samples=0, unmet=("no whole deck was given",))
        return Result(
            test=NAME,
            outcome=Outcome.TESTED,
            samples=self.decks,
            statistic=float(repeats),
            p=gamma_tails(float(repeats), by_accident).lower if repeats and by_accident > 0 else 1.0,
            null=Null.EXACT,
            effect=repeats * 2.0**self.level / self.decks,
            effect_unit="share of decks that repeat an earlier one",
            findings=tuple(
                Finding(
                    place=f"rows {self.rows[i, 0]} and {self.rows[i, 1]} are the same deck",
                    observed=float(self.count[i]),
                    expected=1.0,
                    z=math.inf,
                )
                for i in twice[:MOST_SHOWN]
            ),
        )

    def to_state(self) -> dict[str, Any]:
        self._settle()
        return {
            "decks": self.decks,
            "level": self.level,
            "hash": self.hash.copy(),
            "count": self.count.copy(),
            "rows": self.rows.copy(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Repeats":
        made = cls()
        made.decks, made.level = int(state["decks"]), int(state["level"])
        made.hash = np.array(state["hash"], np.uint64)
        made.count = np.array(state["count"], np.int64)
        made.rows = np.array(state["rows"], np.int64).reshape(-1, 2)
        return made
