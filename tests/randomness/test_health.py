"""SP 800-90B 4.4: cut-offs as published, alarms exactly at them, and the latch."""

import math

import pytest

from randomness.entropy import ReplayedEntropy, SeededEntropy
from randomness.errors import EntropyError, EntropyUnavailable, HealthFailure
from randomness.health import (
    START_UP_SAMPLES,
    HealthMonitor,
    HealthPolicy,
    MonitoredEntropy,
    ProportionRule,
    binomial_quantile,
    proportion_cutoff,
    repetition_cutoff,
)

# SP 800-90B 4.4.1: C = 1 + ceil(-log2 alpha / H).
REPETITION = {
    20: {0.1: 201, 0.5: 41, 1: 21, 2: 11, 4: 6, 8: 4},
    30: {1: 31, 2: 16, 4: 9, 8: 5},
    40: {1: 41, 2: 21, 4: 11, 8: 6},
}

# SP 800-90B 4.4.2, table for the adaptive proportion test at alpha 2^-20, and the same formula at 2^-30 and 2^-40.
PROPORTION_BINARY = {
    20: {0.2: 941, 0.4: 840, 0.6: 748, 0.8: 664, 1: 589},
    30: {0.2: 952, 0.4: 856, 0.6: 766, 0.8: 683, 1: 609},
    40: {0.2: 961, 0.4: 869, 0.6: 780, 0.8: 699, 1: 625},
}
PROPORTION_SYMBOLS = {
    20: {0.5: 410, 1: 311, 2: 177, 3: 103, 4: 62, 5: 39, 6: 25, 7: 18, 8: 13},
    30: {0.5: 422, 1: 325, 2: 190, 3: 114, 4: 71, 5: 46, 6: 31, 7: 22, 8: 16},
    40: {0.5: 432, 1: 336, 2: 201, 3: 123, 4: 78, 5: 51, 6: 35, 7: 26, 8: 19},
}

# jitterentropy-library, src/jitterentropy-health.c: the window's first sample always matches itself.
CORRECTED_BINARY = {20: {0.2: 941, 0.4: 841, 0.6: 748, 0.8: 664, 1: 590}}
CORRECTED_SYMBOLS = {
    20: {0.5: 411, 1: 311, 2: 178, 3: 104, 4: 63, 5: 40, 6: 26, 7: 18, 8: 14},
    30: {0.5: 422, 1: 325, 2: 191, 3: 115, 4: 71, 5: 46, 6: 32, 7: 23, 8: 17},
}
# The same file's table for H = 1/1 … 1/15 at 2^-30, W = 512.
JITTERENTROPY = [325, 422, 459, 477, 488, 494, 499, 502, 505, 507, 508, 509, 510, 511, 512]

TABLES = [
    (PROPORTION_BINARY, 1024, ProportionRule.AS_PRINTED),
    (PROPORTION_SYMBOLS, 512, ProportionRule.AS_PRINTED),
    (CORRECTED_BINARY, 1024, ProportionRule.CORRECTED),
    (CORRECTED_SYMBOLS, 512, ProportionRule.CORRECTED),
]


def test_repetition_cutoffs_are_the_published_ones() -> None:
    for alpha, row in REPETITION.items():
        assert {h: repetition_cutoff(h, alpha) for h in row} == row


@pytest.mark.parametrize(("table", "window", "rule"), TABLES)
def test_proportion_cutoffs_are_the_published_ones(
    table: dict[int, dict[float, int]], window: int, rule: ProportionRule
) -> None:
    for alpha, row in table.items():
        assert {h: proportion_cutoff(h, alpha, window, rule) for h in row} == row


def test_corrected_cutoffs_agree_with_jitterentropys_table() -> None:
    assert [proportion_cutoff(1 / n, 30, 512) for n in range(1, 16)] == JITTERENTROPY


def test_the_corrected_cutoff_keeps_the_false_alarm_rate_that_the_printed_one_exceeds() -> None:
    def alarm_rate(cutoff: int) -> float:
        """The first sample matches for sure; the other 511 match with chance 2^-8."""
        return math.fsum(
            math.comb(511, k) * 2.0 ** (-8 * k) * (1 - 2.0**-8) ** (511 - k) for k in range(cutoff - 1, 512)
        )

    assert alarm_rate(proportion_cutoff(8, 30, 512, ProportionRule.CORRECTED)) <= 2**-30
    assert alarm_rate(proportion_cutoff(8, 30, 512, ProportionRule.AS_PRINTED)) > 2**-30


def test_a_quantile_is_the_least_value_with_enough_below() -> None:
    # Binomial(2, 1/2): P(X <= 0) = .25, P(X <= 1) = .75.
    assert [binomial_quantile(2, 0.5, bits) for bits in (0.1, 1, 1.9, 2.1)] == [0, 1, 1, 2]


def test_the_repetition_test_fails_exactly_at_its_cutoff() -> None:
    policy = HealthPolicy(min_entropy=8, alpha_bits=20)
    monitor = HealthMonitor(policy)
    monitor.feed(b"\x07" * (policy.repetition - 1) + b"\x08" * (policy.repetition - 1))
    with pytest.raises(HealthFailure, match="repetition count test: sample value 8 came 4 times in a row"):
        monitor.feed(b"\x08")


def test_a_run_is_seen_across_two_reads() -> None:
    monitor = HealthMonitor(HealthPolicy(min_entropy=8, alpha_bits=20))
    monitor.feed(b"\x01\x02\x02")
    with pytest.raises(HealthFailure):
        monitor.feed(b"\x02\x02")


def test_the_proportion_test_fails_exactly_at_its_cutoff() -> None:
    policy = HealthPolicy(min_entropy=8, alpha_bits=20)
    filler = bytes(range(1, 200))
    window = b"".join(b"\x00" + filler[i : i + 1] for i in range(policy.proportion - 1))
    HealthMonitor(policy).feed(window)
    with pytest.raises(HealthFailure, match="adaptive proportion test: sample value 0 came 14 times within 27 samples"):
        HealthMonitor(policy).feed(window + b"\x00")


def test_the_proportion_test_starts_anew_with_each_window() -> None:
    policy = HealthPolicy(min_entropy=8, alpha_bits=20, window=16)
    monitor = HealthMonitor(policy)
    assert policy.proportion == 5
    # Four zeros in every window: a counter that did not restart would alarm in the second window.
    for _ in range(50):
        monitor.feed(bytes([0, 1, 0, 2, 0, 3, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12]))
    assert monitor.samples == 800


def test_a_failure_latches() -> None:
    monitor = HealthMonitor()
    with pytest.raises(HealthFailure):
        monitor.feed(bytes(100))
    with pytest.raises(HealthFailure, match="repetition count"):
        monitor.feed(bytes(range(100)))


def test_good_samples_pass_for_long() -> None:
    HealthMonitor().feed(SeededEntropy(1).read(200_000))


def test_start_up_tests_1024_samples_before_the_first_byte_and_throws_them_away() -> None:
    start, first = SeededEntropy(1).read(START_UP_SAMPLES), SeededEntropy(2).read(48)
    source = MonitoredEntropy(ReplayedEntropy([start, first]))
    assert source.read(48) == first
    assert source.monitor.samples == START_UP_SAMPLES + 48


def test_a_stuck_source_never_gives_a_byte() -> None:
    class Stuck:
        name = "stuck"
        reads = 0

        def read(self, n: int) -> bytes:
            self.reads += 1
            return bytes(n)

    stuck = Stuck()
    source = MonitoredEntropy(stuck)
    for _ in range(3):
        with pytest.raises(HealthFailure):
            source.read(48)
    assert stuck.reads == 1


def test_a_source_that_dies_later_gives_no_byte_of_the_failing_read() -> None:
    good = SeededEntropy(1)
    source = MonitoredEntropy(ReplayedEntropy([good.read(1024), good.read(48), bytes(48), good.read(48)]))
    source.read(48)
    with pytest.raises(HealthFailure):
        source.read(48)
    with pytest.raises(HealthFailure):
        source.read(48)


def test_a_short_read_is_an_error() -> None:
    class Short:
        name = "short"

        def read(self, n: int) -> bytes:
            return SeededEntropy(1).read(n - 1)

    with pytest.raises(EntropyUnavailable, match="short gave 1023 of 1024 bytes"):
        MonitoredEntropy(Short()).read(48)


@pytest.mark.parametrize("wrong", [{"min_entropy": 0}, {"min_entropy": 9}, {"alpha_bits": 0}, {"window": 1}])
def test_a_policy_that_makes_no_sense_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(EntropyError):
        HealthPolicy(**wrong)  # type: ignore[arg-type]
