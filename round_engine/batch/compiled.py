"""Whole rounds as one numba loop. Imported only when it runs: importing this file imports numba.

It gives what `reading`, `settling` and `meters` give with numpy. Its tables are small enough for the first cache, but
for the one that names a best five.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from numba import njit

FINE = -1


@njit(nogil=True, cache=True)
def settle_block(
    decks, step, stride, picked, rank_by_cards, card_keys, kind_by_paying, plays_by_rank, has_ante, folds_below,
    category_by_sum, flush_suit_by_sum, category_by_flush, net_by_cell, numbers, paying, ranks, dealer_ranks, folded,
    cells, net,
):  # fmt: skip
    """Fill the last six arrays from the decks; the first round that holds no hands, or `FINE`.

    Card c of hand h is at `h * step + c * stride`. `rank_by_cards` is by suited × 13³ card ranks. `paying` may have no
    rows where nobody asks for it. `numbers`: see `settling`.
    """
    top_rank, least, rank_bits, no_flush, categories, states, per_pattern = numbers
    rank_mask = np.uint32((1 << rank_bits) - 1)
    seats = ranks.shape[1]
    keep_paying = paying.shape[0] > 0
    for row in range(decks.shape[0]):
        deck = decks[row]
        dealer = 0
        dealer_key = np.uint32(0)
        seen = np.uint64(0)
        for hand in range(seats, -1, -1):
            start = hand * step
            one, two, three = np.intp(deck[start]), np.intp(deck[start + stride]), np.intp(deck[start + 2 * stride])
            if max(one, two, three) > 51:
                return row
            for face in (one, two, three):
                bit = np.uint64(1) << np.uint64(face)
                if seen & bit:
                    return row
                seen |= bit
            suit_one = one // 13
            suited = suit_one == two // 13 and suit_one == three // 13
            place = (one % 13) * 169 + (two % 13) * 13 + three % 13
            rank = np.intp(rank_by_cards[place + (2197 if suited else 0)])
            key = card_keys[one] + card_keys[two] + card_keys[three]
            if hand == seats:
                dealer = rank
                dealer_key = key
                dealer_ranks[row] = rank
                continue
            pays = rank + 1 if rank == top_rank and suit_one == 3 else rank
            pattern = picked[row, hand]
            gone = has_ante[pattern] and not plays_by_rank[rank]
            if rank < folds_below[pattern]:
                gone = True
            state = states // 2 if gone else 0
            if dealer >= least:
                state += 1 if rank > dealer else 2 if rank == dealer else 3
            cell = np.intp(kind_by_paying[pays]) * states + state
            if categories > 1:
                key += dealer_key
                suit = flush_suit_by_sum[key >> rank_bits]
                if suit == no_flush:
                    category = category_by_sum[key & rank_mask]
                else:
                    held = 0
                    for card in range(3):
                        face = deck[start + card * stride]
                        if face // 13 == suit:
                            held |= 1 << face % 13
                        face = deck[seats * step + card * stride]
                        if face // 13 == suit:
                            held |= 1 << face % 13
                    category = category_by_flush[held]
                cell = cell * categories + category
            cell += pattern * per_pattern
            if keep_paying:
                paying[row, hand] = pays
            ranks[row, hand] = rank
            folded[row, hand] = gone
            cells[row, hand] = cell
            net[row, hand] = net_by_cell[cell]
    return FINE


@njit(nogil=True, cache=True)
def meter_block(
    places, folded, picked, lit_pattern, tray, rare, strict, any_hand_rare, stake, net, total, lit_spots, rare_rounds,
):  # fmt: skip
    """One metered wager: results from the tray, lit spots, and the rounds to be played one by one; how many those are.

    `places` are the values of the wager's aspect. `strict`: folded hands win nothing.
    `any_hand_rare`: hands without the wager can trigger envy.
    """
    found = 0
    for row in range(places.shape[0]):
        lit_here = 0
        is_rare = False
        for spot in range(places.shape[1]):
            place = np.intp(places[row, spot])
            lit = lit_pattern[picked[row, spot]]
            is_rare |= rare[place] and (lit or any_hand_rare)
            result = 0
            if lit:
                lit_here += 1
                result = -stake
                if not (strict and folded[row, spot]):
                    result += tray[place]
            net[row, spot] = result
            total[row, spot] += result
        lit_spots[row] = lit_here
        if is_rare:
            rare_rounds[found] = row
            found += 1
    return found
