"""The planted defects of the laboratory proof: files of decks that are wrong now and then, in turns, or twice."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randomness.kernels import make
from randomness.sources import make_source

Decks = NDArray[np.uint8]
Random = np.random.Generator

FACTORY = np.arange(52, dtype=np.uint8)
CARD, POSITION = 20, 30
USUAL = 50_000
LONG = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Made:
    """A file: decks, and the orders that went in where it has them."""

    decks: Decks
    inputs: Decks | None = None


@dataclass(frozen=True, kw_only=True)
class LabDefect:
    """What is wrong, how to make it, the size at which it must be found, and what a place to look at must say."""

    what: str
    make: Callable[[int, int], Made]
    decks: int = USUAL
    place: str = ""
    ladder: bool = True
    stated: float | None = None
    """Decks by theory, where no single effect says it."""
    why: str = ""


# ----- tools ----------------------------------------------------------------------------------------------------------


def ideal(decks: int, seed: int, stream: int = 0) -> Decks:
    """Good shuffles of the factory order."""
    source = make_source("ctr", seed=seed, stream=stream)
    return make("ideal").permutations(52, decks, source).astype(np.uint8)


def chance(seed: int) -> Random:
    """Where and when; apart from the shuffles."""
    return np.random.default_rng([seed, 77])


def put(decks: Decks, rows: NDArray[np.intp], cards: Decks, positions: NDArray[np.intp]) -> None:
    """Exchange cards so that each row has its card at its position."""
    now = np.argmax(decks[rows] == cards[:, None], axis=1)
    decks[rows, now] = decks[rows, positions]
    decks[rows, positions] = cards


def chain(moves: Decks, seed: int) -> Decks:
    """Each deck is the one before, moved."""
    decks, deck = np.empty_like(moves), ideal(1, seed, 9)[0]
    for row, move in enumerate(moves):
        deck = decks[row] = deck[move]
    return decks


def one_cell(more: Callable[[NDArray[np.intp], int], NDArray[np.float64]]) -> Callable[[int, int], Made]:
    """One card at one position so much more (or less) often than it should be, row by row."""

    def made(decks: int, seed: int) -> Made:
        rows, rng = ideal(decks, seed), chance(seed)
        wanted, u = more(np.arange(decks), decks), rng.random(decks)
        there = rows[:, POSITION] == CARD
        often = np.flatnonzero(~there & (u < np.maximum(wanted, 0) / 51))
        seldom = np.flatnonzero(there & (u < np.maximum(-wanted, 0)))
        put(rows, often, np.full(len(often), CARD, np.uint8), np.full(len(often), POSITION))
        away = (POSITION + rng.integers(1, 52, len(seldom))) % 52
        put(rows, seldom, np.full(len(seldom), CARD, np.uint8), away)
        return Made(decks=rows)

    return made


# ----- the defects ----------------------------------------------------------------------------------------------------


def kept_from_two_back(decks: int, seed: int) -> Made:
    """A position keeps its card from two decks back, one time in a hundred."""
    rows = ideal(decks, seed)
    for row in np.flatnonzero(chance(seed).random(decks) < 0.01):
        if row >= 2:
            put(rows, np.array([row]), rows[row - 2, POSITION : POSITION + 1], np.array([POSITION]))
    return Made(decks=rows)


def few_riffles(decks: int, seed: int) -> Made:
    """One deck in 40 has had only six riffles of factory order, half of those upside down."""
    rows, rng = ideal(decks, seed), chance(seed)
    which = np.flatnonzero(rng.random(decks) < 1 / 40)
    source = make_source("ctr", seed=seed, stream=5)
    riffled = make("riffle", passes=6).permutations(52, len(which), source).astype(np.uint8)
    turned = rng.random(len(which)) < 0.5
    rows[which] = np.where(turned[:, None], 51 - riffled, riffled)
    return Made(decks=rows)


def partly_sorted(decks: int, seed: int) -> Made:
    """Six decks in a hundred have twelve cards in a row sorted, up or down."""
    rows, rng = ideal(decks, seed), chance(seed)
    for row in np.flatnonzero(rng.random(decks) < 0.06):
        start = int(rng.integers(0, 41))
        part = np.sort(rows[row, start : start + 12])
        rows[row, start : start + 12] = part if rng.random() < 0.5 else part[::-1]
    return Made(decks=rows)


def small_seed(decks: int, seed: int) -> Made:
    """Every thousand decks the permutations begin anew from an 8-bit seed; each deck is shuffled from the last."""
    rng, moves = chance(seed), []
    for _ in range(-(-decks // 1_000)):
        moves.append(ideal(1_000, seed, 1_000 + int(rng.integers(0, 256))))
    return Made(decks=chain(np.concatenate(moves)[:decks], seed))


def reused(decks: int, seed: int) -> Made:
    """One permutation in 500 is one that came before; each deck is shuffled from the last."""
    moves, rng = ideal(decks, seed), chance(seed)
    for row in np.flatnonzero(rng.random(decks) < 1 / 500):
        if row:
            moves[row] = moves[rng.integers(0, row)]
    return Made(decks=chain(moves, seed))


def bottom_pair_stuck(decks: int, seed: int) -> Made:
    """The two bottom cards of what went in stay together in one deck of fifty; each deck is shuffled from the last."""
    moves = ideal(decks, seed)
    stuck = np.flatnonzero((chance(seed).random(decks) < 0.02) & (moves[:, 51] != 50))
    put(moves, stuck, np.full(len(stuck), 51, np.uint8), np.argmax(moves[stuck] == 50, axis=1) + 1)
    return Made(decks=chain(moves, seed))


def suit_clumps(decks: int, seed: int) -> Made:
    """In one deck of ten a heart is put beside another one."""
    rows, rng = ideal(decks, seed), chance(seed)
    for row in np.flatnonzero(rng.random(decks) < 0.1):
        hearts = np.flatnonzero(rows[row] // 13 == 2)
        at = int(rng.choice(hearts[hearts < 51]))
        other = int(rng.choice(hearts[np.abs(hearts - at) > 1]))
        rows[row, [at + 1, other]] = rows[row, [other, at + 1]]
    return Made(decks=rows)


def card_to_a_seat(decks: int, seed: int) -> Made:
    """One deck in a hundred has Q♥ at player 3."""
    rows, rng = ideal(decks, seed), chance(seed)
    which = np.flatnonzero(rng.random(decks) < 0.01)
    put(rows, which, np.full(len(which), 36, np.uint8), rng.integers(6, 9, len(which)))
    return Made(decks=rows)


def cut_again(decks: int, seed: int) -> Made:
    """One deck in 5,000 is an earlier one, cut, and half the time turned over."""
    rows, rng = ideal(decks, seed), chance(seed)
    for row in np.flatnonzero(rng.random(decks) < 1 / 5_000):
        if row:
            rows[row] = np.roll(rows[rng.integers(0, row)], rng.integers(1, 52))[:: 1 if rng.random() < 0.5 else -1]
    return Made(decks=rows)


def one_repeat(apart: bool) -> Callable[[int, int], Made]:
    """One deck comes twice, back to back or far apart."""

    def made(decks: int, seed: int) -> Made:
        rows = ideal(decks, seed)
        first = int(chance(seed).integers(0, decks // 10))
        rows[decks - 1 - first if apart else first + 1] = rows[first]
        return Made(decks=rows)

    return made


_REPEAT = "a repeat is seen with 80 %"

DEFECTS = (
    LabDefect(what="one cell +25 % in the first half, -25 % in the second", place="9♦ at position 31: change after",
              make=one_cell(lambda rows, many: np.where(rows < many / 2, 0.25, -0.25))),
    LabDefect(what="one cell +25 % in odd rows, -25 % in even ones", place="9♦ at position 31: odd rows",
              make=one_cell(lambda rows, _: np.where(rows % 2 == 0, 0.25, -0.25))),
    LabDefect(what="one cell from +50 % to -50 %, steadily", place="9♦ at position 31",
              make=one_cell(lambda rows, many: 0.5 - rows / many)),
    LabDefect(what="a position keeps its card from two decks back, 1 %", place="lag 2, position 31",
              make=kept_from_two_back),
    LabDefect(what="one deck in 40 six riffles of factory order, half upside down", make=few_riffles),
    LabDefect(what="6 % of decks partly sorted, up or down", make=partly_sorted),
    LabDefect(what="permutations from an 8-bit seed every 1,000 decks", make=small_seed,
              place="were made by the same permutation", stated=1_000 * math.sqrt(2 * 256 * math.log(5)), why=_REPEAT),
    LabDefect(what="one permutation in 500 used again", make=reused, place="were made by the same permutation",
              stated=500 * math.log(5), why=_REPEAT),
    LabDefect(what="bottom pair stuck, 2 %", place="positions 51 and 52 stay together", make=bottom_pair_stuck),
    LabDefect(what="hearts side by side, one deck in ten", place="♥ next to ♥", make=suit_clumps),
    LabDefect(what="one card to one seat, 1 %", place="Q♥ at player 3", make=card_to_a_seat),
    LabDefect(what="one deck in 5,000 an earlier one, cut or turned", place="cut or turned over", make=cut_again,
              stated=5_000 * math.log(5), why=_REPEAT),
    LabDefect(what="one deck twice, back to back", decks=LONG, place="are the same deck", make=one_repeat(apart=False),
              ladder=False),
    LabDefect(what="one deck twice, far apart", decks=LONG, place="are the same deck", make=one_repeat(apart=True),
              ladder=False),
)  # fmt: skip


def defect_of(what: str) -> LabDefect:
    """The defect of that name."""
    return next(defect for defect in DEFECTS if defect.what == what)
