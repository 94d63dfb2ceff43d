"""Two conversations held against each other: frame by frame, with fields named. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from protocol import messages as m
from protocol.catalogue import Way
from shuffler.kit.recording.conversation import (
    ConversationStep,
    Ended,
    Opaque,
    Opened,
    Said,
    SessionRefused,
    Unreadable,
    said_once,
)
from shuffler.kit.recording.differences import Difference, Masked, field_differences
from shuffler.kit.recording.lanes import MessageLane, lane

NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayComparison:
    """What came of it."""

    compared: int
    differences: tuple[Difference, ...]
    masked: Masked


@dataclass(frozen=True, slots=True)
class _Item:
    """A message to compare; `lane` names the sequence it belongs to."""

    step: ConversationStep
    lane: str
    name: str
    message: m.Message | None


def compare(recorded: Sequence[ConversationStep], came: Sequence[ConversationStep]) -> ReplayComparison:
    """How the second conversation differs from the first."""
    masked = Masked()
    differences: list[Difference] = []
    recorded, came = said_once(recorded), said_once(came)
    ours, theirs = list(_items(recorded)), list(_items(came))
    names = list(dict.fromkeys(item.lane for item in (*ours, *theirs)))
    for name in names:
        one, other = ([item for item in items if item.lane == name] for items in (ours, theirs))
        differences += _lane_differences(one, other, masked)
    differences += _acknowledged(recorded, came)
    differences.sort(key=lambda difference: (difference.number == 0, difference.number))
    return ReplayComparison(compared=len(ours), differences=tuple(differences), masked=masked)


def _items(steps: Sequence[ConversationStep]) -> Iterator[_Item]:
    """Everything that is compared, polls reduced to the last answer of a run."""
    waiting: _Item | None = None
    for step in steps:
        match step:
            case Said(way=way, message=message):
                kind = lane(way, message)
                item = _Item(step, kind.value, type(message).__name__, message)
                if kind is MessageLane.POLLS:
                    waiting = item if way is Way.DEVICE else waiting
                    continue
                if kind is MessageLane.LOOSE:
                    continue
                if kind is MessageLane.COMMANDS and waiting is not None:
                    yield waiting
                    waiting = None
                yield item
            case Opened(hello=hello, welcome=welcome):
                yield _Item(step, "hellos", "Hello", hello)
                yield _Item(step, "welcomes", "Welcome", welcome)
            case Ended(reset=reset) | SessionRefused(reset=reset):
                yield _Item(step, "resets", "Reset", reset)
            case Unreadable(frame=frame):
                yield _Item(step, "unreadable", f"unreadable 0x{frame.message:02X} {frame.body.hex()}", None)
            case Opaque(way=way, frame=frame):
                what = f"sealed 0x{frame.message:02X} of {len(frame.body)} bytes"
                yield _Item(step, f"sealed, {way.value}", what, None)
    if waiting is not None:
        yield waiting


def _lane_differences(recorded: list[_Item], came: list[_Item], masked: Masked) -> Iterator[Difference]:
    """Aligned by name, so that one missing message does not make all after it differ."""
    matcher = SequenceMatcher(None, [item.name for item in recorded], [item.name for item in came], autojunk=False)
    for tag, low, high, other_low, other_high in matcher.get_opcodes():
        if tag == "equal":
            for one, other in zip(recorded[low:high], came[other_low:other_high], strict=True):
                yield from message_differences(one.step, one.message, other.message, masked)
            continue
        for item in recorded[low:high]:
            yield whole(item.step, item.name, item.name, NOTHING)
        for item in came[other_low:other_high]:
            after = recorded[low - 1].step if low else None
            yield whole(after, item.name, NOTHING, item.name)


def message_differences(
    step: ConversationStep, recorded: m.Message | None, came: m.Message | None, masked: Masked
) -> Iterator[Difference]:
    """The fields in which two messages of a kind differ, at their place in the recording."""
    if recorded is None or came is None:
        return
    for place in field_differences(recorded, came, masked):
        yield Difference(
            number=step.number, at_us=step.at_us, message=type(recorded).__name__, field=place.field,
            recorded=place.recorded, came=place.came,
        )  # fmt: skip


def whole(step: ConversationStep | None, name: str, recorded: str, came: str) -> Difference:
    """A message that is missing, new, or another one."""
    number, at_us = (step.number, step.at_us) if step is not None else (0, 0)
    return Difference(number=number, at_us=at_us, message=name, field="", recorded=recorded, came=came)


def acknowledged(steps: Sequence[ConversationStep]) -> int:
    """How far the host has acknowledged events in the end."""
    acknowledgements = (step.message for step in steps if isinstance(step, Said))
    return max((message.upto for message in acknowledgements if isinstance(message, m.AckEvents)), default=0)


def _acknowledged(recorded: Sequence[ConversationStep], came: Sequence[ConversationStep]) -> list[Difference]:
    ours, theirs = acknowledged(recorded), acknowledged(came)
    if ours == theirs:
        return []
    last = [step for step in recorded if isinstance(step, Said) and isinstance(step.message, m.AckEvents)]
    number, at_us = (last[-1].number, last[-1].at_us) if last else (0, 0)
    return [
        Difference(
            number=number, at_us=at_us, message="AckEvents", field="upto", recorded=str(ours), came=str(theirs)
        )
    ]
