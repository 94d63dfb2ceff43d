"""The mechanisms as numba kernels. Imported only when the compiled engine runs: importing this file imports numba.

Everything that calls each other is in this one file: numba's cache is keyed on a function's own file, and a cached
caller would keep an edited helper's old code. Each function gives what the plain and numpy twins give.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic


@intrinsic
def _high_half(typing_context, left, right):  # noqa: ARG001
    """The upper 64 bits of a product of two 64-bit words: one machine instruction."""

    def build(context, builder, signature, arguments):  # noqa: ARG001
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), build


@njit(nogil=True, cache=True)
def ideal(words, starts, thresholds, order, accepted):
    """Dice and Fisher-Yates in one go; the fast path of everything here."""
    one = np.uint64(1)
    for b in range(order.shape[0]):
        row = order[b]
        row[0] = 0
        good = True
        for w in range(thresholds.shape[0]):
            rest = words[b, w]
            i = np.uint64(starts[w] + 1)
            for _ in range(starts[w + 1] - starts[w]):
                bound = i + one
                j = _high_half(rest, bound)
                rest = rest * bound
                row[i] = row[j]
                row[j] = i
                i = bound
            good &= rest >= thresholds[w]
        accepted[b] = good


@njit(nogil=True, cache=True)
def roll(words, bounds, starts, thresholds, dice, accepted):
    """Dice of many shuffles, a row each."""
    for b in range(words.shape[0]):
        good = True
        for w in range(thresholds.shape[0]):
            rest = words[b, w]
            for i in range(starts[w], starts[w + 1]):
                bound = bounds[i]
                dice[b, i] = _high_half(rest, bound)
                rest = rest * bound
            good &= rest >= thresholds[w]
        accepted[b] = good


@njit(nogil=True, cache=True)
def fisher_yates(dice, order):
    """Fisher-Yates from the inside out, from ready dice (the first die is card 1's)."""
    for b in range(order.shape[0]):
        order[b, 0] = 0
        for i in range(1, order.shape[1]):
            j = dice[b, i - 1]
            order[b, i] = order[b, j]
            order[b, j] = i


@njit(nogil=True, cache=True)
def ejection(dice, dead, fail_below, order):
    """Backwards as in the numpy twin, sixty-four decks side by side: the inner loop becomes one vector instruction.

    `dead` is -1 for none; `fail_below` is 0 where the dead position always fails.
    """
    batch, cards = order.shape
    width = 64
    one, zero = order.dtype.type(1), order.dtype.type(0)
    rows = np.zeros((cards, width), order.dtype)
    for first in range(0, batch, width):
        used = min(width, batch - first)
        rows[cards - 1] = 0
        for t in range(cards - 2, -1, -1):
            for k in range(used):
                height = np.int64(dice[first + k, t])
                if height == dead and (fail_below == 0 or dice[first + k, cards - 1 + t] < fail_below):
                    height = height + 1 if height < cards - 1 - t else height - 1
                rows[t, k] = height
            taken = rows[t]
            for i in range(t + 1, cards):
                row = rows[i]
                for k in range(width):
                    row[k] += one if row[k] >= taken[k] else zero
        for k in range(used):
            for i in range(cards):
                order[first + k, i] = rows[i, k]


@njit(nogil=True, cache=True)
def rack(dice, groups, feed_order, dead, fail_below, order):
    """`groups` are the sizes; the rest as in `ejection`."""
    batch, cards = order.shape
    count = groups.shape[0]
    compartment = np.empty(cards, np.int64)
    first = np.empty(count, np.int64)
    place = 0
    for k in range(count):
        first[k] = place
        for _ in range(groups[k]):
            compartment[place] = k
            place += 1
    free = np.empty(cards, np.int64)
    next_place = np.empty(count, np.int64)
    for b in range(batch):
        for i in range(cards):
            free[i] = i
        for k in range(count):
            next_place[k] = first[k]
        for card in range(cards):
            left = cards - card
            t = np.int64(dice[b, card]) if left > 1 else np.int64(0)
            if (
                left > 1
                and compartment[free[t]] == dead
                and (fail_below == 0 or dice[b, cards - 1 + card] < fail_below)
            ):
                found = False
                for step in range(1, count):
                    wanted = (dead + step) % count
                    for index in range(left):
                        if compartment[free[index]] == wanted:
                            t = index
                            found = True
                            break
                    if found:
                        break
            target = free[t]
            free[t] = free[left - 1]
            if feed_order:
                k = compartment[target]
                target = next_place[k]
                next_place[k] += 1
            order[b, target] = card


@njit(nogil=True, cache=True)
def shelf(dice, shelves, scale, shift, passes, dead, fail_below, order):
    """A die becomes the pile `scale * die + shift`: (1, 0) either way, (2, 0) always on top, (2, 1) at the bottom."""
    batch, cards = order.shape
    piles = 2 * shelves
    draws = cards * passes
    pile_of = np.empty(cards, np.int64)
    cursor = np.empty(piles, np.int64)
    before = np.empty(cards, order.dtype)
    for b in range(batch):
        for i in range(cards):
            order[b, i] = i
        for start in range(0, draws, cards):
            for p in range(piles):
                cursor[p] = 0
            for i in range(cards):
                before[i] = order[b, i]
                p = np.int64(dice[b, start + i]) * scale + shift
                if p // 2 == dead and (fail_below == 0 or dice[b, draws + start + i] < fail_below):
                    p = (p + 2) % piles
                pile_of[i] = p
                cursor[p] += 1
            place = 0
            for p in range(piles):
                size = cursor[p]
                cursor[p] = place + size - 1 if p % 2 else place
                place += size
            for i in range(cards):
                p = pile_of[i]
                order[b, cursor[p]] = before[i]
                cursor[p] += -1 if p % 2 else 1


@njit(nogil=True, cache=True)
def riffle(dice, passes, order):
    """Each pass: count the lower packet, then merge."""
    batch, cards = order.shape
    before = np.empty(cards, order.dtype)
    for b in range(batch):
        for i in range(cards):
            order[b, i] = i
        for start in range(0, cards * passes, cards):
            below = 0
            for i in range(cards):
                before[i] = order[b, i]
                below += dice[b, start + i]
            upper, lower = 0, cards - below
            for i in range(cards):  # no branch: the bits are random, and every second guess would be wrong
                from_lower = np.int64(dice[b, start + i])
                order[b, i] = before[upper + from_lower * (lower - upper)]
                lower += from_lower
                upper += 1 - from_lower


@njit(nogil=True, cache=True)
def sticky(dice, first, below, order):
    """Card i + 1 follows card i wherever die `first + i` is under `below`."""
    batch, cards = order.shape
    before = np.empty(cards, order.dtype)
    for b in range(batch):
        for i in range(cards):
            before[i] = order[b, i]
        place = 0
        for i in range(cards):
            card = np.int64(before[i])
            if card > 0 and dice[b, first + card - 1] < below:
                continue
            order[b, place] = card
            place += 1
            while card < cards - 1 and dice[b, first + card] < below:
                card += 1
                order[b, place] = card
                place += 1


@njit(nogil=True, cache=True)
def weak_feed(dice, first, below, held, order):
    """The last `held` cards of the input come out last, in their order, where die `first` is under `below`."""
    batch, cards = order.shape
    for b in range(batch):
        if dice[b, first] >= below:
            continue
        place = 0
        for i in range(cards):
            card = order[b, i]
            if card < cards - held:
                order[b, place] = card
                place += 1
        for i in range(held):
            order[b, cards - held + i] = cards - held + i


@njit(nogil=True, cache=True)
def one_after_another(moves, orders):
    """Row by row: the order before, moved."""
    for b in range(moves.shape[0]):
        before, after, move = orders[b], orders[b + 1], moves[b]
        for i in range(moves.shape[1]):
            after[i] = before[move[i]]
