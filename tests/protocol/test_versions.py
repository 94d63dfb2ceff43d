"""Version policy: a peer of another version is refused with a code and a sentence."""


import pytest

from protocol.codec import decode_body
from protocol.device_link import DeviceLink, Identity
from protocol.framing import HELLO_VERSION, VERSION, Framer, pack_header, wrap
from protocol.host_link import HostLink
from protocol.link import HELLO, RESET, LinkDown
from protocol.messages import Reset
from protocol.vocabulary import ResetReason

KNOWN = Identity(
    serial="S", epoch=1, boots=1, last_event=0, acknowledged_event=0, command_memory=64, known_instance=False
)


def chance(count: int) -> bytes:
    return bytes(range(7, 7 + count))


def device() -> DeviceLink:
    return DeviceLink(identity=lambda _: KNOWN, chance=chance)


@pytest.mark.parametrize("newest", [1, VERSION - 1, VERSION + 1])
def test_a_hello_of_another_version_is_refused_with_a_code_and_a_sentence(newest: int) -> None:
    host = HostLink(instance=bytes(16), chance=chance)
    host.connect(0, 1)
    (hello,) = Framer().feed(host.data_to_send(0))
    body = bytes([newest, newest]) + hello.body[2:]
    link = device()
    line = wrap(pack_header(0, HELLO, hello.session, 0, 0, 0, version=HELLO_VERSION), body)
    assert link.receive(line, 0) == []
    (frame,) = Framer().feed(link.data_to_send(0))
    assert (frame.version, frame.message, frame.session, frame.sequence) == (HELLO_VERSION, RESET, 0, 0)
    reset = decode_body(RESET, frame.body)
    assert isinstance(reset, Reset)
    assert reset.reason is ResetReason.VERSION
    assert reset.text.startswith(f"this device speaks version {VERSION} of the protocol, the host {newest}")


def test_a_welcome_in_a_version_that_was_not_offered_is_refused() -> None:
    host = HostLink(instance=bytes(16), chance=chance)
    host.connect(0, 1)
    link = device()
    link.receive(host.data_to_send(0), 0)
    (frame,) = Framer().feed(link.data_to_send(0))
    assert frame.version == HELLO_VERSION
    body = bytes([9]) + frame.body[1:]
    line = wrap(pack_header(0, frame.message, frame.session, 0, 0, 0, version=HELLO_VERSION), body)
    assert host.receive(line, 0) == [LinkDown(ResetReason.VERSION, "the device chose version 9", refused=True)]
    (said,) = Framer().feed(host.data_to_send(0))
    assert (said.version, said.message, said.session) == (HELLO_VERSION, RESET, frame.session)
    assert decode_body(RESET, said.body) == Reset(reason=ResetReason.VERSION, text="the device chose version 9")
