"""Whether the packages that this program is made of are its own: others use names like `protocol`, too."""

import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path

ROOMS = ("strict_toml", "protocol", "randomness", "round_engine", "firmware_sim")


def shadowed(home: Path = Path(__file__).parent.parent.parent) -> str:
    """A sentence about the first package that another file hides; empty where none is."""
    for room in ROOMS:
        try:
            spec = find_spec(room) or PathFinder.find_spec(room, sys.path)
        except (ImportError, ValueError):
            spec = None
        origin = Path(spec.origin) if spec is not None and spec.origin is not None else None
        if origin is None:
            return f"the package {room!r} is missing: install shuffler-bench again"
        if origin.resolve().parent.parent != home.resolve():
            return (
                f"{origin} hides this program's own package {room!r}: rename it, or run shuffler from another folder"
                " and in a virtual environment of its own"
            )
    return ""
