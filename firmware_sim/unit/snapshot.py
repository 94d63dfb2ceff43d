"""A device in a file: its memory and where every card lies, to go on from elsewhere. Pure.

A restored device is another one to every host: its memory gets a new epoch, its log says where it comes from, and
events that nobody had fetched are gone with the old epoch. Cards, decks and an open round are as they were.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import msgspec

from firmware_sim.errors import BadControl
from firmware_sim.machine.mechanism import CardDefect, Mechanism
from firmware_sim.machine.places import PLACES, Places

FORMAT = "shuffler-bench/snapshot/2"
MAX_CARDS = 4096

Face = Annotated[int, msgspec.Meta(ge=0, le=255)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One device between two motions."""

    profile: str
    serial: str
    hands: str
    memory: bytes
    faces: Annotated[tuple[Face, ...], msgspec.Meta(min_length=1, max_length=MAX_CARDS)]
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

    def to_json(self) -> dict[str, object]:
        """As plain data."""
        plain: dict[str, object] = msgspec.to_builtins(self, str_keys=True)
        return {"format": FORMAT, **plain}

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> "Snapshot":
        """Read and checked; raises BadControl where it is none."""
        found = data.get("format") if isinstance(data, Mapping) else None
        if found != FORMAT:
            raise BadControl(f"a snapshot of the format {found!r} can't be read here, only {FORMAT}")
        try:
            snapshot = msgspec.convert({**data}, cls, str_keys=True)
        except (msgspec.ValidationError, RecursionError) as problem:
            raise BadControl(f"not a snapshot of a device: {problem}") from None
        cards = sorted(card for name in PLACES for card in snapshot.places.get(name, ()))
        if cards != list(range(len(snapshot.faces))) or snapshot.places.keys() != set(PLACES):
            raise BadControl("not a snapshot: every card must lie in exactly one place")
        return snapshot

    def text(self) -> str:
        """As a file."""
        return msgspec.json.encode(self.to_json()).decode()
