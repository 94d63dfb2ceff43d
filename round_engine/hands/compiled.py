"""The array look-ups as numba loops. Imported only when they run: importing this file imports numba.

Each function gives what its numpy twin in `arrays` gives, from the same tables.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def rank3_rows(cards, table, ranks):
    """Three faces a row, looked up in the 52 × 52 × 52 table laid flat."""
    for row in range(cards.shape[0]):
        first = np.intp(cards[row, 0]) * 2704
        ranks[row] = table[first + np.intp(cards[row, 1]) * 52 + np.intp(cards[row, 2])]


@njit(nogil=True, cache=True)
def best_five_rows(cards, card_keys, rank_by_sum, flush_suit_by_sum, rank_by_flush, rank_bits, no_flush, ranks):
    """Six faces a row: the sum of their keys, then one look-up, or that of the flush."""
    rank_mask = np.uint32((1 << rank_bits) - 1)
    for row in range(cards.shape[0]):
        key = card_keys[cards[row, 0]] + card_keys[cards[row, 1]] + card_keys[cards[row, 2]]
        key += card_keys[cards[row, 3]] + card_keys[cards[row, 4]] + card_keys[cards[row, 5]]
        suit = flush_suit_by_sum[key >> rank_bits]
        if suit == no_flush:
            ranks[row] = rank_by_sum[key & rank_mask]
        else:
            held = 0
            for column in range(6):
                face = cards[row, column]
                if face // 13 == suit:
                    held |= 1 << face % 13
            ranks[row] = rank_by_flush[held]
