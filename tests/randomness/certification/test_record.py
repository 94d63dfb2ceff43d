"""The record says which tests saw a part of the decks only, and how large a part."""

from dataclasses import replace

import numpy as np

from randomness.certification import load_plan
from randomness.certification.record import sub_samples
from randomness.certification.shards import Counter, ShardPlan
from randomness.certification.totals import Totals
from randomness.decks.layout import SEGMENT

PLAN = load_plan("quick")
TESTS = ShardPlan(deck_tests=("each-cell", "card-distances"), draw_tests=("gap", "poker"), planned=None)


def listed(planned: int | None, segments: int) -> list[dict[str, object]]:
    """What is listed after so many segments of a run with so many decks planned, through a checkpoint."""
    decks = np.tile(np.arange(52, dtype=np.uint8), (SEGMENT, 1))
    counter = Counter(replace(TESTS, planned=planned))
    for _ in range(segments):
        counter.count(decks, None)
    totals = Totals(PLAN)
    totals.add(counter.counted(0, "factory"))
    return sub_samples(Totals.from_state(PLAN, totals.to_state()).sections["factory"])


def test_a_short_run_has_no_sub_samples() -> None:
    assert listed(90_000, 2) == []
    assert listed(None, 2) == []


def test_deck_tests_and_draw_tests_on_a_sub_sample_are_listed_with_what_they_saw() -> None:
    assert listed(800_000, 5) == [
        {"share": "1 in 8", "of": "decks", "counted": SEGMENT, "tests": ["card-distances"]},
        {"share": "1 in 2", "of": "first cards", "counted": 3 * SEGMENT, "tests": ["gap", "poker"]},
    ]
