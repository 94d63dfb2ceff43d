"""What a part of the firmware wants done. Parts return these; `Firmware.apply` is the one place that does them.

So a part never calls the firmware or another part back: it changes its own state, reads sensors, and says the rest.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from firmware_sim.machine.signals import Pass
from protocol import messages as m
from protocol.vocabulary import FaultCode


class Tell(NamedTuple):
    """An event for the host: numbered, kept until it is acknowledged."""

    kind: type[m.Event]
    fields: dict[str, Any]


class Mention(NamedTuple):
    """An event in passing: sent where somebody listens now, kept by nobody."""

    kind: type[m.Event]
    fields: dict[str, Any]


class Fail(NamedTuple):
    """A fault: all motion stops."""

    code: FaultCode
    detail: int = 0


class Start(NamedTuple):
    """A pass over so many cards, or all there are."""

    work: Pass
    card_us: int
    cards: int | None = None
    order: Sequence[int] | None = None


Effect = Tell | Mention | Fail | Start
Effects = list[Effect]


def tell(event_type: type[m.Event], /, **fields: Any) -> Tell:
    """An event for the host, its number and time left to whoever applies it."""
    return Tell(event_type, fields)
