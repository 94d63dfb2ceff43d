"""The battery on decks: counts over shuffled decks, judged by exact or right asymptotic laws."""

from randomness.decks.battery import DeckBattery
from randomness.decks.errors import DeckError, DeckShapeError, MergeError, UnknownTest
from randomness.decks.layout import IN_FULL, SEGMENT, is_counted
from randomness.decks.power import Power, decks_needed, power, power_table
from randomness.decks.registry import CERTAIN_TESTS, DECK_TESTS, ROWS, CertainTest, battery_tests, deck_test
from randomness.decks.repeats import REPEATS_KEPT
from randomness.decks.rows.base import DeckTest, Subject
from randomness.decks.rows.exact import law
from randomness.decks.strata import MOST_PHASES, PERIODS
from randomness.extras import numba_installed as compiled_available

__all__ = [
    "CERTAIN_TESTS",
    "DECK_TESTS",
    "IN_FULL",
    "MOST_PHASES",
    "PERIODS",
    "REPEATS_KEPT",
    "ROWS",
    "SEGMENT",
    "CertainTest",
    "DeckBattery",
    "DeckError",
    "DeckShapeError",
    "DeckTest",
    "MergeError",
    "Power",
    "Subject",
    "UnknownTest",
    "battery_tests",
    "compiled_available",
    "deck_test",
    "decks_needed",
    "is_counted",
    "law",
    "power",
    "power_table",
]
