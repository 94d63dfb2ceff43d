"""The device's states and queues: pending, NAK, stall, reset, suspend, unlink, bounds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_sim.ports.usb.acm import HELD_OUT_MAX, SerialState
from firmware_sim.ports.usb.device import PENDING_MAX, PENDING_OUT_BYTES_MAX, UsbDevice
from firmware_sim.ports.usb.events import Attached, Configured, Detached, Resumed, Suspended, WasReset
from firmware_sim.ports.usb.identity import UsbIdentity
from proofs.echo_pipe import EchoPipe
from protocol.usb.errors import DeviceBusy, LocalUsbError
from protocol.usb.requests import RequestKey as Key
from protocol.usb.transfers import Completion, Transfer, TransferId, UrbStatus

OUT, IN, NOTIFY = 0x02, 0x82, 0x81


# ---- data ------------------------------------------------------------------------------------------------------------


def test_out_data_reaches_the_pipe(open_host, pipe) -> None:
    ended = open_host.do(OUT, data=b"hello")
    assert (ended.status, ended.actual, pipe.inbox) == (UrbStatus.OK, 5, b"hello")


def test_a_zero_length_out_transfer_ends_at_once(open_host, pipe) -> None:
    assert open_host.do(OUT, data=b"").status == UrbStatus.OK
    assert pipe.inbox == b""


def test_an_idle_in_transfer_stays_pending_until_there_is_data(open_host, pipe) -> None:
    first, second = open_host.start(IN, length=512), open_host.start(IN, length=512)
    assert open_host.ended.keys().isdisjoint({first, second})
    pipe.outbox += b"now"
    open_host.device.poll()
    open_host.collect()
    assert open_host.ended[first].data == b"now"
    assert second not in open_host.ended


def test_several_in_transfers_fill_in_order(open_host, pipe) -> None:
    numbers = [open_host.start(IN, length=512) for _ in range(3)]
    pipe.outbox += bytes(512) + b"rest"
    open_host.device.poll()
    open_host.collect()
    assert [len(open_host.ended[n].data) for n in numbers[:2]] == [512, 4]
    assert numbers[2] not in open_host.ended


def test_a_full_device_lets_out_transfers_wait_and_drops_nothing(open_host, pipe) -> None:
    pipe.room = 10
    sent = bytes(range(256)) * 128
    half = len(sent) // 2
    first, second = open_host.start(OUT, data=sent[:half]), open_host.start(OUT, data=sent[half:])
    assert first in open_host.ended  # ten bytes in the pipe, the rest held in the endpoint's buffer or waiting
    assert second not in open_host.ended
    while second not in open_host.ended or len(pipe.inbox) < len(sent):
        pipe.room = 1000
        open_host.device.poll()
        open_host.collect()
    assert bytes(pipe.inbox) == sent


def test_activity_of_the_pipe_is_passed_on(open_host, pipe) -> None:
    calls = []
    open_host.device.on_activity = lambda: calls.append(1)
    pipe.wake()
    assert calls == [1]


@pytest.mark.parametrize(("length", "status", "actual"), [(3, UrbStatus.OVERFLOWED, 0), (515, UrbStatus.OK, 5)])
def test_a_packet_larger_than_the_room_overflows(open_host, pipe, length, status, actual) -> None:
    pipe.outbox += b"hello"
    ended = open_host.do(IN, length=length)
    assert (ended.status, ended.actual) == (status, actual)


def test_a_short_packet_is_an_error_only_where_the_host_said_so(open_host, pipe) -> None:
    pipe.outbox += b"hello"
    ended = open_host.do(IN, length=512, short_not_ok=True)
    assert (ended.status, ended.data) == (UrbStatus.TOO_SHORT, b"hello")
    pipe.outbox += bytes(512)
    assert open_host.do(IN, length=512, short_not_ok=True).status == UrbStatus.OK


def test_a_short_control_reply_is_an_error_only_where_the_host_said_so(host) -> None:
    setup = bytes.fromhex("80 06  00 01  00 00  40 00")
    assert host.do(0x80, length=64, setup=setup, short_not_ok=True).status == UrbStatus.TOO_SHORT
    assert host.do(0x80, length=64, setup=setup).status == UrbStatus.OK


def test_serial_state_arrives_on_the_interrupt_endpoint(open_host) -> None:
    first, second = open_host.start(NOTIFY, length=16), open_host.start(NOTIFY, length=16)
    assert open_host.ended[first].data[-2:] == b"\x03\x00"
    open_host.device.set_serial_state(SerialState(0))
    open_host.device.poll()
    open_host.collect()
    assert open_host.ended[second].data[-2:] == b"\x00\x00"


def test_a_notification_that_does_not_fit_overflows(open_host) -> None:
    assert open_host.do(NOTIFY, length=8).status == UrbStatus.OVERFLOWED


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("endpoint", [0x01, 0x03, 0x83, 0x8F])
def test_an_endpoint_that_does_not_exist(open_host, endpoint: int) -> None:
    assert open_host.do(endpoint, length=8).status == UrbStatus.NO_ENDPOINT


def test_no_endpoint_exists_before_the_configuration(host) -> None:
    assert host.do(IN, length=8).status == UrbStatus.NO_ENDPOINT


def test_a_number_under_way_cannot_be_used_twice(open_host) -> None:
    number = open_host.start(IN, length=8)
    with pytest.raises(LocalUsbError, match="pending already"):
        open_host.device.submit(Transfer(id=TransferId(number), endpoint=IN, length=8))


def test_a_control_transfer_needs_its_setup(host) -> None:
    with pytest.raises(LocalUsbError, match="setup"):
        host.start(0x80, length=8)


def test_more_pending_transfers_than_the_bound_are_refused_not_dropped(open_host) -> None:
    for _ in range(PENDING_MAX):
        open_host.start(IN, length=64)
    assert open_host.do(IN, length=64).status == UrbStatus.NO_MEMORY
    assert open_host.device.pending == PENDING_MAX


def test_more_pending_out_bytes_than_the_bound_are_refused_not_dropped(open_host, pipe) -> None:
    pipe.room = 0
    megabyte = bytes(1024 * 1024)
    for _ in range(PENDING_OUT_BYTES_MAX // len(megabyte)):
        open_host.start(OUT, data=megabyte)
    assert open_host.do(OUT, data=megabyte).status == UrbStatus.NO_MEMORY
    assert not open_host.ended.keys() & set(range(3, open_host.device.pending))


def test_a_transfer_on_a_device_nobody_attached_ends_in_shut_down(device) -> None:
    device.submit(Transfer(id=TransferId(1), endpoint=IN, length=8))
    assert device.take_completions() == [Completion(id=TransferId(1), status=UrbStatus.SHUT_DOWN)]


# ---- halt ------------------------------------------------------------------------------------------------------------


def test_halt_ends_what_is_pending_and_stalls_what_follows_until_cleared(open_host, pipe) -> None:
    pending = open_host.start(IN, length=512)
    open_host.control(Key.SET_ENDPOINT_FEATURE, index=IN)
    assert open_host.ended[pending].status == UrbStatus.STALLED
    pipe.outbox += b"kept"
    assert open_host.do(IN, length=512).status == UrbStatus.STALLED
    open_host.control(Key.CLEAR_ENDPOINT_FEATURE, index=IN)
    assert open_host.do(IN, length=512).data == b"kept"


def test_halting_an_endpoint_that_is_not_there_is_refused(host) -> None:
    assert not host.device.halt(IN)
    assert not host.device.clear_halt(IN)


# ---- unlink ----------------------------------------------------------------------------------------------------------


def test_an_unlinked_transfer_ends_once_and_takes_no_data(open_host, pipe) -> None:
    number = open_host.start(IN, length=512)
    assert open_host.device.unlink(TransferId(number)) == Completion(id=TransferId(number), status=UrbStatus.UNLINKED)
    assert open_host.device.unlink(TransferId(number)) is None
    pipe.outbox += b"kept"
    assert open_host.do(IN, length=512).data == b"kept"
    assert number not in open_host.ended


def test_unlinking_half_a_write_says_how_much_was_taken(open_host, pipe) -> None:
    pipe.room = 0
    number = open_host.start(OUT, data=bytes(HELD_OUT_MAX + 100))
    after = open_host.start(OUT, data=b"next")
    assert open_host.device.unlink(TransferId(after)).actual == 0
    assert open_host.device.unlink(TransferId(number)).actual == HELD_OUT_MAX
    pipe.room = HELD_OUT_MAX + 10
    assert open_host.do(OUT, data=b"then").status == UrbStatus.OK
    assert bytes(pipe.inbox) == bytes(HELD_OUT_MAX) + b"then"


def test_unlink_gives_back_what_counted_against_the_bounds(open_host, pipe) -> None:
    pipe.room = 0
    for _ in range(3):
        numbers = [open_host.start(OUT, data=bytes(PENDING_OUT_BYTES_MAX // 4)) for _ in range(4)]
        for number in numbers:
            assert open_host.device.unlink(TransferId(number)) is not None
    assert open_host.device.pending == 0


# ---- states ----------------------------------------------------------------------------------------------------------


def test_detaching_ends_everything_and_closes_the_cable(open_host, pipe) -> None:
    numbers = [open_host.start(IN, length=64), open_host.start(IN, length=64)]
    open_host.device.detach()
    open_host.collect()
    assert [open_host.ended[n].status for n in numbers] == [UrbStatus.SHUT_DOWN] * 2
    assert pipe.cable == ["opened", "closed"]
    assert (open_host.device.configuration, open_host.device.pending) == (0, 0)


def test_a_second_host_is_refused(host) -> None:
    with pytest.raises(DeviceBusy):
        host.device.attach()


def test_a_new_host_hears_nothing_of_the_last_one(open_host, pipe) -> None:
    open_host.start(IN, length=64)
    open_host.device.detach()
    open_host.device.attach()
    assert open_host.device.take_completions() == []


def test_reset_returns_to_the_default_state(open_host, pipe) -> None:
    pending = open_host.start(IN, length=64)
    open_host.control(Key.SET_DEVICE_FEATURE, value=1)
    open_host.device.reset()
    open_host.collect()
    device = open_host.device
    assert open_host.ended[pending].status == UrbStatus.SHUT_DOWN
    assert (device.configuration, device.address, device.remote_wakeup, device.attached) == (0, 0, False, True)
    assert pipe.cable == ["opened", "closed"]


def test_configuring_anew_closes_the_port_and_clears_halts(open_host, pipe) -> None:
    open_host.device.halt(IN)
    open_host.configure()
    assert open_host.device.halted == set()
    assert pipe.cable == ["opened", "closed"]


def test_a_suspended_device_moves_nothing_until_the_host_resumes(open_host, pipe) -> None:
    number = open_host.start(IN, length=64)
    open_host.device.suspend()
    pipe.outbox += b"later"
    open_host.device.poll()
    open_host.collect()
    assert number not in open_host.ended
    open_host.device.resume()
    open_host.collect()
    assert open_host.ended[number].data == b"later"


def test_a_device_allowed_to_wakes_the_host_when_it_has_data(open_host, pipe) -> None:
    open_host.control(Key.SET_DEVICE_FEATURE, value=1)
    number = open_host.start(IN, length=64)
    open_host.device.suspend()
    open_host.device.poll()
    assert open_host.device.suspended
    pipe.outbox += b"wake"
    open_host.device.poll()
    open_host.collect()
    assert open_host.ended[number].data == b"wake"
    assert list(open_host.device.history)[-2:] == [Suspended(), Resumed(by_device=True)]


def test_traffic_of_the_host_resumes(open_host, pipe) -> None:
    open_host.device.suspend()
    assert open_host.do(OUT, data=b"x").status == UrbStatus.OK
    assert not open_host.device.suspended


def test_history_tells_the_life_of_a_device(pipe) -> None:
    device = UsbDevice(UsbIdentity(), pipe)
    device.attach()
    device.set_configuration(1)
    device.reset()
    device.detach()
    device.detach()
    assert list(device.history) == [Attached(), Configured(value=1), WasReset(), Detached()]


def test_a_tap_sees_each_transfer_go_in_and_come_out(open_host, pipe) -> None:
    seen = []
    open_host.device.tap = seen.append
    pending = open_host.start(IN, length=64)
    open_host.start(OUT, data=b"x")
    open_host.device.unlink(TransferId(pending))
    assert [(s.transfer.id - pending, s.completion and s.completion.status) for s in seen] == [
        (0, None),
        (1, None),
        (1, UrbStatus.OK),
        (0, UrbStatus.UNLINKED),
    ]


# ---- any order of things ---------------------------------------------------------------------------------------------

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("out"), st.integers(0, 3000)),
        st.tuples(st.just("in"), st.sampled_from([512, 1024, 1536])),
        st.tuples(st.just("poll"), st.just(0)),
        st.tuples(st.just("unlink"), st.integers(0, 40)),
    ),
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS, capacity=st.integers(100, 4000))
def test_an_echo_gives_back_the_accepted_bytes_in_order_whatever_the_order_of_steps(steps, capacity, host_of) -> None:
    host = host_of(UsbDevice(UsbIdentity(), EchoPipe(capacity)))
    host.open_port()
    offered: dict[int, bytes] = {}
    accepted = bytearray()
    came = bytearray()
    counter = 0

    def settle() -> None:
        host.collect()
        for number in sorted(host.ended):
            ended = host.ended.pop(number)
            assert ended.status == UrbStatus.OK
            accepted.extend(offered.pop(number, b""))
            came.extend(ended.data)

    host.ended.clear()
    for kind, size in steps:
        if kind == "out":
            data = bytes((counter + i) % 251 for i in range(size))
            counter += size
            offered[host.start(OUT, data=data)] = data
        elif kind == "in":
            host.start(IN, length=size)
        elif kind == "poll":
            host.device.poll()
        elif host.device.pending:
            victim = sorted(host.device._pending)[size % host.device.pending]
            ended = host.device.unlink(victim)
            # Only the head of the queue can have moved, so the part that was taken precedes everything accepted later.
            settle()
            accepted.extend(offered.pop(victim, b"")[: ended.actual])
        settle()
    for _ in range(2 * len(steps) + 2000):
        if not offered and len(came) == len(accepted):
            break
        host.start(IN, length=1536)
        settle()
    assert bytes(came) == bytes(accepted)
