"""Three ways to turn the words of a batch into orders: plain Python, numpy, numba. Same words in, same orders out."""

import sys
from collections.abc import Sequence
from enum import Enum
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from randomness.errors import EngineUnavailable
from randomness.extras import numba_installed
from randomness.kernels.adjusted import Adjusted, OtherDice
from randomness.kernels.dice import DicePlan, roll_plain, roll_vector
from randomness.kernels.ejection import Ejection
from randomness.kernels.ideal import Ideal
from randomness.kernels.imperfections import Imperfections
from randomness.kernels.mechanism import Order, ShuffleMechanism, order_type
from randomness.kernels.rack import Rack
from randomness.kernels.riffle import Riffle
from randomness.kernels.shelf import Shelf

PLAIN_UP_TO = 24
"""Shuffles up to which plain Python beats a pass of numpy over every card."""
COMPILED_FROM = 20_000
"""Shuffles from which starting numba (about half a second, once) pays."""
CHUNK = 2048
"""Shuffles whose dice are held at once by the numpy and numba engines: their tables stay in the processor's cache."""


class Backend(Enum):
    """How a batch is computed; AUTO picks by batch size and by what is installed. The result does not depend on it."""

    AUTO = "auto"
    PLAIN = "plain"
    NUMPY = "numpy"
    NUMBA = "numba"


def choose(engine: Backend, batch: int) -> Backend:
    """Which of the three runs a batch."""
    if engine is Backend.NUMBA and not numba_installed():
        raise EngineUnavailable("the compiled engine needs numba: pip install 'shuffler-bench[certify]'")
    if engine is not Backend.AUTO:
        return engine
    if batch <= PLAIN_UP_TO:
        return Backend.PLAIN
    if "numba" in sys.modules or (batch >= COMPILED_FROM and numba_installed()):
        return Backend.NUMBA
    return Backend.NUMPY


def run(
    engine: Backend,
    mechanism: ShuffleMechanism,
    flaws: Imperfections,
    plan: DicePlan,
    words: NDArray[np.uint64],
    out: Order,
) -> NDArray[np.bool_]:
    """Fill the rows of `out`; which of them are accepted (the others hold no valid order)."""
    match engine:
        case Backend.PLAIN:
            return run_plain(mechanism, flaws, plan, words, out)
        case Backend.NUMPY:
            return run_numpy(mechanism, flaws, plan, words, out)
        case Backend.NUMBA:
            return run_numba(mechanism, flaws, plan, words, out)
        case Backend.AUTO:
            return run(choose(engine, len(words)), mechanism, flaws, plan, words, out)
        case _:
            assert_never(engine)


def one_plain(
    mechanism: ShuffleMechanism, flaws: Imperfections, plan: DicePlan, cards: int, words: Sequence[int]
) -> list[int] | None:
    """A single shuffle, the device's way; None where the words are refused."""
    dice = roll_plain(plan, words)
    if dice is None:
        return None
    if not (flaws.sticky or flaws.weak_feed):
        return mechanism.plain(cards, dice)
    own = len(dice) - len(flaws.bounds(cards))
    return flaws.plain(cards, dice[own:], mechanism.plain(cards, dice[:own]))


def run_plain(
    mechanism: ShuffleMechanism, flaws: Imperfections, plan: DicePlan, words: NDArray[np.uint64], out: Order
) -> NDArray[np.bool_]:
    """Deck by deck in Python."""
    accepted = np.ones(len(words), np.bool_)
    for b, row in enumerate(words.tolist()):
        order = one_plain(mechanism, flaws, plan, out.shape[1], row)
        if order is None:
            accepted[b] = False
        else:
            out[b] = order
    return accepted


def run_numpy(
    mechanism: ShuffleMechanism, flaws: Imperfections, plan: DicePlan, words: NDArray[np.uint64], out: Order
) -> NDArray[np.bool_]:
    """Card by card, all decks of a chunk at once."""
    cards = out.shape[1]
    own = len(plan.bounds) - len(flaws.bounds(cards))
    accepted = np.empty(len(words), np.bool_)
    for start in range(0, len(words), CHUNK):
        part = slice(start, start + CHUNK)
        dice, accepted[part] = roll_vector(plan, words[part])
        out[part] = flaws.vector(cards, dice[own:], mechanism.vector(cards, dice[:own]))
    return accepted


def run_numba(
    mechanism: ShuffleMechanism, flaws: Imperfections, plan: DicePlan, words: NDArray[np.uint64], out: Order
) -> NDArray[np.bool_]:
    """Compiled loops; the ideal shuffle goes straight from words to order."""
    from randomness.kernels import compiled

    accepted = np.empty(len(words), np.bool_)
    starts = np.array(plan.starts, np.int64)
    thresholds = np.array(plan.thresholds, np.uint64)
    cards = out.shape[1]
    flaw_dice = len(flaws.bounds(cards))
    if isinstance(mechanism, Ideal) and not flaw_dice:
        compiled.ideal(words, starts, thresholds, out, accepted)
        return accepted
    bounds = np.array(plan.bounds, np.uint64)
    own = len(plan.bounds) - flaw_dice
    buffer = np.empty((min(CHUNK, len(words)), len(plan.bounds)), np.uint32)
    for start in range(0, len(words), CHUNK):
        part = slice(start, start + CHUNK)
        order = out[part]
        dice = buffer[: len(order)]
        compiled.roll(words[part], bounds, starts, thresholds, dice, accepted[part])
        _assemble(compiled, mechanism, cards, own, dice, order)
        if flaws.sticky:
            compiled.sticky(dice, own, flaws.sticky.numerator, order)
        if flaws.weak_feed:
            last = len(plan.bounds) - 1
            compiled.weak_feed(dice, last, flaws.weak_feed.numerator, flaws.weak_feed_cards, order)
    return accepted


def _assemble(  # type: ignore[no-untyped-def]
    compiled, mechanism: ShuffleMechanism, cards: int, own: int, dice: NDArray[np.uint32], order: Order
) -> None:
    match mechanism:
        case Ideal():
            compiled.fisher_yates(dice, order)
        case Adjusted():
            compiled.fisher_yates(dice, order)
            order[:] = mechanism.adjust_vector(order, dice[:, cards - 1 : own].T)
        case OtherDice():
            compiled.fisher_yates(mechanism.faces_vector(cards, dice[:, :own].T).T, order)
        case Ejection():
            compiled.ejection(dice, *_dead(mechanism), order)
        case Rack():
            groups = np.array(mechanism.groups(cards), np.int64)
            compiled.rack(dice, groups, mechanism.order == "feed", *_dead(mechanism), order)
        case Shelf():
            scale = 1 if mechanism.placement == "either" else 2
            shift = 1 if mechanism.placement == "bottom" else 0
            compiled.shelf(dice, mechanism.shelves, scale, shift, mechanism.passes, *_dead(mechanism), order)
        case Riffle():
            compiled.riffle(dice, mechanism.passes, order)
        case _:
            order[:] = mechanism.vector(cards, np.ascontiguousarray(dice[:, :own].T))


def _dead(mechanism: Ejection | Rack | Shelf) -> tuple[int, int]:
    dead = -1 if mechanism.dead is None else mechanism.dead
    return dead, 0 if mechanism.dead_rate == 1 else mechanism.dead_rate.numerator


def empty_orders(batch: int, cards: int) -> Order:
    """Room for a batch."""
    return np.empty((batch, cards), order_type(cards))


def one_after_another(first: Order, moves: Order) -> Order:
    """A deck shuffled again and again: the order it starts in, then after each move (one row more than moves)."""
    orders = empty_orders(len(moves) + 1, moves.shape[1])
    orders[0] = first
    if numba_installed():
        from randomness.kernels import compiled

        compiled.one_after_another(moves, orders)
        return orders
    for row, move in enumerate(moves):
        orders[row + 1] = orders[row][move]
    return orders
