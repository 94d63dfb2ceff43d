"""Reliable, ordered frames within one session: a window, acknowledgements, retransmission with an adaptive time-out.

Pure: `now` is an argument in microseconds. The link gives it arriving frames and drains what it wants sent. Sequence
numbers start at 1 and never wrap within a session; 0 marks frames outside the order (acknowledgement, heartbeat).
"""

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

from protocol.errors import QueueFull
from protocol.framing import RETRANSMITTED, Frame

WINDOW = 16
QUEUE_LIMIT = 256
LAST_SEQUENCE = 0xFFFF_FF00  # a session ends before its numbers do; the host opens the next
MAX_TRIES = 12
ACK_DELAY_US = 20_000
RTO_START_US = 300_000
RTO_MIN_US = 60_000  # above the peer's ACK_DELAY_US, so that a quiet line retransmits nothing
RTO_MAX_US = 4_000_000
FAST_RETRANSMIT_AFTER = 3  # equal acknowledgements in a row


class Outgoing(NamedTuple):
    """A frame to be written: the link adds session, seal and delimiters."""

    flags: int
    message: int
    sequence: int
    acknowledge: int
    request: int
    body: bytes


_InFlight = tuple[int, int, bytes, int]  # message, request, body, when it was sent last

_NOTHING: list[Outgoing] = []


@dataclass(slots=True)
class StreamCounters:
    """What the stream had to do; for tests and diagnosis."""

    sent: int = 0
    retransmitted: int = 0
    duplicates: int = 0
    out_of_order: int = 0


class Stream:
    """Both directions of one session."""

    def __init__(self, window: int = WINDOW) -> None:
        self.window = window
        self.counters = StreamCounters()
        self.dead = False
        self._queue: deque[tuple[int, int, bytes]] = deque()
        self._flight: dict[int, _InFlight] = {}
        self._tries: dict[int, int] = {}  # of those sent more than once
        self._next = 1
        self._peer_has = 0
        self._same_acks = 0
        self._expected = 1
        self._early: dict[int, Frame] = {}
        self._ack_due_us: int | None = None
        self._unacknowledged = 0
        self._ack_now = False
        self._rto_us = RTO_START_US
        self._srtt_us: float | None = None
        self._rttvar_us = 0.0
        self._retransmit_at: int | None = None
        self._resend: list[int] = []

    # ------------------------------------------------------------------------------------------------------ outward

    @property
    def room(self) -> int:
        """How many more messages the queue takes."""
        return QUEUE_LIMIT - len(self._queue) - len(self._flight)

    @property
    def spent(self) -> bool:
        """Whether the session has used up its sequence numbers."""
        return self._next > LAST_SEQUENCE

    @property
    def idle(self) -> bool:
        """Nothing waits to be sent or acknowledged by the peer."""
        return not self._queue and not self._flight

    def send(self, message: int, request: int, body: bytes) -> None:
        """Queue a message; raises QueueFull."""
        if self.room <= 0:
            raise QueueFull(f"{QUEUE_LIMIT} messages wait for the peer's acknowledgement")
        self._queue.append((message, request, body))

    def drain(self, now: int, ack_message: int) -> list[Outgoing]:
        """What is to be written now: retransmissions, new frames as the window allows, else a due acknowledgement."""
        ack_due = self._ack_now or (self._ack_due_us is not None and now >= self._ack_due_us)
        if not (self._queue or self._resend or ack_due):
            return _NOTHING
        out: list[Outgoing] = []
        acknowledge = self._expected - 1
        for sequence in self._resend:
            entry = self._flight.get(sequence)
            if entry is not None:
                message, request, body, _ = entry
                self._flight[sequence] = message, request, body, now
                self._tries[sequence] = self._tries.get(sequence, 1) + 1
                self.counters.retransmitted += 1
                out.append(Outgoing(RETRANSMITTED, message, sequence, acknowledge, request, body))
        self._resend.clear()
        queue, flight = self._queue, self._flight
        if self.spent:
            return out
        while queue and len(flight) < self.window:
            message, request, body = queue.popleft()
            sequence = self._next
            self._next = sequence + 1
            flight[sequence] = message, request, body, now
            out.append(Outgoing(0, message, sequence, acknowledge, request, body))
        if out:
            self.counters.sent += len(out)
            if self._retransmit_at is None:
                self._retransmit_at = now + self._rto_us
        elif ack_due:
            out.append(Outgoing(0, ack_message, 0, acknowledge, 0, b""))
        if out:
            self._acknowledged_all()
        return out

    def acknowledge_with(self) -> int:
        """The acknowledgement for a frame outside the order; the caller sends it, so none is owed any more."""
        self._acknowledged_all()
        return self._expected - 1

    def _acknowledged_all(self) -> None:
        self._ack_now = False
        self._ack_due_us = None
        self._unacknowledged = 0

    # ------------------------------------------------------------------------------------------------------- inward

    def accept(self, frame: Frame, now: int) -> list[Frame]:
        """Take a frame of this session; returns the frames that are now next in order."""
        self._take_acknowledgement(frame, now)
        sequence = frame.sequence
        if sequence == 0:
            return []
        expected = self._expected
        if sequence != expected:
            if sequence < expected or sequence in self._early:
                self.counters.duplicates += 1
            elif sequence < expected + self.window:
                self.counters.out_of_order += 1
                self._early[sequence] = frame
            self._ack_now = True
            return []
        ready = [frame]
        expected += 1
        if self._early:
            while (early := self._early.pop(expected, None)) is not None:
                ready.append(early)
                expected += 1
        self._expected = expected
        self._unacknowledged += len(ready)
        if self._unacknowledged * 2 >= self.window or self._early:
            self._ack_now = True
        elif self._ack_due_us is None:
            self._ack_due_us = now + ACK_DELAY_US
        return ready

    def _take_acknowledgement(self, frame: Frame, now: int) -> None:
        acknowledged = frame.acknowledge
        if acknowledged >= self._next:
            return
        if acknowledged > self._peer_has:
            newest = None
            for sequence in range(self._peer_has + 1, acknowledged + 1):
                newest = self._flight.pop(sequence)
            self._peer_has = acknowledged
            self._same_acks = 0
            if newest is not None and acknowledged not in self._tries:
                self._measure(now - newest[3])
            if self._tries:
                self._tries = {sequence: tries for sequence, tries in self._tries.items() if sequence > acknowledged}
            self._retransmit_at = now + self._rto_us if self._flight else None
        elif acknowledged == self._peer_has and self._flight and frame.sequence == 0:
            self._same_acks += 1
            if self._same_acks == FAST_RETRANSMIT_AFTER:
                self._resend.append(acknowledged + 1)

    def _measure(self, rtt_us: int) -> None:
        """RFC 6298's estimator; retransmitted frames are not measured (Karn)."""
        if self._srtt_us is None:
            self._srtt_us, self._rttvar_us = float(rtt_us), rtt_us / 2
        else:
            self._rttvar_us += (abs(self._srtt_us - rtt_us) - self._rttvar_us) / 4
            self._srtt_us += (rtt_us - self._srtt_us) / 8
        self._rto_us = int(min(RTO_MAX_US, max(RTO_MIN_US, self._srtt_us + 4 * self._rttvar_us)))

    # --------------------------------------------------------------------------------------------------------- time

    def next_deadline(self) -> int | None:
        """When `tick` wants to be called."""
        if self._ack_now or self._resend:
            return 0
        if self._ack_due_us is None:
            return self._retransmit_at
        if self._retransmit_at is None:
            return self._ack_due_us
        return min(self._ack_due_us, self._retransmit_at)

    def tick(self, now: int) -> None:
        """Let time pass: a time-out resends the oldest frame and doubles the time-out; too many end the stream."""
        if self._retransmit_at is None or now < self._retransmit_at or not self._flight:
            return
        oldest = next(iter(self._flight))
        if self._tries.get(oldest, 1) >= MAX_TRIES:
            self.dead = True
            self._retransmit_at = None
            return
        self._resend.append(oldest)
        self._rto_us = min(RTO_MAX_US, self._rto_us * 2)
        self._retransmit_at = now + self._rto_us
