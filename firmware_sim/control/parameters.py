"""Parameters of tester actions: each kind reads a value from TOML or JSON, and describes it as a JSON Schema."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from firmware_sim.control.cards import card_code, card_codes
from firmware_sim.control.injections import parse_condition
from firmware_sim.errors import DeviceError
from protocol.messages import DEALER_SEAT
from strict_toml import Section

MAX_SEAT = 16
MAX_IDS = 4000
MAX_ID = 10**6
FACE_CODES = 255

Schema = dict[str, Any]
Result = TypeVar("Result")


class ValueKind(Protocol):
    """How a value is read and described."""

    def read(self, row: Section, key: str) -> Any:
        """Take the value from its table; refuse it with its place."""

    @property
    def schema(self) -> Schema:
        """The JSON Schema of what is accepted."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an action."""

    name: str
    kind: ValueKind
    about: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within bounds."""

    low: int
    high: int

    def read(self, row: Section, key: str) -> int:
        return row.whole(key, self.low, self.high)

    @property
    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True, slots=True)
class Number:
    """A number within bounds."""

    low: float
    high: float

    def read(self, row: Section, key: str) -> float:
        return row.number(key, self.low, self.high)

    @property
    def schema(self) -> Schema:
        return {"type": "number", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def read(self, row: Section, key: str) -> bool:
        return row.flag(key)

    @property
    def schema(self) -> Schema:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few names."""

    among: tuple[str, ...]

    def read(self, row: Section, key: str) -> str:
        return row.choice(key, self.among)

    @property
    def schema(self) -> Schema:
        return {"type": "string", "enum": list(self.among)}


@dataclass(frozen=True, slots=True)
class ConditionValue:
    """A condition on the device's status or events."""

    def read(self, row: Section, key: str) -> str:
        text = row.text(key)
        checked(row, key, lambda: parse_condition(text))
        return text

    @property
    def schema(self) -> Schema:
        return {"type": "string", "pattern": "^[a-z_]+=.+$"}


@dataclass(frozen=True, slots=True)
class Face:
    """One card, by name or number; numbers above the deck's are codes of what a reader sees."""

    def read(self, row: Section, key: str) -> int:
        if not isinstance(row.left.get(key), str):
            return row.whole(key, 0, FACE_CODES)
        return checked(row, key, lambda: card_code(row.take(key)))

    @property
    def schema(self) -> Schema:
        return {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 0, "maximum": FACE_CODES}]}


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards in order, by names or numbers."""

    def read(self, row: Section, key: str) -> tuple[int, ...]:
        given = row.take(key)
        if not isinstance(given, str) and not _whole_numbers(given, 0, FACE_CODES):
            row.refuse(f'{row.name(key)} is cards like "Q♠ Ks 10h" or a list of faces, not {given!r}', key)
        return tuple(checked(row, key, lambda: card_codes(given)))

    @property
    def schema(self) -> Schema:
        numbers = {"type": "array", "maxItems": MAX_IDS, "items": {"type": "integer", "minimum": 0}}
        return {"anyOf": [{"type": "string"}, numbers]}


@dataclass(frozen=True, slots=True)
class HandsBySeat:
    """Cards by seat."""

    def read(self, row: Section, key: str) -> dict[int, tuple[int, ...]]:
        named = row.section(key)
        return {read_seat(named, seat): Cards().read(named, seat) for seat in list(named.left)}

    @property
    def schema(self) -> Schema:
        return {"type": "object", "maxProperties": MAX_SEAT + 1, "additionalProperties": Cards().schema}


@dataclass(frozen=True, slots=True)
class Numbers:
    """A list of whole numbers within bounds."""

    low: int
    high: int
    what: str

    def read(self, row: Section, key: str) -> tuple[int, ...]:
        given = row.take(key)
        if not _whole_numbers(given, self.low, self.high):
            row.refuse(f"{key} is a list of {self.what} from {self.low} to {self.high}, not {given!r}", key)
        return tuple(given)

    @property
    def schema(self) -> Schema:
        return {"type": "array", "maxItems": MAX_IDS, "items": Whole(self.low, self.high).schema}


@dataclass(frozen=True, slots=True)
class NamedValues:
    """Named values that the device checks itself."""

    def read(self, row: Section, key: str) -> dict[str, Any]:
        return dict(row.section(key).left)

    @property
    def schema(self) -> Schema:
        return {"type": "object", "maxProperties": 16}


def read_seat(row: Section, seat: str) -> int:
    """A key that names a seat: a number, or the dealer."""
    if seat == "dealer":
        return DEALER_SEAT
    if not seat.isdecimal() or not 1 <= int(seat) <= MAX_SEAT:
        row.refuse(f"a seat is a number from 1 to {MAX_SEAT} or dealer, not {seat!r}", seat)
    return int(seat)


def checked(row: Section, key: str, make: Callable[[], Result]) -> Result:
    """What `make` returns; a device's refusal gets the place of the value."""
    try:
        return make()
    except DeviceError as problem:
        row.refuse(str(problem), key)


def _whole_numbers(given: object, low: int, high: int) -> bool:
    return (
        isinstance(given, list)
        and len(given) <= MAX_IDS
        and all(type(number) is int and low <= number <= high for number in given)
    )
