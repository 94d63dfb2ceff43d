"""The calibration proof at a small size, and that it would notice a test that is not calibrated."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from proofs import calibration, plots
from randomness.decks import DECK_TESTS, compiled_available
from randomness.decks.judges.chisquare import ChiSquareJudge
from randomness.decks.tails import chi_square

pytestmark = pytest.mark.skipif(not compiled_available(), reason="numba is not installed")

CHEAP = [name for name, test in DECK_TESTS.items() if test.least <= 1_000]


@pytest.mark.slow
def test_p_values_are_uniform_on_ideal_shuffles() -> None:
    samples = 150
    p = calibration.p_values(CHEAP, 1_001, range(samples), seed=5)
    # 61 tests: a distance beyond 2.3/√n has probability 5e-5 for each.
    far = {name: calibration.distance(p[:, i]) for i, name in enumerate(CHEAP)}
    assert {name: d for name, d in far.items() if d > 2.3 / math.sqrt(samples)} == {}
    assert (p <= 0.01).sum(axis=0).max() <= 9
    assert calibration.holm_alarms(p, 0.05) <= 0.12


def naive(tests: dict) -> dict:
    """The card × position sum taken as chi-square with 2,601 degrees of freedom, as is often done."""
    row = tests["card-by-position"]
    judge = row.judge
    assert isinstance(judge, ChiSquareJudge)
    taken = replace(judge, law=lambda _: chi_square((1.0, 2601.0)))
    return {row.name: replace(row, made=replace(row.made, judge=taken))}


@pytest.mark.slow
def test_a_naive_law_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "DECK_TESTS", naive(DECK_TESTS))
    result = calibration.calibrate(runs=300, run_decks=120, tail=20, tests=["card-by-position"], processes=1)
    assert any("distance" in line for line in calibration.failures(result))


def test_results_do_not_depend_on_how_samples_are_divided() -> None:
    whole = calibration.p_values(["suit-runs", "lag-matches"], 20, range(6), seed=9)
    parts = [calibration.p_values(["suit-runs", "lag-matches"], 20, part, seed=9) for part in (range(4), range(4, 6))]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


def test_distance_is_that_of_kolmogorov_and_smirnov() -> None:
    assert calibration.distance(np.array([0.5])) == 0.5
    assert calibration.distance(np.array([0.9, 0.95])) == pytest.approx(0.9)
    assert calibration.distance((np.arange(100) + 0.5) / 100) == pytest.approx(0.005)


def test_a_row_outside_its_limits_is_named() -> None:
    bad = calibration.Row(test="a", distance=0.06, alarms=3, tail_decks=1, tail_runs=100_000, tail_alarms=25)
    good = calibration.Row(test="b", distance=0.05, alarms=39, tail_decks=1, tail_runs=100_000, tail_alarms=24)
    made = calibration.Calibration(names=("a", "b"), runs=np.full((2000, 2), 0.5), rows=(bad, good))
    assert [line.split(":")[0] for line in calibration.failures(made)] == ["a", "a", "a"]
    assert "Outside the limits" in calibration.report(made, 10)


def test_tests_are_tried_in_the_tail_at_their_least_size() -> None:
    groups = calibration.tail_groups(DECK_TESTS)
    assert sum(len(names) for names in groups.values()) == len(DECK_TESTS)
    assert "card-by-position" in groups[100]


def test_the_plot_has_a_line_for_each_test() -> None:
    text = plots.quantiles(["one", "two"], np.random.default_rng(1).random((50, 2)))
    assert text.count("<title>") == 2
    assert text.startswith("<svg")


def test_parts_that_are_kept_are_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = (["suit-runs"], 20, range(3), 9)
    first = calibration._part(job, tmp_path / "part")
    monkeypatch.setattr(calibration, "p_values", None)
    np.testing.assert_array_equal(calibration._part(job, tmp_path / "part"), first)
