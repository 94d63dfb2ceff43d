"""Keypads of progressive systems: one module a dialect, with its keys, rights, script and a total table of moves."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules

from round_engine.keypads.keypad import (
    HAND,
    LOCKED,
    OPEN,
    POSITION,
    Crew,
    Dialect,
    Key,
    KeyEffect,
    KeypadMode,
    KeypadState,
    KeyPress,
    KeyRight,
    Pressed,
)

__all__ = [
    "DIALECTS",
    "HAND",
    "LOCKED",
    "OPEN",
    "POSITION",
    "Crew",
    "Dialect",
    "Key",
    "KeyEffect",
    "KeyPress",
    "KeyRight",
    "KeypadMode",
    "KeypadState",
    "Pressed",
]


def _dialects() -> dict[str, Dialect]:
    """Every module of this folder that defines `DIALECT`, by the dialect's name."""
    modules = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))
    found = [module.DIALECT for module in modules if hasattr(module, "DIALECT")]
    return {dialect.name: dialect for dialect in found}


DIALECTS: Mapping[str, Dialect] = _dialects()
