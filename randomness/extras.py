"""Which optional packages are there, found out without importing them."""

import importlib.util


def numba_installed() -> bool:
    """Whether the extra `certify` is there."""
    return importlib.util.find_spec("numba") is not None
