"""One session's reliable order: window, acknowledgement, retransmission, time-out."""

from itertools import pairwise

import pytest

from protocol.errors import QueueFull
from protocol.framing import RETRANSMITTED, Frame
from protocol.stream import (
    ACK_DELAY_US,
    MAX_TRIES,
    OVERHEAD,
    QUEUE_LIMIT,
    RTO_MIN_US,
    RTO_START_US,
    SLOWEST_US_A_BYTE,
    Outgoing,
    Stream,
)

ACK = 4


def arriving(out: Outgoing) -> Frame:
    return Frame(1, out.flags, out.message, 9, out.sequence, out.acknowledge, out.request, out.body)


def bare_ack(upto: int) -> Frame:
    return Frame(1, 0, ACK, 9, 0, upto, 0, b"")


def test_messages_arrive_in_order_whatever_the_order_of_frames() -> None:
    sender, receiver = Stream(), Stream()
    for number in range(5):
        sender.send(0x10, number, b"")
    frames = [arriving(out) for out in sender.drain(0, ACK)]
    delivered = [f.request for index in (2, 0, 4, 1, 3) for f in receiver.accept(frames[index], 0)]
    assert delivered == [0, 1, 2, 3, 4]


def test_a_duplicate_is_dropped_and_acknowledged_again() -> None:
    sender, receiver = Stream(), Stream()
    sender.send(0x10, 1, b"")
    frame = arriving(sender.drain(0, ACK)[0])
    assert len(receiver.accept(frame, 0)) == 1
    assert receiver.accept(frame, 0) == []
    assert receiver.counters.duplicates == 1
    assert [out.acknowledge for out in receiver.drain(0, ACK)] == [1]


def test_no_more_than_the_window_is_under_way() -> None:
    sender = Stream(window=4)
    for number in range(10):
        sender.send(0x10, number, b"")
    assert len(sender.drain(0, ACK)) == 4
    assert sender.drain(0, ACK) == []
    sender.accept(bare_ack(2), 0)
    assert [out.sequence for out in sender.drain(0, ACK)] == [5, 6]


def test_a_frame_beyond_the_window_is_not_kept() -> None:
    receiver = Stream(window=4)
    assert receiver.accept(Frame(1, 0, 0x10, 9, 5, 0, 0, b""), 0) == []
    assert receiver._early == {}


def test_an_acknowledgement_rides_on_the_next_message() -> None:
    sender, receiver = Stream(), Stream()
    sender.send(0x10, 1, b"")
    receiver.accept(arriving(sender.drain(0, ACK)[0]), 0)
    receiver.send(0x80, 1, b"")
    assert [(out.message, out.acknowledge) for out in receiver.drain(1, ACK)] == [(0x80, 1)]
    assert receiver.drain(10 * ACK_DELAY_US, ACK) == []


def test_an_acknowledgement_goes_alone_after_a_moment() -> None:
    sender, receiver = Stream(), Stream()
    sender.send(0x10, 1, b"")
    receiver.accept(arriving(sender.drain(0, ACK)[0]), 0)
    assert receiver.drain(ACK_DELAY_US - 1, ACK) == []
    assert receiver.next_deadline() == ACK_DELAY_US
    assert [out.message for out in receiver.drain(ACK_DELAY_US, ACK)] == [ACK]


def test_an_unacknowledged_frame_is_sent_again_and_marked() -> None:
    sender = Stream()
    sender.send(0x10, 1, b"x")
    sender.drain(0, ACK)
    due = sender.next_deadline()
    assert due == RTO_START_US + int((OVERHEAD + 1) * SLOWEST_US_A_BYTE)
    sender.tick(due - 1)
    assert sender.drain(due - 1, ACK) == []
    sender.tick(due)
    again = sender.drain(due, ACK)
    assert [(out.sequence, out.flags, out.body) for out in again] == [(1, RETRANSMITTED, b"x")]


def test_the_time_out_doubles_after_two_in_a_row_and_ends_the_stream_after_so_many_tries() -> None:
    sender = Stream()
    sender.send(0x10, 1, b"")
    sender.drain(0, ACK)
    times = []
    while not sender.dead:
        now = sender.next_deadline()
        assert now is not None
        sender.tick(now)
        if sender.drain(now, ACK):
            times.append(now)
    waits = [late - early for early, late in pairwise(times)]
    line = int(OVERHEAD * SLOWEST_US_A_BYTE)  # what a slow line needs for the frame
    assert [wait - line for wait in waits[:5]] == [RTO_START_US, *2 * [2 * RTO_START_US], *2 * [4 * RTO_START_US]]
    assert len(times) == MAX_TRIES - 1


def test_the_time_out_follows_the_line() -> None:
    quick, slow = Stream(), Stream()
    for stream, rtt in ((quick, 200), (slow, 900_000)):
        now = 0
        for sequence in range(1, 30):
            stream.send(0x10, 0, b"")
            stream.drain(now, ACK)
            now += rtt
            stream.accept(bare_ack(sequence), now)
    assert quick._rto_us == RTO_MIN_US
    assert 900_000 < slow._rto_us < 2_000_000


def test_what_was_sent_before_something_that_has_come_is_sent_again_at_once_and_once() -> None:
    sender = Stream()
    for number in range(8):
        sender.send(0x10, number, b"")
    sender.drain(0, ACK)
    sender.accept(bare_ack(1), 10, early=0b1010)  # 4 and 6 are there
    assert [out.sequence for out in sender.drain(12, ACK)] == [2, 3, 5]
    sender.accept(bare_ack(1), 14, early=0b1010)
    assert sender.drain(14, ACK) == []
    sender.accept(bare_ack(6), 16)
    assert sender.drain(16, ACK) == []


def test_an_acknowledgement_says_which_frames_have_come_early() -> None:
    sender, receiver = Stream(), Stream()
    for number in range(5):
        sender.send(0x10, number, b"")
    frames = [arriving(out) for out in sender.drain(0, ACK)]
    for index in (0, 2, 4):
        receiver.accept(frames[index], 1)
    receiver.send(0x80, 1, b"")
    reply, ack = receiver.drain(1, ACK)
    assert (reply.sequence, reply.acknowledge) == (1, 1)
    assert (ack.message, ack.acknowledge, ack.body) == (ACK, 1, b"\x05\x00")


def test_after_a_time_out_what_was_sent_before_it_follows_the_acknowledgements() -> None:
    sender = Stream()
    for number in range(8):
        sender.send(0x10, number, b"")
    sender.drain(0, ACK)
    due = sender.next_deadline()
    assert due is not None
    sender.tick(due)
    assert [out.sequence for out in sender.drain(due, ACK)] == [1, 2]
    sender.accept(bare_ack(2), due + 10)
    assert [out.sequence for out in sender.drain(due + 10, ACK)] == [3, 4]


def test_a_slow_line_sends_no_long_frame_twice() -> None:
    """A window of long frames at 9,600 baud takes 20 s to leave; nothing is lost, so nothing is sent again."""
    sender, receiver = Stream(), Stream()
    for _ in range(40):
        sender.send(0x67, 0, bytes(1200))
    now, free, line, got = 0, 0, [], 0
    while got < 40:
        for out in sender.drain(now, ACK):
            free = max(free, now) + (OVERHEAD + len(out.body)) * 1_042
            line.append((free, arriving(out)))
        now = min([at for at, _ in line[:1]] + [due for due in (sender.next_deadline(),) if due])
        while line and line[0][0] <= now:
            got += len(receiver.accept(line.pop(0)[1], now))
        for ack in receiver.drain(now + ACK_DELAY_US, ACK):
            sender.accept(arriving(ack), now)
        sender.tick(now)
    assert sender.counters.retransmitted == 0


def test_an_acknowledgement_of_what_was_never_sent_is_ignored() -> None:
    sender = Stream()
    sender.send(0x10, 1, b"")
    sender.drain(0, ACK)
    sender.accept(bare_ack(99), 1)
    assert not sender.idle


def test_the_queue_is_bounded() -> None:
    sender = Stream()
    for number in range(QUEUE_LIMIT):
        sender.send(0x10, number, b"")
    with pytest.raises(QueueFull):
        sender.send(0x10, 0, b"")
