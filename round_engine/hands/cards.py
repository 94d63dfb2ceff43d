"""A face is an integer 0 … 51; its name exists only where people read or write it.

rank = face % 13 (0 = deuce … 12 = ace), suit = face // 13 (clubs, diamonds, hearts, spades).
"""

from collections.abc import Iterable
from typing import NewType

from round_engine.errors import CardError
from round_engine.hands.symbols import RANK_SYMBOLS, SUIT_LETTERS, SUIT_SYMBOLS

Card = NewType("Card", int)

DECK_SIZE = 52
RANKS = RANK_SYMBOLS
SUITS = SUIT_SYMBOLS

RANK_NAMES = ("deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")


def card(face: object) -> Card:
    """The face as a card; refuses anything but an integer 0 … 51."""
    if isinstance(face, bool) or not isinstance(face, int) or not 0 <= face < DECK_SIZE:
        raise CardError(f"{face!r} is not a card: a face is an integer from 0 to {DECK_SIZE - 1}")
    return Card(face)


def rank(face: int) -> int:
    """0 for a deuce … 12 for an ace."""
    return face % 13


def suit(face: int) -> int:
    """0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    return face // 13


def name(face: int) -> str:
    """`"Q♥"` for the queen of hearts."""
    face = card(face)
    return RANKS[face % 13] + SUITS[face // 13]


def names(faces: Iterable[int]) -> str:
    """Several cards in a row: `"Q♥ 6♣ 4♦"`."""
    return " ".join(name(face) for face in faces)


def parse(text: str) -> Card:
    """`"Q♥"`, `"Qh"` or `"10h"` as a card."""
    head, tail = text.strip()[:-1].upper(), text.strip()[-1:]
    rank_at = RANKS.find("T" if head == "10" else head) if head else -1
    suit_at = max(SUITS.find(tail), SUIT_LETTERS.find(tail.lower())) if tail else -1
    if rank_at < 0 or suit_at < 0 or (len(head) != 1 and head != "10"):
        raise CardError(f'{text!r} is not the name of a card such as "Q♥" or "Qh"')
    return Card(suit_at * 13 + rank_at)


def parse_hand(text: str) -> tuple[Card, ...]:
    """Several names with spaces between them, no card twice."""
    hand = tuple(parse(part) for part in text.split())
    if len(set(hand)) != len(hand):
        raise CardError(f"a card occurs twice in {text!r}")
    return hand
