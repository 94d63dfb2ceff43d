"""Money: integer cents, and the ledger that moves them between accounts."""

from round_engine.money.cents import ZERO, Cents, cents, dollars, parse_dollars

__all__ = ["ZERO", "Cents", "cents", "dollars", "parse_dollars"]
