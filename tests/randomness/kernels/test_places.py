"""What mechanisms with places share."""

from fractions import Fraction

import pytest

from randomness.errors import BadParameter
from randomness.kernels.places import check_dead, check_passes, dead_text, failure_bounds


def test_only_a_sometimes_dead_place_throws_dice() -> None:
    assert failure_bounds(None, Fraction(1, 3), 5) == []
    assert failure_bounds(2, Fraction(1), 5) == []
    assert failure_bounds(2, Fraction(1, 3), 5) == [3] * 5


def test_a_dead_place_must_exist() -> None:
    check_dead("shelf", 9, 10)
    for dead, places in ((10, 10), (-1, 10), (-1, None), (0, 1)):
        with pytest.raises(BadParameter):
            check_dead("shelf", dead, places)


def test_passes_are_bounded() -> None:
    check_passes(100)
    for passes in (0, 101):
        with pytest.raises(BadParameter):
            check_passes(passes)


def test_a_dead_place_is_named() -> None:
    assert dead_text("shelf", None, Fraction(1)) == ""
    assert dead_text("shelf", 3, Fraction(1)) == "; shelf 3 dead"
    assert dead_text("shelf", 3, Fraction(1, 4)) == "; shelf 3 dead at 1/4"
