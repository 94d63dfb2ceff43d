"""All 407,170,400 deals counted by several aspects at once.

Player hands that differ by an exchange of suits that no aspect tells apart meet the same dealer hands, so one of each
kind stands for all of them: where the four suits are alike, 1,755 kinds against 18,424 dealer hands each. A-K-Q suited
stays four hands, because a row can name its spades.
"""

from collections.abc import Sequence
from functools import cache, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from round_engine.batch.reading import Read
from round_engine.hands import key3_table
from round_engine.odds.deals import DEALER_HANDS, DEALS, Counts, hands, payings, ranks
from round_engine.wagers.aspects import ALL_SUITS, Aspect, Suits, Ways
from round_engine.wagers.shown import AKQ_SUITED_RANK


class CountedAspect(NamedTuple):
    """An aspect with the class of each of its values."""

    aspect: Aspect
    classes: tuple[int, ...]


class Kinds(NamedTuple):
    """Player hands put together."""

    firsts: NDArray[np.intp]
    """One hand of each kind."""
    members: tuple[list[int], ...]
    """All hands of each kind."""


def count(aspect: Aspect, classes: Sequence[int], alive: NDArray[np.bool_] | None = None) -> Ways:
    """Count all deals by the class of one aspect, of the player's hands that are alive."""
    kinds, ways = joint(0, (CountedAspect(aspect, tuple(classes)),))
    counted = ways if alive is None else ways[alive[kinds.firsts]]
    return Ways(DEALS, counted.sum(axis=0).tolist())


@cache
def joint(least_qualifying_rank: int, counted: tuple[CountedAspect, ...]) -> tuple[Kinds, Counts]:
    """Return the kinds of hand, and how many deals of each have each combination of classes, the last running first."""
    kinds = kinds_of(reduce(frozenset.intersection, (one.aspect.suits for one in counted), ALL_SUITS))
    classes = [np.array(one.classes, dtype=np.int32) for one in counted]
    counts = [int(one.max()) + 1 for one in classes]
    size = int(np.prod(counts, dtype=np.int64))
    ways = np.empty((len(kinds.firsts), size), dtype=np.int64)
    for index, hand in enumerate(kinds.firsts.tolist()):
        block = _against_all(hand, least_qualifying_rank)
        cells = np.zeros(DEALER_HANDS, dtype=np.int32)
        for one, of_value, many in zip(counted, classes, counts, strict=True):
            cells *= many
            cells += of_value.take(np.broadcast_to(one.aspect.of_block(block), (DEALER_HANDS, 1))[:, 0])
        ways[index] = np.bincount(cells, minlength=size)
    return kinds, ways * np.array([len(of_kind) for of_kind in kinds.members], dtype=np.int64)[:, None]


def _against_all(hand: int, least_qualifying_rank: int) -> Read:
    """One player hand against each of the 18,424 dealer hands that share no card with it."""
    masks, keys = _masks_and_keys()
    dealers = np.flatnonzero(masks & masks[hand] == 0)
    faces = np.empty((DEALER_HANDS, 2, 3), dtype=np.uint8)
    faces[:, 0], faces[:, 1] = hands()[hand], hands()[dealers]
    card_keys = np.empty((DEALER_HANDS, 2), dtype=np.uint32)
    card_keys[:, 0], card_keys[:, 1] = keys[hand], keys[dealers]
    return Read(
        faces=faces,
        keys=card_keys,
        paying=payings()[hand : hand + 1][None, :],
        ranks=ranks()[hand : hand + 1][None, :],
        dealer_ranks=ranks()[dealers],
        least_qualifying_rank=least_qualifying_rank,
    )


@cache
def _masks_and_keys() -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    low, middle, high = hands().T
    masks = (np.uint64(1) << hands().astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    return masks, key3_table()[low, middle, high]


@cache
def kinds_of(suits: Suits) -> Kinds:
    """Put hands together that an exchange of suits turns into one another."""
    members: dict[Any, list[int]] = {}
    for index, hand in enumerate(hands().tolist()):
        held = [0, 0, 0, 0]
        for face in hand:
            held[face // 13] |= 1 << face % 13
        if ranks()[index] == AKQ_SUITED_RANK:
            key: tuple[int, ...] = tuple(held)
        elif suits == ALL_SUITS:
            key = tuple(sorted(held))
        else:
            key = min((held[a], held[b], held[c], held[d]) for a, b, c, d in suits)
        members.setdefault(key, []).append(index)
    every = tuple(members.values())
    return Kinds(np.array([of_kind[0] for of_kind in every], dtype=np.intp), every)
