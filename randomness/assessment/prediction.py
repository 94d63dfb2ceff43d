"""SP 800-90B 6.3.7 to 6.3.10: what a predictor's hits say, all of them (global) and the longest run of them (local)."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from randomness.assessment.bounds import entropy, upper_bound
from randomness.assessment.engine import DEEPEST, WINDOWS, EntropyEngine, Hits, Symbols
from randomness.assessment.estimate import Estimate, refused
from randomness.assessment.samples import Series

_ALPHA = 0.99
_MOST_STEPS = 66  # of the fixed point of step 8, as NIST's tool takes; it starts at 1 and rises
_CLOSE = 2.0**-63
_SMALLEST = 2.0**-1022


@dataclass(frozen=True, kw_only=True)
class Predictor:
    """A predictor, how many samples pass before its first guess, and the fewest that it takes."""

    name: str
    section: str
    before: int
    least: int
    hits: Callable[[EntropyEngine, Symbols, int], Hits]

    def estimate(self, series: Series) -> Estimate:
        """The predictor over the whole series."""
        if len(series) < self.least:
            unmet = f"{len(series):,} samples; the estimate needs {self.least:,} at the least"
            return refused(self.name, self.section, unmet)
        hits = self.hits(series.engine, series.values, series.alphabet)
        return judged(self.name, self.section, hits, len(series) - self.before, series.alphabet)


# fmt: off
PREDICTORS = (
    Predictor(name="MultiMCW", section="6.3.7", before=WINDOWS[0], least=WINDOWS[-1] + 1,
              hits=lambda engine, values, alphabet: engine.window_hits(values, alphabet)),
    Predictor(name="Lag", section="6.3.8", before=1, least=3,
              hits=lambda engine, values, alphabet: engine.lag_hits(values, alphabet)),
    Predictor(name="MultiMMC", section="6.3.9", before=2, least=DEEPEST + 2,
              hits=lambda engine, values, alphabet: engine.model_hits(values, alphabet)),
    Predictor(name="LZ78Y", section="6.3.10", before=DEEPEST + 1, least=DEEPEST + 3,
              hits=lambda engine, values, alphabet: engine.dictionary_hits(values, alphabet)),
)
# fmt: on


def judged(name: str, section: str, hits: Hits, guesses: int, alphabet: int) -> Estimate:
    """The larger of the bound on the share of hits and the chance that makes so long a run likely."""
    share = hits.correct / guesses
    bound = upper_bound(share, guesses) if hits.correct else 1.0 - (1.0 - _ALPHA) ** (1.0 / guesses)
    chance = max(1.0 / alphabet, bound)
    figures = {"C": hits.correct, "r": hits.longest + 1, "N": guesses, "P_global": share, "P_global'": bound}
    if chance < 1.0 and log_no_run(chance, hits.longest + 1, guesses) > math.log(_ALPHA):
        chance = figures["P_local"] = _local_chance(chance, hits.longest + 1, guesses)
    return Estimate(name=name, section=section, figures=figures, min_entropy=entropy(chance))


def _local_chance(low: float, run: int, guesses: int) -> float:
    """The chance at which no run of that length has probability 0.99, by bisection from `low` up."""
    high = 1.0
    while True:
        middle = (low + high) / 2.0
        if not low < middle < high:
            return high
        if log_no_run(middle, run, guesses) > math.log(_ALPHA):
            low = middle
        else:
            high = middle


def log_no_run(p: float, run: int, guesses: int) -> float:
    """The logarithm of step 8 (Feller): no run of `run` hits of chance p among the guesses.

    The root x = 1 + q p^r x^(r+1) lies just above 1, so all is said of x - 1, which loses no digits.
    """
    q = 1.0 - p
    factor = q * math.exp(max(run * math.log(p), math.log(_SMALLEST)))
    above, last = 0.0, -1.0
    for _ in range(_MOST_STEPS):
        if above - last <= _CLOSE * (1.0 + above):
            break
        last = above
        above = factor * math.exp(min((run + 1.0) * math.log1p(above), 700.0))
    rest = q - p * above
    slack = (1.0 - run * above) * q
    if rest <= 0.0 or slack <= 0.0:
        return -math.inf
    return math.log(rest) - math.log(slack) - (guesses + 1.0) * math.log1p(above)
