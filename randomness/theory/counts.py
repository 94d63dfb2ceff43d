"""How many orders of a deck have a given number of rising sequences or of valleys. Exact integers."""

from functools import lru_cache

from randomness.errors import TheoryError

MAX_CARDS = 1000


def check_cards(cards: int) -> None:
    """A deck that the tables reach."""
    if not 1 <= cards <= MAX_CARDS:
        raise TheoryError(f"the laws are for 1 to {MAX_CARDS} cards, not {cards}")


@lru_cache(maxsize=16)
def by_rising_sequences(cards: int) -> tuple[int, ...]:
    """Entry r - 1: orders with r rising sequences (Eulerian numbers: r - 1 descents of the inverse)."""
    check_cards(cards)
    row = [1]
    for n in range(2, cards + 1):
        row = [(k + 1) * _at(row, k) + (n - k) * _at(row, k - 1) for k in range(n)]
    return tuple(row)


@lru_cache(maxsize=16)
def by_valleys(cards: int) -> tuple[int, ...]:
    """Entry v: orders with v valleys, w(i-1) > w(i) < w(i+1): T(n, v) = (2v+2) T(n-1, v) + (n-2v) T(n-1, v-1)."""
    check_cards(cards)
    row = [1]
    for n in range(2, cards + 1):
        row = [(2 * v + 2) * _at(row, v) + (n - 2 * v) * _at(row, v - 1) for v in range((n - 1) // 2 + 1)]
    return tuple(row)


def _at(row: list[int], index: int) -> int:
    return row[index] if 0 <= index < len(row) else 0
