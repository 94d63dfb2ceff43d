"""The serial function alone: line coding, cable, held bytes, packets, serial state."""

import pytest

from firmware_sim.ports.usb.acm import HELD_OUT_MAX, AcmFunction, InPackets, LineCoding, SerialState
from firmware_sim.ports.usb.pipe import BytePipe

MAX_PACKET = 64


@pytest.fixture
def port(pipe: BytePipe) -> AcmFunction:
    return AcmFunction(pipe=pipe)


@pytest.fixture
def open_port(port: AcmFunction) -> AcmFunction:
    port.set_lines(dtr=True, rts=True)
    return port


# ---- line coding -----------------------------------------------------------------------------------------------------


def test_a_line_coding_reads_and_writes() -> None:
    raw = bytes.fromhex("00 c2 01 00  00 00 08")
    coding = LineCoding.parse(raw)
    assert coding is not None
    assert str(coding) == "115200 8N1"
    assert coding.build() == raw


@pytest.mark.parametrize(
    "raw",
    [
        "00 00 00 00  00 00 08",  # no speed
        "00 c2 01 00  03 00 08",  # no such stop bits
        "00 c2 01 00  00 05 08",  # no such parity
        "00 c2 01 00  00 00 09",  # no such data bits
        "00 c2 01 00  00 00",
        "00 c2 01 00  00 00 08 00",
    ],
)
def test_a_line_coding_outside_the_table_is_none(raw: str) -> None:
    assert LineCoding.parse(bytes.fromhex(raw)) is None


# ---- the cable -------------------------------------------------------------------------------------------------------


def test_dtr_opens_and_closes_the_cable_once_each(port, pipe) -> None:
    port.set_lines(dtr=False, rts=True)
    port.set_lines(dtr=True, rts=True)
    port.set_lines(dtr=True, rts=False)
    port.set_lines(dtr=False, rts=False)
    port.set_lines(dtr=False, rts=True)
    assert pipe.cable == ["opened", "closed"]


def test_reset_closes_an_open_cable_and_no_other(port, pipe) -> None:
    port.reset()
    port.set_lines(dtr=True, rts=True)
    port.line_coding = LineCoding(baud=115200)
    port.reset()
    assert pipe.cable == ["opened", "closed"]
    assert port.line_coding == LineCoding()


# ---- host to device --------------------------------------------------------------------------------------------------


def test_bytes_go_straight_to_an_open_pipe(open_port, pipe) -> None:
    assert open_port.accept(b"abc") == 3
    assert pipe.inbox == b"abc"


def test_what_a_full_pipe_leaves_is_held_in_order_and_handed_on(open_port, pipe) -> None:
    pipe.room = 2
    assert open_port.accept(b"abcd") == 4
    assert open_port.accept(b"ef") == 2
    assert pipe.inbox == b"ab"
    pipe.room = 100
    open_port.hand_on()
    assert pipe.inbox == b"abcdef"


def test_no_more_is_held_than_the_bound_and_then_nothing_is_taken(open_port, pipe) -> None:
    pipe.room = 0
    assert open_port.accept(bytes(HELD_OUT_MAX + 5)) == HELD_OUT_MAX
    assert open_port.accept(b"x") == 0


def test_bytes_written_before_dtr_wait_for_it(port, pipe) -> None:
    assert port.accept(b"early") == 5
    assert pipe.inbox == b""
    port.set_lines(dtr=True, rts=True)
    port.hand_on()
    assert pipe.inbox == b"early"


def test_a_closed_cable_forgets_what_was_under_way(open_port, pipe) -> None:
    pipe.room = 0
    open_port.accept(b"lost")
    pipe.outbox += b"lost too"
    open_port.fill(4)
    open_port.set_lines(dtr=False, rts=False)
    open_port.set_lines(dtr=True, rts=True)
    pipe.room = 100
    open_port.hand_on()
    assert pipe.inbox == b""
    assert open_port.waiting == 0


# ---- device to host --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("waiting", "room", "first", "then"),
    [
        (0,   64,  None,                  None),
        (10,  64,  InPackets(data=bytes(10)), None),
        (64,  64,  InPackets(data=bytes(64)), InPackets(data=b"")),  # the zero-length packet is owed
        (64,  128, InPackets(data=bytes(64)), None),  # it fitted into the transfer
        (128, 128, InPackets(data=bytes(128)), InPackets(data=b"")),
        (65,  64,  InPackets(data=bytes(64)), InPackets(data=bytes(1))),
        (10,  10,  InPackets(data=bytes(10)), None),
        (11,  10,  InPackets(data=b"", overflows=True), InPackets(data=b"", overflows=True)),
        (75,  74,  InPackets(data=bytes(64), overflows=True), InPackets(data=bytes(11))),
        (74,  74,  InPackets(data=bytes(74)), None),
        (1,   0,   InPackets(data=b"", overflows=True), InPackets(data=b"", overflows=True)),
        (0,   0,   None,                  None),
    ],
)  # fmt: skip
def test_packets_end_transfers_as_on_a_real_bus(open_port, pipe, waiting, room, first, then) -> None:
    pipe.outbox += bytes(waiting)
    assert open_port.packets(room, MAX_PACKET) == first
    assert open_port.packets(room, MAX_PACKET) == then


def test_an_overflow_loses_nothing(open_port, pipe) -> None:
    pipe.outbox += bytes(range(100))
    assert open_port.packets(70, MAX_PACKET) == InPackets(data=bytes(range(64)), overflows=True)
    assert open_port.packets(64, MAX_PACKET) == InPackets(data=bytes(range(64, 100)))


def test_no_zero_length_packet_when_more_data_came_meanwhile(open_port, pipe) -> None:
    pipe.outbox += bytes(64)
    open_port.packets(64, MAX_PACKET)
    pipe.outbox += b"more"
    assert open_port.packets(64, MAX_PACKET) == InPackets(data=b"more")
    assert open_port.packets(64, MAX_PACKET) is None


def test_no_more_is_fetched_than_a_transfer_takes(open_port, pipe) -> None:
    pipe.outbox += bytes(1000)
    open_port.packets(128, MAX_PACKET)
    assert (len(pipe.outbox), open_port.waiting) == (872, 0)


def test_a_closed_port_sends_nothing(port, pipe) -> None:
    pipe.outbox += b"secret"
    assert port.packets(64, MAX_PACKET) is None
    assert pipe.outbox == b"secret"


# ---- serial state ----------------------------------------------------------------------------------------------------


def test_carrier_and_ready_are_told_once_after_opening(open_port) -> None:
    assert open_port.notification() == bytes.fromhex("a1 20  00 00  00 00  02 00  03 00")
    assert open_port.notification() is None


def test_a_closed_port_tells_nothing(port) -> None:
    assert port.notification() is None


def test_changes_that_nobody_fetched_fold_into_the_last_state(open_port) -> None:
    open_port.notification()
    open_port.set_state(SerialState(0))
    open_port.set_state(SerialState.CARRIER)
    assert open_port.notification()[-2:] == bytes.fromhex("01 00")
    assert open_port.notification() is None


def test_an_irregular_signal_is_told_once_and_needs_no_clearing(open_port) -> None:
    open_port.notification()
    both = SerialState.CARRIER | SerialState.READY
    open_port.set_state(both | SerialState.OVERRUN)
    open_port.set_state(both | SerialState.BREAK)
    assert open_port.notification()[-2:] == bytes.fromhex("47 00")
    assert open_port.notification() is None


def test_reopening_tells_the_state_again(open_port) -> None:
    open_port.notification()
    open_port.set_lines(dtr=False, rts=False)
    open_port.set_lines(dtr=True, rts=True)
    assert open_port.notification() is not None
