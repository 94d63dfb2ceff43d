"""SP 800-90B 6.3.5 and 6.3.6: strings that occur 35 times and more, and the longest repeated ones."""

import math

import numpy as np

from randomness.assessment.bounds import entropy, upper_bound
from randomness.assessment.engine import StringRepeats
from randomness.assessment.estimate import Estimate, refused
from randomness.assessment.samples import Series

T_TUPLE, T_TUPLE_SECTION = "t-Tuple", "6.3.5"
LRS, LRS_SECTION = "LRS", "6.3.6"

_OFTEN = 35


def tuples(series: Series) -> tuple[Estimate, Estimate]:
    """Both estimates; strings shorter than some length are for the first, all longer ones for the second."""
    n = len(series)
    repeats = series.engine.repeats(series.engine.depths(series.values, series.alphabet))
    rare = np.flatnonzero(repeats.most[1:] < _OFTEN)
    first_rare = int(rare[0]) + 1 if rare.size else repeats.most.size
    return _t_tuple(n, repeats, first_rare), _longest_repeats(n, repeats, first_rare)


def _t_tuple(n: int, repeats: StringRepeats, first_rare: int) -> Estimate:
    """The commonest string of each length below `first_rare`, its chance a sample."""
    if first_rare == 1:
        return refused(T_TUPLE, T_TUPLE_SECTION, f"no sample occurs {_OFTEN} times")
    chance = max((int(repeats.most[t]) / (n - t + 1)) ** (1.0 / t) for t in range(1, first_rare))
    bound = upper_bound(chance, n)
    return Estimate(
        name=T_TUPLE,
        section=T_TUPLE_SECTION,
        figures={"t": first_rare - 1, "p-hat_max": chance, "p_u": bound},
        min_entropy=entropy(bound),
    )


def _longest_repeats(n: int, repeats: StringRepeats, first_rare: int) -> Estimate:
    """How often two strings of one length are equal, its chance a sample, for lengths up to the longest repeat."""
    longest = repeats.most.size - 1
    if longest < first_rare:
        return refused(LRS, LRS_SECTION, f"no string occurs twice but those that occur {_OFTEN} times")
    lengths = np.arange(first_rare, longest + 1)
    pairs = repeats.pairs[lengths].astype(np.float64)
    choices = (n - lengths) * (n - lengths + 1.0) / 2.0
    chance = math.exp(float((np.log(pairs / choices) / lengths).max()))
    bound = upper_bound(min(1.0, chance), n)
    return Estimate(
        name=LRS,
        section=LRS_SECTION,
        figures={"u": first_rare, "v": longest, "p-hat": chance, "p_u": bound},
        min_entropy=entropy(bound),
    )
