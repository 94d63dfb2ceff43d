"""Secure mode: who lacks the key reads nothing and moves nothing."""

from random import Random

import pytest

from protocol import messages as m
from protocol.codec import encode_body, number_of
from protocol.device_link import DeviceLink, Identity
from protocol.framing import HEADER_SIZE, Framer, pack_header, wrap
from protocol.host_link import HostLink
from protocol.link import LinkUp, Received
from protocol.secure import REPLAY_WINDOW, Seal
from protocol.vocabulary import ResetReason

KEY = bytes(range(32))
IDENTITY = Identity(
    serial="SB-1", epoch=5, boots=1, last_event=0, acknowledged_event=0, command_memory=64, known_instance=False
)


def ends(host_key: bytes | None, device_key: bytes | None) -> tuple[HostLink, DeviceLink]:
    chance, other = Random(1), Random(2)
    one = HostLink(instance=chance.randbytes(16), chance=chance.randbytes, key=host_key)
    return one, DeviceLink(identity=lambda hello: IDENTITY, chance=other.randbytes, key=device_key)


def carry(one: HostLink, other: DeviceLink, now: int = 0) -> tuple[list, bytes]:
    """Until both are quiet: what was seen, and all bytes of the line."""
    seen, line = [], b""
    for _ in range(20):
        down, up = one.data_to_send(now), other.data_to_send(now)
        if not down and not up:
            break
        line += down + up
        seen += other.receive(down, now) + one.receive(up, now)
    return seen, line


def secured() -> tuple[HostLink, DeviceLink]:
    one, other = ends(KEY, KEY)
    one.connect(0, 1)
    carry(one, other)
    assert one.session.seal is not None
    assert other.session.seal is not None
    return one, other


def test_with_the_same_key_a_sealed_session_opens() -> None:
    one, other = secured()
    one.send(m.GetStatus(), 1)
    assert Received(m.GetStatus(), 1) in carry(one, other)[0]


def test_a_wrong_key_opens_nothing() -> None:
    one, other = ends(KEY, bytes(32))
    one.connect(0, 1)
    seen, _ = carry(one, other)
    assert not any(isinstance(event, LinkUp) for event in seen)
    assert not one.is_up
    assert not other.is_up
    assert one.counters.bad_seal == 1


def test_a_plain_hello_is_refused_where_a_key_is_set() -> None:
    one, other = ends(None, KEY)
    one.connect(0, 1)
    seen, _ = carry(one, other)
    assert [(e.reason, e.refused) for e in seen] == [(ResetReason.SECURE_REQUIRED, True)]


def test_a_host_with_a_key_takes_no_plain_welcome() -> None:
    one, other = ends(KEY, None)
    one.connect(0, 1)
    seen, _ = carry(one, other)
    assert not any(isinstance(event, LinkUp) for event in seen)


def test_a_host_with_a_key_believes_no_unsealed_refusal() -> None:
    one, _ = ends(KEY, KEY)
    one.connect(0, 1)
    reset = m.Reset(reason=ResetReason.BUSY, text="")
    assert one.receive(wrap(pack_header(0, number_of(reset), 0, 0, 0, 0), encode_body(reset)), 0) == []
    assert one.next_deadline() is not None


def test_an_unsealed_reset_ends_no_session() -> None:
    one, other = secured()
    reset = m.Reset(reason=ResetReason.CLOSED, text="")
    forged = wrap(pack_header(0, number_of(reset), one.session.number, 0, 0, 0), encode_body(reset))
    assert one.receive(forged, 0) == other.receive(forged, 0) == []
    assert one.is_up
    assert other.is_up
    assert one.counters.not_sealed == other.counters.not_sealed == 1


def test_a_plain_command_in_a_sealed_session_is_dropped() -> None:
    one, other = secured()
    header = pack_header(0, number_of(m.Load()), one.session.number, 1, 0, 1)
    assert other.receive(wrap(header, b""), 0) == []
    assert other.counters.not_sealed == 1


def test_a_replayed_frame_is_refused() -> None:
    one, other = secured()
    one.send(m.Load(), 1)
    data = one.data_to_send(0)
    assert Received(m.Load(), 1) in other.receive(data, 0)
    assert other.receive(data, 0) == []
    assert other.counters.bad_seal == 1


def test_a_reflected_frame_is_refused() -> None:
    one, _ = secured()
    one.send(m.Load(), 1)
    assert one.receive(one.data_to_send(0), 0) == []
    assert one.counters.bad_seal == 1


def test_a_frame_of_an_earlier_session_is_refused() -> None:
    one, other = secured()
    one.send(m.Load(), 1)
    old = one.data_to_send(0)
    one.connect(0, 2)
    carry(one, other)
    assert other.receive(old, 0) == []


def test_every_flipped_bit_of_a_sealed_frame_is_refused() -> None:
    one, other = secured()
    one.send(m.Load(), 1)
    (frame,) = Framer().feed(one.data_to_send(0))
    header = pack_header(*frame[1:7])
    raw = header + frame.body
    for bit in range(8 * len(raw)):
        damaged = bytearray(raw)
        damaged[bit // 8] ^= 1 << bit % 8
        # wrap() makes the CRC right again: only the seal can tell.
        assert other.receive(wrap(bytes(damaged[:HEADER_SIZE]), bytes(damaged[HEADER_SIZE:])), 0) == []
    assert other.receive(wrap(header, frame.body), 0) == [Received(m.Load(), 1)]


@pytest.mark.parametrize("part", range(0, 200, 7))
def test_a_truncated_handshake_opens_nothing(part: int) -> None:
    one, other = ends(KEY, KEY)
    one.connect(0, 1)
    hello = one.data_to_send(0)
    other.receive(hello[: min(part, len(hello) - 2)], 0)
    assert other.data_to_send(0) == b""
    other.receive(hello, 0)
    welcome = other.data_to_send(0)
    one.receive(welcome[: min(part, len(welcome) - 2)], 0)
    assert not one.is_up
    assert not other.is_up


def test_a_welcome_that_was_changed_opens_nothing() -> None:
    one, other = ends(KEY, KEY)
    one.connect(0, 1)
    other.receive(one.data_to_send(0), 0)
    (frame,) = Framer().feed(other.data_to_send(0))
    header = pack_header(*frame[1:7])
    for at in range(len(frame.body)):
        damaged = frame.body[:at] + bytes([frame.body[at] ^ 1]) + frame.body[at + 1 :]
        one.receive(wrap(header, damaged), 0)
        assert not one.is_up
    one.receive(wrap(header, frame.body), 0)
    assert one.is_up


def test_no_card_is_on_the_wire_in_clear() -> None:
    opening = m.Opening(first=0, cards=(7, 21, 50), salts=bytes(range(96)), proof=b"\x5a" * 64)
    event = m.GroupRemoved(
        number=1, time_ms=5, round=1, group=1, seat=1, count=3, shuffle=1, withheld=False, opening=opening
    )
    wanted = bytes(opening.cards)

    def bodies_on_the_line(host_key: bytes | None, device_key: bytes | None) -> bytes:
        one, other = ends(host_key, device_key)
        one.connect(0, 1)
        carry(one, other)
        other.send(event)
        seen, line = carry(one, other)
        assert Received(event, 0) in seen
        return b"".join(frame.body for frame in Framer().feed(line))

    assert wanted in bodies_on_the_line(None, None)
    sealed = bodies_on_the_line(KEY, KEY)
    assert wanted not in sealed
    assert opening.salts not in sealed
    assert opening.proof not in sealed


def test_a_retransmission_is_sealed_anew() -> None:
    one, _ = secured()
    one.send(m.Load(), 1)
    first = Framer().feed(one.data_to_send(0))[0]
    due = one.session.stream.next_deadline()
    one.tick(due)
    again = next(f for f in Framer().feed(one.data_to_send(due)) if f.sequence == first.sequence)
    assert again.body != first.body
    assert int.from_bytes(again.body[:8], "little") > int.from_bytes(first.body[:8], "little")


def test_two_sessions_never_share_a_key() -> None:
    one, other = secured()
    one.send(m.Load(), 1)
    first = Framer().feed(one.data_to_send(0))[0].body[8:]
    one.connect(0, 2)
    carry(one, other)
    one.send(m.Load(), 1)
    assert Framer().feed(one.data_to_send(0))[0].body[8:] != first


def test_the_replay_window_takes_late_frames_once_and_old_ones_never() -> None:
    sender, receiver = Seal(send=KEY, receive=KEY), Seal(send=KEY, receive=KEY)
    sealed = [sender.seal(b"h", b"%d" % number) for number in range(REPLAY_WINDOW + 10)]
    assert receiver.open(b"h", sealed[-1]) is not None
    assert receiver.open(b"h", sealed[20]) == b"20"
    assert receiver.open(b"h", sealed[20]) is None
    assert receiver.open(b"h", sealed[3]) is None


def test_a_counter_that_jumps_far_ahead_costs_no_memory() -> None:
    sender, receiver = Seal(send=KEY, receive=KEY), Seal(send=KEY, receive=KEY)
    sender._sent = 1 << 60
    assert receiver.open(b"h", sender.seal(b"h", b"far")) == b"far"
    assert receiver._seen.bit_length() <= REPLAY_WINDOW
