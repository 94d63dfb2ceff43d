"""The counting of every test on drawn numbers once more, slow and obvious: a list of draws in, the list of cells out.

The draws are one sequence. Folding, too, is written out here: numbers that fill no whole cell are left out.
"""

import cmath
import math
from collections import Counter
from itertools import combinations, pairwise


def folded(draws: list[int], bound: int, most: int, least: int = 2) -> tuple[list[int], int]:
    """The cells of the draws and the number of cells."""
    best_kept, cells = 0, 0
    for k in range(min(least, bound), min(most, bound) + 1):
        kept = k * (bound // k)
        if kept >= best_kept:
            best_kept, cells = kept, k
    width = bound // cells
    return [draw // width for draw in draws if draw < cells * width], cells


def in_groups(values: list[int], size: int) -> list[list[int]]:
    return [values[start : start + size] for start in range(0, len(values) - size + 1, size)]


def frequency(draws: list[int], bound: int) -> list[int]:
    values, k = folded(draws, bound, 1024)
    return [values.count(value) for value in range(k)]


def kolmogorov_smirnov(draws: list[int], bound: int) -> list[int]:
    values, k = folded(draws, bound, 128)
    return [values.count(value) for value in range(k)]


def serial(draws: list[int], bound: int) -> list[int]:
    values, k = folded(draws, bound, 32)
    seen = Counter((a, b) for a, b in in_groups(values, 2))
    return [seen[a, b] for a in range(k) for b in range(k)]


def adjacency(draws: list[int], bound: int) -> list[int]:
    values, k = folded(draws, bound, 64)
    seen = Counter((b - a) % k for a, b in pairwise(values))
    return [seen[step] for step in range(k)]


def sub_sequences(draws: list[int], bound: int) -> list[int]:
    cells = []
    whole = draws[: len(draws) // 12 * 12]
    for phase in range(12):
        values, k = folded(whole[phase::12], bound, 64)
        cells += [values.count(value) for value in range(k)]
    return cells


def overlaps(draws: list[int], bound: int) -> list[int]:
    values, k = folded(draws, bound, 8)
    seen = Counter(zip(values, values[1:], values[2:], strict=False))
    return [seen[a, b, c] for a in range(k) for b in range(k) for c in range(k)]


def gap(draws: list[int], bound: int) -> list[int]:
    values, k = folded(draws, bound, 64)
    marked = max(1, k // 4)
    most = math.ceil(math.log(1e-3) / math.log1p(-marked / k))
    cells, length = [0] * (most + 1), 0
    for value in values:
        if value < marked:
            cells[length] += 1
            length = 0
        else:
            length += 1
            if length == most:
                cells[most] += 1
                length = 0
    return cells


def coupon_collector(draws: list[int], bound: int) -> list[int]:
    values, k = folded(draws, bound, 16)
    most = math.ceil(k * (math.log(k) + 7))
    cells = [0] * (most - k + 2)
    album: list[int] = []
    for value in values:
        album.append(value)
        if len(set(album)) == k:
            cells[len(album) - k] += 1
            album = []
        elif len(album) == most:
            cells[-1] += 1
            album = []
    return cells


def runs_up(draws: list[int], bound: int) -> list[int]:
    most = min(8, bound)
    cells = [0] * most
    run: list[int] = []
    for draw in draws:
        if run and draw <= run[-1]:
            cells[len(run) - 1] += 1  # this draw ends the run and belongs to none
            run = []
            continue
        run.append(draw)
        if len(run) == most:
            cells[most - 1] += 1
            run = []
    return cells


def runs_down(draws: list[int], bound: int) -> list[int]:
    return runs_up([bound - 1 - draw for draw in draws], bound)


def runs_about_the_middle(draws: list[int], bound: int) -> list[int]:
    sides, _ = folded(draws, bound, 2)
    cells, stayed = [0] * 12, 0
    for before, now in pairwise(sides):
        if now != before:
            cells[stayed] += 1
            stayed = 0
        else:
            stayed += 1
            if stayed == 11:
                cells[11] += 1
                stayed = 0
    return cells


def poker(draws: list[int], bound: int) -> list[int]:
    values, _ = folded(draws, bound, 13)
    hands = Counter(tuple(sorted(Counter(hand).values(), reverse=True)) for hand in in_groups(values, 5))
    kinds = [(5,), (4, 1), (3, 2), (3, 1, 1), (2, 2, 1), (2, 1, 1, 1), (1, 1, 1, 1, 1)]
    return [hands[kind] for kind in kinds]


def permutation(draws: list[int], bound: int) -> list[int]:
    cells = [0] * 24
    for group in in_groups(draws, 4):
        if len(set(group)) == 4:
            smaller_later = [sum(group[j] < group[i] for j in range(i + 1, 4)) for i in range(3)]
            cells[smaller_later[0] * 6 + smaller_later[1] * 2 + smaller_later[2]] += 1
    return cells


def largest_of_five(draws: list[int], bound: int) -> list[int]:
    values, k = folded(draws, bound, 64)
    seen = Counter(max(group) for group in in_groups(values, 5))
    return [seen[value] for value in range(k)]


def smallest_of_five(draws: list[int], bound: int) -> list[int]:
    values, k = folded(draws, bound, 64)
    seen = Counter(min(group) for group in in_groups(values, 5))
    return [seen[value] for value in reversed(range(k))]


def duplicates(draws: list[int], bound: int) -> list[int]:
    values, k = folded(draws, bound, 4096, least=min(bound, 2048))
    size = max(3, int(math.sqrt(3 * k)))
    seen = Counter(size - len(set(group)) for group in in_groups(values, size))
    return [seen[number] for number in range(size)]


def poisson(draws: list[int], bound: int) -> list[int]:
    values, k = folded(draws, bound, 64)
    most = min(16, 4 * k)
    seen = Counter(min(most, group.count(number % k)) for number, group in enumerate(in_groups(values, 4 * k)))
    return [seen[number] for number in range(most + 1)]


def _cut(draws: list[int], bound: int) -> list[int]:
    cut = 0
    while (bound - 1) >> cut >= 4096:
        cut += 1
    return [draw >> cut for draw in draws]


def interplay_correlation(draws: list[int], bound: int) -> list[int]:
    games = in_groups(_cut(draws, bound), 5)
    pairs = list(combinations(range(5), 2))
    products = [sum(game[i] * game[j] for game in games) for i, j in pairs]
    sums = [sum(game[i] + game[j] for game in games) for i, j in pairs]
    return [*products, *sums, len(games)]


def serial_correlation(draws: list[int], bound: int) -> list[int]:
    values = _cut(draws, bound)
    starts = range(max(0, len(values) - 16))
    products = [sum(values[i] * values[i + lag] for i in starts) for lag in range(1, 17)]
    sums = [sum(values[i] + values[i + lag] for i in starts) for lag in range(1, 17)]
    return [*products, *sums, len(starts)]


def spectral(draws: list[int], bound: int) -> list[int]:
    every = _cut(list(range(bound)), bound)
    mean = sum(every) / bound
    variance = sum((value - mean) ** 2 for value in every) / bound
    cells, blocks = [0] * 513, in_groups(_cut(draws, bound), 1024)
    turns = [cmath.exp(-2j * math.pi * k / 1024) for k in range(1024)]
    for block in blocks:
        for frequency in range(513):
            wave = sum((value - mean) * turns[frequency * place % 1024] for place, value in enumerate(block))
            cells[frequency] += abs(wave) ** 2 > 2 * 1024 * variance
    return [*cells, len(blocks)]
