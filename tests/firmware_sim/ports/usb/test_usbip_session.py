"""One USB/IP connection without a socket: phases, unlink races, refusals, pieces of any size."""

import pytest

from firmware_sim.ports.usb.bus import UsbBus
from firmware_sim.ports.usb.device import UsbDevice
from firmware_sim.ports.usb.events import WasReset
from firmware_sim.ports.usb.identity import UsbIdentity
from firmware_sim.ports.usb.usbip_session import UsbipSession
from proofs.echo_pipe import EchoPipe
from protocol.usb.usbip_wire import (
    DEVICE,
    HEADER_SIZE,
    CmdSubmit,
    CmdUnlink,
    RetSubmit,
    RetUnlink,
    build_submit,
    build_unlink,
    parse_return,
    request_devices,
    request_import,
)

DEVICE_ID = 0x10001
SET_CONFIGURATION = bytes.fromhex("00 09  01 00  00 00  00 00")
RAISE_DTR = bytes.fromhex("21 22  03 00  00 00  00 00")
GET_DEVICE = bytes.fromhex("80 06  00 01  00 00  12 00")
PORT_RESET = bytes.fromhex("23 03  04 00  01 00  00 00")


@pytest.fixture
def bus() -> UsbBus:
    bus = UsbBus()
    bus.add(UsbDevice(UsbIdentity(serial="A"), EchoPipe()))
    bus.add(UsbDevice(UsbIdentity(serial="B"), EchoPipe()))
    return bus


class Peer:
    """The client's side: sends commands, reads replies."""

    def __init__(self, bus: UsbBus) -> None:
        self.wakes = 0
        self.session = UsbipSession(bus, wake=self._woken)
        self.in_lengths: dict[int, bool] = {}

    def _woken(self) -> None:
        self.wakes += 1

    def ask(self, data: bytes) -> bytes:
        self.session.receive_data(data)
        return self.session.data_to_send()

    def attach(self, busid: str = "1-1") -> None:
        assert self.ask(request_import(busid))[4:8] == bytes(4)

    def submit(
        self, seqnum: int, endpoint: int, *, data: bytes | None = None, length: int = 0, setup: bytes = bytes(8)
    ) -> bytes:
        self.in_lengths[seqnum] = data is None
        command = CmdSubmit(
            seqnum=seqnum,
            device_id=DEVICE_ID,
            is_in=data is None,
            endpoint=endpoint,
            length=length if data is None else len(data),
            setup=setup,
        )
        return build_submit(command, data or b"")

    def replies(self) -> list[tuple[RetSubmit | RetUnlink, bytes]]:
        raw, found = self.session.data_to_send(), []
        while raw:
            reply, raw = parse_return(raw[:HEADER_SIZE]), raw[HEADER_SIZE:]
            size = reply.actual if isinstance(reply, RetSubmit) and self.in_lengths[reply.seqnum] else 0
            found.append((reply, raw[:size]))
            raw = raw[size:]
        return found

    def do(self, *commands: bytes) -> list[tuple[RetSubmit | RetUnlink, bytes]]:
        for command in commands:
            self.session.receive_data(command)
        return self.replies()

    def open_port(self) -> None:
        self.attach()
        first = self.submit(1001, 0, data=b"", setup=SET_CONFIGURATION)
        second = self.submit(1002, 0, data=b"", setup=RAISE_DTR)
        assert [(reply.seqnum, reply.status) for reply, _ in self.do(first, second)] == [(1001, 0), (1002, 0)]


@pytest.fixture
def peer(bus: UsbBus) -> Peer:
    return Peer(bus)


@pytest.fixture
def open_peer(peer: Peer) -> Peer:
    peer.open_port()
    return peer


# ---- first phase -----------------------------------------------------------------------------------------------------


def test_a_list_shows_what_is_plugged_in(bus: UsbBus, peer: Peer) -> None:
    assert int.from_bytes(peer.ask(request_devices())[8:12]) == 2
    bus.unplug("1-1")
    reply = peer.ask(request_devices())
    assert int.from_bytes(reply[8:12]) == 1
    assert b"1-2\0" in reply


def test_a_list_may_be_asked_for_while_devices_are_attached(bus: UsbBus, open_peer: Peer) -> None:
    assert int.from_bytes(Peer(bus).ask(request_devices())[8:12]) == 2


def test_list_then_import_on_one_connection(peer: Peer) -> None:
    assert len(peer.ask(request_devices() + request_import("1-1"))) == 12 + 2 * (DEVICE.size + 8) + 8 + DEVICE.size


def test_a_second_import_is_refused_as_busy_and_the_first_goes_on(bus: UsbBus, open_peer: Peer) -> None:
    second = Peer(bus)
    assert second.ask(request_import("1-1")) == bytes.fromhex("0111 0003 00000002")
    assert second.session.closing is not None
    assert open_peer.do(open_peer.submit(1, 2, data=b"x"))[0][0].status == 0


@pytest.mark.parametrize("busid", ["9-9", "", "1-1x", "1" * 32])
def test_an_import_of_no_device_is_refused(peer: Peer, busid: str) -> None:
    assert peer.ask(request_import(busid)) == bytes.fromhex("0111 0003 00000004")
    assert peer.session.closing is not None


def test_an_import_with_junk_after_the_bus_id_succeeds(peer: Peer) -> None:
    request = bytearray(request_import("1-1"))
    request[8 + 4 :] = b"\xcc" * 28
    assert peer.ask(bytes(request))[4:8] == bytes(4)


def test_another_version_is_told_so_and_hung_up_on(peer: Peer) -> None:
    assert peer.ask(bytes.fromhex("0106 8005 00000000")) == bytes.fromhex("0111 0005 00000005")
    assert "version 0x0106" in str(peer.session.closing)


def test_an_unknown_request_is_hung_up_on(peer: Peer) -> None:
    assert peer.ask(b"GET / HTTP/1.1\r\n\r\n") == b""
    assert "neither list nor import" in str(peer.session.closing)


# ---- second phase ----------------------------------------------------------------------------------------------------


def test_a_conversation_cut_into_any_pieces_is_the_same_conversation(bus: UsbBus) -> None:
    def conversation(peer: Peer) -> bytes:
        return b"".join((
            request_import("1-1"),
            peer.submit(1, 0, length=18, setup=GET_DEVICE),
            peer.submit(2, 0, data=b"", setup=SET_CONFIGURATION),
            peer.submit(3, 0, data=b"", setup=RAISE_DTR),
            peer.submit(4, 2, length=512),
            peer.submit(5, 2, data=b"hello over there"),
            build_unlink(CmdUnlink(seqnum=6, device_id=DEVICE_ID, victim=4)),
            peer.submit(7, 2, length=512),
            build_unlink(CmdUnlink(seqnum=8, device_id=DEVICE_ID, victim=7)),
        ))  # fmt: skip

    outcomes = set()
    for size in (1, 2, 3, 7, 47, 48, 49, 1000):
        peer = Peer(bus)
        talk = conversation(peer)
        out = bytearray()
        for at in range(0, len(talk), size):
            out += peer.ask(talk[at : at + size])
        peer.session.connection_lost()
        outcomes.add(bytes(out))
    assert len(outcomes) == 1


def test_an_idle_in_transfer_has_no_reply_until_data_comes(open_peer: Peer) -> None:
    assert open_peer.do(open_peer.submit(1, 2, length=512)) == []
    replies = open_peer.do(open_peer.submit(2, 2, data=b"hi"))
    assert [(reply.seqnum, data) for reply, data in replies] == [(2, b""), (1, b"hi")]


def test_unlink_of_a_pending_transfer_is_its_only_reply(open_peer: Peer) -> None:
    unlink = build_unlink(CmdUnlink(seqnum=2, device_id=DEVICE_ID, victim=1))
    assert open_peer.do(open_peer.submit(1, 2, length=512), unlink) == [(RetUnlink(seqnum=2, status=-104), b"")]
    # What comes now belongs to the next transfer: the victim gets no reply any more.
    assert [reply.seqnum for reply, _ in open_peer.do(open_peer.submit(3, 2, data=b"x"))] == [3]


def test_unlink_that_comes_too_late_says_so_after_the_transfers_own_reply(open_peer: Peer) -> None:
    unlink = build_unlink(CmdUnlink(seqnum=2, device_id=DEVICE_ID, victim=1))
    replies = open_peer.do(open_peer.submit(1, 2, data=b"x"), unlink)
    assert [(type(reply), reply.seqnum, reply.status) for reply, _ in replies] == [(RetSubmit, 1, 0), (RetUnlink, 2, 0)]


def test_unlink_of_a_number_that_never_was(open_peer: Peer) -> None:
    unlink = build_unlink(CmdUnlink(seqnum=2, device_id=DEVICE_ID, victim=77))
    assert open_peer.do(unlink) == [(RetUnlink(seqnum=2, status=0), b"")]


def test_a_number_may_be_used_again_after_its_reply(open_peer: Peer) -> None:
    for _ in range(3):
        assert open_peer.do(open_peer.submit(1, 2, data=b"x"))[0][0].status == 0


def test_an_unknown_control_request_stalls_and_the_connection_goes_on(open_peer: Peer) -> None:
    stalled = open_peer.do(open_peer.submit(1, 0, length=4, setup=bytes.fromhex("c0 51  00 00  00 00  04 00")))
    assert stalled == [(RetSubmit(seqnum=1, status=-32, actual=0), b"")]
    assert open_peer.do(open_peer.submit(2, 0, length=18, setup=GET_DEVICE))[0][0].actual == 18


def test_replies_repeat_frame_and_packets_of_the_submit(open_peer: Peer) -> None:
    open_peer.in_lengths[5] = False
    command = CmdSubmit(seqnum=5, device_id=DEVICE_ID, is_in=False, endpoint=2, length=1, start_frame=9, packets=0)
    ((reply, _),) = open_peer.do(build_submit(command, b"x"))
    assert reply == RetSubmit(seqnum=5, status=0, actual=1, start_frame=9, packets=0)


def test_a_hubs_port_reset_resets_the_device(bus: UsbBus, open_peer: Peer) -> None:
    pending = open_peer.submit(1, 2, length=64)
    replies = open_peer.do(pending, open_peer.submit(2, 0, data=b"", setup=PORT_RESET))
    assert [(reply.seqnum, reply.status) for reply, _ in replies] == [(1, -108), (2, 0)]
    assert bus.slot("1-1").device.history[-1] == WasReset()
    assert bus.slot("1-1").device.configuration == 0


def test_the_device_may_speak_first_after_a_wake_up(bus: UsbBus, open_peer: Peer) -> None:
    open_peer.do(open_peer.submit(1, 2, length=64))
    before = open_peer.wakes
    bus.slot("1-1").device.function.pipe.receive(b"unasked")
    assert open_peer.wakes > before
    open_peer.session.poll()
    assert open_peer.replies() == [(RetSubmit(seqnum=1, status=0, actual=7), b"unasked")]


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (build_submit(CmdSubmit(seqnum=1, device_id=0x10002, is_in=True, endpoint=0)), "device id 0x10002"),
        (build_unlink(CmdUnlink(seqnum=1, device_id=0, victim=5)), "device id 0x0"),
        (bytes.fromhex("00000009") + bytes(44), "neither submit nor unlink"),
        (request_import("1-1") + bytes(8), "neither submit nor unlink"),
    ],
)
def test_a_violation_ends_the_connection_and_frees_the_device(bus, open_peer: Peer, bad: bytes, says: str) -> None:
    open_peer.do(open_peer.submit(1, 2, length=64))
    assert open_peer.ask(bad) == b""
    assert says in str(open_peer.session.closing)
    assert bus.slot("1-1").host is None
    assert open_peer.ask(open_peer.submit(2, 2, length=64)) == b""
    Peer(bus).open_port()


def test_the_same_number_twice_under_way_is_a_violation(bus: UsbBus, open_peer: Peer) -> None:
    again = open_peer.submit(1, 2, length=64)
    assert open_peer.do(again, again) == []
    assert "pending already" in str(open_peer.session.closing)
    assert bus.slot("1-1").host is None


# ---- endings ---------------------------------------------------------------------------------------------------------


def test_a_lost_connection_frees_the_device_for_the_next(bus: UsbBus, open_peer: Peer) -> None:
    open_peer.do(open_peer.submit(1, 2, length=64))
    open_peer.session.connection_lost()
    slot = bus.slot("1-1")
    assert (slot.host, slot.device.attached, slot.device.pending) == (None, False, 0)
    Peer(bus).open_port()


def test_surprise_removal_closes_the_connection_and_replug_lets_the_next_in(bus: UsbBus, open_peer: Peer) -> None:
    open_peer.do(open_peer.submit(1, 2, length=64))
    bus.unplug("1-1")
    assert open_peer.session.closing == "the device was unplugged"
    assert open_peer.wakes > 0
    assert open_peer.ask(open_peer.submit(2, 2, data=b"late")) == b""
    open_peer.session.connection_lost()
    assert Peer(bus).ask(request_import("1-1")) == bytes.fromhex("0111 0003 00000004")
    bus.plug("1-1")
    Peer(bus).open_port()


def test_two_devices_at_once_do_not_mix(bus: UsbBus, open_peer: Peer) -> None:
    other = Peer(bus)
    other.attach("1-2")
    bad = other.submit(1, 2, data=b"x")  # names the first device
    assert other.ask(bad) == b""
    assert other.session.closing is not None
    assert bus.slot("1-1").host is open_peer.session
