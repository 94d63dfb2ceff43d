"""From decks to what settles: each hand's rank, the showdown with the dealer, the category of the best five."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from round_engine.batch.errors import BatchError
from round_engine.hands import THREE_CARD_RANKS, category5_of_keys, key3_table, rank3_table
from round_engine.hands.arrays import NOT_A_HAND
from round_engine.rules.ruleset import Dealing
from round_engine.wagers.paybook import AKQ_SPADES_RANK, LOWEST_SPADE

Faces = NDArray[np.uint8]

HAND: Final = 3
TOP_RANK: Final = THREE_CARD_RANKS - 1


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """The hands of a block of rounds; rounds are rows, spots columns."""

    paying: NDArray[np.uint16]
    """The rank to look a pay up by: above all others for AKQ of spades."""
    ranks: NDArray[np.uint16]
    dealer_ranks: NDArray[np.uint16]


@dataclass(frozen=True, kw_only=True)
class Read(Ranked):
    """The same with the cards."""

    faces: Faces
    """Rounds × hands × 3, the dealer's hand last."""
    keys: NDArray[np.uint32]
    """Rounds × hands: the sums of card keys that `category5_of_keys` takes."""


@cache
def paying_table() -> NDArray[np.uint16]:
    """`rank3_table` laid flat, with AKQ of spades one above the order."""
    table = rank3_table().copy()
    first, second, third = np.nonzero(table == TOP_RANK)
    in_spades = first >= LOWEST_SPADE
    table[first[in_spades], second[in_spades], third[in_spades]] = AKQ_SPADES_RANK
    return table.reshape(-1)


def check_decks(decks: NDArray[Any], hands: int) -> None:
    """Refuse anything but rows of enough faces."""
    needed = hands * HAND
    if decks.ndim != 2 or not np.issubdtype(decks.dtype, np.integer) or decks.shape[1] < needed:
        raise BatchError(
            f"{hands - 1} spots and the dealer need rounds × {needed} faces or more, not {decks.dtype} {decks.shape}"
        )


def no_hands(decks: NDArray[Any], row: int, hands: int) -> BatchError:
    """What to say of a round whose cards are no hands."""
    return BatchError(
        f"round {row} holds a face outside 0 … 51, or one twice: {decks[row, : hands * HAND].tolist()}"
    )


def read(decks: NDArray[Any], hands: int, dealing: Dealing) -> Read:
    """Read one block: the first `hands` × 3 cards of each deck, as groups or card by card in rotation."""
    used = decks[:, : hands * HAND]
    if used.size and (used.max() >= 52 or used.min() < 0):
        raise no_hands(decks, int(np.flatnonzero(((used >= 52) | (used < 0)).any(axis=1))[0]), hands)
    in_order = np.sort(used, axis=1)
    twice = (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
    if twice.any():
        raise no_hands(decks, int(np.flatnonzero(twice)[0]), hands)
    if dealing == "rotation":
        used = used.reshape(-1, HAND, hands).transpose(0, 2, 1)
    faces = np.ascontiguousarray(used, dtype=np.uint8).reshape(-1, hands, HAND)
    flat = faces.reshape(-1, HAND)
    index = flat[:, 0] * np.int32(2704)
    index += flat[:, 1] * np.int32(52)
    index += flat[:, 2]
    paying = paying_table().take(index).reshape(-1, hands)
    if paying.size and paying.max() == NOT_A_HAND:
        raise no_hands(decks, int(np.flatnonzero((paying == NOT_A_HAND).any(axis=1))[0]), hands)
    ranks = np.minimum(paying, TOP_RANK)
    return Read(
        faces=faces,
        keys=key3_table().reshape(-1).take(index).reshape(-1, hands),
        paying=paying[:, :-1],
        ranks=ranks[:, :-1],
        dealer_ranks=ranks[:, -1],
    )


def showdowns(block: Ranked, least_qualifying_rank: int) -> NDArray[np.uint8]:
    """The place in `Showdown` of each spot: 0 dealer does not qualify, 1 player wins, 2 tie, 3 player loses."""
    dealer = block.dealer_ranks[:, None]
    index = (dealer >= block.ranks).view(np.uint8) + (dealer > block.ranks).view(np.uint8)
    index += np.uint8(1)
    index *= (dealer >= least_qualifying_rank).view(np.uint8)
    return index


def categories(block: Read) -> NDArray[np.uint8]:
    """The `FiveCardCategory` of each spot's best five with the dealer's cards."""
    spots = block.faces.shape[1] - 1
    keys = block.keys[:, :-1] + block.keys[:, -1:]

    def faces_of(rows: NDArray[np.intp]) -> Faces:
        rounds, spot = np.divmod(rows, spots)
        return np.concatenate([block.faces[rounds, spot], block.faces[rounds, -1]], axis=1)

    return category5_of_keys(keys.reshape(-1), faces_of).reshape(keys.shape)
