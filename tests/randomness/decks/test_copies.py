"""Decks, rings and permutations that come twice, as the battery meets them."""

import numpy as np

from randomness.decks import DeckBattery
from randomness.result import Outcome


def decks(many: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (many, 1)), axis=1)


def results(rows: np.ndarray, inputs: np.ndarray | None = None, chunks: int = 1_000) -> dict:
    battery = DeckBattery(["suit-runs"], compiled=False)
    for start in range(0, len(rows), chunks):
        part = inputs[start : start + chunks] if inputs is not None and inputs.ndim == 2 else inputs
        battery.update(rows[start : start + chunks], part)
    return {result.test: result for result in battery.evaluate()}


def test_a_deck_that_comes_again_is_named_back_to_back_and_far_apart() -> None:
    for again in (11, 400):
        rows = decks(500)
        rows[again] = rows[10]
        result = results(rows)["repeated-decks"]
        assert result.p < 1e-20
        assert result.findings[0].place == f"rows 10 and {again} are the same deck"


def test_a_deck_that_comes_cut_or_turned_is_named() -> None:
    rows = decks(500)
    rows[300], rows[400] = np.roll(rows[10], 17), rows[20][::-1]
    found = results(rows)
    assert found["repeated-decks"].p == 1.0
    assert [one.place for one in found["repeated-rings"].findings] == [
        "rows 10 and 300 are the same deck, cut or turned over",
        "rows 20 and 400 are the same deck, cut or turned over",
    ]


def test_a_permutation_that_comes_again_is_seen_from_the_input_and_from_the_deck_before() -> None:
    moves, deck, rows, inputs = decks(200), decks(1, 1)[0], [], []
    moves[150] = moves[30]
    for move in moves:
        inputs.append(deck)
        deck = deck[move]
        rows.append(deck)
    for given in (np.array(inputs), None):
        for chunks in (1, 7, 1_000):
            found = results(np.array(rows), given, chunks)
            assert found["repeated-decks"].p == 1.0
            assert found["repeated-permutations"].samples == (200 if given is not None else 199)
            assert found["repeated-permutations"].p < 1e-10
            place = found["repeated-permutations"].findings[0].place
            assert place == "rows 30 and 150 were made by the same permutation"


def test_where_one_order_goes_into_all_permutations_are_not_counted_again() -> None:
    found = results(decks(50), np.arange(52, dtype=np.uint8))["repeated-permutations"]
    assert found.outcome is Outcome.NOT_APPLICABLE
    assert "one order" in found.unmet[0]
