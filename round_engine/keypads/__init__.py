"""Three keypad dialects of progressive systems, each a small total table of moves."""

from collections.abc import Mapping

from round_engine.keypads.bad_beat import BAD_BEAT
from round_engine.keypads.game_manager import GAME_MANAGER
from round_engine.keypads.keypad import Dialect, Key, KeyEffect, KeypadMode, KeypadState, KeyPress, Pressed
from round_engine.keypads.nexus import NEXUS

__all__ = [
    "BAD_BEAT",
    "DIALECTS",
    "GAME_MANAGER",
    "NEXUS",
    "Dialect",
    "Key",
    "KeyEffect",
    "KeyPress",
    "KeypadMode",
    "KeypadState",
    "Pressed",
]

DIALECTS: Mapping[str, Dialect] = {dialect.name: dialect for dialect in (GAME_MANAGER, NEXUS, BAD_BEAT)}
