"""The handshake and the life of a session, host and device back to back."""

from dataclasses import replace
from random import Random

import pytest
from bench_support import counting_device, host_session

from protocol import messages as m
from protocol.codec import decode_body, encode_body, number_of
from protocol.device_link import HALF_OPEN_LIMIT, DeviceLink, Identity
from protocol.framing import Framer, pack_header, wrap
from protocol.host_link import HostLink
from protocol.link import HEARTBEAT_MS, HELLO, RESET, SILENT_INTERVALS, LinkDown, LinkUp, Received, Undecodable
from protocol.stream import LAST_SEQUENCE
from protocol.vocabulary import Capability, ResetReason
from shuffler.virtual.bench import BadCable, VirtualBench

IDENTITY = Identity(
    serial="SB-1", epoch=5, boots=1, last_event=0, acknowledged_event=0, command_memory=64, known_instance=False
)


def host(seed: int = 1, key: bytes | None = None) -> HostLink:
    chance = Random(seed)
    return HostLink(instance=chance.randbytes(16), chance=chance.randbytes, key=key)


def device(seed: int = 2, key: bytes | None = None) -> DeviceLink:
    return DeviceLink(identity=lambda hello: IDENTITY, chance=Random(seed).randbytes, key=key)


def shake(one: HostLink, other: DeviceLink, now: int = 0) -> list:
    """Carry bytes until both are quiet; returns what both ends saw."""
    seen = []
    while True:
        down, up = one.data_to_send(now), other.data_to_send(now)
        if not down and not up:
            return seen
        seen += other.receive(down, now) + one.receive(up, now)


def connected() -> tuple[HostLink, DeviceLink]:
    one, other = host(), device()
    one.connect(0, 1)
    shake(one, other)
    assert one.is_up
    assert other.is_up
    return one, other


def hello_of(one: HostLink) -> m.Hello:
    hello = decode_body(HELLO, Framer().feed(one.data_to_send(0))[0].body)
    assert isinstance(hello, m.Hello)
    return hello


def plain(message: m.Message, session: int = 0) -> bytes:
    return wrap(pack_header(0, number_of(message), session, 0, 0, 0), encode_body(message))


def test_hello_and_welcome_open_a_session_at_both_ends() -> None:
    one, other = host(), device()
    one.connect(0, 7)
    ups = [event for event in shake(one, other) if isinstance(event, LinkUp)]
    assert len(ups) == 2
    assert {up.session for up in ups} == {one.session.number}
    assert one.welcome.serial == "SB-1"
    assert [up.hello.next_request for up in ups if up.hello] == [7]


def test_messages_and_replies_carry_their_request() -> None:
    one, other = connected()
    one.send(m.GetStatus(), 3)
    assert [e for e in shake(one, other) if isinstance(e, Received)] == [Received(m.GetStatus(), 3)]
    other.send(m.Done(), 3)
    assert [e for e in shake(one, other) if isinstance(e, Received)] == [Received(m.Done(), 3)]


def test_hello_is_repeated_until_it_is_answered() -> None:
    one = host()
    one.connect(0, 1)
    first = one.data_to_send(0)
    assert one.data_to_send(0) == b""
    due = one.next_deadline()
    one.tick(due)
    assert one.data_to_send(due) == first


def test_a_repeated_hello_gets_the_same_session() -> None:
    one, other = host(), device()
    one.connect(0, 1)
    hello = one.data_to_send(0)
    other.receive(hello, 0)
    first = other.data_to_send(0)
    other.receive(hello, 0)
    assert other.data_to_send(0) == first


def test_an_old_hello_ends_nothing() -> None:
    one, other = host(), device()
    one.connect(0, 1)
    old = one.data_to_send(0)
    other.receive(old, 0)
    other.data_to_send(0)
    one.connect(0, 1)
    shake(one, other)
    session = other.session.number
    other.receive(old, 0)
    shake(one, other)
    assert other.session.number == session == one.session.number


def test_hellos_without_an_end_fill_nothing() -> None:
    other = device()
    for seed in range(50):
        one = host(seed)
        one.connect(0, 1)
        other.receive(one.data_to_send(0), 0)
    assert len(other._half_open) == HALF_OPEN_LIMIT
    assert len(other._welcomes) <= HALF_OPEN_LIMIT


def test_a_welcome_to_another_hello_is_ignored() -> None:
    one, other = host(), device()
    one.connect(0, 1)
    other.receive(one.data_to_send(0), 0)
    late = other.data_to_send(0)
    one.connect(0, 1)
    one.data_to_send(0)
    assert one.receive(late, 0) == []
    assert not one.is_up


def test_a_new_session_tells_the_device_that_the_old_one_is_over() -> None:
    one, other = connected()
    one.connect(0, 1)
    assert LinkDown(ResetReason.CLOSED, "the host opened another session") in shake(one, other)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version_min": 1, "version_max": 1}, ResetReason.VERSION),
        ({"version_min": 3, "version_max": 4}, ResetReason.VERSION),
        ({"must": Capability(0x8000)}, ResetReason.CAPABILITY),
        ({"max_body": 100}, ResetReason.CAPABILITY),
        ({"must": Capability.SECURE}, ResetReason.SECURE_UNAVAILABLE),
    ],
)
def test_a_hello_that_cannot_be_met_is_refused_with_the_reason(change: dict, reason: ResetReason) -> None:
    one, other = host(), device()
    one.connect(0, 1)
    other.receive(plain(replace(hello_of(one), **change)), 0)
    assert [(e.reason, e.refused) for e in one.receive(other.data_to_send(0), 0)] == [(reason, True)]
    assert not one.is_up
    assert one.next_deadline() is None


def test_a_hello_that_makes_no_sense_is_refused() -> None:
    other = device()
    other.receive(wrap(pack_header(0, HELLO, 0, 0, 0, 0), b"short"), 0)
    frame = Framer().feed(other.data_to_send(0))[0]
    assert decode_body(RESET, frame.body).reason is ResetReason.BAD_HELLO


def test_a_frame_of_an_unknown_session_is_answered_by_a_reset() -> None:
    one, _ = connected()
    fresh = device(seed=77)
    one.send(m.GetStatus(), 1)
    fresh.receive(one.data_to_send(0), 0)
    assert [e.reason for e in one.receive(fresh.data_to_send(0), 0)] == [ResetReason.UNKNOWN_SESSION]
    assert not one.is_up


def test_a_reset_is_never_answered() -> None:
    other = device()
    other.receive(plain(m.Reset(reason=ResetReason.CLOSED, text=""), session=12), 0)
    assert other.data_to_send(0) == b""


def test_a_reset_of_another_session_is_ignored() -> None:
    one, _ = connected()
    assert one.receive(plain(m.Reset(reason=ResetReason.CLOSED, text=""), session=1), 0) == []
    assert one.is_up
    assert one.counters.other_session == 1


def test_closing_tells_the_device() -> None:
    one, other = connected()
    one.close(5)
    assert LinkDown(ResetReason.CLOSED, "") in other.receive(one.data_to_send(5), 5)
    assert not other.is_up


def test_both_ends_beat_and_silence_is_link_down() -> None:
    one, other = connected()
    interval = HEARTBEAT_MS * 1000
    assert one.tick(interval) == other.tick(interval, 0) == []
    assert shake(one, other, interval) == []
    limit = interval + SILENT_INTERVALS * interval
    assert [e.reason for e in one.tick(limit)] == [ResetReason.PEER_SILENT]
    assert [e.reason for e in other.tick(limit, 0)] == [ResetReason.PEER_SILENT]


def test_a_link_that_is_spoken_on_stays_up() -> None:
    one, other = connected()
    for now in range(0, 20_000_000, 500_000):
        assert one.tick(now) == other.tick(now, 0) == []
        shake(one, other, now)
    assert one.is_up
    assert other.is_up


def test_an_unknown_message_comes_out_as_undecodable_with_its_request() -> None:
    one, other = connected()
    header = pack_header(0, 0x7F, one.session.number, 1, 0, 9)
    (event,) = other.receive(wrap(header, b""), 0)
    assert isinstance(event, Undecodable)
    assert event.request == 9


@pytest.mark.parametrize(("flags", "version"), [(0x40, 2), (0x10, 2), (0, 3), (0, 1), (0, 0)])
def test_a_frame_that_must_be_understood_and_is_not_is_dropped(flags: int, version: int) -> None:
    one, other = connected()
    header = pack_header(flags, number_of(m.GetStatus()), one.session.number, 1, 0, 1, version=version)
    assert other.receive(wrap(header, b""), 0) == []
    assert other.counters.not_understood == 1


def test_a_flag_that_may_be_ignored_is() -> None:
    one, other = connected()
    header = pack_header(0x08, number_of(m.GetStatus()), one.session.number, 1, 0, 1)
    assert other.receive(wrap(header, b""), 0) == [Received(m.GetStatus(), 1)]


def test_a_command_with_sequence_0_is_not_taken_and_the_host_is_told() -> None:
    one, other = connected()
    assert one.session is not None
    stray = plain(m.GetInfo(), one.session.number)
    (seen,) = other.receive(stray, 1_000)
    assert isinstance(seen, Undecodable)
    assert "GetInfo came with sequence 0" in str(seen.error)
    assert other.is_up
    assert one.receive(plain(m.Done(), one.session.number), 1_000) == []  # a reply so sent is dropped


def test_pulling_the_cable_forgets_half_a_frame() -> None:
    one, other = connected()
    one.send(m.GetStatus(), 1)
    other.receive(one.data_to_send(0)[:9], 0)
    other.lose_cable()
    assert other.framer.pending == 0
    assert not other.is_up


def test_a_session_ends_before_its_numbers_run_out() -> None:
    one, other = connected()
    one.session.stream._next = LAST_SEQUENCE + 1
    one.send(m.GetStatus(), 1)
    assert one.data_to_send(1) == b""
    assert [e.reason for e in one.tick(2)] == [ResetReason.OUT_OF_NUMBERS]
    assert [e.reason for e in other.receive(one.data_to_send(2), 2)] == [ResetReason.OUT_OF_NUMBERS]


def test_a_secure_hello_with_a_key_of_another_length_is_a_bad_hello() -> None:
    one, other = host(key=bytes(32)), device(key=bytes(32))
    one.connect(0, 1)
    other.receive(plain(replace(hello_of(one), ephemeral=bytes(31))), 0)
    (frame,) = Framer().feed(other.data_to_send(0))
    reset = decode_body(frame.message, frame.body)
    assert reset == m.Reset(reason=ResetReason.BAD_HELLO, text="the hello's public key has 31 bytes, not 32")


def test_a_tenth_of_the_frames_lost_stalls_nothing_for_a_second() -> None:
    """Commands one by one and events in floods, virtual time; the worst wait of any."""
    worst = 0
    for seed in range(4):
        line = VirtualBench(host_session(), counting_device(), BadCable(lose=0.1), Random(seed))
        line.plug()
        line.run(lambda _, line=line: line.host.is_up)
        for burst in [1] * 200 + [30] * 20:
            asked = line.now
            for _ in range(burst):
                line.host.submit(m.SelectGame(game=2))
            while line.host.open_commands:
                open_before = line.host.open_commands
                line.run(lambda _, line=line, before=open_before: line.host.open_commands < before)
                worst = max(worst, line.now - asked)
                asked = line.now
    assert worst < 1_000_000
