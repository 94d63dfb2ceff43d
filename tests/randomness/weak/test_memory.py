"""Memory between shuffles."""

import numpy as np
import pytest

from randomness.errors import BadParameter
from randomness.kernels import Backend, make
from randomness.sources import seeded_source


def test_at_rate_one_the_position_never_changes_its_card_across_calls_too() -> None:
    kernel, source = make("defect:memory", rate=1, position=5), seeded_source(1)
    decks = np.concatenate([kernel.permutations(52, batch, source) for batch in (1, 10, 1, 100)])
    assert len(set(decks[:, 5].tolist())) == 1
    assert (np.sort(decks, axis=1) == np.arange(52)).all()
    assert len(np.unique(decks[:, 6])) > 30


def test_the_card_comes_again_at_the_predicted_rate() -> None:
    decks = make("defect:memory", rate=0.25).permutations(52, 20_000, seeded_source(1))
    again = float((decks[1:, 0] == decks[:-1, 0]).mean())
    assert abs(again - (0.25 + 0.75 / 52)) < 5 * (0.26 * 0.74 / 20_000) ** 0.5


def test_each_kernel_starts_without_memory_and_every_engine_agrees() -> None:
    runs = [
        make("defect:memory").permutations(52, 300, seeded_source(1), engine=engine)
        for engine in (Backend.PLAIN, Backend.NUMPY)
    ]
    assert (runs[0] == runs[1]).all()


def test_a_position_outside_the_deck_is_refused() -> None:
    with pytest.raises(BadParameter):
        make("defect:memory", position=52).permutations(52, 1, seeded_source(1))


def test_an_empty_batch_is_empty() -> None:
    assert make("defect:memory").permutations(52, 0, seeded_source(1)).shape == (0, 52)
