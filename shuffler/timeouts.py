"""Every timeout of host and table: one table of how long is waited for what, and what happens then. Pure.

Each row is a field in microseconds. Rows with a `_max` or `_again` beside them repeat.
"""

from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple

SECOND_US = 1_000_000


class Row(NamedTuple):
    """One timeout for people."""

    name: str
    seconds: float
    waits: str
    then: str


def _after(seconds: float, waits: str, then: str) -> int:
    """A row of the table; its value is the time in microseconds."""
    value: int = field(default=int(seconds * SECOND_US), metadata={"waits": waits, "then": then})
    return value


# fmt: off
@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """The policy: a table takes one, and nothing else waits."""

    # The host's end of the line.
    ack_us: int = _after(0.02, "a stored event that is not acknowledged yet", "the host acknowledges all stored events")
    reopen_us: int = _after(0.1, "a port that could not be opened, or a refused session", "the host tries again; the wait doubles")
    reopen_max_us: int = _after(2, "the same, after several attempts", "the host tries again; the wait stays")
    hold_off_us: int = _after(5, "a device whose memory was set back", "the host says hello again")
    stale_us: int = _after(10, "an open port on which no hello is answered", "the host closes the port and opens it again")
    # The table.
    poll_us: int = _after(0.25, "a device that is not ready", "the table asks for its status")
    notice_us: int = _after(5, "a table without a session", "the table says what it waits for")
    notice_idle_us: int = _after(15, "a device that sends no event while it has something to do", "the table says what it waits for")
    notice_again_us: int = _after(60, "the same, after the first notice", "the table says it again")
    no_session_us: int = _after(15, "a table without a session", "the table calls for the backup, and again after each such time")
    stuck_us: int = _after(180, "a deck that is not made ready, or a round in which no event comes", "the table voids the round and calls for the backup")
    give_up_us: int = _after(300, "a table without a session, or without any event and progress", "the table ends with an error")
    no_progress_us: int = _after(1200, "a device that is busy and makes no progress", "the table ends with an error")
    # Meters that several tables share.
    meter_us: int = _after(0.5, "a meter that other tables move", "the table reads it again")
    award_us: int = _after(0.02, "a prize that the meter's server has not fixed", "the table asks again")
# fmt: on

    def within(self, seconds: float) -> "Timeouts":
        """The same for a table that gives up after `seconds`: none of the table's other timeouts is longer."""
        whole = int(seconds * SECOND_US)
        return replace(
            self, no_session_us=min(self.no_session_us, whole // 2), stuck_us=min(self.stuck_us, whole * 3 // 5),
            give_up_us=whole, no_progress_us=4 * whole,
        )  # fmt: skip


USUAL = Timeouts()


def rows() -> list[Row]:
    """The policy as a table, for the documentation."""
    return [
        Row(one.name.removesuffix("_us"), getattr(USUAL, one.name) / SECOND_US, one.metadata["waits"], one.metadata["then"])
        for one in fields(Timeouts)
    ]
