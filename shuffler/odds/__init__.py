"""Questions about odds, put to `round_engine.odds` and answered as tables and plain data."""

from shuffler.odds.page import page
from shuffler.odds.query import Answer, Query, answer

__all__ = ["Answer", "Query", "answer", "page"]
