"""The law of the shelf shuffler: Diaconis, Fulman and Holmes, Annals of Applied Probability 23 (2013) 1692.

P(w) = 4^(v+1) / (2 (2m)^n) * sum over a < m of C(n+m-a-1, n) C(n-1-2v, a-v), for m shelves and an output deck w of n
cards with v valleys. A pass over m1 shelves and then one over m2 is one pass over 2 m1 m2.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial

from randomness.errors import TheoryError
from randomness.theory.counts import by_valleys, check_cards
from randomness.theory.law import ClassLaw

MAX_SHELVES = 10**9
GUESSES_UP_TO = 104
"""Cards for which the guessing game is counted; it takes about a second at 104."""


def equivalent_shelves(shelves: int, passes: int = 1) -> int:
    """The shelves of the one pass that does what several passes do."""
    if shelves < 1 or passes < 1:
        raise TheoryError(f"at least one shelf and one pass, not {shelves} and {passes}")
    equivalent = shelves
    for _ in range(passes - 1):
        equivalent *= 2 * shelves
        if equivalent > MAX_SHELVES:
            break
    if equivalent > MAX_SHELVES:
        raise TheoryError(f"{passes} passes over {shelves} shelves are one over more than {MAX_SHELVES}: too many")
    return equivalent


def shelf_law(cards: int, shelves: int, passes: int = 1) -> ClassLaw:
    """The law of `passes` passes over `shelves` shelves, by valleys."""
    n, m = cards, equivalent_shelves(shelves, passes)
    sizes = by_valleys(n)
    ways = []
    for v in range(len(sizes)):
        terms = range(v, min(m - 1, n - 1 - v) + 1)
        ways.append(4 ** (v + 1) * sum(comb(n + m - a - 1, n) * comb(n - 1 - 2 * v, a - v) for a in terms))
    return ClassLaw(cards=n, sizes=sizes, ways=tuple(ways), total=2 * (2 * m) ** n)


def top_card_positions(cards: int, shelves: int, passes: int = 1) -> tuple[Fraction, ...]:
    """Where the top card ends: before the pile that it lies on top of, or behind the one it lies under."""
    n, piles = cards, 2 * equivalent_shelves(shelves, passes)
    chances = []
    for j in range(n):
        ways = 0
        for pile in range(0, piles, 2):
            ways += pile**j * (piles - pile) ** (n - 1 - j)
            ways += (pile + 2) ** j * (piles - pile - 2) ** (n - 1 - j)
        chances.append(Fraction(comb(n - 1, j) * ways, piles**n))
    return tuple(chances)


@dataclass(frozen=True, kw_only=True)
class Guesses:
    """Mean and variance of the number of right guesses."""

    mean: Fraction
    variance: Fraction


def expected_guesses(cards: int, shelves: int, passes: int = 1) -> Guesses | None:
    """The guessing game with feedback of Diaconis, Fulman and Holmes; None beyond GUESSES_UP_TO cards.

    The top card first; then the next larger card that is left until a descent is seen, the next smaller until an
    ascent, and so on. Where none is left on that side, the nearest on the other.
    """
    if cards > GUESSES_UP_TO:
        return None
    law = shelf_law(cards, shelves, passes)
    sums = _scores_by_valleys(cards)
    mean = Fraction(sum(ways * total for ways, (total, _) in zip(law.ways, sums, strict=True)), law.total)
    square = Fraction(sum(ways * squares for ways, (_, squares) in zip(law.ways, sums, strict=True)), law.total)
    return Guesses(mean=mean, variance=square - mean**2)


def uniform_guesses(cards: int) -> Guesses:
    """The best score on a perfect shuffle: the harmonic number, 4.538 for 52 cards."""
    mean = sum((Fraction(1, k) for k in range(1, cards + 1)), Fraction(0))
    return Guesses(mean=mean, variance=mean - sum((Fraction(1, k * k) for k in range(1, cards + 1)), Fraction(0)))


@lru_cache(maxsize=8)
def _scores_by_valleys(cards: int) -> tuple[tuple[int, int], ...]:
    """For each number of valleys: the scores summed over all its orders, and their squares.

    Built card by card. What matters of the past: how many cards left lie below the last one, whether the last step
    went up, how many valleys there were. Each state holds (orders, score sum, square sum).
    """
    check_cards(cards)
    classes = len(by_valleys(cards))
    zero = (0, 0, 0)
    up = [[zero] * (cards + 1) for _ in range(classes)]
    down = [[zero] * (cards + 1) for _ in range(classes)]
    for below in range(cards):
        up[0][below] = _scored((1, 0, 0)) if below == 0 else (1, 0, 0)
    for left in range(cards - 1, 0, -1):
        new_up = [[zero] * (cards + 1) for _ in range(classes)]
        new_down = [[zero] * (cards + 1) for _ in range(classes)]
        for v in range(classes):
            was_down = down[v - 1] if v else [zero] * (cards + 1)
            total = zero
            for below in range(left):  # upwards: to any place at or above the last card's
                total = _plus(total, _plus(up[v][below], was_down[below]))
                cell = _plus(total, _gain(up[v][below]))
                if below == 0:
                    cell = _plus(cell, _gain(was_down[0]))
                new_up[v][below] = cell
            total = zero
            for below in range(left - 1, -1, -1):  # downwards
                total = _plus(total, _plus(up[v][below + 1], down[v][below + 1]))
                cell = _plus(total, _gain(down[v][below + 1]))
                if below == left - 1:
                    cell = _plus(cell, _gain(up[v][left]))
                new_down[v][below] = cell
        up, down = new_up, new_down
    ends = [_plus(up[v][0], down[v][0]) for v in range(classes)]
    assert [orders for orders, _, _ in ends] == list(by_valleys(cards)), "every order is counted once"
    assert sum(total for _, total, _ in ends) == uniform_guesses(cards).mean * factorial(cards)
    return tuple((total, squares) for _, total, squares in ends)


def _plus(left: tuple[int, int, int], right: tuple[int, int, int]) -> tuple[int, int, int]:
    return left[0] + right[0], left[1] + right[1], left[2] + right[2]


def _scored(state: tuple[int, int, int]) -> tuple[int, int, int]:
    """One point more for every order of the state."""
    orders, total, squares = state
    return orders, total + orders, squares + 2 * total + orders


def _gain(state: tuple[int, int, int]) -> tuple[int, int, int]:
    """What one point more adds."""
    orders, total, _ = state
    return 0, orders, 2 * total + orders
