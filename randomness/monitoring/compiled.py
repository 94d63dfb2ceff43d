"""The bets of many rounds, compiled. `monitor.py` says the same plainly, one round at a time; a test holds them equal.

All capital lies in one array, question after question, cell after cell, one number for each of the odds.
"""

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba as nb
import numpy as np
from numpy.typing import NDArray

from randomness.monitoring.bets import MISS, TILT
from randomness.monitoring.deals import CARDS, DEALT, GROUP, GROUPS
from randomness.monitoring.questions import LAGS, RANKS, By
from randomness.monitoring.targets import BEGINNING, NEXT_FACE, NEXT_RANK, SAME_RANK, SAME_SUIT

_F = TypeVar("_F", bound=Callable[..., Any])
Reals = NDArray[np.float64]
Whole = NDArray[np.int64]

KINDS = tuple(By)
_CARD, _SUIT, _RANK, _COLOUR, _OLD_POSITION, _OLD_GROUP = (
    KINDS.index(by) for by in (By.CARD, By.SUIT, By.RANK, By.COLOUR, By.OLD_POSITION, By.OLD_GROUP)
)
_RANKS_ALIKE, _SUITS_ALIKE, _RANKS_NEXT, _FACES_NEXT, _PARTNERS, _FOLLOWER, _LEADER, _SEEN = (
    KINDS.index(by)
    for by in (
        By.SAME_RANK, By.SAME_SUIT, By.NEXT_RANK, By.NEXT_FACE, By.PARTNERS, By.FOLLOWER, By.LEADER, By.SEEN_BEFORE,
    )
)  # fmt: skip
_TABLES = np.array([SAME_RANK, SAME_SUIT, NEXT_RANK, NEXT_FACE], np.uint64)
_ODDS = len(TILT)
_FLAT_MISS = MISS.ravel()
_NOBODY = np.uint64(0)
_ONE = np.uint64(1)


def jit(function: _F) -> _F:
    return cast(_F, nb.njit(cache=True, nogil=True, error_model="numpy")(function))


@jit
def _bits(mask: np.uint64) -> int:
    count = 0
    while mask != _NOBODY:
        mask &= mask - _ONE
        count += 1
    return count


@jit
def _sum(values: Reals) -> float:
    """In eight parts that do not wait for each other."""
    a = b = c = d = e = f = g = h = 0.0
    whole = len(values) - len(values) % 8
    for k in range(0, whole, 8):
        a += values[k]
        b += values[k + 1]
        c += values[k + 2]
        d += values[k + 3]
        e += values[k + 4]
        f += values[k + 5]
        g += values[k + 6]
        h += values[k + 7]
    for k in range(whole, len(values)):
        a += values[k]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@jit
def _reserve(rounds: int) -> float:
    return 1.0 / math.log2(2.0 + rounds)


@jit
def _label(kind: int, old: Any, card: int, many: int) -> int:
    """The label of a card; `many` where it has none. `old` is its position in the round looked back to, or -1."""
    if kind == _CARD:
        return card
    if kind == _SUIT:
        return card // RANKS
    if kind == _RANK:
        return card % RANKS
    if kind == _COLOUR:
        return 1 if card // RANKS == 1 or card // RANKS == 2 else 0
    if kind == _OLD_POSITION:
        return many if old[card] < 0 else old[card]
    return GROUPS if old[card] < 0 else old[card] // GROUP


@jit
def _bet_cells(
    cards: Any, places: Any, length: int, labels: Whole, many: int, capital: Reals, stats: Reals, left: Whole,
    counted: bool,
) -> None:  # fmt: skip
    left[: many + 1] = 0
    for card in range(CARDS):
        left[labels[card]] += 1
    for i in range(length):
        place, hit = places[i], labels[cards[i]]
        remaining = CARDS - i
        for label in range(many):
            favoured = left[label]
            cell = place * many + label
            base, row = cell * _ODDS, (favoured * DEALT + i) * _ODDS
            for k in range(_ODDS):
                capital[base + k] *= _FLAT_MISS[row + k]
            if counted and favoured:
                chance = favoured / remaining
                seen = 1.0 if label == hit else 0.0
                stats[0, cell] += 1.0
                stats[1, cell] += seen
                stats[2, cell] += chance
                stats[3, cell] += (seen - chance) ** 2
        if hit < many:
            base = (place * many + hit) * _ODDS
            for k in range(_ODDS):
                capital[base + k] *= TILT[k]
        left[hit] -= 1


@jit
def _bet_targets(
    kind: int, cards: Any, positions: Any, length: int, partners: Any, follower: Any, leader: Any, seen: np.uint64,
    earlier: Any, capital: Reals, stats: Reals, counted: bool,
) -> None:  # fmt: skip
    left = np.uint64((1 << CARDS) - 1)
    for i in range(length):
        target = _NOBODY
        if kind == _SEEN:
            target = seen
        elif kind in (_FACES_NEXT, _FOLLOWER, _LEADER):
            if i > 0 and positions[i] == positions[i - 1] + 1:
                last = cards[i - 1]
                if kind == _FACES_NEXT:
                    target = _TABLES[3, last]
                elif kind == _FOLLOWER:
                    target = follower[last]
                else:
                    target = leader[last]
        elif kind in (_RANKS_ALIKE, _SUITS_ALIKE, _RANKS_NEXT, _PARTNERS):
            for j in range(i - i % GROUP, i):
                if kind == _RANKS_ALIKE:
                    target |= _TABLES[0, cards[j]]
                elif kind == _SUITS_ALIKE:
                    target |= _TABLES[1, cards[j]]
                elif kind == _RANKS_NEXT:
                    target |= _TABLES[2, cards[j]]
                else:
                    target |= partners[cards[j]]
        elif i >= BEGINNING and earlier[positions[i]] >= 0:
            target = _ONE << np.uint64(earlier[positions[i]])
        target &= left
        bit = _ONE << np.uint64(cards[i])
        left &= ~bit
        favoured = _bits(target)
        if favoured == 0:
            continue
        hit = (target & bit) != _NOBODY
        for k in range(_ODDS):
            capital[k] *= MISS[favoured, i, k] * (TILT[k] if hit else 1.0)
        if counted:
            chance = favoured / (CARDS - i)
            stats[0, 0] += 1.0
            stats[1, 0] += 1.0 if hit else 0.0
            stats[2, 0] += chance
            stats[3, 0] += ((1.0 if hit else 0.0) - chance) ** 2


@jit
def _bet_overall(
    cards: Any, positions: Any, length: int, labels: Whole, many: int, capital: Reals, learnt: Reals, sizes: Whole,
    priors: Reals, kept: float,
) -> None:  # fmt: skip
    sizes[: many + 1] = 0
    for card in range(CARDS):
        sizes[labels[card]] += 1
    part = np.empty(many + 1)  # of a label's count that each of its cards not yet seen has
    for i in range(length):
        row = learnt[positions[i]]
        for label in range(many + 1):
            part[label] = row[label] / max(sizes[label], 1)
        total = 0.0
        for label in range(many + 1):
            total += row[label] if sizes[label] else 0.0
        for j in range(i):
            total -= part[labels[cards[j]]]
        own = part[labels[cards[i]]]
        remaining = CARDS - i
        for k in range(len(priors)):
            capital[k] *= (priors[k] + own) * remaining / (priors[k] * remaining + total)
    for place in range(learnt.shape[0]):
        for label in range(many + 1):
            learnt[place, label] *= kept
    for i in range(length):
        learnt[positions[i], labels[cards[i]]] += 1.0


@jit
def bet_rounds(
    positions: Any, cards: Any, lengths: Whole, earlier: Any, first: int, kinds: Whole, lags: Whole, steps: Whole,
    many: Whole, overall: Any, starts: Whole, cells: Whole, capital: Reals, stats: Reals, learnt: Any, since: Whole,
    priors: Reals, kept: float, weight: float, ceiling: float, counted: bool, evidence: Reals,
) -> None:  # fmt: skip
    """Rounds `LAGS` and on of these arrays, the ones before being the past; `lengths` is -1 where there was none."""
    old = np.empty((LAGS + 1, CARDS), np.int64)
    partners = np.empty((LAGS + 1, CARDS), np.uint64)
    follower = np.empty((LAGS + 1, CARDS), np.uint64)
    leader = np.empty((LAGS + 1, CARDS), np.uint64)
    seen = np.zeros(LAGS + 1, np.uint64)
    at = np.empty(DEALT, np.int64)
    labels, left = np.empty(CARDS, np.int64), np.empty(CARDS + 1, np.int64)
    places = np.empty(DEALT, np.int64)
    ends = np.append(starts[1:], len(capital))
    for t in range(len(evidence)):
        rounds = first + t
        fresh = _reserve(rounds) - _reserve(rounds + 1)
        now = LAGS + t
        for lag in range(1, LAGS + 1):
            past = now - lag
            old[lag] = -1
            partners[lag] = _NOBODY
            follower[lag] = _NOBODY
            leader[lag] = _NOBODY
            seen[lag] = _NOBODY
            at[:] = -1
            for i in range(lengths[past]):
                card = cards[past, i]
                old[lag, card] = positions[past, i]
                at[positions[past, i]] = card
                seen[lag] |= _ONE << np.uint64(card)
                start = i - i % GROUP
                for j in range(start, start + GROUP):
                    partners[lag, card] |= _ONE << np.uint64(cards[past, j])
            for position in range(DEALT - 1):
                if at[position] >= 0 and at[position + 1] >= 0:
                    follower[lag, at[position]] = _ONE << np.uint64(at[position + 1])
                    leader[lag, at[position + 1]] = _ONE << np.uint64(at[position])
        length = lengths[now]
        total = 0.0
        for q in range(len(kinds)):
            own = capital[starts[q] : ends[q]]
            for k in range(len(own)):
                own[k] += fresh
            lag = lags[q]
            if length > 0:
                if kinds[q] <= _OLD_GROUP:
                    if lag == 0 or lengths[now - lag] >= 0:
                        for card in range(CARDS):
                            labels[card] = _label(kinds[q], old[lag], card, many[q])
                        if overall[q]:
                            _bet_overall(
                                cards[now], positions[now], length, labels, many[q], own, learnt[q], left, priors, kept
                            )
                        else:
                            for i in range(length):
                                places[i] = 0 if steps[q] == 0 else positions[now, i] // steps[q]
                            _bet_cells(
                                cards[now], places, length, labels, many[q], own, stats[:, cells[q] :], left, counted
                            )
                else:
                    _bet_targets(
                        kinds[q], cards[now], positions[now], length, partners[lag], follower[lag], leader[lag],
                        seen[lag], earlier[t], own, stats[:, cells[q] :], counted,
                    )  # fmt: skip
            mean = _sum(own) / len(own) + _reserve(rounds + 1)
            total += mean
            if mean < 1.0:
                since[q] = rounds + 1
        evidence[t] = weight * total
        if evidence[t] > ceiling:
            for k in range(len(capital)):
                capital[k] = min(capital[k], ceiling)
