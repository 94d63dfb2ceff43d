"""SP 800-90B 3.1.3: the initial entropy estimate of samples that are not claimed to be independent."""

from collections.abc import Iterator
from dataclasses import dataclass

from randomness.assessment.collision import collision
from randomness.assessment.compression import compression
from randomness.assessment.estimate import Estimate, Of, Progress, silent
from randomness.assessment.markov import markov
from randomness.assessment.most_common import most_common_value
from randomness.assessment.prediction import PREDICTORS
from randomness.assessment.samples import Samples, Series
from randomness.assessment.tuples import tuples

BITS_ONLY = (collision, markov, compression)


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """Every estimate, and the lowest of them for samples and for bits.

    `h_bitstring` is None for samples of two values, which are their own bit string. `assessed` is a sample's.
    """

    samples: int
    width: int
    alphabet: int
    literal: tuple[Estimate, ...]
    bitstring: tuple[Estimate, ...]
    h_original: float
    h_bitstring: float | None
    claimed: float | None = None

    @property
    def assessed(self) -> float:
        """H_I: the lowest of what was measured and what the submitter claims."""
        bits = [] if self.h_bitstring is None else [self.h_bitstring * self.width]
        return min(self.width, self.h_original, *bits, *([] if self.claimed is None else [self.claimed]))

    def estimates(self) -> Iterator[tuple[Of, Estimate]]:
        """All of them, those of the bit string first."""
        yield from (("Bitstring", each) for each in self.bitstring)
        yield from (("Literal", each) for each in self.literal)


def lowest(estimates: tuple[Estimate, ...], most: float) -> float:
    """The lowest min-entropy of those that could be made, at most `most`."""
    return min([most, *(each.min_entropy for each in estimates if each.min_entropy is not None)])


def estimates(series: Series, progress: Progress = silent) -> tuple[Estimate, ...]:
    """All ten for bits, the seven that take any alphabet for samples of more values."""
    return tuple(_estimates(series, progress))


def _estimates(series: Series, progress: Progress) -> Iterator[Estimate]:
    yield most_common_value(series)
    if series.alphabet == 2:
        for estimator in BITS_ONLY:
            progress(estimator.__name__)
            yield estimator(series)
    progress("t-tuple and LRS")
    yield from tuples(series)
    for predictor in PREDICTORS:
        progress(predictor.name)
        yield predictor.estimate(series)


def assess(samples: Samples, *, claimed: float | None = None, progress: Progress = silent) -> Assessment:
    """Samples and, where they have more than two values, their bits through every estimator."""
    bitstring = () if samples.binary else estimates(samples.bits, lambda name: progress(f"{name}, bit string"))
    literal = estimates(samples.symbols, progress)
    return Assessment(
        samples=len(samples),
        width=samples.width,
        alphabet=samples.symbols.alphabet,
        literal=literal,
        bitstring=bitstring,
        h_original=lowest(literal, samples.width),
        h_bitstring=lowest(bitstring, 1.0) if bitstring else None,
        claimed=claimed,
    )
