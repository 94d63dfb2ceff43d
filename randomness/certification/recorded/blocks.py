"""Blocks of rows, as a shard counts them. Rows are counted from 1."""

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

Decks = NDArray[Any]
"""Codes of cards: bytes, or two bytes each where the cards of a large shoe are told apart."""

MOST_KEPT = 100


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A row that is not counted, and why."""

    row: int
    reason: str


@dataclass(kw_only=True)
class Piece:
    """Rows that follow each other, with the order each was shuffled from where the record has it."""

    first_row: int
    decks: Decks
    inputs: Decks | None = None


@dataclass(kw_only=True)
class Block:
    """The rows of one shard."""

    first_row: int
    rows: int = 0
    pieces: list[Piece] = field(default_factory=list)
    malformed: list[LeftOut] = field(default_factory=list)
    """Decks with a wrong number of cards."""
    excluded: list[LeftOut] = field(default_factory=list)
    """Decks marked as rigged or seeded, and decks with a card that was not read."""
    misread_rows: int = 0
    misread_cards: int = 0
