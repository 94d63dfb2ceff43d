"""The machine's clock against the cable's: how fast it runs, and where it stands. Pure; times in microseconds."""

from math import ceil, isfinite

from firmware_sim.errors import BadControl

SPEED_MAX = 100_000.0


class MachineClock:
    """Machine time as a law of link time; speed 0 stops the machine, and the line goes on."""

    __slots__ = ("_base_us", "_origin", "speed")

    def __init__(self, now: int, speed: float = 1.0) -> None:
        self.speed = speed
        self._origin = now
        self._base_us = 0

    def at(self, now: int) -> int:
        """The machine's time at a time of the link."""
        since = now - self._origin
        return self._base_us + (since if self.speed == 1.0 else int(since * self.speed))

    def due(self, machine_us: int) -> int | None:
        """When on the link's clock the machine's will have got there; None where it stands still."""
        ahead = machine_us - self._base_us
        if self.speed == 1.0:
            return self._origin + ahead
        return None if not self.speed else self._origin + int(ahead / self.speed) + 1

    def turn(self, now: int, machine_us: int) -> None:
        """At this time of the link the machine's clock shows this."""
        self._origin, self._base_us = now, machine_us

    def run_at(self, now: int, speed: float) -> None:
        """From now on this many times as fast; nothing is jumped over."""
        if not isfinite(speed) or not 0 <= speed <= SPEED_MAX:
            raise BadControl(f"a machine's clock runs 0 to {SPEED_MAX:g} times as fast, not {speed:g}")
        self.turn(now, self.at(now))
        self.speed = speed

    def link_us(self, machine_us: int) -> int:
        """So much machine time as link time; 0 while the clock stands."""
        return ceil(machine_us / self.speed) if self.speed else 0
