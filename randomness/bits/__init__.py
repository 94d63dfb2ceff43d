"""SP 800-22 rev. 1a: the fifteen tests on bits, 188 p-values, and what many sequences say together."""

from randomness.bits.complexity import linear_complexity
from randomness.bits.congruential import congruential
from randomness.bits.matrices import rank
from randomness.bits.maurer import universal
from randomness.bits.ones import block_frequency, frequency
from randomness.bits.patterns import approximate_entropy, serial
from randomness.bits.registry import BEYOND, TESTS, BitTest, named, run_all
from randomness.bits.run_lengths import longest_run, runs
from randomness.bits.second_level import SecondLevel, gather, second_level
from randomness.bits.sequence import Bits
from randomness.bits.spectrum import spectral
from randomness.bits.templates import aperiodic_templates, non_overlapping_template, overlapping_template
from randomness.bits.walks import cumulative_sums, random_excursions, random_excursions_variant
from randomness.bits.word_complexity import word_complexity

__all__ = [
    "BEYOND",
    "TESTS",
    "BitTest",
    "Bits",
    "SecondLevel",
    "aperiodic_templates",
    "approximate_entropy",
    "block_frequency",
    "congruential",
    "cumulative_sums",
    "frequency",
    "gather",
    "linear_complexity",
    "longest_run",
    "named",
    "non_overlapping_template",
    "overlapping_template",
    "random_excursions",
    "random_excursions_variant",
    "rank",
    "run_all",
    "runs",
    "second_level",
    "serial",
    "spectral",
    "universal",
    "word_complexity",
]
