"""Proof: tshark with the generated dissector reads every frame as the codec does, and no bytes make it stumble.

First every example of every message goes into captures over TCP, a serial line and USB, cut into pieces of many sizes,
and every field that tshark shows is held against ours. Then fuzzed frames: for each the verdict (noise and why, wrong
CRC, malformed, unknown, sealed, sound) must be ours, and no Lua error may appear.
"""

import argparse
import socket
import struct
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntFlag
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import usb.core
import usb.util
from cobs import cobs

from firmware_sim.ports.capture.file import CaptureFile
from firmware_sim.ports.capture.pcapng import Direction, LinkType, interface, packet, section_header
from firmware_sim.ports.capture.records import OPEN, SHUT, SerialEvent
from firmware_sim.ports.usb import UsbBus, UsbDevice, UsbIdentity
from firmware_sim.pyusb import EmulatedBackend
from proofs import evidence
from proofs.echo_pipe import EchoPipe
from protocol.catalogue import BY_NUMBER
from protocol.codec import decode_body
from protocol.crc import crc32c
from protocol.errors import RemoteProtocolError
from protocol.framing import (
    HELLO_VERSION,
    RETRANSMITTED,
    SEAL_OVERHEAD,
    SEALED,
    VERSION,
    Frame,
    Framer,
    Garbage,
    pack_header,
    wrap,
)
from protocol.layout import Blob, Codes, Field, Fixed, Int, Nested, Records, Text, layout
from protocol.render.as_json import numbers_of
from protocol.render.c_header import snake
from protocol.render.examples import all_examples
from protocol.render.handshake import handshake
from protocol.secure import COUNTER_BYTES

SCRIPT = Path(__file__).parent.parent / "docs" / "protocol" / "shuffler.lua"
DEVICE_PORT = 7001
OTHER_PORT = 40_123
TSHARK_S = 3600.0
BAD_CRC = "wrong CRC"

Shown = list[tuple[str, str]]  # a field's filter name and its value, as text


# ------------------------------------------------------------------------------------------------------------ captures


def tcp_capture(path: Path, pieces: Sequence[bytes], *, port: int = DEVICE_PORT) -> None:
    """One connection that carries these pieces, one a segment."""
    blocks = [section_header("shuffler bench"), interface(LinkType.IPV4, "tcp")]
    sequence = 1
    blocks.append(packet(0, 0, _segment(port, 0, b"", flags=0x02), Direction.OUTBOUND))
    for number, piece in enumerate(pieces, 1):
        blocks.append(packet(0, 1000 * number, _segment(port, sequence, piece, flags=0x18), Direction.OUTBOUND))
        sequence += len(piece)
    path.write_bytes(b"".join(blocks))


def _segment(port: int, sequence: int, data: bytes, *, flags: int) -> bytes:
    """An IPv4 packet with a TCP segment from the device; checksums are left 0, as an offloading card does."""
    tcp = struct.pack(">HHIIBBHHH", port, 50_000, sequence & 0xFFFF_FFFF, 1, 0x50, flags, 65_535, 0, 0) + data
    address = socket.inet_aton("127.0.0.1")
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + address + address + tcp


def serial_capture(path: Path, pieces: Sequence[bytes]) -> None:
    """A serial line, the device's words in these pieces."""
    clock = iter(range(1_000_000, 1 << 62, 1000))
    with CaptureFile(path, clock=clock.__next__) as capture:
        line = capture.line("SB-0001")
        line.serial(SerialEvent.TRANSMITTED, OPEN, b"\x05half a frame, then the cable is out")
        line.serial(SerialEvent.STATUS_CHANGED, SHUT)
        for piece in pieces:
            line.serial(SerialEvent.TRANSMITTED, OPEN, piece)


def usb_capture(path: Path, pieces: Sequence[bytes]) -> None:
    """A USB device that says back what it is told: each piece goes out and comes in."""
    bus = UsbBus()
    bus.add(UsbDevice(UsbIdentity(), EchoPipe()))
    clock = iter(range(1_000_000, 1 << 62, 1000))
    with CaptureFile(path, clock=clock.__next__) as capture:
        bus.watch(capture.transfer)
        device = usb.core.find(backend=EmulatedBackend(bus))
        device.ctrl_transfer(0x21, 0x22, 3, 0)
        for piece in pieces:
            device.write(0x02, piece)
            left = len(piece)
            while left:
                left -= len(device.read(0x82, 4096))
        usb.util.dispose_resources(device)


# ---------------------------------------------------------------------------------------------------------- what we see


def expected(piece: bytes) -> Shown:
    """What the dissector must show of the bytes between two delimiters: every field in order."""
    framer = Framer()
    frames = framer.feed(b"\0" + piece + b"\0")
    if frames:
        frame = frames[0]
        raw = cobs.decode(piece)
        return [*_header(frame), *_body(frame), *_crc(raw, right=True)]
    why = _why_not(framer.garbage)
    if why == BAD_CRC:
        raw = cobs.decode(piece)
        frame = Frame._make((*struct.unpack_from("<BBBIIII", raw), raw[19:-4]))
        return [*_header(frame), ("shuffler.body", frame.body.hex()), *_crc(raw, right=False)]
    return [("shuffler.noise", why)]


def _why_not(noise: Garbage) -> str:
    """Why a piece is no frame, in the dissector's words."""
    counted = {"too long": noise.too_long, "not COBS": noise.not_cobs, "too short": noise.too_short}
    return next((why for why, count in counted.items() if count), BAD_CRC)


def _header(frame: Frame) -> Shown:
    shown = [(f"shuffler.{name}", str(value)) for name, value in zip(Frame._fields[:-1], frame[:-1], strict=True)]
    bits = [("sealed", SEALED), ("retransmitted", RETRANSMITTED)]
    return [*shown[:2], *((f"shuffler.flags.{name}", _truth(frame.flags & bit)) for name, bit in bits), *shown[2:]]


def _crc(raw: bytes, *, right: bool) -> Shown:
    given = int.from_bytes(raw[-4:], "little")
    assert (given == crc32c(raw[:-4])) is right
    return [("shuffler.crc", str(given)), ("shuffler.crc.status", str(int(right)))]


def _body(frame: Frame) -> Shown:
    if frame.flags & SEALED and len(frame.body) >= SEAL_OVERHEAD:
        counter, ciphertext = frame.body[:COUNTER_BYTES], frame.body[COUNTER_BYTES:]
        return [
            ("shuffler.sealed.counter", str(int.from_bytes(counter, "little"))),
            ("shuffler.sealed.ciphertext", ciphertext.hex()),
        ]
    entry = BY_NUMBER.get(frame.message)
    if entry is None or frame.version not in (VERSION, HELLO_VERSION):
        return [("shuffler.body", frame.body.hex())]
    return list(_fields(f"shuffler.{snake(entry.name)}", decode_body(frame.message, frame.body)))


def _fields(prefix: str, value: Any) -> Iterator[tuple[str, str]]:
    kind: type = type(value)
    for field in layout(kind):
        yield from _field(f"{prefix}.{field.name}", getattr(value, field.name), field)


def _field(name: str, value: Any, field: Field) -> Iterator[tuple[str, str]]:
    match field.kind:
        case Int(_, of):
            yield name, _truth(value) if of is bool else str(int(value))
            if issubclass(of, IntFlag):
                yield from ((f"{name}.{word.lower()}", _truth(value & bit)) for word, bit in numbers_of(of).items())
        case Fixed() | Blob():
            yield name, value.hex()
        case Text():
            yield name, value
        case Codes():
            yield from ((name, str(code)) for code in value)
        case Nested():
            yield name, ""
            yield from _fields(name, value)
        case Records():
            for item in value:
                yield name, ""
                yield from _fields(name, item)


def _truth(value: int) -> str:
    return str(int(bool(value)))


# ----------------------------------------------------------------------------------------------------- what tshark sees


class Stumbled(Exception):
    """tshark complained, or Lua did."""


def tshark(capture: Path, *options: str, script: Path = SCRIPT) -> str:
    """What tshark prints; raises Stumbled where it says anything on its error output."""
    command = ["tshark", "-X", f"lua_script:{script}", "-r", str(capture), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TSHARK_S)
    complaints = [line for line in done.stderr.splitlines() if line.strip() and "could be dangerous" not in line]
    if complaints or done.returncode or "Lua Error" in done.stdout:
        raise Stumbled("\n".join(complaints[:5]) or f"exit code {done.returncode}; Lua Error in its output")
    return done.stdout


def frames_seen(capture: Path, *options: str, script: Path = SCRIPT) -> list[Shown]:
    """Every frame of a capture, each with all its fields in order."""
    document = ElementTree.fromstring(tshark(capture, "-T", "pdml", *options, script=script))
    return [
        [(field.attrib["name"], _value(field)) for field in proto.iter("field") if _is_ours(field)]
        for proto in document.iter("proto")
        if proto.attrib["name"] == "shuffler"
    ]


def _is_ours(field: ElementTree.Element) -> bool:
    name = field.attrib["name"]
    experts = ("shuffler.bad_crc", "shuffler.not_a_frame", "shuffler.malformed", "shuffler.unknown", "shuffler.again")
    return name.startswith("shuffler.") and name not in experts


def _value(field: ElementTree.Element) -> str:
    """A field's value as PDML has it: numbers and texts as shown, bytes without their colons."""
    shown = field.attrib.get("show", "")
    if shown in ("True", "False"):
        return str(int(shown == "True"))
    if shown.startswith("0x"):
        return str(int(shown, 16))
    return shown.replace(":", "") if _is_bytes(field.attrib["name"]) else shown


def _is_bytes(name: str) -> bool:
    return name in _BYTES


def _bytes_names(prefix: str, kind: type) -> Iterator[str]:
    for field in layout(kind):
        if isinstance(field.kind, Fixed | Blob):
            yield f"{prefix}.{field.name}"
        elif isinstance(field.kind, Nested | Records):
            yield from _bytes_names(f"{prefix}.{field.name}", field.kind.type)


_BYTES = {"shuffler.body", "shuffler.sealed.ciphertext"} | {
    name for entry in BY_NUMBER.values() for name in _bytes_names(f"shuffler.{snake(entry.name)}", entry.body)
}


# --------------------------------------------------------------------------------------------------- every message kind


def every_line() -> list[bytes]:
    """Every example of every message and a secure session, as they go over the line."""
    made = handshake()
    return [example.line for example in all_examples()] + [
        made.hello_line, made.welcome_line, *(sealed.line for sealed in made.sealed),
    ]  # fmt: skip


def cut(stream: bytes, chance: Random, longest: int) -> list[bytes]:
    """A stream in pieces of 1 byte to so many: frames are split, and several come together."""
    pieces = []
    while stream:
        size = chance.randint(1, longest)
        pieces.append(stream[:size])
        stream = stream[size:]
    return pieces


def doubled(lines: Sequence[bytes]) -> list[bytes]:
    """What a USB echo shows: each line on its way out and on its way in."""
    return [line for line in lines for _ in range(2)]


CAPTURES: dict[str, Callable[[Path, Sequence[bytes]], None]] = {
    "TCP": tcp_capture,
    "serial": serial_capture,
    "USB": usb_capture,
}


@dataclass(frozen=True, slots=True)
class Compared:
    """What one capture showed."""

    frames: int
    fields: int
    differences: list[str]


def compare(where: str, folder: Path, lines: Sequence[bytes], *, pieces: Sequence[bytes] | None = None) -> Compared:
    """Every field of every frame over one kind of line, held against ours."""
    path = folder / f"{where}.pcapng"
    CAPTURES[where](path, pieces if pieces is not None else lines)
    wanted = [expected(line.strip(b"\0")) for line in lines]
    seen = frames_seen(path)
    if where == "USB":  # both ways share the lines, in an order that the pieces decide
        wanted, seen = sorted(doubled_shown(wanted)), sorted(seen)
    differences = [f"{where}: {len(seen)} frames seen, {len(wanted)} sent"] if len(seen) != len(wanted) else []
    for number, (ours, theirs) in enumerate(zip(wanted, seen, strict=False)):
        differences += [
            f"{where} frame {number}: ours {one}, tshark's {other}"
            for one, other in zip(ours, theirs, strict=False)
            if one != other
        ]
        if len(ours) != len(theirs):
            differences.append(f"{where} frame {number}: {len(ours)} fields here, {len(theirs)} there")
    return Compared(len(seen), sum(map(len, seen)), differences)


def doubled_shown(wanted: list[Shown]) -> list[Shown]:
    return [shown for shown in wanted for _ in range(2)]


# --------------------------------------------------------------------------------------------------------------- fuzz


def fuzzed(count: int, chance: Random) -> Iterator[bytes]:
    """Pieces without a delimiter in them: frames damaged in every layer, and noise."""
    lines = every_line()
    for _ in range(count):
        yield chance.choice(MUTATIONS)(chance.choice(lines)[1:-1], chance) or b"\x01"


def _flipped(piece: bytes, chance: Random) -> bytes:
    """A damaged line: bits flipped, no delimiter made."""
    damaged = bytearray(piece)
    for _ in range(chance.randint(1, 8)):
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(byte or 1 for byte in damaged)


def _cut_off(piece: bytes, chance: Random) -> bytes:
    return piece[: chance.randrange(1, len(piece))]


def _noise(piece: bytes, chance: Random) -> bytes:
    return bytes(chance.randint(1, 255) for _ in range(chance.randint(1, 2 * len(piece))))


def _reframed(piece: bytes, chance: Random) -> bytes:
    """A wrong header or body in a frame with the right check: only the body's layout can object."""
    raw = bytearray(cobs.decode(piece)[:-4])
    for _ in range(chance.randint(1, 4)):
        raw[chance.randrange(len(raw))] = chance.choice((0, 1, 2, 127, 128, 255, chance.randrange(256)))
    body = bytes(raw[: chance.randint(19, len(raw))]) if chance.random() < 0.3 else bytes(raw)
    body += chance.randbytes(chance.randint(1, 40)) if chance.random() < 0.2 else b""
    return wrap(body[:19], body[19:])[1:-1]


def _random_body(piece: bytes, chance: Random) -> bytes:  # noqa: ARG001
    """A header of a known message with any body."""
    number = chance.choice((*BY_NUMBER, chance.randrange(256)))
    header = pack_header(chance.choice((0, 0, 0, 1, 0x80)), number, chance.randrange(1 << 32), 1, 2, 3)
    return wrap(header, chance.randbytes(chance.choice((0, 1, 4, 20, 60, 200))))[1:-1]


def _too_long(piece: bytes, chance: Random) -> bytes:
    return piece * (2200 // len(piece) + 1) if chance.random() < 0.1 else piece


MUTATIONS = (_flipped, _cut_off, _noise, _reframed, _reframed, _random_body, _too_long)


def verdict(piece: bytes) -> str:
    """What these bytes are, as our own reader says."""
    framer = Framer()
    frames = framer.feed(b"\0" + piece + b"\0")
    if not frames:
        return _why_not(framer.garbage)
    frame = frames[0]
    if frame.flags & SEALED and len(frame.body) >= SEAL_OVERHEAD:
        return "sealed"
    if frame.message not in BY_NUMBER or frame.version not in (VERSION, HELLO_VERSION):
        return "unknown"
    try:
        decode_body(frame.message, frame.body)
    except RemoteProtocolError:
        return "malformed"
    return "sound"


COLUMNS = ("shuffler.noise", "shuffler.crc.status", "shuffler.sealed.counter", "shuffler.unknown", "shuffler.malformed")


def verdicts_seen(capture: Path) -> list[str]:
    """The same of tshark, packet by packet."""
    columns = [item for name in COLUMNS for item in ("-e", name)]
    rows = tshark(capture, "-Y", "shuffler", "-T", "fields", "-E", "separator=|", *columns).splitlines()
    found = []
    for row in rows:
        noise, check, sealed, unknown, malformed = row.split("|")
        if noise:
            found.append(noise)
        elif check == "0":
            found.append(BAD_CRC)
        else:
            found.append("sealed" if sealed else "unknown" if unknown else "malformed" if malformed else "sound")
    return found


def fuzz(count: int, seed: int, folder: Path) -> tuple[Counter[str], list[str]]:
    """So many fuzzed frames through tshark; what they were, and where it disagreed with us."""
    pieces = list(fuzzed(count, Random(seed)))
    path = folder / "fuzzed.pcapng"
    serial_capture(path, [b"\0" + piece + b"\0" for piece in pieces])
    ours, theirs = [verdict(piece) for piece in pieces], verdicts_seen(path)
    differences = [f"{len(theirs)} verdicts for {len(ours)} pieces"] if len(ours) != len(theirs) else []
    differences += [
        f"piece {number} ({pieces[number].hex()}): ours {one}, tshark's {other}"
        for number, (one, other) in enumerate(zip(ours, theirs, strict=False))
        if one != other
    ]
    return Counter(ours), differences


# --------------------------------------------------------------------------------------------------------------- record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    lines = every_line()
    rows, problems = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for where in CAPTURES:
            for longest in (None, 7, 100, 3000):
                pieces = None if longest is None else cut(b"".join(lines), Random(given.seed), longest)
                compared = compare(where, folder, lines, pieces=pieces)
                size = "one frame each" if longest is None else f"1 … {longest} bytes"
                found = compared.differences
                rows.append(f"| {where} | {size} | {compared.frames:,} | {compared.fields:,} | {len(found)} |")
                problems += found
        started = time.monotonic()
        counted, differences = fuzz(given.frames, given.seed, folder)
        took = time.monotonic() - started
    problems += differences
    version = subprocess.run(["tshark", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    body = "\n".join(
        (
            f"{version}, `docs/protocol/shuffler.lua`.",
            "",
            "Every example of every message and a secure session; every field that tshark shows against the codec's:",
            "",
            "| line | pieces | frames | fields | differences |",
            "|---|---|---:|---:|---:|",
            *rows,
            "",
            f"{given.frames:,} fuzzed frames in {took:.0f} s: no Lua error, {len(differences)} verdicts unlike ours.",
            "",
            "| verdict | frames |",
            "|---|---:|",
            *(f"| {what} | {number:,} |" for what, number in counted.most_common()),
        )
    )
    print(body)
    if problems:
        raise SystemExit("\n".join(problems[:20]))
    command = f"make proof-dissector  (--frames {given.frames})"
    evidence.record("dissector", command=command, seed=given.seed, body=body)


if __name__ == "__main__":
    main()
