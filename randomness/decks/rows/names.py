"""How cells of the tables are named where a test says where to look, and how cards are lumped, for a kind of deck."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randomness.decks.faces import place_name
from randomness.decks.kinds.kind import DeckKind

Name = Callable[[int, int], str]


@dataclass(frozen=True, kw_only=True)
class Lumps:
    """Card numbers in groups, and what the groups are called."""

    groups: NDArray[np.intp]
    names: Sequence[str]


Lump = Callable[[DeckKind], Lumps]


def cards(kind: DeckKind) -> Lumps:
    return Lumps(groups=np.arange(kind.distinct), names=[kind.card_name(card) for card in range(kind.distinct)])


def suits(kind: DeckKind) -> Lumps:
    return Lumps(groups=kind.suits, names=kind.suit_names)


def ranks(kind: DeckKind) -> Lumps:
    return Lumps(groups=kind.ranks, names=[f"rank {name}" for name in kind.rank_names])


def colours(kind: DeckKind) -> Lumps:
    return Lumps(groups=kind.colours, names=kind.colour_names)


def card_at(kind: DeckKind) -> Name:
    return lambda position, card: f"{kind.card_name(card)} at {place_name(position)}"


def from_to(earlier: str) -> Name:
    return lambda position, was: f"{earlier} {place_name(was)} to {place_name(position)}"


def follows(kind: DeckKind) -> Name:
    return lambda one, other: f"{kind.card_name(one)} followed by {kind.card_name(other)}"


def two_positions(one: int, other: int) -> str:
    return f"positions {one + 1} and {other + 1}"


def lag_place(lag: int, position: int) -> str:
    return f"lag {lag}, {place_name(position)}"
