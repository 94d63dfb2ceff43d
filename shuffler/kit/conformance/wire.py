"""The seam below the device suite: bytes both ways and a clock, real or virtual."""

from typing import Protocol


class Wire(Protocol):
    """One cable to a device. Times are microseconds."""

    def write(self, data: bytes) -> None:
        """Put bytes on the line; raises LinkLost where it is gone."""

    def read(self, wait_us: int) -> bytes:
        """What has come, waiting so long for the first byte; raises LinkLost."""

    def now(self) -> int:
        """The clock."""

    def reopen(self) -> None:
        """Pull the cable and put it in again; raises CannotOpen."""
