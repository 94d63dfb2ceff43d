"""What hits say: the global bound, and the chance of a long run."""

import math

import pytest

from randomness.assessment.engine import Hits
from randomness.assessment.prediction import judged, log_no_run


def exact_no_run(p: float, run: int, guesses: int) -> float:
    """Runs of hits followed step by step."""
    chances = [1.0] + [0.0] * (run - 1)
    for _ in range(guesses):
        chances = [sum(chances) * (1 - p), *(chance * p for chance in chances[:-1])]
    return math.log(sum(chances))


@pytest.mark.parametrize(
    ("p", "run", "guesses"), [(0.5, 12, 2_000), (0.1, 4, 3_000), (0.9, 60, 1_000), (0.02, 3, 5_000)]
)
def test_the_chance_of_no_run_is_fellers_to_many_digits(p: float, run: int, guesses: int) -> None:
    assert log_no_run(p, run, guesses) == pytest.approx(exact_no_run(p, run, guesses), rel=1e-4)


def test_no_digits_are_lost_where_a_run_is_hardly_possible() -> None:
    assert log_no_run(0.5, 60, 1_000_000) == pytest.approx(-1_000_000 * 0.5**61, rel=1e-4)


def test_a_long_run_lowers_the_entropy_and_is_solved_for() -> None:
    short, long = (judged("x", "", Hits(500, run), 1_000, 2) for run in (9, 40))
    assert "P_local" not in short.figures
    assert log_no_run(long.figures["P_local"], 41, 1_000) == pytest.approx(math.log(0.99), abs=1e-12)
    assert long.min_entropy is not None
    assert short.min_entropy is not None
    assert long.min_entropy == pytest.approx(-math.log2(long.figures["P_local"]))
    assert long.min_entropy < short.min_entropy


def test_no_hit_at_all_and_nothing_but_hits() -> None:
    none, all_right = judged("x", "", Hits(0, 0), 1_000, 256), judged("x", "", Hits(1_000, 1_000), 1_000, 256)
    assert none.figures["P_global'"] == pytest.approx(1 - 0.01 ** (1 / 1_000))
    assert all_right.min_entropy == 0.0


def test_the_guess_of_an_alphabet_is_never_below_its_share() -> None:
    assert judged("x", "", Hits(0, 0), 10**6, 4).min_entropy == 2.0
