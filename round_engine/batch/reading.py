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
from round_engine.wagers.shown import AKQ_SPADES_RANK, LOWEST_SPADE

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
    least_qualifying_rank: int

    def best_five(self) -> NDArray[np.uint8]:
        """The `FiveCardCategory` of each spot's best five with the dealer's cards."""
        spots = self.faces.shape[1] - 1
        keys = self.keys[:, :-1] + self.keys[:, -1:]

        def faces_of(rows: NDArray[np.intp]) -> Faces:
            rounds, spot = np.divmod(rows, spots)
            return np.concatenate([self.faces[rounds, spot], self.faces[rounds, -1]], axis=1)

        return category5_of_keys(keys.reshape(-1), faces_of).reshape(keys.shape)

    def six(self) -> Faces:
        """Rounds × spots × 6: each spot's cards and the dealer's."""
        own = self.faces[:, :-1]
        return np.concatenate([own, np.broadcast_to(self.faces[:, -1:], own.shape)], axis=2)


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


def read(decks: NDArray[Any], hands: int, dealing: Dealing, least_qualifying_rank: int = 0) -> Read:
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
        least_qualifying_rank=least_qualifying_rank,
    )
