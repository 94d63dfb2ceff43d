"""The record says which tests saw a part of the decks only, and how large a part."""

from dataclasses import replace

import numpy as np

from randomness.certification import load_plan
from randomness.certification.assemble import sub_samples
from randomness.certification.model import SubSample
from randomness.certification.shards import Counter, ShardPlan
from randomness.certification.totals import Totals
from randomness.decks import IN_FULL, SEGMENT

PLAN = load_plan("quick")
TESTS = ShardPlan(deck_tests=("each-cell", "card-distances"), draw_tests=("gap", "poker"), planned=None)


def listed(planned: int | None, segments: int, first: int = 0) -> tuple[SubSample, ...]:
    """What is listed after so many segments of a run with so many decks planned, through a checkpoint."""
    decks = np.tile(np.arange(52, dtype=np.uint8), (SEGMENT, 1))
    counter = Counter(replace(TESTS, planned=planned), first_segment=first)
    for _ in range(segments):
        counter.count(decks, None)
    counter.battery.integrity.decks += first * SEGMENT  # as if the segments before had been counted elsewhere
    totals = Totals(PLAN)
    totals.add(counter.counted(0, "factory"))
    return sub_samples(Totals.from_state(PLAN, totals.to_state()).sections["factory"])


def test_a_short_run_has_no_sub_samples() -> None:
    assert listed(90_000, 2) == ()
    assert listed(None, 2) == ()


def test_deck_tests_and_draw_tests_on_a_sub_sample_are_listed_with_what_they_saw() -> None:
    then = f"the first {IN_FULL:,}, then 1 in"
    assert listed(10**7, 5, IN_FULL // SEGMENT) == (
        SubSample(share=f"{then} 64", of="decks", counted=SEGMENT, tests=("card-distances",)),
        SubSample(share=f"{then} 16", of="first cards", counted=SEGMENT, tests=("gap", "poker",)),
    )
