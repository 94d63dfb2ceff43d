"""Wagers: one module each, with a registry that lists them; what lies on a spot, and how it pays.

`wager` says what a wager is, `aspects` what pays can depend on, `paybook` makes a rule set ready for settling.
"""

from round_engine.wagers.registry import (
    CIRCLES,
    METERED,
    PLACED,
    WAGERS,
    offered,
    placed_names,
    usual_stakes,
    wager_label,
    wager_of,
)
from round_engine.wagers.spot import SpotWagers, verify_seating, verify_table, verify_wagers
from round_engine.wagers.wager import Wager

__all__ = [
    "CIRCLES",
    "METERED",
    "PLACED",
    "WAGERS",
    "SpotWagers",
    "Wager",
    "offered",
    "placed_names",
    "usual_stakes",
    "verify_seating",
    "verify_table",
    "verify_wagers",
    "wager_label",
    "wager_of",
]
