"""The battery on decks: counts over shuffled decks, judged by exact or right asymptotic laws."""

from randomness.decks.battery import DeckBattery, counted_in_full, sub_sample
from randomness.decks.errors import DeckError, DeckShapeError, MergeError, UnknownTest
from randomness.decks.power import Power, decks_needed, power, power_table
from randomness.decks.registry import CERTAIN_TESTS, DECK_TESTS, CertainTest, deck_test
from randomness.decks.repeats import REPEATS_KEPT
from randomness.decks.rows.base import DeckTest, Subject
from randomness.decks.rows.exact import law
from randomness.decks.strata import MOST_PHASES, PERIODS
from randomness.extras import numba_installed as compiled_available

__all__ = [
    "CERTAIN_TESTS",
    "DECK_TESTS",
    "MOST_PHASES",
    "PERIODS",
    "REPEATS_KEPT",
    "CertainTest",
    "DeckBattery",
    "DeckError",
    "DeckShapeError",
    "DeckTest",
    "MergeError",
    "Power",
    "Subject",
    "UnknownTest",
    "compiled_available",
    "counted_in_full",
    "deck_test",
    "decks_needed",
    "law",
    "power",
    "power_table",
    "sub_sample",
]
