"""A device in a file: its memory and where every card lies, to go on from elsewhere. Pure.

A restored device is another one to every host: its memory gets a new epoch, its log says where it comes from, and
events that nobody had fetched are gone with the old epoch. Cards, decks and an open round are as they were.
"""

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from typing import Any

from firmware_sim.errors import BadControl
from firmware_sim.machine.mechanism import CardDefect, Mechanism, Places

FORMAT = "shuffler-bench/snapshot/1"
PLACES = ("infeed", "stack", "rack", "play", "tray", "table", "aside", "dropped")
MAX_CARDS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One device between two motions."""

    profile: str
    serial: str
    hands: str
    memory: bytes
    faces: tuple[int, ...]
    places: dict[str, tuple[int, ...]]
    defects: dict[int, CardDefect] = field(default_factory=dict)
    door_open: bool = False

    @classmethod
    def of(cls, machine: Mechanism, *, profile: str, serial: str, hands: str, memory: bytes) -> "Snapshot":
        """Taken now; refused while cards are on their way, since they lie nowhere then."""
        if any(motion is not None for motion in machine.motions):
            raise BadControl("cards are moving: pause the clock and step until they lie still")
        machine.begin_step()
        return cls(
            profile=profile, serial=serial, hands=hands, memory=memory, faces=tuple(machine.faces),
            places={name: tuple(getattr(machine.places, name)) for name in PLACES},
            defects=dict(machine.defects), door_open=machine.door_open,
        )  # fmt: skip

    def lay_out(self, machine: Mechanism) -> None:
        """Put every card of a new machine where it lay."""
        machine.faces[:] = self.faces
        machine.places = Places(**{name: list(cards) for name, cards in self.places.items()})
        machine.defects = dict(self.defects)
        machine.door_open = self.door_open

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "format": FORMAT, "profile": self.profile, "serial": self.serial, "hands": self.hands,
            "memory": b64encode(self.memory).decode(), "faces": list(self.faces),
            "places": {name: list(cards) for name, cards in self.places.items()},
            "defects": [[card, odd.back, odd.face_up, odd.unreadable] for card, odd in self.defects.items()],
            "door_open": self.door_open,
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Any) -> "Snapshot":
        """Read and checked; raises BadControl where it is none."""
        try:
            if data["format"] != FORMAT:
                raise BadControl(f"a snapshot of the format {data['format']!r} can't be read here, only {FORMAT}")
            faces = tuple(_numbers(data["faces"], 256))
            places = {name: tuple(_numbers(data["places"][name], len(faces))) for name in PLACES}
            defects = {
                int(card): CardDefect(back=str(back), face_up=bool(up), unreadable=bool(soiled))
                for card, back, up, soiled in data["defects"]
            }
            lying = sorted(card for cards in places.values() for card in cards)
            if lying != list(range(len(faces))) or not 0 < len(faces) <= MAX_CARDS:
                raise BadControl("not a snapshot: every card must lie in exactly one place")
            return cls(
                profile=str(data["profile"]), serial=str(data["serial"]), hands=str(data["hands"]),
                memory=b64decode(data["memory"], validate=True), faces=faces, places=places, defects=defects,
                door_open=bool(data["door_open"]),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise BadControl(f"not a snapshot of a device: {type(problem).__name__} {problem}") from None

    def text(self) -> str:
        """As a file."""
        return json.dumps(self.to_json())


def _numbers(values: Any, below: int) -> list[int]:
    if not isinstance(values, list) or not all(type(one) is int and 0 <= one < below for one in values):
        raise ValueError(f"a list of numbers below {below} is wanted")
    return values
