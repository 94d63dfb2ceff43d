"""Reliable, ordered frames within one session: a window, selective acknowledgements, an adaptive timeout.

Pure: `now` is an argument in microseconds. The link gives it arriving frames and drains what it wants sent. Sequence
numbers start at 1 and never wrap within a session; 0 marks frames outside the order (acknowledgement, heartbeat).

A frame is considered lost as soon as a frame that was sent after it has arrived, or on a timeout. After a timeout the
stream resends earlier frames at the pace of the acknowledgements.
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
AT_ONCE = 2  # frames resent on a timeout, and on each acknowledgement after it
TRIES_A_WAIT = 2  # consecutive timeouts before the wait doubles
SLOWEST_US_A_BYTE = 1_042.0  # 9,600 baud, until the line has been measured
RATE_SAMPLES = 32
OVERHEAD = 30  # bytes of a frame besides its body, approximately
EARLY_BITS = 16  # of an acknowledgement: frames that arrived after the first missing one


class Outgoing(NamedTuple):
    """A frame to send. The link adds session, seal and delimiters."""

    flags: int
    message: int
    sequence: int
    acknowledge: int
    request: int
    body: bytes



class _InFlight(NamedTuple):
    message: int
    request: int
    body: bytes
    sent_us: int  # last
    order: int  # position of its last transmission among all
    ahead: int  # bytes in flight when it was sent, including its own



_NOTHING: list[Outgoing] = []


@dataclass(slots=True)
class StreamCounters:
    """Counters for tests and diagnosis."""

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
        self.queue: deque[tuple[int, int, bytes]] = deque()  # not sent yet
        self.flight: dict[int, _InFlight] = {}
        self._tries: dict[int, int] = {}  # of frames sent more than once
        self._next = 1
        self._peer_has = 0
        self._peer_early: set[int] = set()  # arrived after a missing one
        self._sendings = 0
        self._arrived = 0  # the latest transmission known to have arrived
        self._recover = 0  # sent before the last timeout and not acknowledged since
        self._timeouts = 0  # in a row
        self._expected = 1
        self._early: dict[int, Frame] = {}
        self.ack_due_us: int | None = None
        self._unacknowledged = 0
        self.ack_now = False
        self._rto_us = RTO_START_US
        self._srtt_us: float | None = None
        self._rttvar_us = 0.0
        self.retransmit_at: int | None = None
        self._bytes = 0  # in flight
        self._us_a_byte: deque[float] = deque((SLOWEST_US_A_BYTE,), RATE_SAMPLES)
        self._line_us = SLOWEST_US_A_BYTE  # the smallest of them: upper bound of the line's time for a byte
        self.resend: dict[int, None] = {}  # sequence numbers

    # ------------------------------------------------------------------------------------------------------ outward

    @property
    def spent(self) -> bool:
        """Whether the session has used all sequence numbers."""
        return self._next > LAST_SEQUENCE

    @property
    def idle(self) -> bool:
        """Whether nothing is waiting to be sent or acknowledged."""
        return not self.queue and not self.flight

    def measured(self, rtt_us: int, size: int) -> None:
        """Record the round-trip time of the handshake and its number of bytes."""
        self._measure(rtt_us)
        self._us_a_byte.append(rtt_us / size)
        self._line_us = min(self._us_a_byte)

    def send(self, message: int, request: int, body: bytes) -> None:
        """Queue a message; raises QueueFull."""
        if len(self.queue) + len(self.flight) >= QUEUE_LIMIT:
            raise QueueFull(f"{QUEUE_LIMIT} messages wait for the peer's acknowledgement")
        self.queue.append((message, request, body))

    def drain(self, now: int, ack_message: int) -> list[Outgoing]:
        """Return the frames to send now: retransmissions, new frames within the window, else a due acknowledgement."""
        ack_due = self.ack_now or (self.ack_due_us is not None and now >= self.ack_due_us)
        if not (self.queue or self.resend or ack_due):
            return _NOTHING
        out: list[Outgoing] = []
        acknowledge = self._expected - 1
        for sequence in self.resend:
            entry = self.flight.get(sequence)
            if entry is not None and sequence not in self._peer_early:
                self._sendings += 1
                self.flight[sequence] = entry._replace(sent_us=now, order=self._sendings)
                self._tries[sequence] = self._tries.get(sequence, 1) + 1
                self.counters.retransmitted += 1
                out.append(
                    Outgoing(RETRANSMITTED, entry.message, sequence, acknowledge, entry.request, entry.body)
                )
        self.resend.clear()
        queue, flight = self.queue, self.flight
        if self._next > LAST_SEQUENCE:
            return out
        while queue and self._next <= self._peer_has + self.window:
            message, request, body = queue.popleft()
            sequence = self._next
            self._next = sequence + 1
            self._sendings += 1
            self._bytes += OVERHEAD + len(body)
            flight[sequence] = _InFlight(message, request, body, now, self._sendings, self._bytes)
            out.append(Outgoing(0, message, sequence, acknowledge, request, body))
        if out:
            self.counters.sent += len(out)
            if self.retransmit_at is None:
                self.retransmit_at = now + self._wait_us
        if ack_due and (self._early or not out):
            out.append(Outgoing(0, ack_message, 0, acknowledge, 0, self._early_bits()))
        if out:
            self.ack_now = False
            self.ack_due_us = None
            self._unacknowledged = 0
        return out

    def _early_bits(self) -> bytes:
        """Return the frames that arrived after the first missing one, as the body of an acknowledgement."""
        bits = sum(1 << sequence - self._expected - 1 for sequence in self._early)
        return (bits & (1 << EARLY_BITS) - 1).to_bytes(EARLY_BITS // 8, "little")

    def acknowledge_with(self) -> int:
        """Return the acknowledgement for an unordered frame. The caller sends it, so none is due any more."""
        self.ack_now = False
        self.ack_due_us = None
        self._unacknowledged = 0
        return self._expected - 1

    # ------------------------------------------------------------------------------------------------------- inward

    def accept(self, frame: Frame, now: int, early: int = 0) -> list[Frame]:
        """Take a frame of this session; returns the frames that are now next in order.

        `early` are the bits of an acknowledgement: frame `acknowledge` + 2 + n has come for bit n.
        """
        sequence, acknowledged = frame.sequence, frame.acknowledge
        if early or self._peer_has < acknowledged:  # else it contains nothing new
            self._take_acknowledgement(acknowledged, early, now)
        if sequence == 0:
            return []
        expected = self._expected
        if sequence != expected:
            if sequence < expected or sequence in self._early:
                self.counters.duplicates += 1
            elif sequence < expected + self.window:
                self.counters.out_of_order += 1
                self._early[sequence] = frame
            self.ack_now = True
            return []
        ready = [frame]
        expected += 1
        if self._early:
            while (kept := self._early.pop(expected, None)) is not None:
                ready.append(kept)
                expected += 1
        self._expected = expected
        self._unacknowledged += len(ready)
        if self._unacknowledged * 2 >= self.window or self._early:
            self.ack_now = True
        elif self.ack_due_us is None:
            self.ack_due_us = now + ACK_DELAY_US
        return ready

    def _take_acknowledgement(self, acknowledged: int, early: int, now: int) -> None:
        peer_has, flight, tries, known = self._peer_has, self.flight, self._tries, self._peer_early
        if not peer_has <= acknowledged < self._next:
            return  # impossible
        came: list[_InFlight] = []  # sent once, so that their round trip can be measured
        for sequence in range(peer_has + 1, acknowledged + 1):
            sent = flight.pop(sequence)
            self._bytes -= OVERHEAD + len(sent.body)
            if (tries or known) and (tries.pop(sequence, None) is not None or sequence in known):
                known.discard(sequence)
            else:
                came.append(sent)
        news = acknowledged > peer_has
        for sequence in range(acknowledged + 2, acknowledged + 2 + early.bit_length()):
            is_there = early >> (sequence - acknowledged - 2) & 1
            if is_there and sequence in flight and sequence not in known:
                known.add(sequence)
                news = True
                if sequence not in tries:
                    came.append(flight[sequence])
        if not news:
            return
        if came:
            self._measure_way(came[0], came[-1], now)
        if acknowledged > peer_has:
            self._peer_has = acknowledged
            self._timeouts //= 2
        self.retransmit_at = now + self._wait_us if flight else None
        if flight:
            self._find_lost(acknowledged > peer_has)

    def _measure_way(self, first: _InFlight, last: _InFlight, now: int) -> None:
        """Measure the line by an acknowledgement: the longest wait for the timeout, all bytes for the rate.

        Of frames that were sent several times any copy may be the one that came, so they are not measured (Karn).
        """
        self._measure(now - first.sent_us)
        self._us_a_byte.append((now - last.sent_us) / last.ahead)
        self._line_us = min(self._us_a_byte)
        self._timeouts = 0
        self._arrived = max(self._arrived, last.order)

    def _find_lost(self, advanced: bool) -> None:
        """Mark frames as lost that were sent before one that arrived, and after a timeout those sent before it."""
        again = 0
        for sequence, sent in self.flight.items():
            if sequence in self._peer_early:
                continue
            if sent.order < self._arrived:
                self.resend[sequence] = None
            elif advanced and sent.order <= self._recover and again < AT_ONCE:
                again += 1
                self.resend[sequence] = None

    def _measure(self, rtt_us: int) -> None:
        """RFC 6298's estimator."""
        if self._srtt_us is None:
            self._srtt_us, self._rttvar_us = float(rtt_us), rtt_us / 2
        else:
            self._rttvar_us += (abs(self._srtt_us - rtt_us) - self._rttvar_us) / 4
            self._srtt_us += (rtt_us - self._srtt_us) / 8
        self._rto_us = int(min(RTO_MAX_US, max(RTO_MIN_US, self._srtt_us + 4 * self._rttvar_us)))

    # --------------------------------------------------------------------------------------------------------- time

    def next_deadline(self) -> int | None:
        """Return when to call `tick`."""
        if self.ack_now or self.resend:
            return 0
        if self.ack_due_us is None:
            return self.retransmit_at
        if self.retransmit_at is None or self.ack_due_us < self.retransmit_at:
            return self.ack_due_us
        return self.retransmit_at

    @property
    def _wait_us(self) -> int:
        """Return the timeout: longer after consecutive timeouts, and by the line's time for all bytes in flight."""
        wait_us = min(RTO_MAX_US, self._rto_us << min(self._timeouts // TRIES_A_WAIT, 16))
        return wait_us + int(self._bytes * self._line_us)

    def tick(self, now: int) -> None:
        """Handle timeouts: resend the oldest frames; after too many tries, end the stream."""
        if self.retransmit_at is None or now < self.retransmit_at or not self.flight:
            return
        missing = [sequence for sequence in self.flight if sequence not in self._peer_early]
        if self._tries.get(missing[0], 1) >= MAX_TRIES:
            self.dead = True
            self.retransmit_at = None
            return
        self.resend.update(dict.fromkeys(missing[:AT_ONCE]))
        self._recover = self._sendings
        self._timeouts += 1
        self.retransmit_at = now + self._wait_us
