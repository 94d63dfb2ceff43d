"""Hands by the million: the same ranks as the single-hand functions, as look-ups over numpy arrays.

Faces come as any integer dtype, uint8 being quickest; rows are hands. Work goes in blocks that stay in the cache. Where
numba is installed and the hands are many, its loops look up the same tables.
"""

import importlib
import importlib.util
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from round_engine.hands import five_card, three_card
from round_engine.hands.errors import HandError
from round_engine.hands.five_card import CARD_KEYS, RANK_BITS, RANK_MASK, SUIT_WEIGHTS, FiveCardCategory
from round_engine.hands.three_card import ThreeCardCategory

Faces = NDArray[Any]
Ranks = NDArray[np.uint16]

BLOCK_HANDS: Final = 16_384
"""Hands a block: the widest temporary, 8 bytes a hand, takes 128 KiB."""
NOT_A_HAND: Final = 0xFFFF
"""In the three-card table: the same face twice."""
NO_FLUSH: Final = 0xFF
COMPILED_FROM: Final = 1_000_000
"""Hands from which starting numba pays: about a second the first time, a fifth of one from its cache."""


# Three cards.


@cache
def rank3_table() -> Ranks:
    """The rank of every ordered triple of faces as a read-only 52 × 52 × 52 array; `NOT_A_HAND` where one repeats."""
    by_card_ranks = np.array(three_card.tables().ranks, dtype=np.uint16).reshape(2, 13, 13, 13)
    x, y, z = np.ogrid[:52, :52, :52]
    suited = (x // 13 == y // 13) & (y // 13 == z // 13)
    table: Ranks = by_card_ranks[suited.astype(np.intp), x % 13, y % 13, z % 13]
    table[(x == y) | (y == z) | (x == z)] = NOT_A_HAND
    table.flags.writeable = False
    return table


def rank3_array(cards: Faces, *, compiled: bool | None = None) -> Ranks:
    """The ranks of N three-card hands given as N × 3 faces: `rank3` of every row."""
    _check(cards, 3)
    flat = rank3_table().reshape(-1)
    ranks = np.empty(len(cards), dtype=np.uint16)
    if (kernels := _kernels(len(cards), compiled)) is not None:
        kernels.rank3_rows(cards, flat, ranks)
    else:
        _rank3_blocks(cards, flat, ranks)
    if len(ranks) and ranks.max() == NOT_A_HAND:
        row = int(ranks.argmax())
        raise HandError(f"row {row} holds the same face twice: {cards[row].tolist()}")
    return ranks


def _rank3_blocks(cards: Faces, flat: Ranks, ranks: Ranks) -> None:
    index = np.empty(min(BLOCK_HANDS, len(cards)), dtype=np.intp)
    for start in range(0, len(cards), BLOCK_HANDS):
        block = cards[start : start + BLOCK_HANDS]
        at = index[: len(block)]
        np.multiply(block[:, 0], 2704, out=at, dtype=np.intp)
        at += block[:, 1] * np.uint16(52)
        at += block[:, 2]
        flat.take(at, out=ranks[start : start + len(block)], mode="clip")


@cache
def _category3_by_rank() -> NDArray[np.uint8]:
    starts = [three_card.lowest_rank3(category) for category in ThreeCardCategory]
    return _category_table(starts, three_card.THREE_CARD_RANKS)


def category3_of_rank_array(ranks: NDArray[Any]) -> NDArray[np.uint8]:
    """The `ThreeCardCategory` of each rank."""
    return _category3_by_rank().take(ranks)


# Best five of six cards.


@cache
def _pair_keys() -> NDArray[np.uint32]:
    """The sum of two cards' keys by the 16-bit number that their two bytes make."""
    keys = np.array(CARD_KEYS, dtype=np.uint32)
    table = np.zeros((52, 256), dtype=np.uint32)
    table[:, :52] = keys[:, None] + keys[None, :]
    return table.reshape(-1)


@cache
def _rank_by_sum() -> Ranks:
    known = five_card.tables().rank_by_sum
    table = np.zeros(max(known) + 1, dtype=np.uint16)
    table[np.fromiter(known.keys(), dtype=np.intp)] = np.fromiter(known.values(), dtype=np.uint16)
    return table


@cache
def _rank_by_flush() -> Ranks:
    known = five_card.tables().rank_by_flush
    table = np.zeros(1 << 13, dtype=np.uint16)
    table[np.fromiter(known.keys(), dtype=np.intp)] = np.fromiter(known.values(), dtype=np.uint16)
    return table


@cache
def _flush_suit_by_sum() -> NDArray[np.uint8]:
    table = np.full(6 * max(SUIT_WEIGHTS) + 1, NO_FLUSH, dtype=np.uint8)
    for total, suit in five_card.tables().flush_suit_by_sum.items():
        table[total] = suit
    return table


def best_five_array(cards: Faces, *, compiled: bool | None = None) -> Ranks:
    """The ranks of the best five in N sets of six given as N × 6 faces: `best_five` of every row."""
    _check(cards, 6)
    ranks = np.empty(len(cards), dtype=np.uint16)
    if (kernels := _kernels(len(cards), compiled)) is not None:
        kernels.best_five_rows(cards, *best_five_tables(), ranks)
        return ranks
    for start in range(0, len(cards), BLOCK_HANDS):
        block = np.ascontiguousarray(cards[start : start + BLOCK_HANDS], dtype=np.uint8)
        _best_five_block(block, ranks[start : start + len(block)])
    return ranks


def _best_five_block(block: NDArray[np.uint8], out: Ranks) -> None:
    pairs = block.view("<u2")
    pair_keys = _pair_keys()
    key = pair_keys[pairs[:, 0]]
    key += pair_keys[pairs[:, 1]]
    key += pair_keys[pairs[:, 2]]
    _rank_by_sum().take(key & RANK_MASK, out=out, mode="clip")
    suit = _flush_suit_by_sum()[key >> RANK_BITS]
    if len(rows := np.flatnonzero(suit != NO_FLUSH)):
        out[rows] = _flush_ranks(block[rows], suit[rows])


def _flush_ranks(faces: NDArray[np.uint8], suits: NDArray[np.uint8]) -> Ranks:
    """The ranks of sets of six that have five or six cards of the suits given."""
    in_suit = faces // 13 == suits[:, None]
    mask = (in_suit.astype(np.intp) << faces % 13).sum(axis=1)
    ranks: Ranks = _rank_by_flush().take(mask)
    return ranks


@cache
def key3_table() -> NDArray[np.uint32]:
    """The sum of card keys of every ordered triple of faces as a read-only 52 × 52 × 52 array: two make six cards."""
    keys = np.array(CARD_KEYS, dtype=np.uint32)
    table = keys[:, None, None] + keys[None, :, None] + keys[None, None, :]
    table.flags.writeable = False
    return table


def category5_of_keys(
    keys: NDArray[np.uint32], faces_of: Callable[[NDArray[np.intp]], NDArray[np.uint8]]
) -> NDArray[np.uint8]:
    """The `FiveCardCategory` of each set of six given by its key; `faces_of` gives the six faces of some of them."""
    categories = _category_by_sum().take(keys & RANK_MASK, mode="clip")
    suits = _flush_suit_by_sum().take(keys >> RANK_BITS, mode="clip")
    if len(rows := np.flatnonzero(suits != NO_FLUSH)):
        categories[rows] = _category5_by_rank().take(_flush_ranks(faces_of(rows), suits[rows]))
    return categories


@cache
def _category_by_sum() -> NDArray[np.uint8]:
    return _category5_by_rank().take(_rank_by_sum())


def category_tables() -> tuple[Any, ...]:
    """What a compiled loop needs to look up the category of a best five: by sum, flush suit by sum, by flush."""
    return _category_by_sum(), _flush_suit_by_sum(), _category5_by_rank().take(_rank_by_flush())


def best_five_tables() -> tuple[Any, ...]:
    """What a compiled loop needs to look up a best five."""
    keys = np.array(CARD_KEYS, dtype=np.uint32)
    return keys, _rank_by_sum(), _flush_suit_by_sum(), _rank_by_flush(), RANK_BITS, NO_FLUSH


@cache
def _category5_by_rank() -> NDArray[np.uint8]:
    starts = [five_card.lowest_rank5(category) for category in FiveCardCategory]
    return _category_table(starts, five_card.FIVE_CARD_RANKS)


def category5_of_rank_array(ranks: NDArray[Any]) -> NDArray[np.uint8]:
    """The `FiveCardCategory` of each rank."""
    return _category5_by_rank().take(ranks)


# Shared.


@cache
def numba_is_installed() -> bool:
    """Whether compiled loops can run."""
    return importlib.util.find_spec("numba") is not None


def _kernels(hands: int, compiled: bool | None) -> Any:
    """The compiled loops, or None: as asked for, or by the number of hands and what is installed."""
    wanted = hands >= COMPILED_FROM and numba_is_installed() if compiled is None else compiled
    return importlib.import_module("round_engine.hands.compiled") if wanted else None


def _category_table(starts: list[int], ranks: int) -> NDArray[np.uint8]:
    return np.repeat(np.arange(len(starts), dtype=np.uint8), np.diff([*starts, ranks]))


def _check(cards: Faces, width: int) -> None:
    """Refuse anything but rows of `width` faces 0 … 51."""
    if cards.ndim != 2 or cards.shape[1] != width or not np.issubdtype(cards.dtype, np.integer):
        raise HandError(f"hands come as an N × {width} array of integers, not as {cards.dtype} {cards.shape}")
    if cards.size and (cards.max() > 51 or cards.min() < 0):
        row = int(np.flatnonzero(((cards > 51) | (cards < 0)).any(axis=1))[0])
        raise HandError(f"row {row} holds a face outside 0 … 51: {cards[row].tolist()}")
