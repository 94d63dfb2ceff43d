"""The calibration of the tests on drawn numbers at its small size, and that it notices draws that are not even."""

from pathlib import Path

import numpy as np
import pytest

from proofs import draw_calibration
from proofs.draw_calibration import Bench, calibrate, far_report, far_tail, product_draws, report
from randomness.draws import TESTS

ONE, TWO = Bench(workers=1), Bench(workers=2)
DEAR = 20_000  # draws in a run
# Runs by bound: most where the law is at its weakest.
BOUNDS = {2: 400, 3: 200, 4: 200, 5: 60, 6: 60, 8: 60, 13: 60, 52: 60, 1_000: 60}


def crowded(seed: int, stream: int, bound: int, count: int) -> np.ndarray:
    draws = product_draws(seed, stream, bound, count)
    return np.where(draws >= bound - 3, draws % 3, draws)


@pytest.mark.slow
@pytest.mark.parametrize("bound", BOUNDS)
def test_p_values_are_uniform_on_ideal_draws_below_every_bound_that_a_test_accepts(bound: int) -> None:
    accepted = [test for test in TESTS if bound >= test.least_bound]
    quick = tuple(test.name for test in accepted if test.least_draws(bound) < DEAR)
    dear = tuple(test.name for test in accepted if test.name not in quick)
    spreads = calibrate(runs=BOUNDS[bound], bounds=(bound,), bench=TWO, names=quick).spreads
    spreads += calibrate(runs=30, bounds=(bound,), bench=TWO, names=dear).spreads
    assert {one.test for one in spreads} == {test.name for test in accepted}
    assert [one.test for one in spreads if not one.uniform] == []
    assert report(spreads).count("| none |") == len(accepted)


def test_crowded_draws_are_not_called_uniform() -> None:
    bench = Bench(workers=1, source=crowded)
    spreads = calibrate(runs=20, bounds=(52,), bench=bench, names=("frequency", "gap")).spreads
    assert {one.uniform for one in spreads} == {False}


def test_a_test_that_says_nothing_about_a_bound_is_left_out_and_shown_as_such() -> None:
    spreads = calibrate(runs=2, bounds=(3, 4), bench=ONE, names=("permutation",)).spreads
    assert [one.variant for one in spreads] == ["4"]
    both = calibrate(runs=2, bounds=(3, 4), bench=ONE, names=("gap", "permutation")).spreads
    assert "| permutation | not applicable |" in report(both)


def test_the_full_proof_covers_coins_dice_and_cards() -> None:
    assert {2, 3, 4, 5, 6, 8, 13, 52} <= set(draw_calibration.BOUNDS)


@pytest.mark.slow
def test_the_far_tail_of_a_few_runs_is_empty() -> None:
    found = far_tail(runs=6, bench=TWO)
    assert [one.test for one in found] == [test.name for test in TESTS]
    assert {one.runs for one in found} == {6}
    assert sum(one.tiny for one in found) == 0
    assert far_report(found).count("| yes |") == len(TESTS)


# ----- kept parts -----------------------------------------------------------------------------------------------------


def unusable(seed: int, stream: int, bound: int, count: int) -> np.ndarray:
    raise RuntimeError("drawn again")


def test_kept_parts_are_not_made_again_while_the_code_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    names = ("gap", "frequency")
    bench = Bench(workers=1, keep=tmp_path, say=said.append)
    first = calibrate(runs=3, bounds=(6,), bench=bench, names=names)
    unusable.__name__ = product_draws.__name__
    dead = Bench(workers=1, keep=tmp_path, say=said.append, source=unusable)
    assert calibrate(runs=3, bounds=(6,), bench=dead, names=names) == first
    assert said[0].startswith("  1 of 2, gap below 6: 3 runs, ")
    assert said[2:] == ["  1 of 2, gap below 6: 3 runs, kept", "  2 of 2, frequency below 6: 3 runs, kept"]
    monkeypatch.setattr(draw_calibration, "code_digest", lambda: "0" * 64)
    with pytest.raises(RuntimeError, match="drawn again"):
        calibrate(runs=3, bounds=(6,), bench=dead, names=names)


def test_other_runs_and_seeds_are_other_parts(tmp_path: Path) -> None:
    bench = Bench(workers=1, keep=tmp_path)
    for runs, seed in ((3, 1), (4, 1), (3, 2)):
        calibrate(runs=runs, bounds=(6,), bench=bench, names=("gap",), seed=seed)
    assert len(list(tmp_path.glob("*/*.npz"))) == 3
    assert not list(tmp_path.glob("*/*.new"))
