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
    pooled = judging.pool(np.array([5, 10, 100, 3, 2]), np.array([0.05, 0.1, 0.8, 0.03, 0.02]), 120)
    assert pooled.starts == (0, 2)
    assert pooled.counts.tolist() == [15, 105]
    assert pooled.chances.tolist() == pytest.approx([0.15, 0.85])


def test_pooling_looks_at_the_law_and_not_at_the_counts() -> None:
    chances = np.array([0.5, 0.3, 0.15, 0.05])
    one, other = (judging.pool(np.array(counts), chances, 200) for counts in ([200, 0, 0, 0], [50, 50, 50, 50]))
    assert one.starts == other.starts


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
