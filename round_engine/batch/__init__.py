"""Rounds by the million, as arrays: the same cents as the scalar engine, looked up in tables that it has filled."""

from round_engine.batch.cells import Cells
from round_engine.batch.errors import BatchError
from round_engine.batch.meters import MeterWin
from round_engine.batch.settling import Decide, Settlement, settle_rounds
from round_engine.batch.stakes import Stakes

__all__ = ["BatchError", "Cells", "Decide", "MeterWin", "Settlement", "Stakes", "settle_rounds"]
