"""The loops of `loops.py`, compiled where numba is installed; the same functions and the same numbers either way."""

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from randomness.draws import loops
from randomness.extras import numba_installed


@cache
def quickest(name: str) -> Callable[..., Any]:
    """The loop of that name, compiled if it can be."""
    plain: Callable[..., Any] = getattr(loops, name)
    if not numba_installed():
        return plain
    numba = importlib.import_module("numba")
    compiled: Callable[..., Any] = numba.njit(cache=True, nogil=True)(plain)
    return compiled
