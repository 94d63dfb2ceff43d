"""How fast a recording is replayed. Pure."""

from dataclasses import dataclass

PATIENCE_US = 30_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayPace:
    """`speed` times the recorded pace; None: as fast as the peer answers. Either way it waits where it waited then."""

    speed: float | None = None
    patience_us: int = PATIENCE_US  # for a peer that does not say what it said then, beyond the recorded pause

    def pause_us(self, recorded_us: int) -> int:
        """How long to pause where the recording paused so long."""
        return 0 if self.speed is None else int(max(0, recorded_us) / self.speed)
