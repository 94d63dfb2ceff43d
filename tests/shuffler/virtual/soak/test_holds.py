"""What the house kept, against what it must: the estimator, its error, the corrections."""

import math
from random import Random

import pytest

from round_engine.money.ledger import LAYOUT, TRAY, EntryKind, Posting
from round_engine.rules.rulebook import load
from shuffler.virtual.soak.holds import HoldBook, HoldSums, exact_holds, judge, poisson_p


def test_a_hold_is_a_ratio_of_sums_with_its_cluster_error() -> None:
    hold = HoldSums()
    for stake, kept in ((100, 10), (200, -20), (300, 60)):
        hold.add(stake, kept)
    assert hold.ratio == 50 / 600
    residuals = [kept - hold.ratio * stake for stake, kept in ((100, 10), (200, -20), (300, 60))]
    assert hold.error == pytest.approx(math.sqrt(sum(r * r for r in residuals) * 3 / 2) / 600)


def test_the_error_covers_the_truth_as_often_as_it_says() -> None:
    chance = Random(4)
    inside = 0
    for _ in range(400):
        hold = HoldSums()
        for _ in range(200):
            seats = chance.randint(1, 7)
            luck = chance.choice((-1, 1))  # one deck: the whole round shares it
            hold.add(100 * seats, 100 * seats * luck + 5 * seats)
        inside += abs(hold.ratio - 0.05) < 1.96 * hold.error
    assert 362 <= inside <= 395  # 95 % of 400, four standard deviations


def test_ante_play_and_bonus_are_judged_together_against_the_ante() -> None:
    book = HoldBook()
    book.settle(
        [
            Posting(EntryKind.PLACED, 1, "ante", 1000, "player:a", LAYOUT, "", ""),
            Posting(EntryKind.PLACED, 1, "play", 1000, "player:a", LAYOUT, "", ""),
            Posting(EntryKind.LOST, 1, "ante", 1000, LAYOUT, TRAY, "", ""),
            Posting(EntryKind.PUSHED, 1, "play", 1000, LAYOUT, "player:a", "", ""),
            Posting(EntryKind.WON, 1, "ante_bonus", 400, TRAY, "player:a", "", ""),
        ]
    )
    assert (book.holds["ante"].stake, book.holds["ante"].kept) == (1000, 600)
    assert set(book.holds) == {"ante"}


def test_exact_holds_are_the_printed_ones() -> None:
    exact = exact_holds(load("south-dakota"), 6)
    assert round(exact["ante"], 4) == 0.0337
    assert round(exact["pair_plus"], 4) == 0.0232


def test_holm_multiplies_the_smallest_most() -> None:
    book = HoldBook()
    chance = Random(1)
    for wager in ("ante", "pair_plus"):
        hold = book.holds[wager] = HoldSums()
        for _ in range(100):
            hold.add(100, chance.choice((-100, 100)))
    rows = judge(book, {"ante": 0.5, "pair_plus": 0.0})
    assert rows[0].wager == "ante"
    assert rows[0].p_holm == pytest.approx(min(1, 2 * rows[0].p))
    assert rows[1].p_holm >= rows[0].p_holm


@pytest.mark.parametrize(("count", "mean", "p"), [(0, 3.0, 0.0996), (3, 3.0, 1.0), (10, 3.0, 0.0022), (0, 0.0, 1.0)])
def test_the_poisson_p_is_twice_the_smaller_tail(count: int, mean: float, p: float) -> None:
    assert poisson_p(count, mean) == pytest.approx(p, abs=2e-4)
