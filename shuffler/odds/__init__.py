"""Questions about odds, put to `round_engine.odds` and answered as tables and plain data."""

from shuffler.odds.page import page
from shuffler.odds.query import Answer, Query, answer, mix_of
from shuffler.odds.simulate import Simulated, Simulation

__all__ = ["Answer", "Query", "Simulated", "Simulation", "answer", "mix_of", "page"]
