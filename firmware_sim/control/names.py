"""How enumerations are spelled outside the wire: lower case, in status, conditions, scenarios, API and page alike."""

from enum import Enum
from typing import TypeVar

Member = TypeVar("Member", bound=Enum)


def name_of(value: object) -> str:
    """A member's name; other values as text."""
    return value.name.lower() if isinstance(value, Enum) else str(value)


def names_of(kind: object) -> tuple[str, ...]:
    """The names of an enumeration's members; none for other types."""
    return tuple(map(name_of, kind)) if isinstance(kind, type) and issubclass(kind, Enum) else ()


def member(kind: type[Member], name: str) -> Member:
    """The member with this name."""
    return kind[name.upper()]
