"""The table of tests on drawn numbers, all of them counted together, and that each finds a defect of its own."""

from collections.abc import Callable

import numpy as np
import pytest

from randomness.draws import TESTS, DrawTallies, DrawTest, named
from randomness.errors import DrawsError
from randomness.result import Outcome

N = 400_000
BOUND = 52
Rng = np.random.Generator


def even(rng: Rng, n: int = N) -> np.ndarray:
    return rng.integers(0, BOUND, n)


def one_number_favoured(rng: Rng) -> np.ndarray:
    draws = even(rng)
    return np.where(rng.random(N) < 0.003, 17, draws)


def scale_tilted(rng: Rng) -> np.ndarray:
    return np.floor(rng.random(N) ** 1.02 * BOUND).astype(np.int64)


def follower(rng: Rng) -> np.ndarray:
    """After a draw of 5 the next is made 9 in 15 of 100 cases."""
    draws = even(rng)
    after = np.flatnonzero(draws[:-1] == 5) + 1
    draws[after[rng.random(after.size) < 0.15]] = 9
    return draws


def two_before_remembered(rng: Rng) -> np.ndarray:
    """A draw has the suit of the sum of the two before, one time in sixty."""
    draws = even(rng).tolist()
    for i in np.flatnonzero(rng.random(N) < 1 / 60).tolist():
        if i >= 2:
            suit = (draws[i - 1] // 13 + draws[i - 2] // 13) % 4
            draws[i] = suit * 13 + draws[i] % 13
    return np.array(draws)


def next_card_up(rng: Rng) -> np.ndarray:
    """One draw in 150 is the next number after the one before it."""
    draws = even(rng).tolist()
    for i in np.flatnonzero(rng.random(N) < 1 / 150).tolist():
        draws[i] = (draws[i - 1] + 1) % BOUND
    return np.array(draws)


def fourth_draw_favours(rng: Rng) -> np.ndarray:
    """Every fourth draw favours 3, the one after it shuns 3: together they are even."""
    draws = even(rng)
    rows = draws.reshape(-1, 4)
    rows[:, 3] = np.where(rng.random(rows.shape[0]) < 0.008, 3, rows[:, 3])
    shun = (rows[:, 0] == 3) & (rng.random(rows.shape[0]) < 0.4)
    rows[shun, 0] = rng.integers(4, BOUND, int(shun.sum()))
    return draws


def marks_come_back(rng: Rng) -> np.ndarray:
    """After a low draw the next one is low a little more often."""
    draws = even(rng).tolist()
    redraw = rng.integers(0, 13, N).tolist()
    again = (rng.random(N) < 0.03).tolist()
    for i in range(1, N):
        if draws[i - 1] < 13 and again[i]:
            draws[i] = redraw[i]
    return np.array(draws)


def held_back(rng: Rng) -> np.ndarray:
    """In blocks of 100 draws one rank is left out."""
    draws = even(rng).reshape(-1, 100)
    hidden = rng.integers(0, 13, draws.shape[0])
    wrong = (draws // 4 == hidden[:, None]) & (rng.random(draws.shape) < 0.6)
    draws[wrong] = rng.integers(0, BOUND, int(wrong.sum()))
    return draws.ravel()


def rising(rng: Rng) -> np.ndarray:
    """One draw in forty is drawn again until it is above the one before."""
    draws = even(rng).tolist()
    for i in np.flatnonzero(rng.random(N) < 1 / 40).tolist():
        if i and draws[i - 1] < BOUND - 1:
            draws[i] = int(rng.integers(draws[i - 1] + 1, BOUND))
    return np.array(draws)


def falling(rng: Rng) -> np.ndarray:
    return BOUND - 1 - rising(rng)


def sides_kept(rng: Rng) -> np.ndarray:
    """One draw in forty is moved to the side of the one before."""
    draws = even(rng).tolist()
    for i in np.flatnonzero(rng.random(N) < 1 / 40).tolist():
        draws[i] = draws[i] % 26 + 26 * (draws[i - 1] // 26)
    return np.array(draws)


def pairs_made(rng: Rng) -> np.ndarray:
    """In three hands of a hundred the second draw repeats the first."""
    hands = even(rng).reshape(-1, 5)
    chosen = rng.random(hands.shape[0]) < 0.03
    hands[chosen, 1] = hands[chosen, 0]
    return hands.ravel()


def one_order_favoured(rng: Rng) -> np.ndarray:
    groups = even(rng).reshape(-1, 4)
    chosen = rng.random(groups.shape[0]) < 0.02
    groups[chosen] = np.sort(groups[chosen], axis=1)[:, [1, 3, 0, 2]]
    return groups.ravel()


def high_cards_spread(rng: Rng) -> np.ndarray:
    """A second draw of 48 or more in a hand of five is mostly replaced by a lower one; first draws make up for it."""
    hands = even(rng).reshape(-1, 5)
    high = (hands >= 48) & (np.cumsum(hands >= 48, axis=1) > 1) & (rng.random(hands.shape) < 0.9)
    hands[high] = rng.integers(0, 48, int(high.sum()))
    missed = rng.random(hands.shape[0]) < 0.02
    hands[missed, 0] = rng.integers(48, 52, int(missed.sum()))
    return hands.ravel()


def low_cards_spread(rng: Rng) -> np.ndarray:
    return BOUND - 1 - high_cards_spread(rng)


def repeats_avoided(rng: Rng) -> np.ndarray:
    """One group of twenty is dealt without putting back."""
    groups = even(rng)[: N // 12 * 12].reshape(-1, 12)
    for row in np.flatnonzero(rng.random(groups.shape[0]) < 0.05):
        groups[row] = rng.permutation(BOUND)[:12]
    return groups.ravel()


def bursts(rng: Rng) -> np.ndarray:
    """One window of 208 in six is a deck of 52 four times over: every number exactly four times."""
    windows = even(rng)[: N // 208 * 208].reshape(-1, 208)
    for row in range(0, windows.shape[0], 6):
        windows[row] = rng.permutation(np.repeat(np.arange(BOUND), 4))
    return windows.ravel()


def draws_of_a_game_together(rng: Rng) -> np.ndarray:
    games = even(rng).reshape(-1, 5)
    chosen = rng.random(games.shape[0]) < 0.04
    games[chosen, 4] = games[chosen, 1]
    return games.ravel()


def seventh_before_followed(rng: Rng) -> np.ndarray:
    draws = even(rng).tolist()
    for i in np.flatnonzero(rng.random(N) < 0.02).tolist():
        draws[i] = draws[max(0, i - 7)]
    return np.array(draws)


def rhythm(rng: Rng) -> np.ndarray:
    """A wave of 41 draws, a tenth of the scale high."""
    tilt = 2.2 * np.sin(2 * np.pi * np.arange(N) / 41)
    return np.clip(np.floor(rng.random(N) * BOUND + tilt), 0, BOUND - 1).astype(np.int64)


PLANTED: dict[str, tuple[Callable[[Rng], np.ndarray], str]] = {
    "frequency": (one_number_favoured, "value 17"),
    "kolmogorov-smirnov": (scale_tilted, "values up to"),
    "serial": (follower, "4 … 5 followed by 8 … 9"),
    "overlaps": (two_before_remembered, "in a row"),
    "adjacency": (next_card_up, "a step of 1 of 52 cells"),
    "sub-sequences": (fourth_draw_favours, "value 3 at draw"),
    "gap": (marks_come_back, "a gap of 0"),
    "coupon-collector": (held_back, "seen after"),
    "runs-up": (rising, "a rising run of"),
    "runs-down": (falling, "a falling run of"),
    "runs-about-the-middle": (sides_kept, "a run of"),
    "poker": (pairs_made, ""),
    "permutation": (one_order_favoured, "order 2 4 1 3"),
    "largest-of-five": (high_cards_spread, "largest"),
    "smallest-of-five": (low_cards_spread, "smallest"),
    "duplicates": (repeats_avoided, "0 repeats in 12 draws"),
    "poisson": (bursts, "a number 4 times in 208 draws"),
    "interplay-correlation": (draws_of_a_game_together, "draws 2 and 5 of a game of 5"),
    "serial-correlation": (seventh_before_followed, "lag 7"),
    "spectral": (rhythm, "a period of 40.96 draws"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_the_defect_is_found_and_its_place_named(name: str) -> None:
    source, place = PLANTED[name]
    tally = named(name).accumulator(BOUND)
    tally.update(source(np.random.default_rng(12)))
    result = tally.evaluate()
    assert result.p is not None
    assert result.p < 1e-6
    assert place in result.findings[0].place
    assert result.effect is not None
    assert result.effect > 0


def test_every_test_has_a_defect_of_its_own() -> None:
    assert set(PLANTED) == {test.name for test in TESTS}


def test_even_draws_pass_every_test() -> None:
    tallies = DrawTallies(BOUND)
    tallies.update(even(np.random.default_rng(5)))
    results = tallies.evaluate()
    assert [result.test for result in results] == [test.name for test in TESTS]
    assert {result.outcome for result in results} == {Outcome.TESTED}
    assert min(result.p for result in results) > 1e-3  # type: ignore[type-var]


def test_a_bound_below_the_tests_least_is_not_applicable_and_never_passed() -> None:
    refused = [(test.name, bound) for test in TESTS for bound in range(2, 10) if bound < test.least_bound]
    assert refused == [("permutation", 2), ("permutation", 3)]  # three numbers have no order of four
    for name, bound in refused:
        tally = named(name).accumulator(bound)
        tally.update(np.arange(15_000) % bound)
        result = tally.evaluate()
        assert (result.outcome, result.p, tally.p()) == (Outcome.NOT_APPLICABLE, None, None)
        assert result.unmet == ("needs numbers below at least 4",)


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
@pytest.mark.parametrize("bound", [2, 3, 4, 5, 6, 8, 13, 52, 1_000])
def test_every_accepted_bound_leaves_something_to_compare(test: DrawTest, bound: int) -> None:
    if bound >= test.least_bound:
        tally = test.accumulator(bound)
        tally.update(np.random.default_rng(bound).integers(0, bound, test.least_draws(bound)))
        result = tally.evaluate()
        assert result.outcome is Outcome.TESTED
        assert result.p == tally.p()
        assert result.statistic != 0.0


def test_draws_that_never_give_what_is_counted_are_too_few_however_many() -> None:
    """Groups of four equal draws have no order, so that nothing is counted of them."""
    tally = named("permutation").accumulator(6)
    tally.update(np.full(100_000, 3))
    result = tally.evaluate()
    assert (result.outcome, result.p) == (Outcome.TOO_FEW, None)
    assert result.unmet == ("100,000 draws below 6; the test needs more, since only 0 samples came of them",)


def test_tallies_merge_and_keep_as_one() -> None:
    rng = np.random.default_rng(9)
    first, second = DrawTallies(6, ["gap", "poker"]), DrawTallies(6, ["gap", "poker"])
    first.update(rng.integers(0, 6, 5_000))
    second.update(rng.integers(0, 6, 7_000))
    kept = DrawTallies.from_state(first.to_state())
    kept.merge(second)
    first.merge(second)
    assert kept.to_state() == first.to_state()
    assert [result.samples for result in kept.evaluate()] == [12_000, 12_000]
    with pytest.raises(DrawsError, match="same tests"):
        first.merge(DrawTallies(6, ["gap"]))


def test_an_unknown_test_is_refused_by_name() -> None:
    with pytest.raises(DrawsError, match="no such test: bingo; there are frequency"):
        DrawTallies(52, ["bingo"])


def test_the_list_of_the_standards_is_covered() -> None:
    """GLI-19 3.2.2, 25 CFR 547.14 and 58 Pa. Code 810a.5, each of whose tests has a row."""
    clauses = {clause for test in TESTS for clause in test.clauses}
    assert {"GLI-19 3.2.2", "25 CFR 547.14", "58 Pa. Code 810a.5"} <= clauses
    assert all(test.clauses and test.sees and test.law for test in TESTS)


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_more_draws_find_smaller_effects(test: DrawTest) -> None:
    few, many = test.accumulator(BOUND), test.accumulator(BOUND)
    draws = even(np.random.default_rng(1), 200_000)
    few.update(draws[: max(test.least_draws(BOUND), 20_000)])
    many.update(np.tile(draws, 4))
    assert 0 < many.least_effect() < few.least_effect()
