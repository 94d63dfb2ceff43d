"""A table from round to round: rounds, progressives, staff and books."""

from round_engine.table.table import Table, replay

__all__ = ["Table", "replay"]
