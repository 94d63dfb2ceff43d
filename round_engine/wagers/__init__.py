"""Wagers on a spot: what can be placed, its limits, and how it pays."""

from round_engine.wagers.spot import SpotWagers, verify_seating, verify_table, verify_wagers

__all__ = ["SpotWagers", "verify_seating", "verify_table", "verify_wagers"]
