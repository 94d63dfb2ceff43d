"""Judges of dealt hands. Hands of one deck depend on each other: their covariance is exact, or seats are compared
within each deck, where under the null any seat could have had any of the eight hands (a permutation argument).
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from randomness.decks.faces import DEALER, GROUP, SEATS, seat_name
from randomness.decks.hands import CATEGORIES, CATEGORY_COUNTS, CATEGORY_PAIRS, HANDS
from randomness.decks.judges.base import CONFIDENCE_Z, MOST_FINDINGS, Cells, Chance, DeckEffect, Judgement, strongest
from randomness.decks.judges.chisquare import ChiSquareJudge, RowsJudge
from randomness.decks.tails import Cumulants, chi_square, normal_tails, upper_z
from randomness.result import Finding, Null

Matrix = NDArray[np.float64]

_SHARES = np.array(CATEGORY_COUNTS) / HANDS
_PAIR_SHARES = np.array(CATEGORY_PAIRS, float) / np.sum(CATEGORY_PAIRS)

# Categories rarer than this many expected are lumped with the next lower one.
_LEAST_EXPECTED = 50.0


@dataclass(frozen=True, kw_only=True)
class _Lumping:
    """Categories kept apart at some sample size, and their exact law: one hand, and two hands of one deck."""

    join: Matrix
    share: Matrix
    one: Matrix
    two: Matrix


@lru_cache(maxsize=64)
def _lumping(kept: int) -> _Lumping:
    """The `kept` lowest categories, the highest of them with all above it."""
    join = np.zeros((kept, len(CATEGORIES)))
    for category in range(len(CATEGORIES)):
        join[min(category, kept - 1), category] = 1.0
    share = join @ _SHARES
    return _Lumping(
        join=join,
        share=share,
        one=np.diag(share) - np.outer(share, share),
        two=join @ _PAIR_SHARES @ join.T - np.outer(share, share),
    )


def _kept(hands: int) -> int:
    for kept in range(len(CATEGORIES), 2, -1):
        if hands * float(_SHARES[kept - 1 :].sum()) >= _LEAST_EXPECTED:
            return kept
    return 2


def _seat_places(cells: Cells, decks: int) -> tuple[Finding, ...]:
    table = cells.reshape(SEATS, len(CATEGORIES))
    z = (table - decks * _SHARES) / np.sqrt(decks * _SHARES * (1 - _SHARES))
    picked = np.argsort(np.abs(z), axis=None)[::-1][:MOST_FINDINGS]
    return tuple(
        Finding(
            place=f"{seat_name(int(s))}, {CATEGORIES[c]}",
            observed=float(table[s, c]),
            expected=float(decks * _SHARES[c]),
            z=float(z[s, c]),
        )
        for s, c in zip(*np.unravel_index(picked, z.shape), strict=True)
    )


def all_hands() -> ChiSquareJudge:
    """Categories over all eight seats together, with the covariance of eight hands of one deck."""

    def measure(cells: Cells, decks: int) -> float:
        lump = _lumping(_kept(decks * SEATS))
        seen = lump.join @ cells.reshape(SEATS, len(CATEGORIES)).sum(0)
        off = (seen - decks * SEATS * lump.share)[:-1]
        covariance = (SEATS * lump.one + SEATS * (SEATS - 1) * lump.two)[:-1, :-1]
        return float(off @ np.linalg.solve(covariance, off) / decks)

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        seen = cells.reshape(SEATS, len(CATEGORIES)).sum(0)
        two = np.diag(_PAIR_SHARES) - _SHARES**2
        deviation = np.sqrt(decks * (SEATS * _SHARES * (1 - _SHARES) + SEATS * (SEATS - 1) * two))
        return strongest(
            [
                Finding(
                    place=f"all seats, {name}",
                    observed=float(seen[c]),
                    expected=float(decks * SEATS * _SHARES[c]),
                    z=float((seen[c] - decks * SEATS * _SHARES[c]) / deviation[c]),
                )
                for c, name in enumerate(CATEGORIES)
            ]
        )

    return ChiSquareJudge(
        measure=measure,
        law=lambda decks: chi_square((1.0, _kept(decks * SEATS) - 1.0)),
        per_deck=float(SEATS),
        unit="rms relative deviation of a category",
        places=places,
    )


def each_seat() -> RowsJudge:
    """Each seat alone against the exact frequencies."""

    def measure(cells: Cells, decks: int) -> Matrix:
        lump = _lumping(_kept(decks))
        seen = cells.reshape(SEATS, len(CATEGORIES)) @ lump.join.T
        return np.asarray(((seen - decks * lump.share) ** 2 / (decks * lump.share)).sum(1))

    return RowsJudge(
        measure=measure,
        law=lambda decks: chi_square((1.0, _kept(decks) - 1.0)),
        rows=SEATS,
        per_deck=1.0,
        unit="rms relative deviation of a category at the worst seat",
        places=_seat_places,
    )


def seats_alike() -> ChiSquareJudge:
    """Seats against each other: what differs between them has the covariance of one hand less that of two."""

    def measure(cells: Cells, decks: int) -> float:
        lump = _lumping(_kept(decks))
        seen = (cells.reshape(SEATS, len(CATEGORIES)) @ lump.join.T)[:, :-1]
        off = seen - seen.mean(0)
        return float((off @ np.linalg.inv((lump.one - lump.two)[:-1, :-1]) * off).sum() / decks)

    return ChiSquareJudge(
        measure=measure,
        law=lambda decks: chi_square((1.0, (SEATS - 1.0) * (_kept(decks) - 1.0))),
        per_deck=float(SEATS),
        unit="rms relative deviation of a category between seats",
        places=_seat_places,
    )


# ----- strength, compared within each deck ----------------------------------------------------------------------------

# Without ties the eight scores are -7, -5, … 7: their squares add up to 168 in each deck.
_SQUARES = 168.0


def _seat_z(cells: Cells) -> Matrix:
    return np.asarray(cells[:SEATS] / math.sqrt(cells[SEATS] / SEATS)) if cells[SEATS] else np.zeros(SEATS)


def _strength_places(cells: Cells, decks: int) -> tuple[Finding, ...]:
    z = _seat_z(cells)
    return strongest(
        [
            Finding(
                place=f"{seat_name(s)}, hands beaten less hands lost to, mean",
                observed=float(cells[s]) / decks,
                expected=0.0,
                z=float(z[s]),
            )
            for s in range(SEATS)
        ]
    )


def seat_strength() -> ChiSquareJudge:
    """Friedman's test with ties: within each deck the eight hands could lie before the seats in any order."""

    def measure(cells: Cells, decks: int) -> float:  # noqa: ARG001
        return float((SEATS - 1) / SEATS * (_seat_z(cells) ** 2).sum())

    return ChiSquareJudge(
        measure=measure,
        law=lambda _: chi_square((1.0, SEATS - 1.0)),
        per_deck=(SEATS - 1) * SEATS / _SQUARES,
        unit="hands beaten less lost to a deal, rms over seats",
        places=_strength_places,
    )


@dataclass(frozen=True, kw_only=True)
class DealerJudge:
    """The dealer's hand against the seven players' of the same deck: better or worse than any seat would be."""

    null: Null = Null.ASYMPTOTIC
    unit: str = "players beaten less lost to a deal"

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:  # noqa: ARG002
        z = float(_seat_z(cells)[DEALER])
        return Judgement(statistic=z, p=normal_tails(z).two_sided)

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        value = float(cells[DEALER]) / decks
        half = CONFIDENCE_Z * math.sqrt(float(cells[SEATS]) / SEATS) / decks
        return DeckEffect(value=value, low=value - half, high=value + half)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        return tuple(f for f in _strength_places(cells, decks) if f.place.startswith(seat_name(DEALER)))

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return (upper_z(level / 2) + upper_z(1 - power)) * math.sqrt(_SQUARES / SEATS / decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return _SQUARES / SEATS * ((upper_z(level / 2) + upper_z(1 - power)) / effect) ** 2


# ----- the order inside a group ---------------------------------------------------------------------------------------

_ORDERS = {7: "lowest, middle, highest", 6: "middle, lowest, highest", 3: "lowest, highest, middle",
           4: "highest, lowest, middle", 1: "middle, highest, lowest", 0: "highest, middle, lowest"}  # fmt: skip
_CODES = np.array(sorted(_ORDERS))


def group_order(by: str) -> ChiSquareJudge:
    """The six orders of the three cards at each seat: independent from seat to seat, 8 × 5 degrees of freedom."""

    def table(cells: Cells) -> Matrix:
        return np.asarray(cells.reshape(SEATS, 8)[:, _CODES].astype(float))

    def expected(cells: Cells) -> Matrix:
        return np.asarray(table(cells).sum(1, keepdims=True) / len(_CODES))

    def measure(cells: Cells, decks: int) -> float:  # noqa: ARG001
        return float(((table(cells) - expected(cells)) ** 2 / np.maximum(expected(cells), 1e-9)).sum())

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:  # noqa: ARG001
        seen, mean = table(cells), np.broadcast_to(expected(cells), (SEATS, len(_CODES)))
        z = (seen - mean) / np.sqrt(np.maximum(mean, 1e-9) * (1 - 1 / len(_CODES)))
        picked = np.argsort(np.abs(z), axis=None)[::-1][:MOST_FINDINGS]
        return tuple(
            Finding(
                place=f"{seat_name(int(s))}, group of {GROUP} by {by}: {_ORDERS[int(_CODES[c])]}",
                observed=float(seen[s, c]),
                expected=float(mean[s, c]),
                z=float(z[s, c]),
            )
            for s, c in zip(*np.unravel_index(picked, z.shape), strict=True)
        )

    return ChiSquareJudge(
        measure=measure,
        law=lambda _: _group_law(),
        per_deck=float(SEATS),
        unit="rms relative deviation of an order",
        places=places,
    )


def _group_law() -> Cumulants:
    return chi_square((1.0, SEATS * (len(_CODES) - 1.0)))

