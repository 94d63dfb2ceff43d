"""The fifteen tests of SP 800-22 rev. 1a as one table, and how a whole sequence is put through them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from randomness.bits.complexity import linear_complexity
from randomness.bits.congruential import LEAST_BITS, congruential
from randomness.bits.matrices import rank
from randomness.bits.maurer import universal
from randomness.bits.ones import block_frequency, frequency
from randomness.bits.patterns import approximate_entropy, serial
from randomness.bits.run_lengths import longest_run, runs
from randomness.bits.sequence import Bits
from randomness.bits.spectrum import spectral
from randomness.bits.templates import non_overlapping_template, overlapping_template
from randomness.bits.walks import cumulative_sums, random_excursions, random_excursions_variant
from randomness.bits.word_complexity import LEAST_BITS as LEAST_WORD_BITS
from randomness.bits.word_complexity import STREAM_BITS, word_complexity
from randomness.result import Result

Run = Callable[[Bits], tuple[Result, ...]]


@dataclass(frozen=True, kw_only=True)
class BitTest:
    """One test with the standard's defaults: `run` gives its published values, `corrected` better constants.

    `corrected` is None where there is nothing to correct. `both_ends` marks the tests of many degrees of freedom, where
    a p-value near 1 (counts too even to be chance) is as telling as one near 0; the standard looks at small ones alone.
    `stream_bits` is not 0 for a test that is made once, on so many first bits of all sequences together. `bound` marks
    a p that is only never too small, 1 for most random bits: how it spreads over many sequences says nothing.
    """

    name: str
    section: str
    sees: str
    least_bits: int
    p_values: int
    run: Run
    corrected: Run | None
    both_ends: bool
    stream_bits: int = 0
    bound: bool = False

    def results(self, bits: Bits, *, corrected: bool = False) -> tuple[Result, ...]:
        """The test's p-values, always `p_values` of them, tested or not."""
        return (self.corrected if corrected and self.corrected is not None else self.run)(bits)


def _row(
    section: str,
    name: str,
    p_values: int,
    least_bits: int,
    sees: str,
    run: Run,
    corrected: Run | None = None,
    *,
    both_ends: bool = False,
    stream_bits: int = 0,
    bound: bool = False,
) -> BitTest:
    return BitTest(
        name=name,
        section=section,
        sees=sees,
        least_bits=least_bits,
        p_values=p_values,
        run=run,
        corrected=corrected,
        both_ends=both_ends,
        stream_bits=stream_bits,
        bound=bound,
    )


def _better(test: Callable[..., tuple[Result, ...]]) -> Run:
    return partial(test, corrected=True)


# fmt: off
TESTS: tuple[BitTest, ...] = (
    #    section name                     p  least bits  what it sees
    _row("2.1",  "frequency",             1,       100,  "more ones than zeros, or fewer",
         frequency),
    _row("2.2",  "block-frequency",       1,       128,  "stretches with too many or too few ones",
         block_frequency, both_ends=True),
    _row("2.3",  "runs",                  1,       100,  "bits that change too often or too rarely",
         runs, _better(runs)),
    _row("2.4",  "longest-run",           1,       128,  "runs of ones too long or too short",
         longest_run, _better(longest_run)),
    _row("2.5",  "rank",                  1,    38_912,  "linear dependence among 32-bit pieces",
         rank),
    _row("2.6",  "spectral",              1,     1_000,  "periodic features",
         spectral, _better(spectral)),
    _row("2.7",  "non-overlapping-template", 148, 1_000_000,  "a pattern of nine bits too often or too rarely",
         non_overlapping_template),
    _row("2.8",  "overlapping-template",  1, 1_000_000,  "runs of nine ones too often or too rarely",
         overlapping_template, _better(overlapping_template)),
    _row("2.9",  "universal",             1,   387_840,  "repetition: a sequence that can be compressed",
         universal, _better(universal)),
    _row("2.10", "linear-complexity",     1, 1_000_000,  "short feedback registers",
         linear_complexity, _better(linear_complexity)),
    _row("2.11", "serial",                2,   524_288,  "patterns of 16 bits not equally often",
         serial, both_ends=True),
    _row("2.12", "approximate-entropy",   1,    65_536,  "patterns of 10 bits that foretell the next bit",
         approximate_entropy, _better(approximate_entropy), both_ends=True),
    _row("2.13", "cumulative-sums",       2,       100,  "ones gathered at the beginning or the end",
         cumulative_sums),
    _row("2.14", "random-excursions",     8, 1_000_000,  "visits within a cycle of the walk",
         random_excursions),
    _row("2.15", "random-excursions-variant", 18, 1_000_000,  "all visits of the walk near its start",
         random_excursions_variant),
)
# fmt: on


# What the standard leaves out.
BEYOND: tuple[BitTest, ...] = (
    _row("",     "congruential",          1, LEAST_BITS, "a linear congruential generator that shows its whole state",
         congruential, bound=True),
    _row("",     "word-complexity",       1, LEAST_WORD_BITS, "MT19937 and all that is linear in up to 20,000 bits",
         word_complexity, stream_bits=STREAM_BITS, bound=True),
)  # fmt: skip


def named(name: str) -> BitTest | None:
    """The test of that name, of the standard or beyond it, if there is one."""
    return next((test for test in (*TESTS, *BEYOND) if test.name == name), None)


def run_all(bits: Bits, *, corrected: bool = False) -> Iterator[Result]:
    """All fifteen: 188 results, in the order of the table."""
    for test in TESTS:
        yield from test.results(bits, corrected=corrected)
