"""Plants: each is sized by the battery's own power statement, and its stated effect is the true one."""

import math
from fractions import Fraction

import numpy as np
import pytest

from randomness.kernels import parse
from randomness.proficiency import PLANTS, plant
from randomness.proficiency.plants import sticky_shift
from randomness.sources import make_source


def sized(name: str, decks: int, power: float) -> dict[str, Fraction]:
    planted = plant(name).size(decks, power, lambda _bound: 7)
    _, _, settings = planted.mechanism.removeprefix("defect:").partition(":")
    return {key: Fraction(value) for key, value in (one.split("=") for one in settings.split(","))}


@pytest.mark.parametrize("kind", PLANTS, ids=lambda one: one.name)
def test_every_plant_is_a_mechanism_that_shuffles(kind: object) -> None:
    planted = kind.size(4_000, 0.8, lambda bound: bound - 1)  # type: ignore[attr-defined]
    decks = parse(planted.mechanism).permutations(52, 8, make_source("ctr", seed=1))
    assert decks.shape == (8, 52)
    assert 0 < planted.power < 1


@pytest.mark.parametrize("name", ["favoured-cell", "favoured-card", "top-card-kept", "sticky", "memory", "wrong-card"])
def test_more_power_takes_a_larger_defect_and_more_decks_a_smaller_one(name: str) -> None:
    size = "relative" if name.startswith("favoured") else "rate"
    weak, strong, many = (sized(name, *case)[size] for case in ((4_000, 0.5), (4_000, 0.95), (40_000, 0.5)))
    assert many < weak < strong


def test_the_shift_of_sticking_cards_is_what_a_simulation_finds() -> None:
    decks = parse("defect:sticky:rate=1/20").permutations(52, 20_000, make_source("ctr", seed=3)).astype(int)
    successions = (np.diff(decks, axis=1) == 1).sum(axis=1)
    fair = 51 / 52
    measured = (successions.mean() - fair) / math.sqrt(50 / 52 + fair - fair**2)
    assert sticky_shift(1 / 20) == pytest.approx(measured, abs=0.05)


def test_a_wrong_card_is_seen_at_its_exact_power() -> None:
    planted = plant("wrong-card").size(5_000, 0.8, lambda _bound: 3)
    rate = float(sized("wrong-card", 5_000, 0.8)["rate"])
    assert planted.power == pytest.approx(1 - (1 - rate) ** 5_000)
    assert planted.power == pytest.approx(0.8, abs=0.02)


def test_a_small_seed_repeats_a_deck_with_the_chance_stated() -> None:
    planted = plant("small-seed").size(3_000, 0.8, lambda _bound: 0)
    bits = int(planted.mechanism.rpartition("=")[2])
    assert planted.power == pytest.approx(1 - math.exp(-(3_000**2) / 2 ** (bits + 1)), abs=0.02)
