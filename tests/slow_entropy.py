"""The ten estimators of SP 800-90B 6.3 as the document's steps read, without a thought for time; for tests alone."""

import math
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

Z = 2.5758293035489008
Figures = dict[str, float]


def bound(p: float, n: int) -> float:
    return min(1.0, p + Z * math.sqrt(p * (1 - p) / (n - 1)))


def most_common_value(s: list[int], k: int) -> Figures:
    mode = Counter(s).most_common(1)[0][1]
    p_u = bound(mode / len(s), len(s))
    return {"Mode count": mode, "p-hat": mode / len(s), "p_u": p_u, "min entropy": -math.log2(p_u)}


def collision(s: list[int], k: int) -> Figures:
    t, start = [], 0
    for j in range(len(s)):
        if s[j] in s[start:j]:
            t.append(j - start + 1)
            start = j + 1
    v, mean = len(t), sum(t) / len(t)
    sigma = math.sqrt(sum((x - mean) ** 2 for x in t) / (v - 1))
    lower = max(2.0, mean - Z * sigma / math.sqrt(v))

    def expected(p: float) -> float:
        """Step 7: two equal bits, or two different ones and then any."""
        q = 1 - p
        return 2 * (p * p + q * q) + 3 * (2 * p * q)

    low, high = 0.5, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if expected(middle) > lower else (low, middle)
    p = high if expected(0.5) > lower else 0.5
    return {
        "v": v, "Sum t_i": sum(t), "X-bar": mean, "sigma-hat": sigma, "X-bar'": lower, "p": p,
        "min entropy": -math.log2(p),
    }  # fmt: skip


def markov(s: list[int], k: int) -> Figures:
    first = [s.count(bit) / len(s) for bit in (0, 1)]
    steps = Counter(pairwise(s))
    left = [sum(count for (a, _), count in steps.items() if a == bit) for bit in (0, 1)]
    chance = [[steps[a, b] / left[a] if left[a] else 0.0 for b in (0, 1)] for a in (0, 1)]
    best = 0.0
    for start in (0, 1):
        for pattern in ("stay", "alternate", "leave"):
            here, p = start, first[start]
            for step in range(127):
                there = {"stay": here, "alternate": 1 - here, "leave": 1 - start if step == 0 else here}[pattern]
                p *= chance[here][there]
                here = there
            best = max(best, p)
    return {
        "P_0": first[0], "P_1": first[1],
        **{f"P_{{{a},{b}}}": chance[a][b] for a in (0, 1) for b in (0, 1)},
        "p-hat_max": best, "min entropy": min(1.0, -math.log2(best) / 128),
    }  # fmt: skip


def compression(s: list[int], k: int) -> Figures:
    blocks = [tuple(s[6 * i : 6 * i + 6]) for i in range(len(s) // 6)]
    d, last, logs = 1000, {}, []
    for number, block in enumerate(blocks, 1):
        if number > d:
            logs.append(math.log2(number - last.get(block, 0)))
        last[block] = number
    v, mean = len(logs), sum(logs) / len(logs)
    sigma = 0.5907 * math.sqrt(sum(x * x for x in logs) / (v - 1) - mean * mean)
    lower = mean - Z * sigma / math.sqrt(v)

    def g(z: float) -> float:
        inner, total = 0.0, 0.0
        for t in range(1, len(blocks) + 1):
            if t > d:
                total += z * z * inner + z * (1 - z) ** (t - 1) * math.log2(t)
            inner += math.log2(t) * (1 - z) ** (t - 1)
        return total / v

    def expected(p: float) -> float:
        return g(p) + 63 * g((1 - p) / 63)

    low, high = 1 / 64, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if expected(middle) > lower else (low, middle)
    p = high if expected(1 / 64) > lower else 1 / 64
    return {"X-bar": mean, "sigma-hat": sigma, "X-bar'": lower, "p": p, "min entropy": -math.log2(p) / 6}


def tuple_counts(s: list[int], length: int) -> Counter[bytes]:
    data = bytes(s)
    return Counter(data[i : i + length] for i in range(len(data) - length + 1))


def t_tuple(s: list[int], k: int) -> Figures:
    t, best = 0, 0.0
    while max(tuple_counts(s, t + 1).values()) >= 35:
        t += 1
        best = max(best, (max(tuple_counts(s, t).values()) / (len(s) - t + 1)) ** (1 / t))
    return {"t": t, "p-hat_max": best, "p_u": bound(best, len(s)), "min entropy": -math.log2(bound(best, len(s)))}


def lrs(s: list[int], k: int) -> Figures:
    u = 1
    while max(tuple_counts(s, u).values()) >= 35:
        u += 1
    v, best = u, 0.0
    while max((counts := tuple_counts(s, v)).values()) >= 2:
        pairs = sum(c * (c - 1) // 2 for c in counts.values())
        strings = len(s) - v + 1
        best = max(best, (pairs / (strings * (strings - 1) / 2)) ** (1 / v))
        v += 1
    p_u = bound(best, len(s))
    return {"u": u, "v": v - 1, "p-hat": best, "p_u": p_u, "min entropy": -math.log2(p_u)}


def predicted(correct: list[bool], k: int) -> Figures:
    n, c = len(correct), sum(correct)
    longest = max(map(len, "".join("x" if hit else " " for hit in correct).split()), default=0)
    r, share = longest + 1, c / n
    upper = bound(share, n) if c else 1 - 0.01 ** (1 / n)
    figures: Figures = {"C": c, "r": r, "N": n, "P_global": share, "P_global'": upper}
    p = max(upper, 1 / k)

    def no_run(p: float) -> float:
        """The chance of no run of r hits among n, by the recurrence of the run's length."""
        x = 1.0
        for _ in range(66):
            x = 1 + (1 - p) * p**r * x ** (r + 1)
        return (1 - p * x) / ((r + 1 - r * x) * (1 - p)) * x ** -(n + 1.0)

    if p < 1 and no_run(p) > 0.99:
        low, high = p, 1.0
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if middle < r / (r + 1) and no_run(middle) > 0.99 else (low, middle)
        p = figures["P_local"] = high
    return {**figures, "min entropy": -math.log2(p)}


def multi_mcw(s: list[int], k: int) -> Figures:
    windows, scores, winner, correct = (63, 255, 1023, 4095), [0] * 4, 0, []
    for i in range(63, len(s)):
        guesses = []
        for w in windows:
            counts = Counter(s[i - w : i]) if i >= w else Counter()
            latest = {s[j]: j for j in range(max(0, i - w), i)}
            guesses.append(max(counts, key=lambda value: (counts[value], latest[value]), default=None))
        correct.append(guesses[winner] == s[i])
        for j, guess in enumerate(guesses):
            if guess == s[i]:
                scores[j] += 1
                winner = j if scores[j] >= scores[winner] else winner
    return predicted(correct, k)


def lag(s: list[int], k: int) -> Figures:
    scores, winner, correct = [0] * 128, 0, []
    for i in range(1, len(s)):
        guesses = [s[i - d] if i >= d else None for d in range(1, 129)]
        correct.append(guesses[winner] == s[i])
        for j, guess in enumerate(guesses):
            if guess == s[i]:
                scores[j] += 1
                winner = j if scores[j] >= scores[winner] else winner
    return predicted(correct, k)


def multi_mmc(s: list[int], k: int) -> Figures:
    models: list[dict[tuple[int, ...], Counter[int]]] = [{} for _ in range(17)]
    scores, winner, correct = [0] * 17, 1, []
    for i in range(2, len(s)):
        for d in range(1, min(16, i - 1) + 1):  # step 4a: what the sample before adds, before the next guess
            models[d].setdefault(tuple(s[i - d - 1 : i - 1]), Counter())[s[i - 1]] += 1
        guesses: list[int | None] = [None] * 17
        for d in range(1, min(16, i) + 1):
            after = models[d].get(tuple(s[i - d : i]))
            if after:
                guesses[d] = max(after, key=lambda y, after=after: (after[y], y))
        correct.append(guesses[winner] == s[i])
        for d in range(1, 17):
            if guesses[d] == s[i]:
                scores[d] += 1
                winner = d if scores[d] >= scores[winner] else winner
    return predicted(correct, k)


def lz78y(s: list[int], k: int) -> Figures:
    dictionary: dict[tuple[int, ...], Counter[int]] = {}
    correct = []
    for i in range(17, len(s)):
        for j in range(16, 0, -1):
            x = tuple(s[i - j - 1 : i - 1])
            if x not in dictionary and len(dictionary) < 65_536:
                dictionary[x] = Counter()
            if x in dictionary:
                dictionary[x][s[i - 1]] += 1
        guess, most = None, 0
        for j in range(16, 0, -1):
            after = dictionary.get(tuple(s[i - j : i]))
            if after:
                y = max(after, key=lambda y, after=after: (after[y], y))
                if after[y] > most:
                    guess, most = y, after[y]
        correct.append(guess == s[i])
    return predicted(correct, k)


Estimator = Callable[[list[int], int], Figures]

FOR_BITS: dict[str, Estimator] = {"Collision": collision, "Markov": markov, "Compression": compression}
FOR_ALL: dict[str, Estimator] = {
    "Most Common Value": most_common_value,
    "t-Tuple": t_tuple,
    "LRS": lrs,
    "MultiMCW": multi_mcw,
    "Lag": lag,
    "MultiMMC": multi_mmc,
    "LZ78Y": lz78y,
}


def figures(s: list[int], k: int) -> dict[str, Figures]:
    """Every estimator on samples 0 ... k - 1."""
    return {name: work(s, k) for name, work in {**FOR_ALL, **(FOR_BITS if k == 2 else {})}.items()}
