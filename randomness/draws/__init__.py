"""The tests that gaming standards name, on drawn numbers below a bound: counts that merge, results as values."""

from randomness.draws.accumulator import Accumulator
from randomness.draws.registry import TESTS, DrawTallies, DrawTest, named

__all__ = ["TESTS", "Accumulator", "DrawTallies", "DrawTest", "named"]
