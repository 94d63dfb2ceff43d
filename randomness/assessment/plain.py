"""The counts in plain Python and numpy: each function is one method of `engine.Engine`, written to be read.

A million samples take minutes here; `compiled` says the same in seconds.
"""

from collections import deque

import numpy as np

from randomness.assessment.engine import (
    DEEPEST,
    LAGS,
    MOST_PAIRS,
    MOST_STRINGS,
    WINDOWS,
    CollisionWaits,
    Counts,
    Depths,
    Hits,
    StringRepeats,
    Symbols,
)

__all__ = ["depths", "dictionary_hits", "lag_hits", "model_hits", "pieces", "repeats", "waits", "window_hits"]


def waits(bits: Symbols) -> CollisionWaits:
    values = bits.tolist()
    found: list[int] = []
    place = 0
    while place < len(values) - 1:
        wait = 2 if values[place] == values[place + 1] else 3
        if place + wait > len(values):
            break
        found.append(wait)
        place += wait
    return CollisionWaits(len(found), sum(found), sum(wait * wait for wait in found))


def pieces(samples: Symbols) -> Counts:
    found: list[int] = []
    seen: set[int] = set()
    for symbol in samples.tolist():
        if symbol in seen:
            found.append(len(seen) + 1)
            seen.clear()
        else:
            seen.add(symbol)
    return np.array(found, np.int64)


# --- strings ----------------------------------------------------------------------------------------------------------


def depths(samples: Symbols, alphabet: int) -> Depths:  # noqa: ARG001 (the compiled twin needs it)
    """Suffixes sorted by doubling (Manber and Myers), then compared in the order of the text (Kasai et al.)."""
    order, ranks = _sorted_suffixes(samples)
    n = len(samples)
    values = samples.tolist()
    found = np.zeros(n, np.int32)
    before = order.tolist()
    shared = 0
    for place, rank in enumerate(ranks.tolist()):
        if rank == 0:
            shared = 0
            continue
        other = before[rank - 1]
        while place + shared < n and other + shared < n and values[place + shared] == values[other + shared]:
            shared += 1
        found[rank] = shared
        shared = max(0, shared - 1)
    return found


def _sorted_suffixes(samples: Symbols) -> tuple[Counts, Counts]:
    n = len(samples)
    ranks = samples.astype(np.int64)
    known = 1
    while True:
        after = np.full(n, -1, np.int64)
        after[: n - known] = ranks[known:]
        order = np.lexsort((after, ranks))
        new = (np.diff(ranks[order]) != 0) | (np.diff(after[order]) != 0)
        ranks = np.empty(n, np.int64)
        ranks[order] = np.concatenate(([0], np.cumsum(new)))
        if ranks[order[-1]] == n - 1:
            return order, ranks
        known *= 2


def repeats(depths: Depths) -> StringRepeats:
    """A stretch of neighbours that share t samples and more is one string of length t."""
    longest = int(depths.max(initial=0))
    most, pairs = np.zeros(longest + 1, np.int64), np.zeros(longest + 1, np.int64)
    places = np.arange(len(depths))
    for length in range(1, longest + 1):
        places = places[depths[places] >= length]
        breaks = np.flatnonzero(np.diff(places) != 1) + 1
        sizes = np.diff(np.concatenate(([0], breaks, [len(places)]))) + 1
        most[length] = sizes.max()
        pairs[length] = (sizes * (sizes - 1) // 2).sum()
    return StringRepeats(most, pairs)


# --- predictors -------------------------------------------------------------------------------------------------------


class _Score:
    """Hits, and the longest run of them."""

    def __init__(self) -> None:
        self.correct = self.longest = self._run = 0

    def add(self, right: bool) -> None:
        self._run = self._run + 1 if right else 0
        self.correct += right
        self.longest = max(self.longest, self._run)

    @property
    def hits(self) -> Hits:
        return Hits(self.correct, self.longest)


class _Followers:
    """How often each symbol followed one string; of equals the largest is the guess."""

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self.best, self.guess = 0, -1

    def add(self, symbol: int) -> None:
        count = self.counts[symbol] = self.counts.get(symbol, 0) + 1
        if (count, symbol) > (self.best, self.guess):
            self.best, self.guess = count, symbol


def window_hits(samples: Symbols, alphabet: int) -> Hits:
    """Of samples equally common in a window the latest is the guess."""
    values = samples.tolist()
    counts = [[0] * alphabet for _ in WINDOWS]
    last = [0] * alphabet
    guesses: list[int | None] = [None] * len(WINDOWS)
    scores = [0] * len(WINDOWS)
    winner = 0
    score = _Score()
    for place, symbol in enumerate(values):
        if place >= WINDOWS[0]:
            score.add(guesses[winner] == symbol)
            for number, guess in enumerate(guesses):
                if guess == symbol:
                    scores[number] += 1
                    if scores[number] >= scores[winner]:
                        winner = number
        last[symbol] = place
        for number, size in enumerate(WINDOWS):
            seen = counts[number]
            seen[symbol] += 1
            gone = values[place - size] if place >= size else None
            if gone is not None:
                seen[gone] -= 1
            if place + 1 >= size:
                guess = guesses[number]
                if guess is None or gone == guess:
                    guesses[number] = max(range(alphabet), key=lambda each: (seen[each], last[each]))
                elif seen[symbol] >= seen[guess]:
                    guesses[number] = symbol
    return score.hits


def lag_hits(samples: Symbols, alphabet: int) -> Hits:  # noqa: ARG001 (one signature for every predictor)
    values = samples.tolist()
    scores = [0] * LAGS
    winner = 0
    score = _Score()
    recent: deque[int] = deque(maxlen=LAGS)
    for symbol in values:
        if recent:
            score.add(winner < len(recent) and recent[winner] == symbol)
            for lag, before in enumerate(recent):
                if before == symbol:
                    scores[lag] += 1
                    if scores[lag] >= scores[winner]:
                        winner = lag
        recent.appendleft(symbol)
    return score.hits


def model_hits(samples: Symbols, alphabet: int) -> Hits:  # noqa: ARG001
    """Model d looks d + 1 samples back. Where a model does not know the string, longer ones do not either."""
    values = samples.tobytes()
    models: list[dict[bytes, _Followers]] = [{} for _ in range(DEEPEST)]
    pairs = [0] * DEEPEST
    scores = [0] * DEEPEST
    winner = 0
    score = _Score()
    for d in range(min(DEEPEST, len(values) - 2)):
        followers = models[d][values[: d + 1]] = _Followers()
        followers.add(values[d + 1])
        pairs[d] = 1
    for place in range(2, len(values)):
        symbol = values[place]
        chosen = winner
        known = True
        for d in range(min(DEEPEST, place - 1)):
            string = values[place - d - 1 : place]
            found = models[d].get(string) if known else None
            known = found is not None
            room = pairs[d] < MOST_PAIRS
            if found is not None:
                right = found.guess == symbol
                if right:
                    scores[d] += 1
                    if scores[d] >= scores[winner]:
                        winner = d
                if d == chosen:
                    score.add(right)
                if symbol in found.counts:
                    found.add(symbol)
                elif room:
                    found.add(symbol)
                    pairs[d] += 1
            elif room:
                models[d].setdefault(string, _Followers()).add(symbol)
                pairs[d] += 1
    return score.hits


def dictionary_hits(samples: Symbols, alphabet: int) -> Hits:  # noqa: ARG001
    """The longest of the strings whose commonest follower came most often makes the guess."""
    values = samples.tobytes()
    dictionary: dict[bytes, _Followers] = {}
    score = _Score()
    for place in range(DEEPEST, len(values)):
        symbol = values[place]
        best, guess = 0, -1
        for length in range(DEEPEST, 0, -1):
            string = values[place - length : place]
            found = dictionary.get(string)
            if found is not None:
                if found.best > best:
                    best, guess = found.best, found.guess
            elif len(dictionary) < MOST_STRINGS:
                found = dictionary[string] = _Followers()
            else:
                continue
            found.add(symbol)
        if place > DEEPEST:
            score.add(guess == symbol)
    return score.hits
