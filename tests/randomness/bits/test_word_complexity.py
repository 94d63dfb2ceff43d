"""Beyond the standard: one bit of each word, and the law of its complexity."""

import itertools
from fractions import Fraction

import bits_oracle
import numpy as np
import pytest

from randomness.bits import BEYOND, Bits, named, word_complexity
from randomness.bits.battery import BitBattery
from randomness.bits.word_complexity import LEAST_BITS, WORDS, chance_of_at_most
from randomness.result import Outcome
from randomness.sources import make_source


@pytest.mark.parametrize("n", [1, 2, 7, 10])
def test_the_law_is_that_of_all_sequences(n: int) -> None:
    found = [bits_oracle.berlekamp_massey(list(bits)) for bits in itertools.product((0, 1), repeat=n)]
    for length in range(n + 1):
        share = Fraction(sum(each <= length for each in found), 2**n)
        assert chance_of_at_most(length, n) == pytest.approx(float(share), rel=1e-12)


def test_mt19937_is_found_and_its_recurrence_named() -> None:
    (result,) = word_complexity(Bits.from_bytes(make_source("defect:mt19937", seed=1).generate(LEAST_BITS // 8)))
    assert result.p == pytest.approx(0.0, abs=1e-300)
    assert result.findings[0].place == "bit 0 of each 32-bit word follows a linear recurrence of 19,937 bits"


@pytest.mark.slow
def test_java_random_is_found_by_its_lowest_bit() -> None:
    bits = 32 * 140_000
    (result,) = word_complexity(Bits.from_bytes(make_source("defect:java-random", seed=1).generate(bits // 8)))
    assert result.p is not None
    assert result.p < 1e-100
    assert result.findings[0].place == "bit 31 of each 32-bit word follows a linear recurrence of 65,537 bits"


def test_good_bits_pass_as_often_as_they_should() -> None:
    """Of 2,000 good streams no more than 1 % (and five deviations) have p <= 0.01, and some have p <= 0.5."""
    source = make_source("ctr", seed=6)
    p_values = []
    for _ in range(2_000):
        (result,) = word_complexity(Bits.from_bytes(source.generate(64 * 64 // 8)), words=64, most_words=64)
        p_values.append(result.p or 0.0)
    assert sum(p <= 0.01 for p in p_values) <= 20 + 22
    assert sum(p <= 0.5 for p in p_values) > 100


def test_both_engines_agree() -> None:
    bits = make_source("ctr", seed=7).generate(64 * 3_000 // 8)
    both = [word_complexity(Bits.from_bytes(bits, compiled=c), words=2_000, most_words=2_500) for c in (None, False)]
    assert both[0] == both[1]


def test_too_few_bits_say_so() -> None:
    (result,) = word_complexity(Bits(np.zeros(1_000_000, np.uint8)))
    assert (result.outcome, result.unmet) == (
        Outcome.TOO_FEW,
        (f"1,000,000 bits; the test needs at least {32 * WORDS:,}",),
    )


def test_the_battery_looks_at_the_stream_across_sequences() -> None:
    """No sequence of a million bits suffices; two of them do."""
    test = named("word-complexity")
    assert test is not None
    source = make_source("defect:mt19937", seed=2)
    battery = BitBattery((test,))
    for _ in range(2):
        assert battery.add(Bits.from_bytes(source.generate(125_000))) == ()
    verdict = battery.verdict()
    assert verdict.collective.rejected == ("word-complexity, all sequences",)
    assert verdict.stream[0].samples == 2_000_000


def test_a_p_value_that_is_a_bound_does_not_fail_many_good_sequences() -> None:
    """Its values pile up at 1, so their spread over sequences is not that of a uniform p."""
    assert all(test.bound for test in BEYOND)
    source = make_source("ctr", seed=3)
    battery = BitBattery(BEYOND)
    for _ in range(60):
        battery.add(Bits.from_bytes(source.generate(400), compiled=False))
    assert battery.verdict().passed
