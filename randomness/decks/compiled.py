"""The compiled tallies of 52 cards: the integers of `counting.py`, sooner. What is not here is counted there.

Decks lie in columns (`w[i, k]` is the card at position i of deck k), so that the inner loops run over decks and the
compiler makes vector code of them. Columns start at `LAGS`: the sixteen before it hold the decks before the first.
`v` is always the inverse of `w`. Functions that call each other stay in this file: numba's cache looks at one file.
"""

# Every tally has one signature, whether it reads the order or its inverse.
# ruff: noqa: ARG001

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba as nb
import numpy as np
from numpy.typing import NDArray

CARDS = 52
LAGS = 16
NEAR = 8
SEATS = 8
SEGMENT = 4096
COLUMNS = SEGMENT + 64
TILE = 256

Columns = NDArray[np.uint8]
Row = NDArray[Any]
Cells = NDArray[np.int64]
_F = TypeVar("_F", bound=Callable[..., Any])


def jit(function: _F) -> _F:
    return cast(_F, nb.njit(cache=True, nogil=True, error_model="numpy")(function))


# ----- from rows to columns -------------------------------------------------------------------------------------------


@jit
def spread(rows: NDArray[np.uint8], column: int, f: Columns, v: Columns) -> None:
    """Put each row of faces, and its inverse, into a column."""
    for k in range(rows.shape[0]):
        for i in range(CARDS):
            face = rows[k, i]
            f[i, column + k] = face
            v[face, column + k] = i


@jit
def _invert(w: Columns, many: int, v: Columns) -> None:
    for i in range(CARDS):
        row = w[i, LAGS:]
        for k in range(many):
            v[row[k], LAGS + k] = i


@jit
def against_orders(f: Columns, orders: NDArray[np.uint8], many: int, places: Columns, w: Columns, v: Columns) -> None:
    """Each deck as positions in the order it was shuffled from; `places` is room to work in."""
    for k in range(many):
        for i in range(CARDS):
            places[orders[k, i], k] = i
    for i in range(CARDS):
        face, was = f[i, LAGS:], w[i, LAGS:]
        for k in range(many):
            was[k] = places[face[k], k]
    _invert(w, many, v)


@jit
def against_order(f: Columns, inverse: Columns, order: NDArray[np.uint8], many: int, w: Columns, v: Columns) -> None:
    """The same where every deck was shuffled from one order."""
    place = np.zeros(CARDS, np.uint8)
    for i in range(CARDS):
        place[order[i]] = i
    for i in range(CARDS):
        face, was = f[i, LAGS:], w[i, LAGS:]
        for k in range(many):
            was[k] = place[face[k]]
        position, comes = inverse[order[i], LAGS:], v[i, LAGS:]
        for k in range(many):
            comes[k] = position[k]


@jit
def against_previous(f: Columns, inverse: Columns, first: int, many: int, w: Columns, v: Columns) -> None:
    """Decks first … first + many - 1 as positions in the deck before each."""
    for i in range(CARDS):
        face, was = f[i, LAGS + first :], w[i, LAGS:]
        for k in range(many):
            was[k] = inverse[face[k], LAGS + first + k - 1]
    _invert(w, many, v)


# ----- by stretch and by phase ----------------------------------------------------------------------------------------


@jit
def _strata(many: int, first: int, width: int, row: int, stretch: Cells, phase: Cells) -> tuple[Row, Row]:
    """The stretch (from the first deck's on) and the phase of each deck; decks are counted in the first column."""
    stretch_of, phase_of = np.zeros(many, np.uint16), np.zeros(many, np.uint16)
    for k in range(many):
        stretch_of[k] = (first + k) // width - first // width
        phase_of[k] = (row + k) % phase.shape[0]
        stretch[stretch_of[k], 0] += 1
        phase[phase_of[k], 0] += 1
    return stretch_of, phase_of


@jit
def keep_hits(hits: Row, many: int, first: int, width: int, row: int, stretch: Cells, phase: Cells) -> None:
    """Add the cells that each deck hits; the first deck is number `first` of the run, in that row."""
    stretch_of, phase_of = _strata(many, first, width, row, stretch, phase)
    for i in range(hits.shape[0]):
        hit = hits[i]
        for k in range(many):
            cell = 1 + np.int64(hit[k])
            stretch[stretch_of[k], cell] += 1
            phase[phase_of[k], cell] += 1


@jit
def keep_counts(counts: Row, many: int, first: int, width: int, row: int, stretch: Cells, phase: Cells) -> None:
    """Add the count of each deck."""
    stretch_of, phase_of = _strata(many, first, width, row, stretch, phase)
    for k in range(many):
        stretch[stretch_of[k], 1] += counts[k]
        phase[phase_of[k], 1] += counts[k]


@jit
def by_position_hits(w: Columns, v: Columns, many: int, hits: Row) -> int:
    """The cells of `by_position` that each deck hits, and how many they are."""
    for i in range(CARDS):
        row = w[i, LAGS:]
        for k in range(many):
            hits[i, k] = np.uint16(CARDS * i) + np.uint16(row[k])
    return CARDS


@jit
def adjacent_hits(w: Columns, v: Columns, many: int, hits: Row) -> int:
    for i in range(CARDS - 1):
        one, two = w[i, LAGS:], w[i + 1, LAGS:]
        for k in range(many):
            hits[i, k] = np.uint16(CARDS) * np.uint16(one[k]) + np.uint16(two[k])
    return CARDS - 1


@jit
def hands_hits(strong: NDArray[np.uint16], many: int, hits: Row) -> int:
    for seat in range(SEATS):
        row = strong[seat, LAGS:]
        for k in range(many):
            hits[seat, k] = np.uint16(6 * seat) + (row[k] >> np.uint16(10))
    return SEATS


# ----- tables of one permutation --------------------------------------------------------------------------------------


@jit
def by_position(w: Columns, v: Columns, many: int, cells: Cells) -> None:
    table = cells.reshape(CARDS, CARDS)
    for k in range(LAGS, LAGS + many):
        for i in range(CARDS):
            table[i, w[i, k]] += 1


@jit
def adjacent(w: Columns, v: Columns, many: int, cells: Cells) -> None:
    cell = np.zeros(COLUMNS, np.uint16)
    for i in range(CARDS - 1):
        one, two = w[i, LAGS:], w[i + 1, LAGS:]
        for k in range(many):
            cell[k] = np.uint16(CARDS) * np.uint16(one[k]) + np.uint16(two[k])
        for k in range(many):
            cells[cell[k]] += 1


@jit
def distances(w: Columns, v: Columns, many: int, cells: Cells) -> None:
    for k in range(LAGS, LAGS + many):
        for c in range(CARDS - 1):
            one, two = v[c, k], v[c + 1, k]
            cells[np.uint8(one - two if one > two else two - one)] += 1


@jit
def _digit(w: Columns, i: int, start: int, many: int, digit: Row) -> None:
    here = w[i, start:]
    for k in range(many):
        digit[k] = 0
    for j in range(i + 1, CARDS):
        later = w[j, start:]
        for k in range(many):
            digit[k] += later[k] < here[k]


@jit
def lehmer(w: Columns, v: Columns, many: int, cells: Cells) -> None:
    digits = np.zeros((CARDS, TILE), np.uint8)
    table = cells.reshape(CARDS, CARDS)
    for start in range(LAGS, LAGS + many, TILE):
        width = min(TILE, LAGS + many - start)
        for i in range(CARDS):
            _digit(w, i, start, width, digits[i])
        for k in range(width):
            for i in range(CARDS):
                table[i, digits[i, k]] += 1


@jit
def inversions(w: Columns, v: Columns, many: int, counts: Row) -> None:
    digit = np.zeros(TILE, np.uint8)
    total = np.zeros(TILE, np.uint16)
    for start in range(LAGS, LAGS + many, TILE):
        width = min(TILE, LAGS + many - start)
        for k in range(width):
            total[k] = 0
        for i in range(CARDS):
            _digit(w, i, start, width, digit)
            for k in range(width):
                total[k] += digit[k]
        for k in range(width):
            counts[start - LAGS + k] = total[k]


@jit
def _products(one: Row, two: Row) -> np.int64:
    total = np.int32(0)
    for k in range(TILE):
        total += np.int32(one[k]) * np.int32(two[k])
    return np.int64(total)


@jit
def _centred(w: Columns, start: int, many: int, x: NDArray[np.int16]) -> None:
    """x = 2 w - 51 for columns start … start + many - 1, zero beyond."""
    for i in range(CARDS):
        row = w[i, start:]
        for k in range(many):
            x[i, k] = np.int16(2) * np.int16(row[k]) - np.int16(51)
        for k in range(many, TILE):
            x[i, k] = 0


@jit
def correlation(w: Columns, v: Columns, many: int, cells: Cells) -> None:
    x = np.zeros((CARDS, TILE), np.int16)
    for start in range(LAGS, LAGS + many, TILE):
        width = min(TILE, LAGS + many - start)
        _centred(w, start, width, x)
        for i in range(CARDS):
            for j in range(i + 1, CARDS):
                cells[i * CARDS + j] += _products(x[i], x[j])


@jit
def card_distances(w: Columns, v: Columns, many: int, cells: Cells) -> None:
    for start in range(LAGS, LAGS + many, TILE):
        width = min(TILE, LAGS + many - start)
        for a in range(CARDS):
            for b in range(a + 1, CARDS):
                one, two = v[a, start:], v[b, start:]
                total = np.uint16(0)
                for k in range(width):
                    total += np.uint16(max(one[k], two[k]) - min(one[k], two[k]))
                cells[a * CARDS + b] += total


@jit
def group_order(w: Columns, v: Columns, many: int, cells: Cells) -> None:
    for seat in range(SEATS):
        _orders_of_three(w[3 * seat, LAGS:], w[3 * seat + 1, LAGS:], w[3 * seat + 2, LAGS:], many, cells[6 * seat :])


@jit
def _orders_of_three(one: Row, two: Row, three: Row, many: int, cells: Cells) -> None:
    """How often each of the six orders (cell: twice the later cards below one, plus one if three is below two).

    Sums of yes and no, 128 decks at a time in bytes, are vector code; adding to a cell for each deck is not.
    """
    for start in range(0, many, 128):
        width = min(128, many - start)
        first, second, third = one[start : start + width], two[start : start + width], three[start : start + width]
        rises, over, later, lowest, in_order = np.uint8(0), np.uint8(0), np.uint8(0), np.uint8(0), np.uint8(0)
        for k in range(width):
            a, b, c = np.uint8(first[k] < second[k]), np.uint8(first[k] < third[k]), np.uint8(second[k] < third[k])
            rises = np.uint8(rises + a)
            over = np.uint8(over + b)
            later = np.uint8(later + c)
            lowest = np.uint8(lowest + np.uint8(a & b))
            in_order = np.uint8(in_order + np.uint8(a & c))
        cells[0] += in_order
        cells[1] += lowest - in_order
        cells[2] += over - lowest
        cells[3] += rises - lowest
        cells[4] += later - in_order - (over - lowest)
        cells[5] += width - rises - later + in_order


@jit
def rank_order(w: Columns, v: Columns, many: int, cells: Cells) -> None:
    for seat in range(SEATS):
        for k in range(LAGS, LAGS + many):
            one, two, three = w[3 * seat, k] % 13, w[3 * seat + 1, k] % 13, w[3 * seat + 2, k] % 13
            if one != two and one != three and two != three:
                cells[6 * seat + 2 * ((two < one) + (three < one)) + (three < two)] += 1


@jit
def high_cards(w: Columns, v: Columns, many: int, cells: Cells) -> None:
    for seat in range(SEATS):
        one, two, three = w[3 * seat, LAGS:], w[3 * seat + 1, LAGS:], w[3 * seat + 2, LAGS:]
        row = cells[13 * seat : 13 * seat + 13]
        for k in range(many):
            row[max(one[k] % np.uint8(13), two[k] % np.uint8(13), three[k] % np.uint8(13))] += 1


@jit
def _steps(w: Columns, many: int, up: Cells, down: Cells) -> None:
    for i in range(CARDS - 1):
        for start in range(LAGS, LAGS + many, 128):
            width = min(128, LAGS + many - start)
            one, two = w[i, start:], w[i + 1, start:]
            rises, falls = np.uint8(0), np.uint8(0)
            for k in range(width):
                rises = np.uint8(rises + np.uint8(np.uint8(one[k] + np.uint8(1)) == two[k]))
                falls = np.uint8(falls + np.uint8(np.uint8(two[k] + np.uint8(1)) == one[k]))
            up[i] += rises
            down[i] += falls


@jit
def stuck(w: Columns, v: Columns, many: int, cells: Cells) -> None:
    """Successions up and down, by place (first two rows of 52) and by the lower card of the pair (the other two)."""
    _steps(w, many, cells, cells[CARDS:])
    _steps(v, many, cells[2 * CARDS :], cells[3 * CARDS :])


# ----- counts of one permutation: a number for each deck --------------------------------------------------------------


@jit
def histogram(counts: Row, many: int, cells: Cells) -> None:
    """Decks by their count."""
    for k in range(many):
        cells[counts[k]] += 1


@jit
def _give(total: Row, many: int, counts: Row) -> None:
    for k in range(many):
        counts[k] = total[k]


@jit
def successions(w: Columns, v: Columns, many: int, counts: Row) -> None:
    total = np.zeros(COLUMNS, np.uint8)
    for i in range(CARDS - 1):
        one, two = w[i, LAGS:], w[i + 1, LAGS:]
        for k in range(many):
            total[k] += np.uint8(one[k] + np.uint8(1)) == two[k]
    _give(total, many, counts)


@jit
def adjacencies(w: Columns, v: Columns, many: int, counts: Row) -> None:
    total = np.zeros(COLUMNS, np.uint8)
    for i in range(CARDS - 1):
        one, two = w[i, LAGS:], w[i + 1, LAGS:]
        for k in range(many):
            total[k] += np.uint8(one[k] + np.uint8(1)) == two[k]
            total[k] += np.uint8(two[k] + np.uint8(1)) == one[k]
    _give(total, many, counts)


@jit
def descents(w: Columns, v: Columns, many: int, counts: Row) -> None:
    total = np.zeros(COLUMNS, np.uint8)
    for i in range(CARDS - 1):
        one, two = w[i, LAGS:], w[i + 1, LAGS:]
        for k in range(many):
            total[k] += two[k] < one[k]
    _give(total, many, counts)


@jit
def rising_sequences(w: Columns, v: Columns, many: int, counts: Row) -> None:
    descents(v, w, many, counts)
    for k in range(many):
        counts[k] += 1


@jit
def valleys(w: Columns, v: Columns, many: int, counts: Row) -> None:
    total = np.zeros(COLUMNS, np.uint8)
    for i in range(1, CARDS - 1):
        left, here, right = w[i - 1, LAGS:], w[i, LAGS:], w[i + 1, LAGS:]
        for k in range(many):
            total[k] += (here[k] < left[k]) & (here[k] < right[k])
    _give(total, many, counts)


@jit
def peaks(w: Columns, v: Columns, many: int, counts: Row) -> None:
    total = np.zeros(COLUMNS, np.uint8)
    for i in range(1, CARDS - 1):
        left, here, right = w[i - 1, LAGS:], w[i, LAGS:], w[i + 1, LAGS:]
        for k in range(many):
            total[k] += (here[k] > left[k]) & (here[k] > right[k])
    _give(total, many, counts)


@jit
def fixed_points(w: Columns, v: Columns, many: int, counts: Row) -> None:
    total = np.zeros(COLUMNS, np.uint8)
    for i in range(CARDS):
        row = w[i, LAGS:]
        for k in range(many):
            total[k] += row[k] == np.uint8(i)
    _give(total, many, counts)


@jit
def cycles(w: Columns, v: Columns, many: int, counts: Row) -> None:
    """Put each card home by one swap: 52 less the swaps needed is the number of cycles."""
    a = np.zeros((CARDS, TILE), np.uint8)
    b = np.zeros((CARDS, TILE), np.uint8)
    swaps = np.zeros(TILE, np.uint8)
    for start in range(LAGS, LAGS + many, TILE):
        width = min(TILE, LAGS + many - start)
        for i in range(CARDS):
            from_w, from_v = w[i, start:], v[i, start:]
            for k in range(width):
                a[i, k] = from_w[k]
                b[i, k] = from_v[k]
        for k in range(width):
            swaps[k] = 0
        for i in range(CARDS):
            for k in range(width):
                here, place = a[i, k], b[i, k]
                swaps[k] += here != np.uint8(i)
                a[place, k] = here
                b[here, k] = place
        for k in range(width):
            counts[start - LAGS + k] = np.uint16(CARDS) - swaps[k]


@jit
def longest_increasing(w: Columns, v: Columns, many: int, counts: Row) -> None:
    """The bit-vector row of the common subsequence of the deck and 0, 1, 2, …: its zeros are the length."""
    one = np.uint64(1)
    bits = np.zeros(TILE, np.uint64)
    for start in range(LAGS, LAGS + many, TILE):
        width = min(TILE, LAGS + many - start)
        for k in range(width):
            bits[k] = ~np.uint64(0)
        for i in range(CARDS):
            card = w[i, start:]
            for k in range(width):
                row = bits[k]
                hit = row & (one << np.uint64(card[k]))
                bits[k] = (row + hit) | (row - hit)
        for k in range(width):
            zeros = ~bits[k]
            length = np.uint8(0)
            while zeros:
                zeros &= zeros - one
                length += np.uint8(1)
            counts[start - LAGS + k] = length


@jit
def riffle_guess(w: Columns, v: Columns, many: int, counts: Row) -> None:
    """Guess the next higher card still out, or the lowest of all."""
    one, none = np.uint64(1), np.uint64(0)
    left = np.zeros(TILE, np.uint64)
    last = np.zeros(TILE, np.uint64)
    score = np.zeros(TILE, np.uint64)
    for start in range(LAGS, LAGS + many, TILE):
        width = min(TILE, LAGS + many - start)
        for k in range(width):
            left[k] = (one << np.uint64(CARDS)) - one
            last[k] = none
            score[k] = none
        for i in range(CARDS):
            row = w[i, start:]
            for k in range(width):
                out = left[k]
                higher = out & (none - (last[k] << one))
                field = higher if higher != none else out
                guess = field & (none - field)
                card = one << np.uint64(row[k])
                score[k] += np.uint64(guess == card)
                left[k] = out ^ card
                last[k] = card
        for k in range(width):
            counts[start - LAGS + k] = score[k]


@jit
def _shelf_step(row: Row, before: Row, earlier: Row, left: Row, mirror: Row, score: Row, width: int) -> None:
    one, none, top = np.uint64(1), np.uint64(0), np.uint64(CARDS - 1)
    for k in range(width):
        face, last = np.uint64(row[k]), np.uint64(before[k])
        down = none - np.uint64(before[k] < earlier[k])
        up_side, down_side = left[k], mirror[k]
        card, drac = one << face, one << (top - face)
        out = (up_side & ~down) | (down_side & down)
        since = (last & ~down) | ((top - last) & down)
        beyond = out & (none - (np.uint64(2) << since))
        field = beyond if beyond != none else out
        guess = field & (none - field)
        score[k] += np.uint64(guess == ((card & ~down) | (drac & down)))
        left[k] = up_side ^ card
        mirror[k] = down_side ^ drac


@jit
def shelf_guess(w: Columns, v: Columns, many: int, counts: Row) -> None:
    """Guess the first card of the order first, then on in the direction last seen: the next higher card still out
    after a rise, the next lower after a fall; where there is none, the lowest (highest) of all.

    `mirror` holds the same cards upside down, so that the next lower card is its lowest bit too.
    """
    one = np.uint64(1)
    nothing = np.zeros(TILE, np.uint8)
    left = np.zeros(TILE, np.uint64)
    mirror = np.zeros(TILE, np.uint64)
    score = np.zeros(TILE, np.uint64)
    for start in range(LAGS, LAGS + many, TILE):
        width = min(TILE, LAGS + many - start)
        for k in range(width):
            face = np.uint64(w[0, start + k])
            left[k] = ((one << np.uint64(CARDS)) - one) ^ (one << face)
            mirror[k] = ((one << np.uint64(CARDS)) - one) ^ (one << (np.uint64(CARDS - 1) - face))
            score[k] = np.uint64(face == np.uint64(0))
        _shelf_step(w[1, start:], w[0, start:], nothing, left, mirror, score, width)
        for i in range(2, CARDS):
            _shelf_step(w[i, start:], w[i - 1, start:], w[i - 2, start:], left, mirror, score, width)
        for k in range(width):
            counts[start - LAGS + k] = score[k]


# ----- kinds of cards -------------------------------------------------------------------------------------------------


@jit
def _suits(w: Columns, many: int, kinds: Columns) -> None:
    for i in range(CARDS):
        face, kind = w[i, LAGS:], kinds[i, LAGS:]
        for k in range(many):
            kind[k] = face[k] // np.uint8(13)


@jit
def _ranks(w: Columns, many: int, kinds: Columns) -> None:
    for i in range(CARDS):
        face, kind = w[i, LAGS:], kinds[i, LAGS:]
        for k in range(many):
            kind[k] = face[k] % np.uint8(13)


@jit
def _runs(kinds: Columns, many: int, counts: Row) -> None:
    """Runs of equal kinds: 52 less the neighbours that are equal."""
    total = np.full(COLUMNS, CARDS, np.uint8)
    for i in range(CARDS - 1):
        one, two = kinds[i, LAGS:], kinds[i + 1, LAGS:]
        for k in range(many):
            total[k] -= one[k] == two[k]
    _give(total, many, counts)


@jit
def suit_runs(w: Columns, v: Columns, many: int, counts: Row) -> None:
    kinds = np.zeros((CARDS, COLUMNS), np.uint8)
    _suits(w, many, kinds)
    _runs(kinds, many, counts)


@jit
def colour_runs(w: Columns, v: Columns, many: int, counts: Row) -> None:
    kinds = np.zeros((CARDS, COLUMNS), np.uint8)
    _suits(w, many, kinds)
    for i in range(CARDS):
        kind = kinds[i, LAGS:]
        for k in range(many):
            kind[k] = (kind[k] + np.uint8(1)) & np.uint8(2)
    _runs(kinds, many, counts)


@jit
def rank_runs(w: Columns, v: Columns, many: int, counts: Row) -> None:
    kinds = np.zeros((CARDS, COLUMNS), np.uint8)
    _ranks(w, many, kinds)
    _runs(kinds, many, counts)


@jit
def _equal_pairs(kinds: Columns, many: int, cells: Cells) -> None:
    for start in range(LAGS, LAGS + many, 128):
        width = min(128, LAGS + many - start)
        for i in range(CARDS):
            for j in range(i + 1, CARDS):
                one, two = kinds[i, start:], kinds[j, start:]
                total = np.uint8(0)
                for k in range(width):
                    total = np.uint8(total + np.uint8(one[k] == two[k]))
                cells[i * CARDS + j] += total


@jit
def same_suit(w: Columns, v: Columns, many: int, cells: Cells) -> None:
    kinds = np.zeros((CARDS, COLUMNS), np.uint8)
    _suits(w, many, kinds)
    _equal_pairs(kinds, many, cells)


@jit
def same_rank(w: Columns, v: Columns, many: int, cells: Cells) -> None:
    kinds = np.zeros((CARDS, COLUMNS), np.uint8)
    _ranks(w, many, kinds)
    _equal_pairs(kinds, many, cells)


@jit
def position_pairs(w: Columns, v: Columns, many: int, cells: Cells) -> None:
    # Cells are looked up apart from adding to them: the one is vector code, the other no longer waits for it.
    row = np.zeros(COLUMNS, np.uint16)
    cell = np.zeros(COLUMNS, np.uint16)
    pair = 0
    for i in range(CARDS):
        one = w[i, LAGS:]
        for k in range(many):
            row[k] = np.uint16(CARDS) * np.uint16(one[k])
        for j in range(i + 1, CARDS):
            table = cells[pair * CARDS * CARDS : (pair + 1) * CARDS * CARDS]
            two = w[j, LAGS:]
            for k in range(many):
                cell[k] = row[k] + np.uint16(two[k])
            for k in range(many):
                table[cell[k]] += 1
            pair += 1


@jit
def squares(tables: NDArray[np.int32], out: NDArray[np.int64]) -> None:
    """The sum of squares of each row."""
    for i in range(tables.shape[0]):
        total = np.int64(0)
        row = tables[i]
        for k in range(row.shape[0]):
            total += np.int64(row[k]) * np.int64(row[k])
        out[i] = total


# ----- dealt hands ----------------------------------------------------------------------------------------------------


@jit
def hand_values(f: Columns, many: int, values: NDArray[np.uint16], strong: NDArray[np.uint16]) -> None:
    """The value of each seat's three cards, from the table over all ordered triples."""
    for seat in range(SEATS):
        one, two, three = f[3 * seat], f[3 * seat + 1], f[3 * seat + 2]
        for k in range(LAGS, LAGS + many):
            strong[seat, k] = values[one[k], two[k], three[k]]


@jit
def hands(strong: NDArray[np.uint16], many: int, cells: Cells) -> None:
    for seat in range(SEATS):
        row = strong[seat, LAGS:]
        for category in range(6):
            total = np.uint16(0)
            for k in range(many):
                total = np.uint16(total + np.uint16(row[k] >> np.uint16(10) == category))
            cells[6 * seat + category] += total


@jit
def hand_pairs(strong: NDArray[np.uint16], many: int, cells: Cells) -> None:
    """For each two seats: high card, pair, flush or better against the same."""
    kinds = np.zeros((SEATS, COLUMNS), np.uint8)
    for seat in range(SEATS):
        value, kind = strong[seat, LAGS:], kinds[seat, LAGS:]
        for k in range(many):
            kind[k] = min(np.uint8(2), np.uint8(value[k] >> np.uint16(10)))
    pair = 0
    for s in range(SEATS):
        for t in range(s + 1, SEATS):
            one, two = kinds[s], kinds[t]
            mine = cells[9 * pair : 9 * pair + 9]
            for k in range(LAGS, LAGS + many):
                mine[np.uint8(np.uint8(3) * one[k] + two[k])] += 1
            pair += 1


@jit
def seat_scores(strong: NDArray[np.uint16], many: int, cells: Cells) -> None:
    """For each seat hands beaten less hands that beat it; in the last cell the squares of all of them."""
    score = np.zeros(COLUMNS, np.int16)
    for seat in range(SEATS):
        mine = strong[seat, LAGS:]
        for k in range(many):
            score[k] = 0
        for other in range(SEATS):
            theirs = strong[other, LAGS:]
            for k in range(many):
                score[k] += np.int16(theirs[k] < mine[k])
                score[k] -= np.int16(theirs[k] > mine[k])
        total, square = 0, 0
        for k in range(many):
            total += score[k]
            square += score[k] * score[k]
        cells[seat] += total
        cells[SEATS] += square


# ----- the decks before -----------------------------------------------------------------------------------------------


@jit
def lag_matches(f: Columns, v: Columns, have: int, many: int, cells: Cells) -> None:
    total = np.zeros(COLUMNS, np.uint8)
    for lag in range(1, LAGS + 1):
        first = max(0, lag - have)
        if first >= many:
            continue
        for k in range(many):
            total[k] = 0
        for i in range(CARDS):
            now, then = f[i, LAGS:], f[i, LAGS - lag :]
            for k in range(many):
                total[k] += now[k] == then[k]
        mine = cells[53 * (lag - 1) : 53 * lag]
        for k in range(first, many):
            mine[total[k]] += 1


@jit
def lag_places(f: Columns, v: Columns, have: int, many: int, cells: Cells) -> None:
    for lag in range(1, NEAR + 1):
        row = cells[53 * (lag - 1) : 53 * lag]
        for start in range(max(0, lag - have), many, 128):
            width = min(128, many - start)
            for i in range(CARDS):
                now, then = f[i, LAGS + start :], f[i, LAGS + start - lag :]
                total = np.uint8(0)
                for k in range(width):
                    total = np.uint8(total + np.uint8(now[k] == then[k]))
                row[i] += total
            row[CARDS] += width


@jit
def lag_cells(f: Columns, v: Columns, have: int, many: int, cells: Cells) -> None:
    """From each place of an earlier deck to each of this one: a table of 52 × 52 and the decks, lag by lag."""
    was = np.zeros(COLUMNS, np.uint8)
    size = CARDS * CARDS + 1
    for lag in range(1, NEAR + 1):
        first = max(0, lag - have)
        if first >= many:
            continue
        table = cells[size * (lag - 1) : size * lag]
        for i in range(CARDS):
            face = f[i, LAGS + first :]
            for k in range(many - first):
                was[k] = v[face[k], LAGS + first - lag + k]
            row = table[CARDS * i : CARDS * (i + 1)]
            for k in range(many - first):
                row[was[k]] += 1
        table[CARDS * CARDS] += many - first


@jit
def lag_shifts(f: Columns, v: Columns, have: int, many: int, cells: Cells) -> None:
    # Few cells, hit in no order: four tables in turn, so that an addition seldom waits for the one before.
    four = np.zeros((4, 64), np.int64)
    moved = np.zeros(COLUMNS, np.uint8)
    for lag in range(1, LAGS + 1):
        first = max(0, lag - have)
        if first >= many:
            continue
        four[:] = 0
        for c in range(CARDS):
            now, then = v[c, LAGS + first :], v[c, LAGS + first - lag :]
            for k in range(many - first):
                step = np.uint8(now[k] - then[k])
                moved[k] = step if now[k] >= then[k] else np.uint8(step + np.uint8(CARDS))
            whole = (many - first) // 4 * 4
            for k in range(0, whole, 4):
                four[0, moved[k]] += 1
                four[1, moved[k + 1]] += 1
                four[2, moved[k + 2]] += 1
                four[3, moved[k + 3]] += 1
            for k in range(whole, many - first):
                four[0, moved[k]] += 1
        for shift in range(CARDS):
            cells[CARDS * (lag - 1) + shift] += four[0, shift] + four[1, shift] + four[2, shift] + four[3, shift]


@jit
def lag_order(f: Columns, v: Columns, have: int, many: int, cells: Cells) -> None:
    """The deck as places in an earlier one: its descents (first 52 cells of a lag) and successions (the other 52)."""
    last = np.zeros(COLUMNS, np.uint8)
    here = np.zeros(COLUMNS, np.uint8)
    falls = np.zeros(COLUMNS, np.uint8)
    steps = np.zeros(COLUMNS, np.uint8)
    for lag in range(1, LAGS + 1):
        first = max(0, lag - have)
        if first >= many:
            continue
        for k in range(many - first):
            falls[k] = 0
            steps[k] = 0
        for i in range(CARDS):
            face = f[i, LAGS + first :]
            for k in range(many - first):
                here[k] = v[face[k], LAGS + first - lag + k]
            if i:
                for k in range(many - first):
                    falls[k] += here[k] < last[k]
                    steps[k] += here[k] == np.uint8(last[k] + np.uint8(1))
            last, here = here, last
        row = cells[2 * CARDS * (lag - 1) : 2 * CARDS * lag]
        for k in range(many - first):
            row[falls[k]] += 1
            row[CARDS + np.int64(steps[k])] += 1


@jit
def lag_correlation(f: Columns, v: Columns, have: int, many: int, cells: Cells) -> None:
    now = np.zeros((CARDS, TILE), np.int16)
    then = np.zeros((CARDS, TILE), np.int16)
    for lag in range(1, LAGS + 1):
        row = 53 * (lag - 1)
        for start in range(LAGS + max(0, lag - have), LAGS + many, TILE):
            width = min(TILE, LAGS + many - start)
            _centred(f, start, width, now)
            _centred(f, start - lag, width, then)
            for i in range(CARDS):
                cells[row + i] += _products(now[i], then[i])
            cells[row + CARDS] += width


@jit
def serial(f: Columns, v: Columns, have: int, many: int, cells: Cells) -> None:
    now = np.zeros((CARDS, TILE), np.int16)
    then = np.zeros((CARDS, TILE), np.int16)
    for start in range(LAGS + (0 if have else 1), LAGS + many, TILE):
        width = min(TILE, LAGS + many - start)
        _centred(f, start, width, now)
        _centred(f, start - 1, width, then)
        for i in range(CARDS):
            for j in range(CARDS):
                cells[i * CARDS + j] += _products(then[i], now[j])


# ----- rows as they come ----------------------------------------------------------------------------------------------


@jit
def whole(rows: NDArray[np.uint8], good: NDArray[np.bool_]) -> int:
    """Mark the rows that hold each of the 52 faces once; how many do not."""
    one, bad = np.uint64(1), 0
    for k in range(rows.shape[0]):
        seen = np.uint64(0)
        highest = np.uint8(0)
        for i in range(CARDS):
            face = rows[k, i]
            seen |= one << np.uint64(face & np.uint8(63))
            highest = max(highest, face)
        good[k] = seen == (one << np.uint64(CARDS)) - one and highest < CARDS
        bad += not good[k]
    return bad


@jit
def hashes(words: NDArray[np.uint32], out: NDArray[np.uint64]) -> None:
    """The same mixing as `fingerprints.hashes`, a row at a time."""
    for k in range(words.shape[0]):
        h = np.uint64(0x9E3779B97F4A7C15)
        for i in range(words.shape[1]):
            h = (h ^ np.uint64(words[k, i])) * np.uint64(0xBF58476D1CE4E5B9)
            h ^= h >> np.uint64(29)
        h *= np.uint64(0x94D049BB133111EB)
        out[k] = h ^ (h >> np.uint64(32))


@jit
def rings(rows: NDArray[np.uint8], table: NDArray[np.uint64], out: NDArray[np.uint64]) -> None:
    """For each row the numbers of all neighbours, the last and the first among them."""
    for k in range(rows.shape[0]):
        total = table[rows[k, CARDS - 1], rows[k, 0]]
        for i in range(CARDS - 1):
            total += table[rows[k, i], rows[k, i + 1]]
        out[k] = total


@jit
def moves(
    rows: NDArray[np.uint8], orders: NDArray[np.uint8], table: NDArray[np.uint64], out: NDArray[np.uint64]
) -> None:
    """For each row the numbers of every card's place before and after."""
    place = np.zeros(CARDS, np.uint8)
    for k in range(rows.shape[0]):
        for i in range(CARDS):
            place[orders[k, i]] = i
        total = np.uint64(0)
        for i in range(CARDS):
            total += table[place[rows[k, i]], i]
        out[k] = total
