"""Kernels by name: `make("shelf", shelves=10)`, `parse("rack:order=feed,sticky=1/1000")`."""

import types
import typing
from collections.abc import Mapping
from dataclasses import Field, fields
from fractions import Fraction
from typing import Any

from randomness.errors import BadParameter, UnknownKernel
from randomness.kernels.ejection import Ejection
from randomness.kernels.ideal import Ideal
from randomness.kernels.imperfections import Imperfections
from randomness.kernels.kernel import Kernel, MechanismKernel
from randomness.kernels.rack import Rack
from randomness.kernels.riffle import Riffle
from randomness.kernels.shelf import Shelf

MECHANISMS: dict[str, type[Ideal | Ejection | Rack | Shelf | Riffle]] = {
    kind.name: kind for kind in (Ideal, Ejection, Rack, Shelf, Riffle)
}

DEFECT = "defect:"
"""Planted defects, for negative controls only, are reachable under this prefix and no other way."""

RATE_DENOMINATOR = 1_000_000


def make(name: str, **parameters: object) -> Kernel:
    """The kernel of a mechanism with its parameters and imperfections, or a planted defect ("defect:sattolo")."""
    if name.startswith(DEFECT):
        from randomness.weak import make_kernel

        return make_kernel(name, parameters)
    kind = MECHANISMS.get(name)
    if kind is None:
        raise UnknownKernel(
            f"no mechanism '{name}': there are {', '.join(MECHANISMS)}, and planted defects '{DEFECT}…'"
        )
    return MechanismKernel(*split(name, parameters, kind, Imperfections))


def parse(text: str) -> Kernel:
    """A kernel from one line: NAME, or NAME:KEY=VALUE,KEY=VALUE (group sizes as 3+3+3)."""
    prefix = DEFECT if text.startswith(DEFECT) else ""
    name, _, rest = text.removeprefix(prefix).partition(":")
    return make(prefix + name, **parse_settings(rest))


def parse_settings(text: str) -> dict[str, str]:
    """KEY=VALUE,KEY=VALUE."""
    settings: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or key.strip() in settings:
            raise BadParameter(f"settings are KEY=VALUE,KEY=VALUE with each key once; cannot read '{part}'")
        settings[key.strip()] = value.strip()
    return settings


def split(name: str, parameters: Mapping[str, object], *kinds: type) -> list[Any]:
    """Build one dataclass of each kind from parameters that may belong to any of them; refuse the rest."""
    known = {field.name: field for kind in kinds for field in fields(kind)}
    for key in parameters:
        if key not in known:
            listed = ", ".join(f"{field.name} ({_shown(field)})" for field in known.values()) or "none"
            raise BadParameter(f"'{name}' has no parameter '{key}'; it takes: {listed}")
    built = []
    for kind in kinds:
        hints = typing.get_type_hints(kind)
        own = {field.name for field in fields(kind)}
        built.append(kind(**{key: convert(key, value, hints[key]) for key, value in parameters.items() if key in own}))
    return built


def convert(key: str, value: object, wanted: Any) -> object:
    """A value, or its text, as the type a field wants."""
    options = typing.get_args(wanted) if isinstance(wanted, types.UnionType) else (wanted,)
    if value is None or (isinstance(value, str) and value.lower() == "none"):
        if type(None) in options:
            return None
        raise BadParameter(f"{key} needs a value")
    plain = next(option for option in options if option is not type(None))
    try:
        if plain is Fraction:
            return rate(key, value)
        if plain is int and not isinstance(value, bool) and (isinstance(value, str) or value == int(value)):  # type: ignore[call-overload]
            return int(value)  # type: ignore[call-overload]
        if plain is float and not isinstance(value, bool):
            return float(Fraction(value)) if isinstance(value, str) else float(value)  # type: ignore[arg-type]
        if plain is str and isinstance(value, str):
            return value
        if typing.get_origin(plain) is tuple:
            parts = value.split("+") if isinstance(value, str) else list(value)  # type: ignore[call-overload]
            return tuple(int(part) for part in parts)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        pass
    kind = "a list of numbers" if typing.get_origin(plain) is tuple else f"of type {plain.__name__}"
    raise BadParameter(f"{key} is {kind}, not {value!r}")


def rate(key: str, value: object) -> Fraction:
    """A probability as a fraction with a denominator of at most a million: 0.001, "1/1000", Fraction(1, 1000)."""
    exact = Fraction(value)  # type: ignore[call-overload]
    near: Fraction = exact.limit_denominator(RATE_DENOMINATOR)
    if not 0 <= near <= 1:
        raise BadParameter(f"{key} is a probability from 0 to 1, not {value}")
    if exact and not near:
        raise BadParameter(f"{key} is at least 1/{RATE_DENOMINATOR} or 0, not {value}")
    return near


def _shown(field: Field[Any]) -> str:
    return str(field.default)
