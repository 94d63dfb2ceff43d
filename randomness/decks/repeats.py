"""Decks, rings and permutations seen twice: a fingerprint of each is kept, all of them up to a stated number.

A deck that repeats is a copy of one in the same order; a ring that repeats is the same deck cut or turned over. Of more
than may be kept, the lowest fingerprints stay: equal ones are kept or left together, so what stays depends on the decks
alone, not on their order or on how they were divided and merged. A longer run never keeps fewer. Each takes 16 bytes.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.tails import gamma_tails
from randomness.result import Finding, Null, Outcome, Result

DECKS = "repeated-decks"
RINGS = "repeated-rings"
PERMUTATIONS = "repeated-permutations"
REPEATS_KEPT = 4_000_000
MOST_SHOWN = 20
BYTES = 16
_PENDING = 1 << 17
_WORD = 2.0**64
_ALL = (1 << 64) - 1
_SPARE = 8.0
"""Standard deviations by which a run begins above its limit."""
_MARK = 2.0**32
_LOW = np.uint64(0xFFFFFFFF)
_NO_ROW = np.iinfo(np.int64).max

Words = NDArray[np.uint64]
Rows = NDArray[np.int64]


class Repeats:
    """Fingerprints (`key`) with a second one (`mark`, 32 bits) and the row; those that came twice stand apart.

    What came once is `key` and `tag` (row and mark in one word). What came more often under one key and mark has a
    count and its first two rows.
    """

    def __init__(self, planned: int | None = None, *, most: int = REPEATS_KEPT) -> None:
        """A run of so many decks begins a little above the limit that it will come to: its shards keep little."""
        self.decks = 0
        self.most = most
        share = (1 + _SPARE / math.sqrt(most)) * most / max(1, planned or 0)
        self.limit = _ALL if share >= 1 else int(share * _WORD)
        self.key, self.tag = np.zeros(0, np.uint64), np.zeros(0, np.uint64)
        self.twice = _Entries.none()
        self._pending: list[tuple[Words, Words]] = []
        self._waiting = 0

    def add(self, keys: Words, marks: Words, rows: Rows) -> None:
        """Decks by both fingerprints; of marks the lower half counts."""
        self.decks += len(keys)
        if self.limit < _ALL:
            below = keys <= np.uint64(self.limit)
            keys, marks, rows = keys[below], marks[below], rows[below]
        self._wait(keys, (rows.astype(np.uint64) << np.uint64(32)) | (marks & _LOW))

    def _wait(self, keys: Words, tags: Words) -> None:
        self._pending.append((keys, tags))
        self._waiting += len(keys)
        # Sorting in comes due more and more seldom, so that it costs little in a long run.
        if self._waiting > max(_PENDING, len(self.key) // 2):
            self._settle()

    def merge(self, other: "Repeats") -> None:
        """Add what another object saw of other rows."""
        other._settle()
        self.decks += other.decks
        if other.limit < self.limit:
            self._settle()
            self.limit = other.limit
            self._thin()
        self.twice = _Entries.joined(self.twice, other.twice)
        self._wait(other.key, other.tag)
        if len(other.twice.key):
            self._settle()

    def _settle(self) -> None:
        """Sort in what waits, and set apart what came twice."""
        if not self._pending and not len(self.twice.key):
            return
        key = np.concatenate([self.key, *(part for part, _ in self._pending)])
        tag = np.concatenate([self.tag, *(part for _, part in self._pending)])
        self._pending, self._waiting = [], 0
        order = np.argsort(key, kind="stable")
        key, tag = key[order], tag[order]
        tied = np.zeros(len(key), bool)
        same = key[1:] == key[:-1]
        tied[1:] |= same
        tied[:-1] |= same
        tied |= np.isin(key, self.twice.key) if len(self.twice.key) else False
        if tied.any():
            met = _Entries.joined(_Entries.once(key[tied], tag[tied]), self.twice)
            again = met.count > 1
            self.twice, once = met.picked(again), met.picked(~again)
            key = np.concatenate([key[~tied], once.key])
            tag = np.concatenate([tag[~tied], (once.first.astype(np.uint64) << np.uint64(32)) | once.mark])
            order = np.argsort(key, kind="stable")
            key, tag = key[order], tag[order]
        self.key, self.tag = key, tag
        self._thin()

    def _thin(self) -> None:
        """Leave out what is above the limit, which comes down until the rest is no more than may be kept."""
        if self.limit < _ALL:
            self._cut()
        if len(self.key) + len(self.twice.key) > self.most:
            every = np.sort(np.concatenate([self.key, self.twice.key]))
            self.limit = int(every[self.most]) - 1
            self._cut()

    def _cut(self) -> None:
        keep = self.key <= np.uint64(self.limit)
        self.key, self.tag = self.key[keep], self.tag[keep]
        self.twice = self.twice.picked(self.twice.key <= np.uint64(self.limit))

    @property
    def share(self) -> float:
        """Of all pairs of equal fingerprints those that are found."""
        return (self.limit + 1) / _WORD

    @property
    def pairs_found(self) -> str:
        """The same in words."""
        return "all" if self.limit == _ALL else f"1 in {1 / self.share:.3g}"

    # ----- what was found ---------------------------------------------------------------------------------------------

    @property
    def kept(self) -> int:
        """Fingerprints in memory."""
        self._settle()
        return len(self.key) + len(self.twice.key)

    def _all(self) -> "_Entries":
        """What came twice, and what shares its first fingerprint with something else."""
        shared = np.zeros(len(self.key), bool)
        same = self.key[1:] == self.key[:-1]
        shared[1:] |= same
        shared[:-1] |= same
        shared |= np.isin(self.key, self.twice.key) if len(self.twice.key) else False
        return _Entries.joined(_Entries.once(self.key[shared], self.tag[shared]), self.twice)

    def copies(self, test: str, what: str, *, unit: str, rarer: float = _MARK) -> Result:
        """Both fingerprints the same: the chance of as many by accident of 96 bits (the decks' own is nil)."""
        self._settle()
        found = self.twice
        order = np.argsort(found.first, kind="stable")[:MOST_SHOWN]
        rows = [(int(found.first[i]), int(found.second[i]), int(found.count[i])) for i in order]
        return self._result(test, int((found.count - 1).sum()), rarer, rows, what, unit)

    def alike(self, test: str, what: str, *, unit: str) -> Result:
        """Only the first fingerprint the same."""
        self._settle()
        met = self._all()
        starts = _group_starts(met.key).tolist()
        rows = []
        extra = len(met.key) - len(starts)
        for start, stop in zip(starts, [*starts[1:], len(met.key)], strict=False):
            if stop - start > 1:
                first = sorted(int(row) for row in met.first[start:stop])
                rows.append((first[0], first[1], int(stop - start)))
        return self._result(test, extra, 1.0, sorted(rows)[:MOST_SHOWN], what, unit)

    def _result(
        self, test: str, repeats: int, rarer: float, rows: list[tuple[int, int, int]], what: str, unit: str
    ) -> Result:
        if not self.decks:
            return Result(test=test, outcome=Outcome.TOO_FEW, samples=0, unmet=("no whole deck was given",))
        by_accident = self.decks * (self.decks - 1) / 2 / _WORD / rarer * self.share
        return Result(
            test=test,
            outcome=Outcome.TESTED,
            samples=self.decks,
            statistic=float(repeats),
            p=gamma_tails(float(repeats), by_accident).lower if repeats and by_accident > 0 else 1.0,
            null=Null.EXACT,
            effect=repeats / self.share / self.decks,
            effect_unit=unit,
            findings=tuple(
                Finding(place=f"rows {one} and {two} {what}", observed=float(count), expected=1.0, z=math.inf)
                for one, two, count in rows
            ),
        )

    def to_state(self) -> dict[str, Any]:
        """Everything, as plain values and arrays."""
        self._settle()
        return {
            "decks": self.decks, "most": self.most, "limit": self.limit, "key": self.key.copy(),
            "tag": self.tag.copy(), "twice": self.twice.to_state(),
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Repeats":
        """What gave the state."""
        made = cls(most=int(state["most"]))
        made.decks, made.limit = int(state["decks"]), int(state["limit"])
        made.key, made.tag = np.array(state["key"], np.uint64), np.array(state["tag"], np.uint64)
        made.twice = _Entries.from_state(state["twice"])
        return made


def _group_starts(key: Words) -> NDArray[np.intp]:
    """Where each group of equal keys begins."""
    return np.flatnonzero(np.concatenate([[len(key) > 0], key[1:] != key[:-1]])[: len(key)])


class _Entries:
    """Fingerprints with how often they came and the first two rows, in order of key, mark and row."""

    def __init__(self, key: Words, mark: Words, count: Rows, first: Rows, second: Rows) -> None:
        self.key, self.mark, self.count, self.first, self.second = key, mark, count, first, second

    @classmethod
    def none(cls) -> "_Entries":
        words, rows = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        return cls(words, words, rows, rows, rows)

    @classmethod
    def once(cls, key: Words, tag: Words) -> "_Entries":
        first = (tag >> np.uint64(32)).astype(np.int64)
        return cls(key, tag & _LOW, np.ones(len(key), np.int64), first, np.full(len(key), _NO_ROW))

    @classmethod
    def joined(cls, one: "_Entries", two: "_Entries") -> "_Entries":
        """Entries of one key and mark become one, with the two lowest rows of them all."""
        parts = [np.concatenate(pair) for pair in zip(one._arrays(), two._arrays(), strict=True)]
        key, mark, count, first, second = parts
        if not len(key):
            return cls.none()
        order = np.lexsort((first, mark, key))
        key, mark, count, first, second = (part[order] for part in parts)
        starts = np.flatnonzero(np.concatenate([[True], (key[1:] != key[:-1]) | (mark[1:] != mark[:-1])]))
        # The lowest second row of a group is its own, or the first row of the next entry.
        after = np.full(len(first), _NO_ROW)
        after[:-1] = first[1:]
        after[np.concatenate([starts[1:], [len(key)]]) - 1] = _NO_ROW
        return cls(
            key[starts], mark[starts], np.add.reduceat(count, starts), first[starts],
            np.minimum.reduceat(np.minimum(second, after), starts),
        )  # fmt: skip

    def picked(self, which: NDArray[np.bool_]) -> "_Entries":
        key, mark, count, first, second = self._arrays()
        return _Entries(key[which], mark[which], count[which], first[which], second[which])

    def _arrays(self) -> tuple[Words, Words, Rows, Rows, Rows]:
        return self.key, self.mark, self.count, self.first, self.second

    def to_state(self) -> list[NDArray[Any]]:
        return [part.copy() for part in self._arrays()]

    @classmethod
    def from_state(cls, state: list[Any]) -> "_Entries":
        key, mark, count, first, second = state
        return cls(
            np.array(key, np.uint64), np.array(mark, np.uint64), np.array(count, np.int64),
            np.array(first, np.int64), np.array(second, np.int64),
        )  # fmt: skip
