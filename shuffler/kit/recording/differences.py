"""How two messages differ, field by field, and what was masked on the way. Pure."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from protocol.layout import Blob, Codes, Field, Fixed, Nested, Records, layout
from protocol.messages import Message
from protocol.render.tables import shown
from shuffler.kit.recording.masks import reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One field, or a whole message, that is not as recorded."""

    number: int  # of the recorded frame; 0 where nothing was recorded
    at_us: int  # of the recorded frame
    message: str
    field: str  # empty where the message itself is missing or new
    recorded: str
    came: str

    def __str__(self) -> str:
        where = f"frame {self.number} at {self.at_us / 1e6:.3f} s" if self.number else "after the last recorded frame"
        name = f"{self.message}.{self.field}" if self.field else self.message
        return f"{where}: {name} recorded {self.recorded}, came {self.came}"


@dataclass(slots=True)
class Masked:
    """Fields that differed and were not compared, counted by name."""

    counts: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, str] = field(default_factory=dict)

    def note(self, name: str, why: str) -> None:
        self.counts[name] += 1
        self.reasons[name] = why

    def lines(self) -> list[str]:
        """For people, in the order of their names."""
        return [f"{name} ({self.reasons[name]}): differs in {self.counts[name]}" for name in sorted(self.counts)]


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field that differs, with both values for people."""

    field: str
    recorded: str
    came: str


def field_differences(recorded: Message, came: Message, masked: Masked) -> list[FieldDifference]:
    """Every unmasked field in which two messages of a kind differ; what is masked is noted."""
    return list(_field_differences(recorded, came, "", type(recorded).__name__, masked))


def _field_differences(recorded: Any, came: Any, prefix: str, name: str, masked: Masked) -> Iterator[FieldDifference]:
    kind: type = type(recorded)
    for each in layout(kind):
        one, other = getattr(recorded, each.name), getattr(came, each.name)
        if one == other:
            continue
        why = reason(kind, each.name)
        if why is not None:
            masked.note(f"{name}.{prefix}{each.name}", why)
        else:
            yield from _inside(one, other, each, f"{prefix}{each.name}", name, masked)


def _inside(one: Any, other: Any, each: Field, path: str, name: str, masked: Masked) -> Iterator[FieldDifference]:
    match each.kind:
        case Nested():
            yield from _field_differences(one, other, f"{path}.", name, masked)
        case Records():
            if len(one) != len(other):
                yield FieldDifference(f"{path} (count)", str(len(one)), str(len(other)))
            for at, (left, right) in enumerate(zip(one, other, strict=False)):
                yield from _field_differences(left, right, f"{path}[{at}].", name, masked)
        case Codes() if len(one) == len(other):
            for at, (left, right) in enumerate(zip(one, other, strict=True)):
                if left != right:
                    yield FieldDifference(f"{path}[{at}]", shown((left,), each), shown((right,), each))
        case Fixed() | Blob() if len(one) == len(other):
            first = next(at for at, (left, right) in enumerate(zip(one, other, strict=True)) if left != right)
            yield FieldDifference(f"{path} from byte {first}", one[first:][:8].hex(" "), other[first:][:8].hex(" "))
        case _:
            yield FieldDifference(path, shown(one, each), shown(other, each))
