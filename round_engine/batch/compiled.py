"""Whole rounds as one numba loop. Imported only when it runs: importing this file imports numba.

It gives what `reading` and `settling` give with numpy, from the same tables.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from numba import njit

FINE = -1


@njit(nogil=True, cache=True)
def settle_block(
    decks, step, stride, picked, paying_table, key_table, kind_by_paying, plays_by_rank, has_ante, must_fold,
    category_by_sum, flush_suit_by_sum, category_by_flush, net_by_cell, numbers, paying, ranks, dealer_ranks, folded,
    cells, net,
):  # fmt: skip
    """Fill the last six arrays from the decks; the first round that holds no hands, or `FINE`.

    Card c of hand h is at `h * step + c * stride`. `numbers`: see `settling`.
    """
    top_rank, not_a_hand, least, pair_rank, rank_bits, no_flush, categories, states, per_pattern = numbers
    rank_mask = np.uint32((1 << rank_bits) - 1)
    seats = ranks.shape[1]
    for row in range(decks.shape[0]):
        deck = decks[row]
        for hand in range(seats + 1):
            for card in range(3):
                if deck[hand * step + card * stride] > 51:
                    return row
        at = seats * step
        place = (np.intp(deck[at]) * 52 + np.intp(deck[at + stride])) * 52 + np.intp(deck[at + 2 * stride])
        if paying_table[place] == not_a_hand:
            return row
        dealer = min(np.int64(paying_table[place]), top_rank)
        dealer_key = key_table[place]
        dealer_ranks[row] = dealer
        for spot in range(seats):
            start = spot * step
            one, two, three = deck[start], deck[start + stride], deck[start + 2 * stride]
            place = (np.intp(one) * 52 + np.intp(two)) * 52 + np.intp(three)
            pays = np.int64(paying_table[place])
            if pays == not_a_hand:
                return row
            rank = min(pays, top_rank)
            pattern = picked[row, spot]
            gone = has_ante[pattern] and not plays_by_rank[rank]
            if must_fold[pattern] and rank < pair_rank:
                gone = True
            state = states // 2 if gone else 0
            if dealer >= least:
                state += 1 if rank > dealer else 2 if rank == dealer else 3
            cell = np.int64(kind_by_paying[pays]) * states + state
            if categories > 1:
                key = key_table[place] + dealer_key
                suit = flush_suit_by_sum[key >> rank_bits]
                if suit == no_flush:
                    category = category_by_sum[key & rank_mask]
                else:
                    held = 0
                    for card in range(3):
                        face = deck[start + card * stride]
                        if face // 13 == suit:
                            held |= 1 << face % 13
                        face = deck[at + card * stride]
                        if face // 13 == suit:
                            held |= 1 << face % 13
                    category = category_by_flush[held]
                cell = cell * categories + category
            cell += pattern * per_pattern
            paying[row, spot] = pays
            ranks[row, spot] = rank
            folded[row, spot] = gone
            cells[row, spot] = cell
            net[row, spot] = net_by_cell[cell]
    return FINE
