"""SP 800-90B 3.1.4: the first 1,000 samples after each of 1,000 restarts, one restart a row.

The sanity check asks whether some value is too frequent in one row or column. Its cut-off is exact here (the standard
and NIST's tool simulate it): the quantile of the largest count among 1,000 samples of the law that, for its entropy,
has the most likeliest values. Then rows and columns are assessed as series of their own.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from randomness.assessment.engine import Symbols
from randomness.assessment.estimate import Estimate, Progress, silent
from randomness.assessment.iid import IidAssessment, assess_iid
from randomness.assessment.initial import estimates, lowest
from randomness.assessment.permutation import SHUFFLES
from randomness.assessment.samples import Samples
from randomness.errors import AssessmentError

RESTARTS = 1000
EACH = 1000
ALPHA = -math.expm1(math.log(0.99) / (RESTARTS + EACH))
"""3.1.4.3: each row's and column's share of a false-alarm rate of 1 %."""


@dataclass(frozen=True, kw_only=True)
class RestartAssessment:
    """The sanity check, and what rows and columns say. `initial` is the H_I that was assessed before."""

    initial: float
    cutoff: int
    most: int
    where: str
    width: int
    rows: tuple[Estimate, ...]
    columns: tuple[Estimate, ...]
    iid: tuple[IidAssessment, ...] = ()

    @property
    def sane(self) -> bool:
        """No value too frequent in a row or column."""
        return self.most <= self.cutoff

    @property
    def h_rows(self) -> float:
        """The lowest estimate of the rows."""
        return lowest(self.rows, self.width)

    @property
    def h_columns(self) -> float:
        """The lowest estimate of the columns."""
        return lowest(self.columns, self.width)

    @property
    def validated(self) -> bool:
        """3.1.4.2: neither rows nor columns below half of the initial estimate."""
        return min(self.h_rows, self.h_columns) >= self.initial / 2.0

    @property
    def passed(self) -> bool:
        """Both, and rows and columns independent where that is claimed (3.1.2)."""
        return self.sane and self.validated and all(tests.passed for tests in self.iid)

    @property
    def assessed(self) -> float:
        """What the source may claim a sample: nothing where a check failed."""
        return min(self.initial, self.h_rows, self.h_columns) if self.passed else 0.0


def assess_restarts(
    samples: Samples,
    initial: float,
    *,
    rng: np.random.Generator | None = None,
    shuffles: int = SHUFFLES,
    progress: Progress = silent,
) -> RestartAssessment:
    """Rows and columns through the estimators, or, where `rng` is given, through the tests of independence."""
    if len(samples) != RESTARTS * EACH:
        raise AssessmentError(
            f"{len(samples):,} samples; a restart file has the first {EACH:,} samples of {RESTARTS:,} restarts, "
            f"one restart after another: {RESTARTS * EACH:,}"
        )
    series = samples.symbols
    if not 0.0 < initial <= math.log2(series.alphabet) + 1e-9:
        raise AssessmentError(
            f"an initial entropy of {initial:g} bits a sample can't be of a source of {series.alphabet} values: "
            f"above 0 and at most {math.log2(series.alphabet):g}"
        )
    columns = samples.transposed(RESTARTS)
    most, where = _most_frequent(series.values.reshape(RESTARTS, EACH), samples)
    rows_progress, columns_progress = (_named(progress, name) for name in ("rows", "columns"))
    if rng is None:
        tests: tuple[IidAssessment, ...] = ()
        rows, by_column = estimates(series, rows_progress), estimates(columns.symbols, columns_progress)
    else:
        tests = (
            assess_iid(samples, rng, shuffles=shuffles, progress=rows_progress),
            assess_iid(columns, rng, shuffles=shuffles, progress=columns_progress),
        )
        rows, by_column = (tests[0].literal,), (tests[1].literal,)
    return RestartAssessment(
        initial=initial,
        cutoff=count_cutoff(initial, samples=EACH),
        most=most,
        where=where,
        width=samples.width,
        rows=rows,
        columns=by_column,
        iid=tests,
    )


def _named(progress: Progress, name: str) -> Progress:
    return lambda what: progress(f"{what}, {name}")


def _most_frequent(table: Symbols, samples: Samples) -> tuple[int, str]:
    """The largest count of a value in a row or column, and which value where."""
    present = np.unique(samples.raw)
    most, where = 0, ""
    for place, lines in (("in restart {}", table), ("as sample {} after a restart", table.T)):
        for number, line in enumerate(lines, 1):
            counts = np.bincount(line)
            if int(counts.max()) > most:
                most, where = int(counts.max()), f"value {present[int(counts.argmax())]} {place.format(number)}"
    return most, where


@cache
def count_cutoff(initial: float, *, samples: int = EACH, alpha: float = ALPHA) -> int:
    """The least c with P(largest count <= c) >= 1 - alpha; larger counts fail.

    The law has floor(1/p) values of chance p = 2^-H and one of the rest (Hagerty and Draper's inverted near-uniform).
    Counts of independent values are independent Poisson ones given their sum.
    """
    p = 2.0**-initial
    whole = max(1, math.floor(1.0 / p + 1e-9))
    rest = max(0.0, 1.0 - whole * p)
    low, high = 0, samples
    while low < high:
        middle = (low + high) // 2
        if _chance_of_at_most(middle, p, whole, rest, samples) >= 1.0 - alpha:
            high = middle
        else:
            low = middle + 1
    return low


def _chance_of_at_most(count: int, p: float, whole: int, rest: float, samples: int) -> float:
    law = _power(_poisson(samples * p, count), whole, samples)
    if rest > 1e-12:
        law = _sum(law, _poisson(samples * rest, count), samples)
    return float(law[samples] / _poisson(float(samples), samples)[samples]) if law.size > samples else 0.0


def _poisson(mean: float, most: int) -> NDArray[np.float64]:
    """Chances of 0 ... most."""
    counts = np.arange(most + 1)
    logs = np.array([math.lgamma(count + 1.0) for count in counts.tolist()])
    return np.asarray(np.exp(counts * math.log(mean) - mean - logs))


def _sum(one: NDArray[np.float64], other: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    return np.convolve(one, other)[: most + 1]


def _power(law: NDArray[np.float64], times: int, most: int) -> NDArray[np.float64]:
    """The law of the sum of so many, up to `most`."""
    result = np.ones(1)
    while times:
        if times & 1:
            result = _sum(result, law, most)
        law = _sum(law, law, most)
        times >>= 1
    return result
