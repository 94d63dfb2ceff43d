"""Classes that rise and lanes that are kept: by as much as is predicted, and found where it is predicted."""

import numpy as np
import pytest

from randomness.decks import DECK_TESTS, DeckBattery
from randomness.kernels import parse
from randomness.sources import seeded_source

INPUTS = np.arange(52, dtype=np.uint8)

# kernel, the test that finds it, standard deviations a deck, how the finding begins
MEMBERS = (
    ("defect:rising-class", "classes-by-region", 0.069, "court cards "),
    ("defect:rising-class:modulus=52,low=26,high=38", "classes-by-region", 0.069, "♥ "),
    ("defect:kept-lane", "input-lanes", 0.083, "the same lane of 8 as in the input"),
    ("defect:kept-lane:lanes=2", "input-lanes", 0.0735, "the same lane of 2 as in the input"),
    ("defect:kept-lane:group=3", "input-lanes", 0.061, "the same group of 3 as in the input"),
)


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "name", "effect", "place"), MEMBERS)
def test_a_member_is_found_at_the_predicted_size(kernel: str, name: str, effect: float, place: str) -> None:
    test, level = DECK_TESTS[name], 0.01 / len(DECK_TESTS)
    decks = round(test.judge.decks_for(effect, level, 0.99))
    battery, seen = DeckBattery([name]), []
    for seed in range(10):
        moves = parse(kernel).permutations(52, decks, seeded_source(seed))
        orders = np.random.default_rng(seed).permuted(np.tile(INPUTS, (decks, 1)), axis=1)
        battery.clear()
        if name == "classes-by-region":
            battery.update(moves, INPUTS)
        else:
            battery.update(np.take_along_axis(orders, moves.astype(int), axis=1), orders)
        p = battery.p_value(test)
        assert p is not None
        finding = test.judge.findings(battery.tallies.cells[test.tally], decks)[0]
        seen.append(finding.z / decks**0.5)
        assert p <= level
        assert finding.place.startswith(place)
    assert np.abs(seen).mean() == pytest.approx(effect, rel=0.12)
