"""One monitor for each device, fed with rounds. Pure; `keeping` saves it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from randomness.monitoring import Monitor, MonitorEvidence, SeenDeal, evidence_of
from shuffler.monitoring.seen import SeenRound

IMPOSSIBLE_KEPT = 8
NOTHING_SEEN = SeenDeal((), ())


@dataclass(slots=True)
class Watched:
    """One device: its monitor and what else was noticed."""

    device: str
    monitor: Monitor
    last_round: str = ""
    last_at: str = ""
    alarm_name: str = ""
    alarm_at: str = ""
    rigged: int = 0
    unusable: int = 0
    why_unusable: str = ""
    impossible: list[str] = field(default_factory=list)
    impossible_rounds: int = 0

    @property
    def alarmed(self) -> bool:
        """The evidence reached its threshold, or a deck can't be."""
        return self.monitor.alarmed or self.impossible_rounds > 0

    def evidence(self, most: int | None = None) -> MonitorEvidence:
        """What its monitor says."""
        return evidence_of(self.monitor, most=most)

    def to_json(self, most: int | None = None) -> dict[str, Any]:
        """As plain data."""
        return {
            "device": self.device, "round": self.last_round, "at": self.last_at, "alarmed": self.alarmed,
            "alarm_in": self.alarm_name, "alarm_at": self.alarm_at, "rigged": self.rigged,
            "unusable": self.unusable, "why_unusable": self.why_unusable, "impossible_rounds": self.impossible_rounds,
            "impossible": list(self.impossible), **self.evidence(most).to_json(),
        }  # fmt: skip

    PLAIN = (
        "device", "last_round", "last_at", "alarm_name", "alarm_at", "rigged", "unusable", "why_unusable", "impossible",
        "impossible_rounds",
    )  # fmt: skip


class Watch:
    """All devices of a source. The level holds for each device."""

    def __init__(self, level: float, *, compiled: bool | None = None) -> None:
        """`compiled` as of `Monitor`."""
        self.level = level
        self._compiled = compiled
        self.devices: dict[str, Watched] = {}

    @property
    def alarmed(self) -> bool:
        """Whether any device is."""
        return any(one.alarmed for one in self.devices.values())

    def take(self, seen: SeenRound) -> bool:
        """Feed one round; return whether its device raised the alarm just now."""
        one = self.devices.get(seen.device)
        if one is None:
            one = self.devices[seen.device] = Watched(seen.device, Monitor(level=self.level, compiled=self._compiled))
        before = one.alarmed
        one.last_round, one.last_at = seen.round, seen.at
        one.rigged += seen.rigged
        if seen.impossible:
            one.impossible_rounds += 1
            if len(one.impossible) < IMPOSSIBLE_KEPT:
                one.impossible.append(f"{seen.round}: {seen.impossible}")
        if seen.unusable:
            one.unusable += 1
            one.why_unusable = seen.unusable
        one.monitor.take(NOTHING_SEEN if seen.deal is None else seen.deal)
        if one.alarmed and not before:
            one.alarm_name, one.alarm_at = seen.round, seen.at
            return True
        return False

    def to_state(self) -> dict[str, Any]:
        """Everything, as plain values and arrays."""
        return {
            "level": self.level,
            "devices": [
                {**{name: getattr(one, name) for name in Watched.PLAIN}, "monitor": one.monitor.to_state()}
                for one in self.devices.values()
            ],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], *, compiled: bool | None = None) -> "Watch":
        """Go on; raises MonitoringError for a state of another version."""
        made = cls(float(state["level"]), compiled=compiled)
        for plain in state["devices"]:
            one = Watched(plain["device"], Monitor.from_state(plain["monitor"], compiled=compiled))
            for name in Watched.PLAIN[1:]:
                setattr(one, name, plain[name])
            made.devices[one.device] = one
        return made
