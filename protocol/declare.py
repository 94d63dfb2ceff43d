"""How a message is declared: decorators for classes, functions for fields. `messages.py` uses all of them.

A class states everything about its message: number, chapter, direction, reply and effect in the decorator; wire type,
meaning and example of each field in the field; what the message means in the docstring. Codec, catalogue, construct's
Structs, reference, C header, JavaScript module, dissector and vectors are derived from it.
"""

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field
from enum import Enum, Flag, auto
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

from protocol.layout import Blob, Codes, Fixed, Int, Nested, Records, Text, WireType
from protocol.vocabulary import Role


class Chapter(Enum):
    """The chapters of the message reference, in its order."""

    LINK = "link"
    SESSION = "session"
    DEVICE = "device"
    GAME = "game"
    DECK = "deck"
    DEAL = "deal"
    LOG = "log"
    MAINTENANCE = "maintenance"
    EVENT = "event"


class Way(Enum):
    """Who sends the message."""

    HOST = "host → device"
    DEVICE = "device → host"
    BOTH = "both ways"


class Needs(Flag):
    """The state that the device must be in to execute a command."""

    NOTHING = 0
    POWER = auto()  # the power-up self-test has ended
    HEALTH = auto()  # no fault is active
    PLAY = auto()  # mode PLAY
    ALL = POWER | HEALTH | PLAY


# -------------------------------------------------------------------------------------------------------------- fields


def u8(meaning: str, example: object = None) -> Any:
    """An unsigned number of 1 byte: int, bool, or a word of the vocabulary."""
    return _field(Int(1), meaning, example)


def u16(meaning: str, example: object = None) -> Any:
    """An unsigned number of 2 bytes."""
    return _field(Int(2), meaning, example)


def u32(meaning: str, example: object = None) -> Any:
    """An unsigned number of 4 bytes."""
    return _field(Int(4), meaning, example)


def u64(meaning: str, example: object = None) -> Any:
    """An unsigned number of 8 bytes."""
    return _field(Int(8), meaning, example)


def fixed(size: int, meaning: str, example: object = None) -> Any:
    """A fixed number of bytes."""
    return _field(Fixed(size), meaning, example)


def blob8(meaning: str, example: object = None) -> Any:
    """At most 255 bytes after their length."""
    return _field(Blob(1), meaning, example)


def blob16(meaning: str, example: object = None) -> Any:
    """At most 65,535 bytes after their length."""
    return _field(Blob(2), meaning, example)


def utf8(meaning: str, example: object = None) -> Any:
    """At most 255 bytes of UTF-8 after their length."""
    return _field(Text(1), meaning, example)


def card_codes(meaning: str, example: object = None) -> Any:
    """Card codes after their count."""
    return _field(Codes(2), meaning, example)


def feed_places(meaning: str, example: object = (), *, default: object = MISSING) -> Any:
    """Places in the feed after their count."""
    return _field(Codes(2, "places"), meaning, example, default)


def nested(meaning: str, example: object = None) -> Any:
    """A record in place."""
    return _field(Nested(), meaning, example)


def listed(meaning: str, example: object = None) -> Any:
    """At most 255 records after their count."""
    return _field(Records(1), meaning, example)


def _field(wire: WireType, meaning: str, example: object, default: object = MISSING) -> Any:
    return field(default=default, metadata={"wire": wire, "meaning": meaning, "example": example})


# ------------------------------------------------------------------------------------------------------------- classes


@dataclass_transform(
    frozen_default=True,
    kw_only_default=True,
    field_specifiers=(u8, u16, u32, u64, fixed, blob8, blob16, utf8, card_codes, feed_places, nested, listed),
)
class WireValue:
    """Root of everything that has a layout."""

    __slots__ = ()


class Message(WireValue):
    """Root of all messages."""

    __slots__ = ()
    if TYPE_CHECKING:  # hidden at run time from serialisers that read annotations
        entry: ClassVar["CatalogueEntry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """The declaration of a message, without its fields."""

    number: int
    body: type[Message]
    chapter: Chapter
    way: Way
    reply: type[Message] | None
    effect: bool  # the device remembers the command and never executes it twice
    roles: tuple[Role, ...]  # that may send it; empty: every role
    needs: Needs
    durable: bool  # command: on the host's disk before it is sent; event: kept by the device until acknowledged

    @property
    def name(self) -> str:
        return self.body.__name__

    @property
    def meaning(self) -> str:
        """The first paragraph of the docstring."""
        return self._paragraphs[0]

    @property
    def details(self) -> str:
        """The other paragraphs of the docstring."""
        return "\n\n".join(self._paragraphs[1:])

    @property
    def _paragraphs(self) -> list[str]:
        return [" ".join(paragraph.split()) for paragraph in (self.body.__doc__ or "").split("\n\n")]


R = TypeVar("R", bound=WireValue)
M = TypeVar("M", bound=Message)


def record(kind: type[R]) -> type[R]:
    """A part of messages, or a common root of some."""
    return dataclass(frozen=True, slots=True, kw_only=True)(kind)


def message(
    number: int,
    chapter: Chapter,
    way: Way,
    *,
    reply: type[Message] | None = None,
    effect: bool = False,
    roles: tuple[Role, ...] = (),
    needs: Needs = Needs.NOTHING,
    durable: bool = False,
) -> Callable[[type[M]], type[M]]:
    """A message of the catalogue."""

    def declared(kind: type[M]) -> type[M]:
        made = record(kind)
        made.entry = CatalogueEntry(
            number=number, body=made, chapter=chapter, way=way, reply=reply, effect=effect, roles=roles, needs=needs,
            durable=durable,
        )  # fmt: skip
        return made

    return declared


def command(
    number: int,
    chapter: Chapter,
    *,
    reply: type[Message] | None,
    effect: bool = False,
    roles: tuple[Role, ...] = (),
    needs: Needs = Needs.NOTHING,
    durable: bool = False,
) -> Callable[[type[M]], type[M]]:
    """A message that the host sends and the device executes."""
    return message(
        number, chapter, Way.HOST, reply=reply, effect=effect, roles=roles, needs=needs, durable=durable
    )


def answer(number: int, chapter: Chapter) -> Callable[[type[M]], type[M]]:
    """A reply of the device."""
    return message(number, chapter, Way.DEVICE)


def event(number: int, *, durable: bool = True) -> Callable[[type[M]], type[M]]:
    """A message that the device sends without being asked."""
    return message(number, Chapter.EVENT, Way.DEVICE, durable=durable)
