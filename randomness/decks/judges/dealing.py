"""Judges of dealt groups. Category frequencies are exact. Hands of one deck depend on each other: by the exact law of
two hands where it is known, else as the decks themselves say, from the products of how many seats of a deck have each
category; or seats are compared within each deck, where any seat could have had any of the hands.
"""

import math
from dataclasses import dataclass
from math import factorial

import numpy as np
from numpy.typing import NDArray

from randomness.decks.hands import categories, two_hands
from randomness.decks.judges.base import CONFIDENCE_Z, Cells, Chance, DeckEffect, Judgement, strongest
from randomness.decks.judges.chisquare import ChiSquareJudge, RowsJudge
from randomness.decks.judges.tables import multinomial, top
from randomness.decks.kinds.kind import DeckKind
from randomness.decks.tails import chi_square, normal_tails, upper_z
from randomness.result import Finding, Null

Matrix = NDArray[np.float64]

_LEAST_EXPECTED = 50.0
"""Categories rarer than this many expected are lumped together."""


@dataclass(frozen=True, kw_only=True)
class _Lumped:
    """Categories, commonest first, the rare ones joined in the last."""

    join: Matrix
    share: Matrix

    @property
    def kept(self) -> int:
        return len(self.share)


def _lumped(kind: DeckKind, hands: int) -> _Lumped:
    shares = categories(kind).shares
    kept = len(shares)
    while kept > 2 and hands * float(shares[kept - 1 :].sum()) < _LEAST_EXPECTED:
        kept -= 1
    join = np.zeros((kept, len(shares)))
    for category in range(len(shares)):
        join[min(category, kept - 1), category] = 1.0
    return _Lumped(join=join, share=join @ shares)


def _by_seat(kind: DeckKind, cells: Cells) -> Matrix:
    many = len(categories(kind).names)
    return np.asarray(cells[: kind.groups * many].reshape(kind.groups, many).astype(float))


def _products(kind: DeckKind, cells: Cells) -> Matrix:
    many = len(categories(kind).names)
    return np.asarray(cells[kind.groups * many :].reshape(many, many).astype(float))


def _places(kind: DeckKind, cells: Cells, decks: int) -> tuple[Finding, ...]:
    shares, names = categories(kind).shares, categories(kind).names
    table = _by_seat(kind, cells)
    expected = np.broadcast_to(decks * shares, table.shape)
    z = (table - expected) / np.sqrt(expected * (1 - shares))
    return top(z, table, expected, lambda s, c: f"{kind.seat_name(s)}, {names[c]}")


def _covariances(kind: DeckKind, lump: _Lumped) -> tuple[Matrix, Matrix] | None:
    """Of one hand's categories, and of two hands' of one deck, where exactly known."""
    pairs = two_hands(kind)
    if pairs is None:
        return None
    squares = np.outer(lump.share, lump.share)
    return np.diag(lump.share) - squares, lump.join @ pairs @ lump.join.T - squares


def _all_seats(kind: DeckKind, lump: _Lumped, cells: Cells, decks: int) -> Matrix:
    """The covariance, for one deck, of how many seats have each category."""
    seats, known = kind.groups, _covariances(kind, lump)
    if known is not None:
        return np.asarray(seats * known[0] + seats * (seats - 1) * known[1])
    mean = lump.join @ _by_seat(kind, cells).sum(0) / decks
    return np.asarray(lump.join @ _products(kind, cells) @ lump.join.T / decks - np.outer(mean, mean))


def all_hands(kind: DeckKind) -> ChiSquareJudge:
    """Categories over all seats together."""
    seats = kind.groups

    def measure(cells: Cells, decks: int) -> float:
        lump = _lumped(kind, decks * seats)
        off = (lump.join @ _by_seat(kind, cells).sum(0) - decks * seats * lump.share)[:-1]
        spread = _all_seats(kind, lump, cells, decks)[:-1, :-1]
        return float(off @ np.linalg.pinv(spread, hermitian=True) @ off / decks)

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:
        shares, names = categories(kind).shares, categories(kind).names
        seen, whole = _by_seat(kind, cells).sum(0), _Lumped(join=np.eye(len(shares)), share=shares)
        spread = np.diag(_all_seats(kind, whole, cells, decks))
        return strongest(
            [
                Finding(
                    place=f"all seats, {name}", observed=float(seen[c]), expected=float(decks * seats * shares[c]),
                    z=float((seen[c] - decks * seats * shares[c]) / math.sqrt(max(decks * spread[c], 1e-9))),
                )
                for c, name in enumerate(names)
            ]
        )  # fmt: skip

    return ChiSquareJudge(
        measure=measure,
        law=lambda decks: chi_square((1.0, _lumped(kind, decks * seats).kept - 1.0)),
        per_deck=float(seats),
        unit="rms relative deviation of a category",
        places=places,
    )


def each_seat(kind: DeckKind) -> RowsJudge:
    """Each seat alone against the exact frequencies."""

    def measure(cells: Cells, decks: int) -> Matrix:
        lump = _lumped(kind, decks)
        seen = _by_seat(kind, cells) @ lump.join.T
        return np.asarray(((seen - decks * lump.share) ** 2 / (decks * lump.share)).sum(1))

    return RowsJudge(
        measure=measure,
        law=lambda decks: multinomial(_lumped(kind, decks).share)(decks),
        rows=kind.groups,
        per_deck=1.0,
        unit="rms relative deviation of a category at the worst seat",
        places=lambda cells, decks: _places(kind, cells, decks),
    )


def seats_alike(kind: DeckKind) -> ChiSquareJudge:
    """Seats against each other: what differs between them has the covariance of one hand less that of two."""
    seats = kind.groups

    def within(lump: _Lumped, cells: Cells, decks: int) -> Matrix:
        known = _covariances(kind, lump)
        if known is not None:
            return np.asarray(known[0] - known[1])
        seen = _by_seat(kind, cells) @ lump.join.T
        together = lump.join @ _products(kind, cells) @ lump.join.T
        return np.asarray((np.diag(seen.sum(0)) - together / seats) / (decks * (seats - 1)))

    def measure(cells: Cells, decks: int) -> float:
        lump = _lumped(kind, decks)
        seen = (_by_seat(kind, cells) @ lump.join.T)[:, :-1]
        off = seen - seen.mean(0)
        inverse = np.linalg.pinv(within(lump, cells, decks)[:-1, :-1], hermitian=True)
        return float((off @ inverse * off).sum() / decks)

    return ChiSquareJudge(
        measure=measure,
        law=lambda decks: chi_square((1.0, (seats - 1.0) * (_lumped(kind, decks).kept - 1.0))),
        per_deck=float(seats),
        unit="rms relative deviation of a category between seats",
        places=lambda cells, decks: _places(kind, cells, decks),
    )


# ----- strength, compared within each deck ----------------------------------------------------------------------------


def _squares(seats: int) -> float:
    """Without ties the scores of a deck are -(seats-1), … seats-1: the sum of their squares."""
    return seats * (seats**2 - 1) / 3


def _seat_z(cells: Cells, seats: int) -> Matrix:
    return np.asarray(cells[:seats] / math.sqrt(cells[seats] / seats)) if cells[seats] else np.zeros(seats)


def _strengths(kind: DeckKind, cells: Cells, decks: int) -> list[Finding]:
    z = _seat_z(cells, kind.groups)
    return [
        Finding(
            place=f"{kind.seat_name(s)}, hands beaten less hands lost to, mean",
            observed=float(cells[s]) / decks, expected=0.0, z=float(z[s]),
        )
        for s in range(kind.groups)
    ]  # fmt: skip


def seat_strength(kind: DeckKind) -> ChiSquareJudge:
    """Friedman's test with ties."""
    seats = kind.groups
    return ChiSquareJudge(
        measure=lambda cells, _: float((seats - 1) / seats * (_seat_z(cells, seats) ** 2).sum()),
        law=lambda _: chi_square((1.0, seats - 1.0)),
        per_deck=(seats - 1) * seats / _squares(seats),
        unit="hands beaten less lost to a deal, rms over seats",
        places=lambda cells, decks: strongest(_strengths(kind, cells, decks)),
    )


@dataclass(frozen=True, kw_only=True)
class DealersJudge:
    """The dealer's hand against the players' of the same deck."""

    kind: DeckKind
    null: Null = Null.ASYMPTOTIC
    unit: str = "players beaten less lost to a deal"

    @property
    def _spread(self) -> float:
        return _squares(self.kind.groups) / self.kind.groups

    def verdict(self, cells: Cells, decks: int, chance: Chance) -> Judgement:  # noqa: ARG002
        z = float(_seat_z(cells, self.kind.groups)[-1])
        return Judgement(statistic=z, p=normal_tails(z).two_sided)

    def effect(self, cells: Cells, decks: int) -> DeckEffect:
        seats = self.kind.groups
        value = float(cells[seats - 1]) / decks
        half = CONFIDENCE_Z * math.sqrt(float(cells[seats]) / seats) / decks
        return DeckEffect(value=value, low=value - half, high=value + half)

    def findings(self, cells: Cells, decks: int) -> tuple[Finding, ...]:
        return (_strengths(self.kind, cells, decks)[-1],)

    def least_effect(self, decks: int, level: float, power: float) -> float:
        return (upper_z(level / 2) + upper_z(1 - power)) * math.sqrt(self._spread / decks)

    def decks_for(self, effect: float, level: float, power: float) -> float:
        return self._spread * ((upper_z(level / 2) + upper_z(1 - power)) / effect) ** 2


# ----- the order inside a group ---------------------------------------------------------------------------------------


def order_words(code: int, group: int) -> str:
    """The order with this number: in words for three cards, else as ranks from 1 (lowest) on."""
    left, said = list(range(1, group + 1)), []
    for card in range(group):
        digit, code = divmod(code, factorial(group - 1 - card))
        said.append(left.pop(digit))
    if group == 3:
        return ", ".join(("lowest", "middle", "highest")[rank - 1] for rank in said)
    return f"low to high 1 … {group}: " + " ".join(map(str, said))


def group_order(kind: DeckKind, by: str) -> ChiSquareJudge:
    """The orders of the cards at each seat: equally likely, and independent from seat to seat."""
    orders, seats = factorial(kind.group), kind.groups

    def table(cells: Cells) -> tuple[Matrix, Matrix]:
        seen = cells.reshape(seats, orders).astype(float)
        return seen, np.broadcast_to(seen.sum(1, keepdims=True) / orders, seen.shape)

    def measure(cells: Cells, decks: int) -> float:  # noqa: ARG001
        seen, mean = table(cells)
        return float(((seen - mean) ** 2 / np.maximum(mean, 1e-9)).sum())

    def places(cells: Cells, decks: int) -> tuple[Finding, ...]:  # noqa: ARG001
        seen, mean = table(cells)
        z = (seen - mean) / np.sqrt(np.maximum(mean, 1e-9) * (1 - 1 / orders))
        return top(
            z, seen, mean,
            lambda s, c: f"{kind.seat_name(s)}, group of {kind.group} by {by}: {order_words(c, kind.group)}",
        )  # fmt: skip

    return ChiSquareJudge(
        measure=measure,
        law=lambda _: chi_square((1.0, seats * (orders - 1.0))),
        per_deck=float(seats),
        unit="rms relative deviation of an order",
        places=places,
    )
