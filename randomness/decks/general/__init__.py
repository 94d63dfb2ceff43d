"""The battery for any kind of deck: the laws that generalise to other decks and to shoes, and why the others do not."""

from randomness.decks.general.battery import Battery, KindBattery, battery_from_state, battery_of
from randomness.decks.general.registry import KindTest, kind_tests, reason

__all__ = ["Battery", "KindBattery", "KindTest", "battery_from_state", "battery_of", "kind_tests", "reason"]
