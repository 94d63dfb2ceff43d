"""The battery on decks: counts over shuffled decks, judged by exact or right asymptotic laws."""

from randomness.decks.battery import DeckBattery, counted_in_full, sub_sample
from randomness.decks.errors import DeckError, DeckShapeError, MergeError, UnknownTest
from randomness.decks.power import Power, decks_needed, power, power_table
from randomness.decks.registry import CERTAIN_TESTS, DECK_TESTS, CertainTest, DeckTest, Group, deck_test, law
from randomness.decks.tallies import compiled_available

__all__ = [
    "CERTAIN_TESTS",
    "DECK_TESTS",
    "CertainTest",
    "DeckBattery",
    "DeckError",
    "DeckShapeError",
    "DeckTest",
    "Group",
    "MergeError",
    "Power",
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
