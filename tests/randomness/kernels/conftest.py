"""Helpers for kernel tests."""

import itertools
from collections import Counter
from fractions import Fraction

import pytest

from randomness.kernels import parse
from randomness.kernels.kernel import MechanismKernel


class Laws:
    """Exact laws of small kernels, by going through every throw of their dice."""

    def of(self, spec: str, cards: int) -> dict[tuple[int, ...], Fraction]:
        kernel = parse(spec)
        assert isinstance(kernel, MechanismKernel)
        bounds = kernel.plan(cards).bounds
        own = len(bounds) - len(kernel.flaws.bounds(cards))
        counts: Counter[tuple[int, ...]] = Counter()
        for dice in itertools.product(*(range(bound) for bound in bounds)):
            order = kernel.mechanism.plain(cards, dice[:own])
            counts[tuple(kernel.flaws.plain(cards, dice[own:], order))] += 1
        total = sum(counts.values())
        return {order: Fraction(count, total) for order, count in counts.items()}


@pytest.fixture
def laws() -> Laws:
    return Laws()
