"""Exact laws of imperfect shuffles: riffles (Bayer and Diaconis) and shelves (Diaconis, Fulman and Holmes)."""

from randomness.theory.counts import by_rising_sequences, by_valleys
from randomness.theory.law import ClassLaw, Needed
from randomness.theory.riffle import riffle_law
from randomness.theory.shelf import Guesses, shelf_law, uniform_guesses
from randomness.theory.summary import Summary, riffle_summary, shelf_summary, shown

__all__ = [
    "ClassLaw",
    "Guesses",
    "Needed",
    "Summary",
    "by_rising_sequences",
    "by_valleys",
    "riffle_law",
    "riffle_summary",
    "shelf_law",
    "shelf_summary",
    "shown",
    "uniform_guesses",
]
