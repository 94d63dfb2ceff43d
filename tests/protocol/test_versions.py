"""Version policy: 0.1.0's own client and vectors against today's ends; served as before, or refused with a sentence."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cobs import cobs

from firmware_sim.machine.profile import load
from firmware_sim.ports.serving import Location, background
from firmware_sim.unit.emulator import Build
from protocol.codec import decode_body
from protocol.commitment import Context, opens
from protocol.crc import crc32c
from protocol.device_link import DeviceLink, Identity
from protocol.framing import HELLO_VERSION, VERSION, Framer, pack_header, wrap
from protocol.host_link import HostLink
from protocol.link import HELLO, RESET, LinkDown
from protocol.log_chain import chain
from protocol.messages import Opening, Reset
from protocol.roles import proof, role_key
from protocol.vocabulary import ResetReason, Role

FOLDER = Path(__file__).parent.parent / "data" / "v0_1_0"
VECTORS: dict[str, Any] = json.loads((FOLDER / "vectors.json").read_text(encoding="utf-8"))
KNOWN = Identity(
    serial="S", epoch=1, boots=1, last_event=0, acknowledged_event=0, command_memory=64, known_instance=False
)


def chance(count: int) -> bytes:
    return bytes(range(7, 7 + count))


def device() -> DeviceLink:
    return DeviceLink(identity=lambda _: KNOWN, chance=chance)


def with_0_1_0(script: str, *arguments: str) -> str:
    """What a program prints that has nothing but 0.1.0's packages of ours."""
    start = f"import sys; sys.path.insert(0, {str(FOLDER / 'client.zip')!r})\n"
    done = subprocess.run(
        [sys.executable, "-P", "-c", start + script, *arguments], capture_output=True, text=True, timeout=60, cwd="/"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_vectors_are_of_version_1() -> None:
    assert VECTORS["protocol"]["version"] == HELLO_VERSION == 1
    assert VERSION == 2


@pytest.mark.parametrize(
    "hello",
    [case for case in VECTORS["messages"] if case["message"] == "Hello" and case["fields"]["version_max"] != VERSION],
    ids=lambda case: case["example"],
)
def test_a_hello_of_0_1_0_is_refused_with_a_code_and_a_sentence_that_0_1_0_can_read(hello: dict[str, Any]) -> None:
    link = device()
    assert link.receive(bytes.fromhex(hello["frame"]), 0) == []
    (frame,) = Framer().feed(link.data_to_send(0))
    assert (frame.version, frame.message, frame.session, frame.sequence) == (1, RESET, 0, 0)
    reset = decode_body(RESET, frame.body)
    assert isinstance(reset, Reset)
    assert reset.reason is ResetReason.VERSION
    assert reset.text.startswith("this device speaks version 2 of the protocol, the host ")
    (layout,) = [entry["layout"] for entry in VECTORS["catalogue"] if entry["name"] == "Reset"]
    assert layout == "reason:u8 text:u8 utf8"  # as then


def test_other_frames_of_0_1_0_change_nothing() -> None:
    link = device()
    for case in VECTORS["messages"]:
        if case["message"] not in ("Hello", "Welcome", "Reset"):
            assert link.receive(bytes.fromhex(case["frame"]), 0) == [], case["message"]
    assert link.data_to_send(0) == b""
    assert not link.is_up


def test_the_client_of_0_1_0_is_told_by_a_real_device_why_it_gets_no_session() -> None:
    script = (
        "from shuffler.client import Client\nfrom shuffler.errors import HandshakeRefused\n"
        "try:\n    Client.open(sys.argv[1], timeout_s=20)\nexcept HandshakeRefused as problem:\n    print(problem)\n"
    )
    build = Build(profile=load("i-deal-style"), serial="NEW", speed=50.0)
    with background([Location(build=build, tcp=("127.0.0.1", 0))]) as bench:
        said = with_0_1_0(script, bench.url)
    assert said == (
        "the device refused the session (version): this device speaks version 2 of the protocol, the host 1: update the"
        " older one"
    )


def test_a_device_of_0_1_0_tells_todays_host_why_it_gets_no_session() -> None:
    host = HostLink(instance=bytes(16), chance=chance)
    host.connect(0, 1)
    script = (
        "from protocol.device_link import DeviceLink\n"
        "link = DeviceLink(identity=lambda hello: None, chance=lambda count: bytes(range(1, count + 1)))\n"
        "link.receive(bytes.fromhex(sys.argv[1]), 0)\nprint(link.data_to_send(0).hex())\n"
    )
    reply = bytes.fromhex(with_0_1_0(script, host.data_to_send(0).hex()))
    assert host.receive(reply, 0) == [LinkDown(ResetReason.VERSION, "this device speaks version 1", refused=True)]


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


# ------------------------------------------------------------------------------------------------- what has not changed


def test_framing_is_as_in_0_1_0() -> None:
    for case in VECTORS["crc"]:
        assert f"{crc32c(bytes.fromhex(case['data'])):08x}" == case["crc"]
    for case in VECTORS["cobs"]:
        assert cobs.encode(bytes.fromhex(case["raw"])).hex() == case["encoded"]
    for case in VECTORS["streams"]:
        framer = Framer()
        frames = framer.feed(bytes.fromhex(case["stream"]))
        assert [frame.body.hex() for frame in frames] == [frame["body"] for frame in case["frames"]], case["name"]
        assert framer.garbage.total == sum(case["noise"].values())


def test_the_layout_of_a_hello_is_as_in_0_1_0() -> None:
    for case in VECTORS["messages"]:
        if case["message"] == "Hello":
            assert decode_body(HELLO, bytes.fromhex(case["body"])).instance.hex() == case["fields"]["instance"]


def test_proofs_commitments_and_the_log_are_as_in_0_1_0() -> None:
    role = VECTORS["role"]
    assert role_key(role["secret"]).hex() == role["key"]
    asked = {"serial": role["serial"], "session": role["session"], "nonce": bytes.fromhex(role["nonce"])}
    assert proof(bytes.fromhex(role["key"]), role=Role(role["role"]), **asked).hex() == role["proof"]
    made = VECTORS["commitment"]
    told = made["context"]
    context = Context(
        serial=told["serial"], epoch=int(told["epoch"]), shuffle=told["shuffle"], game=told["game"],
        count=told["count"], nonce=bytes.fromhex(told["nonce"]),
    )  # fmt: skip
    for case in made["openings"]:
        opening = Opening(
            first=case["first"], cards=tuple(case["cards"]), salts=bytes.fromhex(case["salts"]),
            proof=bytes.fromhex(case["proof"]),
        )  # fmt: skip
        assert opens(context, bytes.fromhex(made["root"]), opening) is case["opens"]
    before = bytes.fromhex(VECTORS["log"]["hash_before"])
    for line in VECTORS["log"]["lines"]:
        before = chain(before, line["number"], int(line["time_ms"]), line["text"])
        assert before.hex() == line["hash"]
