"""How counts of one deck correlate: measured again over ideal decks."""

import numpy as np
import pytest

from randomness.decks import DECK_TESTS, DeckBattery
from randomness.decks.rows.correlated import correlation
from randomness.decks.strata import NARROWEST, STRETCHES
from randomness.kernels import make
from randomness.sources import make_source


def test_a_count_goes_with_itself_and_both_ways_with_another() -> None:
    assert correlation(("cycles", "fixed_points")) == ((1.0, 0.58), (0.58, 1.0))
    assert correlation(("valleys", "cycles")) == ((1.0, 0.0), (0.0, 1.0))


@pytest.mark.slow
@pytest.mark.parametrize("view", ["face", "input"])
def test_the_table_is_what_ideal_decks_show(view: str) -> None:
    test = DECK_TESTS[f"{view}-counts-drift"]
    decks, parts, battery = NARROWEST * STRETCHES, 30, DeckBattery([test.name])
    sums = []
    for part in range(parts):
        made = make("ideal").permutations(52, decks, make_source("ctr", seed=1, stream=part)).astype(np.uint8)
        battery.clear()
        battery.update(made, np.arange(52, dtype=np.uint8))
        sums.append(battery.tallies.strata.by_stretch(test.tallies)[:, 1::2])
    measured = np.corrcoef(np.concatenate(sums).T)
    functions = tuple(name.rpartition(".")[2] for name in test.tallies)
    # Of 1,920 sums a correlation is known to 0.023; the largest of 45 lies within four times that.
    assert np.abs(measured - np.array(correlation(functions))).max() < 0.1
