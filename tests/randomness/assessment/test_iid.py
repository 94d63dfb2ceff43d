"""The tests of section 5: statistics worked by hand, good samples that pass, weak ones that do not."""

import bz2
import math
from itertools import pairwise

import numpy as np
import pytest

from randomness.assessment import Samples, assess_iid
from randomness.assessment.chi_square import chi_square_tests
from randomness.assessment.longest_repeat import longest_repeat
from randomness.assessment.permutation import permutation_test
from randomness.assessment.statistics import STATISTICS, SampleOrder, median_of
from randomness.errors import AssessmentError
from randomness.special import chi_square_tail


def samples_of(values: object, width: int | None = None) -> Samples:
    return Samples.from_bytes(np.asarray(values, np.uint8).tobytes(), width)


def statistics(samples: Samples) -> dict[str, float]:
    mean = float(samples.raw.mean())
    order = SampleOrder(samples.raw, samples.symbols, mean, median_of(samples.symbols))
    return {statistic.name: statistic.of(order) for statistic in STATISTICS}


def test_the_nineteen_statistics_of_a_small_sample_by_hand() -> None:
    raw = [2, 2, 8, 5, 2, 9, 9, 5] * 5
    found = statistics(samples_of(raw))
    assert found["numDirectionalRuns"] == 20  # each eight: up up down down up up down down
    assert found["lenDirectionalRuns"] == 2
    assert found["numIncreasesDecreases"] == 20
    assert found["numRunsMedian"] == 20
    assert found["lenRunsMedian"] == 3
    assert found["maxCollision"] == 5
    assert found["periodicity(1)"] == 10
    assert found["periodicity(8)"] == 32
    assert found["covariance(1)"] == sum(a * b for a, b in pairwise(raw))
    assert found["covariance(32)"] == sum(a * b for a, b in zip(raw, raw[32:], strict=False))
    assert found["compression"] == len(bz2.compress(" ".join(map(str, raw)).encode(), 5))
    mean = sum(raw) / len(raw)
    assert found["excursion"] == pytest.approx(max(abs(sum(raw[: i + 1]) - (i + 1) * mean) for i in range(len(raw))))


def test_bits_are_taken_by_eights_where_the_standard_says_so() -> None:
    found = statistics(samples_of([1, 0, 0, 0, 0, 0, 0, 0] * 2 + [0, 0, 0, 0, 0, 0, 1, 1] + [0] * 8 * 33))
    assert found["periodicity(1)"] == 1 + 32
    assert found["covariance(1)"] == 1 * 1 + 1 * 2
    assert found["maxCollision"] == 3  # 128 128 | 3 0 0 | 0 0 | …
    assert found["numRunsMedian"] == 6


def test_chi_square_of_bits_by_hand() -> None:
    bits = [0, 1, 1, 0, 1, 0, 0, 1, 1, 1] * 40
    independence, fit = chi_square_tests(samples_of(bits).symbols)
    p = 0.6
    length = max(m for m in range(2, 12) if 0.4**m * (400 // m) >= 5)
    strings = ["".join(map(str, bits[i : i + length])) for i in range(0, 400 // length * length, length)]
    codes = [format(code, f"0{length}b") for code in range(2**length)]
    expected = [p ** code.count("1") * (1 - p) ** code.count("0") * len(strings) for code in codes]
    chi = sum((strings.count(code) - e) ** 2 / e for code, e in zip(codes, expected, strict=True))
    assert (independence.statistic, independence.freedom) == (pytest.approx(chi), 2**length - 2)
    assert independence.p == pytest.approx(chi_square_tail(chi, 2**length - 2))
    assert not independence.passed
    assert (fit.statistic, fit.freedom, fit.passed) == (pytest.approx(0.0), 9, True)


def test_rare_cells_are_joined_until_they_expect_five() -> None:
    rng = np.random.default_rng(4)
    values = rng.choice(6, 3_000, p=[0.5, 0.3, 0.15, 0.03, 0.015, 0.005])
    independence, fit = chi_square_tests(samples_of(values).symbols)
    shares = np.bincount(values) / 3_000
    cells = sorted((shares[a] * shares[b] * 1_500, 6 * a + b) for a in range(6) for b in range(6))
    bins: list[list[tuple[float, int]]] = [[]]
    for cell in cells:
        if sum(e for e, _ in bins[-1]) >= 5:
            bins.append([])
        bins[-1].append(cell)
    if sum(e for e, _ in bins[-1]) < 5:
        bins[-2] += bins.pop()
    seen = np.bincount(6 * values[::2] + values[1::2], minlength=36)
    chi = sum((sum(seen[c] for _, c in some) - (e := sum(e for e, _ in some))) ** 2 / e for some in bins)
    assert (independence.statistic, independence.freedom) == (pytest.approx(chi), len(bins) - 6)
    assert fit.freedom % 9 == 0
    assert independence.passed


def test_too_few_samples_for_a_chi_square_pass_it() -> None:
    (independence, _) = chi_square_tests(samples_of(range(256)).symbols)
    assert (independence.freedom < 1, independence.p) == (True, 1.0)


def test_the_longest_repeat_and_its_chance() -> None:
    rng = np.random.default_rng(8)
    values = rng.integers(0, 16, 4_000)
    good = longest_repeat(samples_of(values).symbols)
    values[3_000:3_060] = values[1_000:1_060]
    bad = longest_repeat(samples_of(values).symbols)
    assert (good.passed, bad.passed) == (True, False)
    assert bad.length >= 60
    shares = np.bincount(values) / 4_000
    chance = float((shares**2).sum()) ** good.length
    pairs = math.comb(4_000 - good.length + 1, 2)
    assert good.p == pytest.approx(1 - (1 - chance) ** pairs, rel=1e-2)


@pytest.mark.parametrize("values", [2, 7])
def test_independent_samples_pass(values: int) -> None:
    good = samples_of(np.random.default_rng(values).integers(0, values, 4_000))
    found = assess_iid(good, np.random.default_rng(1))
    assert found.passed
    assert found.permutation.shuffles < 10_000
    assert (found.bitstring is None) == (values == 2)
    assert 0 < found.assessed <= found.h_original


@pytest.mark.parametrize(
    ("weak", "statistic"),
    [
        ("drifting", "excursion"),
        ("sticky", "periodicity(1)"),
        ("in turns", "numDirectionalRuns"),
        ("rhythm", "covariance(8)"),
    ],
)
def test_each_statistic_finds_its_weakness(weak: str, statistic: str) -> None:
    rng = np.random.default_rng(5)
    n, even = 1_500, rng.integers(0, 30, 1_500)
    values = {
        "drifting": even + np.arange(n) // 100,
        "sticky": np.where(rng.random(n) < 0.3, np.roll(even, 1), even),
        "in turns": even + 20 * (np.arange(n) % 2),
        "rhythm": even + 15 * (np.arange(n) // 4 % 2),
    }[weak]
    found = permutation_test(samples_of(values), np.random.default_rng(1), shuffles=200)
    assert statistic in {ranking.name for ranking in found.rankings if not ranking.passed}
    assert not found.passed


def test_the_same_seed_gives_the_same_ranking() -> None:
    good = samples_of(np.random.default_rng(3).integers(0, 5, 1_000))
    one, other = (permutation_test(good, np.random.default_rng(9), shuffles=50) for _ in range(2))
    assert one == other


def test_too_few_samples_are_refused() -> None:
    with pytest.raises(AssessmentError, match="the permutation tests need 272"):
        permutation_test(samples_of([0, 1] * 20), np.random.default_rng(1))
