"""Counts judged: pooling, p-values on both sides, effects, power."""

import numpy as np
import pytest
import scipy.stats

from randomness.draws import judging


def test_statistic_and_p_value_are_scipys() -> None:
    counts = np.random.default_rng(1).multinomial(5_000, [1 / 20] * 20)
    mine = judging.chi_square(counts, np.full(20, 0.05))
    theirs = scipy.stats.chisquare(counts)
    assert mine == pytest.approx(theirs.statistic)
    assert judging.p_value(mine, 19) == pytest.approx(2 * min(theirs.pvalue, 1 - theirs.pvalue))


def test_too_even_counts_alarm_from_ten_degrees_on() -> None:
    assert judging.p_value(0.5, 19) < 1e-6
    assert judging.p_value(0.0, 3) == 1.0


def test_thin_classes_join_their_neighbours() -> None:
    chances = np.array([0.05, 0.1, 0.2, 0.2, 0.2, 0.2, 0.03, 0.02])
    pooled = judging.pool(np.array([5, 10, 20, 21, 22, 23, 3, 2]), chances, 120)
    assert pooled.starts == (0, 2, 3, 4, 5)
    assert pooled.counts.tolist() == [15, 20, 21, 22, 28]
    assert pooled.chances.tolist() == pytest.approx([0.15, 0.2, 0.2, 0.2, 0.25])


@pytest.mark.parametrize(
    ("total", "classes"),
    [(319, 4), (320, 5), (127, 1), (128, 4)],  # 0.05 of 320 is 16: five classes; 0.25 of 128 is 32: four
)
def test_few_classes_must_expect_more(total: int, classes: int) -> None:
    chances = np.array([0.05, 0.20, 0.25, 0.25, 0.25])
    assert len(judging.pool(np.zeros(5, np.int64), chances, total).starts) == classes


@pytest.mark.parametrize(
    ("chances", "least"),
    [
        ((0.5, 0.5), 2_048),
        ((1 / 32, 31 / 32), 32_768),
        ((0.25, 0.25, 0.5), 512),
        ((0.25, 0.25, 0.25, 0.25), 128),
        ((0.2,) * 5, 80),
        ((0.0, 0.25, 0.75), 4_096),
    ],
)
def test_the_least_samples_leave_two_classes_and_one_less_does_not(chances: tuple[float, ...], least: int) -> None:
    assert judging.least_samples(chances) == least
    nothing = np.zeros(len(chances), np.int64)
    assert len(judging.pool(nothing, np.array(chances), least).starts) > 1
    assert judging.pool(nothing, np.array(chances), least - 1).starts == (0,)


def distance_of_p(chances: list[float], samples: int) -> float:
    """Kolmogorov–Smirnov distance of p from uniform, summed over every way that the counts can fall."""
    grids = np.meshgrid(*[np.arange(samples + 1)] * (len(chances) - 1), indexing="ij")
    rest = samples - sum(grids)
    counts = np.stack([grid[rest >= 0] for grid in [*grids, rest]], axis=1)
    weights = scipy.stats.multinomial.pmf(counts, samples, chances)
    expected = samples * np.array(chances)
    statistics = np.round((np.square(counts - expected) / expected).sum(axis=1), 9)
    values, place = np.unique(statistics, return_inverse=True)
    chance = np.bincount(place, weights)
    at_least = np.cumsum(chance[::-1])[::-1]
    p = np.array([judging.p_value(value, len(chances) - 1) for value in values.tolist()])
    return float(max(np.abs(at_least - p).max(), np.abs(p - (at_least - chance)).max()))


@pytest.mark.parametrize("classes", judging.LEAST_EXPECTED_OF_FEW)
def test_the_exact_law_of_p_is_near_uniform_from_the_least_samples_on(classes: int) -> None:
    least = judging.least_samples((1 / classes,) * classes)
    assert distance_of_p([1 / classes] * classes, least) < 0.0205


@pytest.mark.parametrize("chances", [[1 / 32, 31 / 32], [1 / 4, 3 / 4], [1 / 4, 1 / 4, 1 / 2], [2 / 9, 2 / 9, 5 / 9]])
def test_classes_of_unequal_chances_are_no_worse(chances: list[float]) -> None:
    """The first two are those of largest-of-five and of runs below 2."""
    assert distance_of_p(chances, judging.least_samples(tuple(chances))) < 0.0205


@pytest.mark.parametrize(("classes", "samples"), [(2, 36), (3, 53), (4, 71)])
def test_sixteen_a_class_are_too_few_for_few_classes(classes: int, samples: int) -> None:
    assert distance_of_p([1 / classes] * classes, samples) > 0.0245


def test_pooling_looks_at_the_law_and_not_at_the_counts() -> None:
    chances = np.array([0.5, 0.3, 0.15, 0.05])
    one, other = (judging.pool(np.array(counts), chances, 700) for counts in ([700, 0, 0, 0], [175, 175, 175, 175]))
    assert one.starts == other.starts == (0, 1, 2, 3)


def test_effect_is_that_of_the_source_whatever_the_sample() -> None:
    chances = np.array([0.05] * 19 + [0.05])
    biased = chances * 0.95
    biased[0] += 0.05
    true = float(np.sqrt(np.sum((biased - chances) ** 2 / chances)))
    for samples in (20_000, 500_000):
        counts = np.random.default_rng(3).multinomial(samples, biased)
        effect = judging.effect(judging.chi_square(counts, chances), 19, samples)
        assert effect.low <= true <= effect.high
        assert effect.low <= effect.value <= effect.high


def test_the_least_effect_is_found_as_often_as_promised() -> None:
    samples, chances = 20_000, np.full(16, 1 / 16)
    w = judging.least_effect(15, samples, level=0.01, power=0.9)
    tilt = np.where(np.arange(16) % 2, 1.0, -1.0) * w / 16
    rng = np.random.default_rng(6)
    found = sum(
        judging.p_value(judging.chi_square(rng.multinomial(samples, chances + tilt), chances), 15) <= 0.01
        for _ in range(500)
    )
    assert found / 500 == pytest.approx(0.9, abs=0.05)


def test_findings_name_the_cells_that_stand_out() -> None:
    counts = np.array([100, 100, 180, 100, 40])
    first, second, *_ = judging.findings(counts, np.full(5, 0.2), lambda cell: f"cell {cell}")
    assert (first.place, second.place) == ("cell 2", "cell 4")
    assert first.expected == pytest.approx(104.0)
    assert first.z == pytest.approx((180 - 104) / np.sqrt(104 * 0.8))
