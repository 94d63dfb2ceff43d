"""Whole distributions: exact moments of the sum over bins, mixtures with the right mean, single decks that can't be."""

from itertools import product
from math import factorial

import numpy as np
import pytest

from randomness.decks.judges.base import Chance
from randomness.decks.judges.distribution import LEAST_EXPECTED, DistributionJudge, bins_of, unequal_cells
from randomness.decks.registry import DECK_TESTS
from randomness.decks.rows import spread
from randomness.decks.rows.base import DeckTest
from randomness.decks.rows.exact import law


def test_the_cumulants_of_pearsons_sum_are_those_of_every_outcome() -> None:
    shares, samples = np.array([0.5, 0.3, 0.2]), 6
    sums, chances = [], []
    for first, second in product(range(samples + 1), repeat=2):
        if first + second <= samples:
            counts = np.array([first, second, samples - first - second])
            ways = factorial(samples) / np.prod([factorial(int(count)) for count in counts])
            chances.append(ways * np.prod(shares**counts))
            sums.append(((counts - samples * shares) ** 2 / (samples * shares)).sum())
    x, p = np.array(sums), np.array(chances)
    found = unequal_cells(shares, samples)
    assert found.mean == pytest.approx(p @ x)
    assert found.variance == pytest.approx(p @ (x - found.mean) ** 2)
    assert found.third == pytest.approx(p @ (x - found.mean) ** 3)


@pytest.mark.parametrize(("of", "decks"), [("fixed_points", 3_400), ("fixed_points", 1_000), ("inversions", 1_000)])
def test_small_sums_are_as_rare_as_their_lower_tail_says(of: str, decks: int) -> None:
    bins, samples = bins_of(law(of), decks), 300_000
    seen = np.random.default_rng(decks).multinomial(decks, bins.shares / bins.shares.sum(), size=samples)
    expected = decks * bins.shares
    sums = np.sort(((seen - expected) ** 2 / expected).sum(axis=1))
    for share in (0.01, 0.001):
        assert bins.law.tails(float(sums[int(share * samples)])).lower == pytest.approx(share, rel=0.25)
    assert bins.law.tails(float(sums[0])).lower > 1e-8


@pytest.mark.parametrize("test", [DECK_TESTS[row.name] for row in spread.ROWS], ids=lambda test: test.name)
def test_no_sum_above_nought_is_called_impossible(test: DeckTest) -> None:
    judge = test.judge
    assert isinstance(judge, DistributionJudge)
    for decks in (100, 316, 1_000, 3_400, 10_000, 100_000, 1_000_000):
        found = bins_of(judge.law(), decks).law
        assert found.tails(0.02 * found.mean).lower > 0.0


@pytest.mark.parametrize("of", ["inversions", "fixed_points", "valleys", "cycles", "rank_runs"])
@pytest.mark.parametrize("decks", [100, 50_000])
def test_bins_hold_every_value_and_none_is_too_thin(of: str, decks: int) -> None:
    bins = bins_of(law(of), decks)
    assert bins.starts[0] == 0
    assert (np.diff(bins.starts) > 0).all()
    assert bins.shares.sum() == pytest.approx(1)
    assert decks * bins.shares.min() >= LEAST_EXPECTED
    assert 3 <= len(bins.starts) <= 60


def _sample(of: str, decks: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).multinomial(decks, law(of).pmf / law(of).pmf.sum())


def test_p_values_are_uniform_on_ideal_counts() -> None:
    judge = DECK_TESTS["face-descents-spread"].judge
    p = [judge.verdict(_sample("descents", 300, n), 300, Chance(n)).p for n in range(1_500)]
    assert np.abs(np.sort(p) - (np.arange(1_500) + 0.5) / 1_500).max() < 0.045


def test_a_mixture_with_the_right_mean_is_found_where_the_mean_shows_nothing() -> None:
    cells = _sample("rising_sequences", 20_000, 1)
    for value in (20, 33):
        cells[value] += 250
    assert DECK_TESTS["face-rising-sequences"].judge.verdict(cells, 20_500, Chance(1)).p > 0.001
    judge = DECK_TESTS["face-rising-sequences-spread"].judge
    assert judge.verdict(cells, 20_500, Chance(1)).p < 1e-12
    assert {"20", "33"} & set(" ".join(f.place for f in judge.findings(cells, 20_500)).split())


def test_one_deck_that_cannot_be_is_enough_and_is_named() -> None:
    cells = _sample("successions", 100_000, 2)
    cells[51] += 1
    judge = DECK_TESTS["face-successions-spread"].judge
    assert judge.verdict(cells, 100_001, Chance(1)).p < 1e-12
    assert judge.findings(cells, 100_001)[0].place == "decks with 51 or more successions"


def test_counts_too_even_to_be_chance_are_found() -> None:
    expected = np.round(100_000 * law("valleys").pmf).astype(int)
    judge = DECK_TESTS["face-valleys-spread"].judge
    assert judge.verdict(expected, int(expected.sum()), Chance(1)).p < 1e-6


def test_lags_are_judged_together_and_the_worst_is_named() -> None:
    rows = np.array([_sample("fixed_points", 5_000, lag) for lag in range(16)])
    rows[6, 12] += 60
    judge = DECK_TESTS["lag-matches-spread"].judge
    assert judge.verdict(rows.ravel(), 5_000, Chance(1)).p < 1e-6
    assert judge.findings(rows.ravel(), 5_000)[0].place.startswith("lag 7, decks with")


def test_the_power_function_comes_back_from_where_it_went() -> None:
    judge = DECK_TESTS["input-cycles-spread"].judge
    effect = judge.least_effect(1_000_000, 1e-4, 0.8)
    assert judge.decks_for(effect, 1e-4, 0.8) == pytest.approx(1_000_000)


def test_distributions_have_no_second_level_of_their_own() -> None:
    assert not any(test.blocks for test in spread.ROWS)
