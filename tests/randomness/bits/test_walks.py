"""Sections 2.13 to 2.15."""

import math

import numpy as np
import pytest

from randomness.bits import Bits, cumulative_sums, random_excursions, random_excursions_variant
from randomness.bits.walks import farthest_tail, visit_law
from randomness.result import Outcome


def test_2_13_8_first_hundred_bits_of_pi(first_100_of_pi: Bits) -> None:
    forward, backward = cumulative_sums(first_100_of_pi)
    assert (forward.statistic, backward.statistic) == (16, 19)
    assert (forward.p, backward.p) == pytest.approx((0.219194, 0.114866), abs=6e-7)


@pytest.mark.slow
def test_2_15_8_million_bits_of_e(e_bits: str) -> None:
    """1,490 cycles, and all eighteen counts and p-values of the document."""
    bits = Bits.from_text(e_bits, compiled=False)
    assert bits.walk.cycles == 1_490
    results = random_excursions_variant(bits)
    counts = [
        1450, 1435, 1380, 1366, 1412, 1475, 1480, 1468, 1502,
        1409, 1369, 1396, 1479, 1599, 1628, 1619, 1620, 1610,
    ]  # fmt: skip
    p_values = [
        0.858946, 0.794755, 0.576249, 0.493417, 0.633873, 0.917283, 0.934708, 0.816012, 0.826009,
        0.137861, 0.200642, 0.441254, 0.939291, 0.505683, 0.445935, 0.512207, 0.538635, 0.593930,
    ]  # fmt: skip
    assert [result.statistic for result in results] == counts
    assert [result.p for result in results] == pytest.approx(p_values, abs=6e-7)


def test_the_visit_law_of_section_3_14() -> None:
    assert visit_law(1) == pytest.approx((0.5, 0.25, 0.125, 0.0625, 0.03125, 0.03125))
    assert visit_law(-4) == pytest.approx((0.875, 0.015625, 0.01367188, 0.01196289, 0.01046753, 0.07327271))
    for state in range(1, 10):
        assert sum(visit_law(state)) == pytest.approx(1.0)


def test_the_farthest_point_of_short_walks_is_near_the_count_of_all() -> None:
    steps = 20
    every = np.arange(1 << steps, dtype=np.uint32)
    here = np.zeros(every.size, dtype=np.int8)
    farthest = np.zeros(every.size, dtype=np.int8)
    for step in range(steps):
        here += (((every >> np.uint32(step)) & np.uint32(1)).astype(np.int8)) * 2 - 1
        np.maximum(farthest, np.abs(here), out=farthest)
    for distance in (4, 6, 9):
        exact = float(np.mean(farthest >= distance))
        assert farthest_tail(distance, steps) == pytest.approx(exact, abs=0.12)
        assert farthest_tail(distance - 1, steps) > exact > farthest_tail(distance + 1, steps)


def test_too_few_cycles_are_said_for_every_state() -> None:
    drifting = Bits([1] * 1_000, compiled=False)
    for test, number in ((random_excursions, 8), (random_excursions_variant, 18)):
        results = test(drifting, least_bits=1_000)
        assert len(results) == number
        assert {result.outcome for result in results} == {Outcome.TOO_FEW}
        assert {result.unmet for result in results} == {("1 cycles; the test needs at least 500",)}


def test_least_cycles_grow_with_very_long_sequences() -> None:
    assert math.ceil(0.005 * math.sqrt(2 * 10**10)) > 500
