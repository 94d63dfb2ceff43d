"""Planted defects for negative controls: weak generators and wrong shuffles, reachable only as `defect:NAME`.

Each is a frozen dataclass with a parameter for its size; its docstring states the effect that is predicted.
"""

from randomness.weak.catalogue import DEFECTS, SOURCES, make_kernel, parse_source

__all__ = ["DEFECTS", "SOURCES", "make_kernel", "parse_source"]
