"""The fifteen tests once more, slow and obvious: plain Python, step by step as SP 800-22 rev. 1a section 2 writes them.

Each takes a list of zeros and ones and gives its p-values in the order of its quick twin. Nothing is shared with the
quick path but the published tables and the tail functions. No least length is enforced.
"""

import cmath
import math
from collections import Counter
from collections.abc import Sequence

from randomness.bits.complexity import PROBABILITIES
from randomness.bits.maurer import UNIVERSAL_LAWS
from randomness.bits.run_lengths import longest_run_law
from randomness.special import gamma_tail, normal_below

Sequence01 = Sequence[int]


def frequency(bits: Sequence01) -> tuple[float]:
    total = sum(1 if bit else -1 for bit in bits)
    return (math.erfc(abs(total) / math.sqrt(len(bits)) / math.sqrt(2)),)


def block_frequency(bits: Sequence01, block: int = 128) -> tuple[float]:
    blocks = [bits[start : start + block] for start in range(0, len(bits) - block + 1, block)]
    statistic = 4 * block * sum((sum(one) / block - 0.5) ** 2 for one in blocks)
    return (gamma_tail(len(blocks) / 2, statistic / 2),)


def runs(bits: Sequence01) -> tuple[float]:
    n = len(bits)
    share = sum(bits) / n
    if abs(share - 0.5) >= 2 / math.sqrt(n):
        return (0.0,)
    number = 1 + sum(bits[k] != bits[k + 1] for k in range(n - 1))
    distance = abs(number - 2 * n * share * (1 - share))
    return (math.erfc(distance / (2 * math.sqrt(2 * n) * share * (1 - share))),)


def longest_run(bits: Sequence01) -> tuple[float]:
    law = longest_run_law(len(bits))
    seen = [0] * len(law.probabilities)
    blocks = len(bits) // law.block
    for b in range(blocks):
        text = "".join(map(str, bits[b * law.block : (b + 1) * law.block]))
        longest = max(len(run) for run in text.split("0"))
        seen[min(max(longest, law.shortest), law.shortest + len(seen) - 1) - law.shortest] += 1
    statistic = sum((v - blocks * p) ** 2 / (blocks * p) for v, p in zip(seen, law.probabilities, strict=True))
    return (gamma_tail((len(seen) - 1) / 2, statistic / 2),)


def rank(bits: Sequence01, rows: int = 32, columns: int = 32) -> tuple[float]:
    size = rows * columns
    found = Counter(
        _rank([list(bits[start + r * columns : start + (r + 1) * columns]) for r in range(rows)])
        for start in range(0, len(bits) - size + 1, size)
    )
    total, full = found.total(), min(rows, columns)
    chances = [_rank_chance(rows, columns, full), _rank_chance(rows, columns, full - 1)]
    seen = [found[full], found[full - 1]]
    chances.append(1 - sum(chances))
    seen.append(total - sum(seen))
    statistic = sum((v - total * p) ** 2 / (total * p) for v, p in zip(seen, chances, strict=True))
    return (math.exp(-statistic / 2),)


def _rank(matrix: list[list[int]]) -> int:
    """Gaussian elimination, column by column."""
    found = 0
    for column in range(len(matrix[0])):
        pivot = next((r for r in range(found, len(matrix)) if matrix[r][column]), None)
        if pivot is None:
            continue
        matrix[found], matrix[pivot] = matrix[pivot], matrix[found]
        for r in range(found + 1, len(matrix)):
            if matrix[r][column]:
                matrix[r] = [a ^ b for a, b in zip(matrix[r], matrix[found], strict=True)]
        found += 1
    return found


def _rank_chance(rows: int, columns: int, rank: int) -> float:
    """Matrices of this rank, counted: subspaces of the row space times maps onto them."""
    count = 1.0
    for i in range(rank):
        count *= (2.0**rows - 2.0**i) * (2.0**columns - 2.0**i) / (2.0**rank - 2.0**i) / 2.0 ** (rows + columns - rank)
    return count * math.pow(2.0, rank * (rows + columns - rank) - rows * columns)


def spectral(bits: Sequence01) -> tuple[float]:
    n = len(bits)
    turns = [cmath.exp(-2j * math.pi * k / n) for k in range(n)]
    below = 0
    for j in range(n // 2):
        peak = abs(sum(turns[j * k % n] if bit else -turns[j * k % n] for k, bit in enumerate(bits)))
        below += peak < math.sqrt(math.log(1 / 0.05) * n)
    distance = (below - 0.95 * n / 2) / math.sqrt(n * 0.95 * 0.05 / 4)
    return (math.erfc(abs(distance) / math.sqrt(2)),)


def non_overlapping_template(
    bits: Sequence01, templates: Sequence[str] | None = None, blocks: int = 8
) -> tuple[float, ...]:
    return tuple(
        _scan_and_skip(bits, template, blocks) for template in (_no_self_overlap(9) if templates is None else templates)
    )


def _no_self_overlap(length: int) -> list[str]:
    words = [format(number, f"0{length}b") for number in range(2**length)]
    return [word for word in words if not any(word.startswith(word[-k:]) for k in range(1, length))]


def _scan_and_skip(bits: Sequence01, template: str, blocks: int) -> float:
    m, block = len(template), len(bits) // blocks
    mean = (block - m + 1) / 2**m
    variance = block * (1 / 2**m - (2 * m - 1) / 2 ** (2 * m))
    statistic = 0.0
    for b in range(blocks):
        text = "".join(map(str, bits[b * block : (b + 1) * block]))
        found = place = 0
        while place <= block - m:
            if text[place : place + m] == template:
                found += 1
                place += m
            else:
                place += 1
        statistic += (found - mean) ** 2 / variance
    return gamma_tail(blocks / 2, statistic / 2)


def overlapping_template(bits: Sequence01, length: int = 9, block: int = 1032) -> tuple[float]:
    seen = [0] * 6
    blocks = len(bits) // block
    for b in range(blocks):
        text = "".join(map(str, bits[b * block : (b + 1) * block]))
        seen[min(5, sum(text[i : i + length] == "1" * length for i in range(block - length + 1)))] += 1
    eta = (block - length + 1) / 2**length / 2
    chances = [math.exp(-eta)]
    for u in range(1, 5):  # section 3.8
        terms = (math.comb(u - 1, k - 1) * eta**k / math.factorial(k) for k in range(1, u + 1))
        chances.append(math.exp(-eta) / 2**u * sum(terms))
    chances.append(1 - sum(chances))
    statistic = sum((v - blocks * p) ** 2 / (blocks * p) for v, p in zip(seen, chances, strict=True))
    return (gamma_tail(5 / 2, statistic / 2),)


def universal(bits: Sequence01, length: int | None = None, warm_up: int | None = None) -> tuple[float]:
    rows = [row for row in UNIVERSAL_LAWS if (len(bits) >= row.least_bits if length is None else row.length == length)]
    law = rows[-1]
    first = 10 * 2**law.length if warm_up is None else warm_up
    last_seen: dict[tuple[int, ...], int] = {}
    logs = []
    for number in range(1, len(bits) // law.length + 1):
        word = tuple(bits[(number - 1) * law.length : number * law.length])
        if number > first:
            logs.append(math.log2(number - last_seen.get(word, 0)))
        last_seen[word] = number
    tested = len(logs)
    c = 0.7 - 0.8 / law.length + (4 + 32 / law.length) * tested ** (-3 / law.length) / 15
    sigma = c * math.sqrt(law.variance / tested)
    return (math.erfc(abs(sum(logs) / tested - law.mean) / (math.sqrt(2) * sigma)),)


def linear_complexity(bits: Sequence01, block: int = 500) -> tuple[float]:
    seen = [0] * 7
    blocks = len(bits) // block
    mean = block / 2 + (9 + (-1) ** (block + 1)) / 36 - (block / 3 + 2 / 9) / 2**block
    for b in range(blocks):
        t = (-1) ** block * (berlekamp_massey(bits[b * block : (b + 1) * block]) - mean) + 2 / 9
        bounds = (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)
        seen[next((i for i, bound in enumerate(bounds) if t <= bound), 6)] += 1
    statistic = sum((v - blocks * p) ** 2 / (blocks * p) for v, p in zip(seen, PROBABILITIES, strict=True))
    return (gamma_tail(6 / 2, statistic / 2),)


def berlekamp_massey(bits: Sequence01) -> int:
    """The length of the shortest register that makes the bits (J. L. Massey, IEEE Trans. Inf. Theory 15, 1969)."""
    n = len(bits)
    register, before = [1] + [0] * n, [1] + [0] * n
    length, changed = 0, -1
    for place in range(n):
        wrong = sum(register[i] & bits[place - i] for i in range(length + 1)) % 2
        if wrong:
            old = register.copy()
            shift = place - changed
            for j in range(n + 1 - shift):
                register[j + shift] ^= before[j]
            if 2 * length <= place:
                length, changed, before = place + 1 - length, place, old
    return length


def congruential(bits: Sequence01) -> tuple[float]:
    """Not in the standard: the largest divisor, for the size of its words, that eight determinants have in common."""
    best, tried = (0.0, 1), 0
    for size in range(16, 65):
        for offset in range(size):
            for swapped in (False, True):
                if swapped and (size % 8 or offset % 8):
                    continue
                tried += 1
                texts = ["".join(map(str, bits[offset + size * i : offset + size * (i + 1)])) for i in range(11)]
                if swapped:
                    texts = ["".join(text[i : i + 8] for i in range(size - 8, -1, -8)) for text in texts]
                x = [int(text, 2) for text in texts]
                t = [x[i + 1] - x[i] for i in range(10)]
                divisor = math.gcd(*(t[i] * t[i + 2] - t[i + 1] ** 2 for i in range(8))) or 2**size
                best = max(best, (math.log2(divisor) / size, divisor), key=lambda one: one[0])
    return (min(1.0, tried / float(best[1]) ** 3 / 3),)


def word_complexity(bits: Sequence01, words: int = 40_960, most_words: int = 140_000) -> tuple[float]:
    """Not in the standard: the shortest register for one bit of each word, and how many of all sequences have one."""
    places = [(8, 0), (8, 7), (32, 0), (32, 7), (32, 24), (32, 31), (64, 0), (64, 7), (64, 56), (64, 63)]
    chances = []
    for size, bit in places:
        n = min(most_words, len(bits) // size)
        if n >= words:
            least = berlekamp_massey(bits[bit : size * n : size])
            sequences = sum(2 ** min(2 * some - 1, 2 * n - 2 * some) if some else 1 for some in range(least + 1))
            chances.append(sequences / 2**n)
    return (min(1.0, len(chances) * min(chances)),)


def serial(bits: Sequence01, length: int = 16) -> tuple[float, float]:
    psi = [_psi_square(bits, length - shorter) for shorter in range(3)]
    return (
        gamma_tail(2.0 ** (length - 2), (psi[0] - psi[1]) / 2),
        gamma_tail(2.0 ** (length - 3), (psi[0] - 2 * psi[1] + psi[2]) / 2),
    )


def _circular(bits: Sequence01, length: int) -> Counter[str]:
    n = len(bits)
    text = "".join(map(str, bits)) + "".join(str(bits[i % n]) for i in range(length - 1))
    return Counter(text[i : i + length] for i in range(n))


def _psi_square(bits: Sequence01, length: int) -> float:
    if length == 0:
        return 0.0
    squares = sum(v * v for v in _circular(bits, length).values())
    return math.pow(2, length) / len(bits) * squares - len(bits)


def approximate_entropy(bits: Sequence01, length: int = 10) -> tuple[float]:
    n = len(bits)
    phi = [sum(v / n * math.log(v / n) for v in _circular(bits, m).values()) for m in (length, length + 1)]
    return (gamma_tail(2.0 ** (length - 1), n * (math.log(2) - (phi[0] - phi[1]))),)


def cumulative_sums(bits: Sequence01) -> tuple[float, float]:
    return _farthest(bits), _farthest(bits[::-1])


def _farthest(bits: Sequence01) -> float:
    n = len(bits)
    here = farthest = 0
    for bit in bits:
        here += 1 if bit else -1
        farthest = max(farthest, abs(here))
    z, root = farthest, math.sqrt(n)
    first = range(math.ceil((-n / z + 1) / 4), math.floor((n / z - 1) / 4) + 1)
    second = range(math.ceil((-n / z - 3) / 4), math.floor((n / z - 1) / 4) + 1)
    return (
        1
        - sum(normal_below((4 * k + 1) * z / root) - normal_below((4 * k - 1) * z / root) for k in first)
        + sum(normal_below((4 * k + 3) * z / root) - normal_below((4 * k + 1) * z / root) for k in second)
    )


def _cycles(bits: Sequence01) -> list[list[int]]:
    """The walk cut at its returns to 0; the unfinished rest, if any, is a cycle too."""
    cycles: list[list[int]] = [[]]
    here = 0
    for bit in bits:
        here += 1 if bit else -1
        cycles[-1].append(here)
        if here == 0:
            cycles.append([])
    return cycles if cycles[-1] else cycles[:-1]


def random_excursions(bits: Sequence01) -> tuple[float, ...]:
    cycles = _cycles(bits)
    p_values = []
    for state in (-4, -3, -2, -1, 1, 2, 3, 4):
        seen = Counter(min(5, cycle.count(state)) for cycle in cycles)
        x = abs(state)
        chances = [1 - 1 / (2 * x)] + [1 / (4 * x * x) * (1 - 1 / (2 * x)) ** (k - 1) for k in range(1, 5)]
        chances.append(1 / (2 * x) * (1 - 1 / (2 * x)) ** 4)
        statistic = sum((seen[k] - len(cycles) * p) ** 2 / (len(cycles) * p) for k, p in enumerate(chances))
        p_values.append(gamma_tail(5 / 2, statistic / 2))
    return tuple(p_values)


def random_excursions_variant(bits: Sequence01) -> tuple[float, ...]:
    cycles = _cycles(bits)
    j = len(cycles)
    visits = Counter(level for cycle in cycles for level in cycle)
    return tuple(
        math.erfc(abs(visits[state] - j) / math.sqrt(2 * j * (4 * abs(state) - 2)))
        for state in range(-9, 10)
        if state != 0
    )
