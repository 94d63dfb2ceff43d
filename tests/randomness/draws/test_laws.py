"""Every law against the count of all possible draws, where there are few enough."""

from collections import Counter
from itertools import product

import pytest

from randomness.draws import laws


def all_draws(k: int, group: int) -> list[tuple[int, ...]]:
    return list(product(range(k), repeat=group))


@pytest.mark.parametrize("k", [2, 3, 6, 10])
def test_poker(k: int) -> None:
    seen = Counter(tuple(sorted(Counter(hand).values(), reverse=True)) for hand in all_draws(k, 5))
    expected = [seen[sizes] / k**5 for _, sizes in laws.POKER_HANDS]
    assert laws.poker_law(k) == pytest.approx(expected)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_coupon_collector(k: int) -> None:
    most = 8
    first_full = Counter(
        next((n for n in range(1, most + 1) if len(set(draws[:n])) == k), most + 1) for draws in all_draws(k, most)
    )
    assert laws.coupon_law(k, most) == pytest.approx([first_full[n] / k**most for n in range(k, most + 2)])


@pytest.mark.parametrize(("bound", "most"), [(2, 2), (3, 3), (6, 4), (9, 5)])
def test_rising_runs(bound: int, most: int) -> None:
    seen: Counter[int] = Counter()
    for draws in all_draws(bound, most):
        length = 1
        while length < most and draws[length] > draws[length - 1]:
            length += 1
        seen[length] += 1
    assert laws.ascent_law(bound, most) == pytest.approx([seen[n] / bound**most for n in range(1, most + 1)])


def test_rising_runs_of_large_numbers_are_those_of_continuous_ones() -> None:
    assert laws.ascent_law(1 << 60, 5) == pytest.approx((1 / 2, 1 / 3, 1 / 8, 1 / 30, 1 / 120))


@pytest.mark.parametrize(("k", "group"), [(2, 5), (6, 5), (4, 3)])
def test_largest(k: int, group: int) -> None:
    seen = Counter(max(draws) for draws in all_draws(k, group))
    assert laws.largest_law(k, group) == pytest.approx([seen[v] / k**group for v in range(k)])


@pytest.mark.parametrize(("k", "group"), [(2, 3), (5, 4), (7, 5), (3, 6)])
def test_duplicates(k: int, group: int) -> None:
    seen = Counter(group - len(set(draws)) for draws in all_draws(k, group))
    assert laws.duplicates_law(k, group) == pytest.approx([seen[v] / k**group for v in range(group)])


def test_binomial_and_gap() -> None:
    seen = Counter(min(3, draws.count(0)) for draws in all_draws(3, 6))
    assert laws.binomial_law(6, 1 / 3, 3) == pytest.approx([seen[v] / 3**6 for v in range(4)])
    assert laws.gap_law(0.25, 3) == pytest.approx((0.25, 0.1875, 0.140625, 0.421875))


@pytest.mark.parametrize(
    "law",
    [
        laws.poker_law(13),
        laws.coupon_law(13, 130),
        laws.ascent_law(52, 8),
        laws.largest_law(52, 5),
        laws.duplicates_law(52, 12),
    ],
)
def test_chances_add_up(law: tuple[float, ...]) -> None:
    assert sum(law) == pytest.approx(1.0)
    assert min(law) >= 0.0
