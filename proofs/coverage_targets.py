"""What the coverage-guided fuzz feeds bytes to: framing, link, USB/IP and every loader of a file, one row each.

A target says which modules it is about, where it starts from, and gives a function that takes bytes. That function may
raise nothing: each room's own refusals are caught here by name, anything else is a finding. Imports happen inside, so
that the fuzzer can instrument them.
"""

import contextlib
import io
import json
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Take = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Target:
    """One loader or one end of a wire."""

    name: str
    modules: tuple[str, ...]  # whose lines it should reach; packages with all below them
    make: Callable[[Path], Take]  # gets a folder for files
    seeds: Callable[[], list[bytes]]


# ----------------------------------------------------------------------------------------------------------- the wire


def _framing(_: Path) -> Take:
    from protocol.framing import MAX_ENCODED, Framer, pack_header, wrap

    sound = wrap(pack_header(0, 5, 7, 0, 3, 0), bytes(12))

    def take(data: bytes) -> None:
        framer = Framer()
        cut = data[0] + 1 if data else 1
        for at in range(0, len(data), cut):
            framer.feed(data[at : at + cut])
            assert framer.pending <= MAX_ENCODED
        assert framer.feed(b"\0" + sound)[-1].message == 5, "the next good frame is lost"

    return take


def _codec(_: Path) -> Take:
    from protocol.codec import decode_body, encode_body
    from protocol.errors import RemoteProtocolError

    def take(data: bytes) -> None:
        if not data:
            return
        try:
            message = decode_body(data[0], data[1:])
        except RemoteProtocolError:
            return
        again = encode_body(message)
        assert decode_body(data[0], again) == message, "a message changes by being written and read"

    return take


def _frames_in(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Sound frames made of any bytes, each with a wait behind it: version, flags, number, kind of session, …, body."""
    from protocol.framing import pack_header, wrap

    at = 0
    while at + 9 <= len(data) and at < 4096:
        version, flags, number, session, sequence, acknowledge, request, wait, length = data[at : at + 9]
        body = data[at + 9 : at + 9 + length]
        at += 9 + length
        yield wrap(pack_header(flags, number, session, sequence, acknowledge, request, version=version), body), wait


def _as_frames(messages: list[tuple[int, int, int, bytes]]) -> bytes:
    """The other way: version, number, session and body of each as a seed; sequences count from 1."""
    out, sequence = b"", 0
    for version, number, session, body in messages:
        outside = number in (1, 2, 3, 4, 5)
        sequence += not outside
        out += bytes(
            (version, 0, number, session, 0 if outside else sequence, 0, 0 if outside else sequence, 3, len(body))
        )
        out += body
    return out


def _device(_: Path) -> Take:
    from random import Random

    from firmware_sim.machine.profile import load
    from firmware_sim.unit.emulator import Build, Emulator
    from protocol import messages as m
    from protocol.codec import encode_body
    from protocol.framing import Framer, pack_header, wrap
    from protocol.limits import MAX_BODY
    from protocol.vocabulary import Capability

    profile = load("i-deal-style")
    hello = m.Hello(
        version_min=2, version_max=2, must=Capability(0), may=Capability(0), window=16, max_body=MAX_BODY,
        fingerprint=bytes(8), instance=bytes(16), next_request=1, nonce=bytes(range(16)), ephemeral=b"",
    )  # fmt: skip
    greeting = wrap(pack_header(0, 1, 0, 0, 0, 0, version=1), encode_body(hello))

    def take(data: bytes) -> None:
        device = Emulator(Build(profile=profile, serial="FUZZ", seed=1, session_seed=1))
        luck, now, numbers = Random(0), 0, iter(range(1, 256))
        device.device.link._chance = lambda size: (
            next(numbers, 7).to_bytes(4, "little") if size == 4 else luck.randbytes(size)
        )
        for frame, wait in _frames_in(data):
            device.receive(frame, now)
            device.data_to_send(now)
            now += wait * 40_000
            for _ in range(200):
                due = device.next_deadline()
                if due is None or due > now:
                    break
                device.tick(now)
                device.data_to_send(now)
        now += 60_000_000
        device.tick(now)
        device.data_to_send(now)
        device.receive(b"\0" + greeting, now)
        answers = Framer().feed(device.data_to_send(now))
        assert any(frame.message == 2 for frame in answers), "the next hello gets no welcome"

    return take


def _host(_: Path) -> Take:
    from protocol.messages import GetStatus
    from shuffler.host.session import HostSession
    from shuffler.host.store import MemoryStore

    def take(data: bytes) -> None:
        host = HostSession(store=MemoryStore(bytes(16)), chance=lambda size: bytes(size))
        now = 0
        host.connect(now)
        host.data_to_send(now)
        for frame, wait in _frames_in(data):
            host.receive(frame, now)
            if host.can_submit and wait & 1:
                host.submit(GetStatus())
            host.data_to_send(now)
            now += wait * 40_000
            due = host.next_deadline()
            if due is not None and due <= now:
                host.tick(now)
            host.data_to_send(now)
            if not host.is_up and host.link.next_deadline() is None:
                host.connect(now)

    return take


def _seal(_: Path) -> Take:
    from protocol.secure import Ephemeral, Seal

    def take(data: bytes) -> None:
        host, device = (
            Seal(send=bytes(32), receive=b"\1" * 32), Seal(send=b"\1" * 32, receive=bytes(32)),
        )  # fmt: skip
        kept = host.seal(b"header", data[:64])
        assert device.open(data[:19], data[19:]) is None, "what nobody sealed was opened"
        assert device.open(b"header", kept) == data[:64]
        assert device.open(b"header", kept) is None
        Ephemeral(lambda size: bytes(size)).shared(data[:32])

    return take


def _usbip_server(_: Path) -> Take:
    from firmware_sim.ports.usb import UsbBus, UsbDevice, UsbIdentity
    from firmware_sim.ports.usb.usbip_session import UsbipSession
    from proofs.echo_pipe import EchoPipe

    def take(data: bytes) -> None:
        bus = UsbBus()
        bus.add(UsbDevice(UsbIdentity(), EchoPipe(2048)))
        session = UsbipSession(bus, wake=lambda: None)
        cut = 1 + (data[-1] if data else 0)
        for at in range(0, len(data), cut):
            session.receive_data(data[at : at + cut])
            session.data_to_send()
            if session.closing is not None:
                break
            session.poll()
        session.connection_lost()
        assert bus.slot("1-1").host is None, "the device was not given back"

    return take


def _usbip_parts(_: Path) -> Take:
    """What a USB/IP client reads of a server it does not know, and what the device's function reads of its host."""
    from firmware_sim.ports.usb.acm import LineCoding
    from protocol.usb.errors import UsbipViolation
    from protocol.usb.requests import SetupPacket
    from protocol.usb.usbip_wire import (
        DEVICE,
        HEADER_SIZE,
        INTERFACE_SIZE,
        DeviceRecord,
        parse_command,
        parse_return,
    )

    def take(data: bytes) -> None:
        if len(data) >= HEADER_SIZE:
            for parse in (parse_command, parse_return):
                with contextlib.suppress(UsbipViolation):
                    parse(data[:HEADER_SIZE])
        if len(data) >= DEVICE.size:
            with contextlib.suppress(UsbipViolation):
                tail = data[DEVICE.size :]
                DeviceRecord.parse(data[: DEVICE.size], tail[: len(tail) // INTERFACE_SIZE * INTERFACE_SIZE])
        LineCoding.parse(data)
        if len(data) >= 8:
            SetupPacket.parse(data[:8])

    return take


# --------------------------------------------------------------------------------------------------------- TOML files


def _text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _profile(_: Path) -> Take:
    from firmware_sim.errors import BadProfile
    from firmware_sim.machine.profile import parse

    def take(data: bytes) -> None:
        text = _text(data)
        if text is not None:
            with contextlib.suppress(BadProfile):
                parse("fuzzed", text)

    return take


def _setup(_: Path) -> Take:
    from firmware_sim.control.setup import parse
    from firmware_sim.errors import BadSetup

    def take(data: bytes) -> None:
        text = _text(data)
        if text is not None:
            with contextlib.suppress(BadSetup):
                parse("fuzzed", text)

    return take


def _plan(_: Path) -> Take:
    from randomness.certification.errors import PlanError
    from randomness.certification.plan import parse_plan

    def take(data: bytes) -> None:
        text = _text(data)
        if text is not None:
            with contextlib.suppress(PlanError):
                parse_plan(text, "fuzzed")

    return take


def _rules(folder: Path) -> Take:
    from round_engine.errors import RoundEngineError
    from round_engine.rules.rulebook import load

    path = folder / "fuzzed.toml"

    def take(data: bytes) -> None:
        path.write_bytes(data)
        with contextlib.suppress(RoundEngineError):
            load(path)

    return take


def _cover(folder: Path) -> Take:
    from randomness.certification.errors import ReportError
    from shuffler.lab.certificate.cover import load_cover

    path = folder / "cover.toml"

    def take(data: bytes) -> None:
        path.write_bytes(data)
        with contextlib.suppress(ReportError):
            load_cover(path, ())

    return take


# -------------------------------------------------------------------------------------------------------- other files


def _memory(_: Path) -> Take:
    from firmware_sim.errors import DeviceError
    from firmware_sim.program.nvstore import NvStore, VolatileMedium

    def take(data: bytes) -> None:
        with contextlib.suppress(DeviceError):
            store = NvStore(VolatileMedium(data))
            store.put("boots", 1)
            store.commit()

    return take


def _memory_records(_: Path) -> Take:
    """Records whose checks are right, with any content; then a device is started on them."""
    from firmware_sim.errors import DeviceError
    from firmware_sim.machine.profile import load
    from firmware_sim.program.memory_format import MARK, header
    from firmware_sim.program.nvstore import VolatileMedium
    from firmware_sim.unit.emulator import Build, Emulator

    profile = load("i-deal-style")

    def framed(number: int, payload: bytes) -> bytes:
        counted = number.to_bytes(4, "little") + len(payload).to_bytes(4, "little")
        return MARK + counted + zlib.crc32(payload, zlib.crc32(counted)).to_bytes(4, "little") + payload

    def take(data: bytes) -> None:
        parts = data.split(b"\n")[:8]
        memory = header(None)[0] + b"".join(framed(at, part) for at, part in enumerate(parts, 1))
        try:
            device = Emulator(Build(profile=profile, serial="FUZZ", seed=1), VolatileMedium(memory))
        except DeviceError:
            return
        for _ in range(50):
            due = device.next_deadline()
            if due is None or due > 20_000_000:
                break
            device.tick(due)

    return take


def _decks(folder: Path) -> Take:
    from randomness.certification.errors import RecordedError
    from randomness.certification.recorded import Recorded

    path = folder / "decks"

    def take(data: bytes) -> None:
        path.write_bytes(data)
        for test in (False, True):
            try:
                for _ in Recorded(str(path), test=test).blocks(16):
                    pass
            except RecordedError:
                pass

    return take


def _bits(_: Path) -> Take:
    from randomness.errors import BitsError
    from shuffler.lab.bit_files import BitReader

    def take(data: bytes) -> None:
        with contextlib.suppress(BitsError):
            for _ in BitReader(io.BytesIO(data), length=64).sequences(100):
                pass

    return take


def _certificate(folder: Path) -> Take:
    from randomness.certification.errors import ReportError
    from shuffler.lab.certificate.sealing import check, load_record

    path = folder / "report"

    def take(data: bytes) -> None:
        path.write_bytes(data)
        with contextlib.suppress(ReportError):
            load_record(path)
            check(path)

    return take


def _keys(folder: Path) -> Take:
    from randomness.certification.errors import ReportError
    from shuffler.lab.certificate.sealing import load_key, load_public_key

    path = folder / "key.pem"

    def take(data: bytes) -> None:
        path.write_bytes(data)
        for load in (load_key, load_public_key):
            with contextlib.suppress(ReportError):
                load(path)

    return take


def _checkpoint(folder: Path) -> Take:
    from randomness.certification.checkpoint import load
    from randomness.certification.errors import CheckpointError

    path = folder / "checkpoint.npz"

    def take(data: bytes) -> None:
        path.write_bytes(data)
        with contextlib.suppress(CheckpointError):
            load(path, "run")

    return take


def _journal(folder: Path) -> Take:
    from shuffler.journal.errors import JournalError
    from shuffler.journal.reading import read, verify

    path = folder / "journal"

    def take(data: bytes) -> None:
        path.write_bytes(data)
        with contextlib.suppress(JournalError):
            verify(path)
        with contextlib.suppress(JournalError):
            for _ in read(path):
                pass

    return take


def _journal_record(_: Path) -> Take:
    """A record's body: its compression is made right, since no mutation would get past it."""
    import zstandard

    from shuffler.journal.codec import decode_record
    from shuffler.journal.errors import JournalBroken

    def take(data: bytes) -> None:
        for record in (data, b"E" + zstandard.compress(data)):
            with contextlib.suppress(JournalBroken):
                decode_record(1, record)

    return take


def _anchors(folder: Path) -> Take:
    from shuffler.journal.anchors import read_anchors
    from shuffler.journal.errors import JournalBroken

    path = folder / "anchors"

    def take(data: bytes) -> None:
        path.write_bytes(data)
        with contextlib.suppress(JournalBroken):
            read_anchors(path)

    return take


def _device_log(_: Path) -> Take:
    from shuffler.host.device_log import BadLogFile, from_text

    def take(data: bytes) -> None:
        text = _text(data)
        if text is not None:
            with contextlib.suppress(BadLogFile):
                from_text(text).broken()

    return take


def _snapshot(_: Path) -> Take:
    from firmware_sim.errors import BadControl
    from firmware_sim.unit.snapshot import Snapshot

    def take(data: bytes) -> None:
        try:
            plain = json.loads(data)
        except (ValueError, RecursionError):
            return
        with contextlib.suppress(BadControl):
            Snapshot.from_json(plain)

    return take


# -------------------------------------------------------------------------------------------------------------- seeds

ROOT = Path(__file__).parent.parent


def _toml(folder: str) -> Callable[[], list[bytes]]:
    return lambda: [path.read_bytes() for path in sorted((ROOT / folder).glob("*.toml"))]


def _example_lines() -> list[bytes]:
    from protocol.render.examples import all_examples

    return [b"\7" + example.line for example in all_examples() if len(example.line) < 400]


def _example_bodies() -> list[bytes]:
    from protocol.render.examples import all_examples

    found = all_examples()
    return [bytes((each.entry.number,)) + each.frame.body for each in found if len(each.frame.body) < 400]


def _to_the_device() -> list[bytes]:
    from protocol import messages as m
    from protocol.catalogue import Way
    from protocol.codec import encode_body
    from protocol.render.examples import all_examples
    from protocol.vocabulary import Capability

    hello = encode_body(m.Hello(
        version_min=2, version_max=2, must=Capability(0), may=Capability(3), window=16, max_body=2048,
        fingerprint=bytes(8), instance=bytes(16), next_request=1, nonce=bytes(16), ephemeral=b"",
    ))  # fmt: skip
    beat = encode_body(m.Heartbeat(uptime_ms=0, last_event=0))
    begin = [(1, 1, 0, hello), (2, 5, 1, beat)]
    found = [
        _as_frames([*begin, (2, each.entry.number, 1, each.frame.body)])
        for each in all_examples()
        if each.name == "typical" and each.entry.way is not Way.DEVICE and len(each.frame.body) < 256
    ]
    round_of = [m.Load(), m.Shuffle(nonce=bytes(16)), m.BeginRound(round=1, seats=3), m.DealGroup(round=1, groups=0)]
    played = [(2, _number(each), 1, encode_body(each)) for each in round_of]
    return [*found, _as_frames([*begin, *played])]


def _number(message: Any) -> int:
    return int(message.entry.number)


def _to_the_host() -> list[bytes]:
    from dataclasses import replace

    from protocol import messages as m
    from protocol.catalogue import Way
    from protocol.codec import decode_body, encode_body
    from protocol.render.examples import all_examples

    typical = [each for each in all_examples() if each.name == "typical" and each.entry.way is not Way.HOST]
    welcome = next(decode_body(2, each.frame.body) for each in typical if each.entry.body is m.Welcome)
    assert isinstance(welcome, m.Welcome)
    body = encode_body(replace(welcome, version=2, host_nonce=bytes(16), ephemeral=b"", proof=b"", serial="S"))
    return [
        _as_frames([(1, 2, 1, body), (2, each.entry.number, 1, each.frame.body)])
        for each in typical
        if len(each.frame.body) < 256
    ]


def _conversation() -> list[bytes]:
    from proofs.usbip_cases import sound_conversation

    whole = sound_conversation()
    return [b"".join(whole), *whole]


def _memory_file() -> list[bytes]:
    from firmware_sim.machine.profile import load
    from firmware_sim.program.nvstore import VolatileMedium
    from firmware_sim.unit.emulator import Build, Emulator

    medium = VolatileMedium()
    device = Emulator(Build(profile=load("i-deal-style"), serial="SEED", seed=1, session_seed=1), medium)
    for _ in range(20):
        due = device.next_deadline()
        if due is None:
            break
        device.tick(due)
    return [medium.read()]


def _memory_payloads() -> list[bytes]:
    from firmware_sim.program.memory_format import HEAD_BYTES, MAGIC

    (data,) = _memory_file()
    at, payloads = len(MAGIC), []
    while at < len(data):
        length = int.from_bytes(data[at + 6 : at + 10], "little")
        payloads.append(data[at + HEAD_BYTES : at + HEAD_BYTES + length])
        at += HEAD_BYTES + length
    return [*payloads[1:], b"\n".join(payloads[1:8])]


def _deck_files() -> list[bytes]:
    import gzip

    import numpy as np

    rows = "\n".join(" ".join(str((card * 7 + row) % 52) for card in range(52)) for row in range(3)) + "\n"
    named = ",".join(rank + suit for suit in "cdhs" for rank in "23456789TJQKA") + "\n"
    array, archive = io.BytesIO(), io.BytesIO()
    np.save(array, np.arange(52, dtype=np.uint8)[None, :])
    np.savez(archive, decks=np.arange(52, dtype=np.uint8)[None, :])
    as_json = json.dumps({"deck": list(range(52))}).encode() + b"\n"
    texts = [rows.encode(), named.encode(), rows.replace(" ", ",").encode(), as_json]
    return [*texts, gzip.compress(rows.encode(), mtime=0), array.getvalue(), archive.getvalue(), bytes(range(52)) * 2]


def _reports() -> list[bytes]:
    record = {"seal": {"sha256": "0" * 64, "signature": "00", "public_key": "00", "page_sha256": "0" * 64}}
    return [json.dumps(record).encode(), b'<script id="record" type="application/json">{"seal":{}}</script>']


def _key_files() -> list[bytes]:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    key = Ed25519PrivateKey.from_private_bytes(bytes(32))
    return [
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
    ]


def _checkpoints() -> list[bytes]:
    from randomness.certification.checkpoint import save

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seed.npz"
        save(path, "run", {"tally": list(range(100)), "more": {"x": 1.5}})
        return [path.read_bytes()]


def _journals() -> list[bytes]:
    from shuffler.journal.sqlite import SqliteJournal

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seed"
        SqliteJournal(path, clock=lambda: "2026-01-01T00:00:00Z").close()
        return [path.read_bytes()]


def _journal_bodies() -> list[bytes]:
    import sqlite3

    from shuffler.journal.codec import unpacked

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seed"
        path.write_bytes(_journals()[0])
        database = sqlite3.connect(path)
        bodies = [row[0] for row in database.execute("SELECT body FROM records ORDER BY seq")]
        database.close()
    return [unpacked(body) for body in bodies]


def _anchor_files() -> list[bytes]:
    row = {"journal": "00" * 16, "seq": 3, "head": "11" * 32}
    return [json.dumps(row).encode() + b"\n"]


def _log_files() -> list[bytes]:
    head = {"device": "SB-0001", "profile": "i-deal-style", "head": "00" * 32}
    line = {"number": 1, "time_ms": 5, "text": "power up", "hash": "22" * 32}
    return ["\n".join(map(json.dumps, (head, line))).encode()]


def _snapshots() -> list[bytes]:
    from firmware_sim.machine.profile import load
    from firmware_sim.program.nvstore import VolatileMedium
    from firmware_sim.unit.emulator import Build, Emulator

    build = Build(profile=load("i-deal-style"), serial="SEED", seed=1, session_seed=1)
    return [Emulator(build, VolatileMedium()).snapshot().text().encode()]


def _nothing() -> list[bytes]:
    return [bytes(100)]


# ----------------------------------------------------------------------------------------------------------- the table

# fmt: off
TARGETS: tuple[Target, ...] = (
    Target("framing",         ("protocol.framing",),                                      _framing,        _example_lines),
    Target("bodies",          ("protocol.codec",),                                        _codec,          _example_bodies),
    Target("device-link",     ("protocol.link", "protocol.device_link", "protocol.stream", "firmware_sim.unit.device"), _device, _to_the_device),
    Target("host-link",       ("protocol.link", "protocol.host_link", "protocol.stream", "shuffler.host.session"), _host, _to_the_host),
    Target("seal",            ("protocol.secure",),                                       _seal,           _nothing),
    Target("usbip-server",    ("firmware_sim.ports.usb.usbip_session", "protocol.usb.usbip_wire", "firmware_sim.ports.usb.control"), _usbip_server, _conversation),
    Target("usbip-parts",     ("protocol.usb.usbip_wire", "firmware_sim.ports.usb.acm"), _usbip_parts, _conversation),
    Target("profile",         ("firmware_sim.machine.profile", "strict_toml"),            _profile,        _toml("firmware_sim/machine/profiles")),
    Target("set-up",          ("firmware_sim.control.setup", "strict_toml"),              _setup,          _toml("firmware_sim/control/setups")),
    Target("plan",            ("randomness.certification.plan",),                         _plan,           _toml("randomness/certification/plans")),
    Target("rules",           ("round_engine.rules.rulebook", "round_engine.rules.document", "round_engine.rules.parse", "round_engine.rules.house"), _rules, _toml("round_engine/rules")),
    Target("cover",           ("shuffler.lab.certificate.cover", "strict_toml"),          _cover,          lambda: [b'laboratory = "A"\nserial = "1"\n']),
    Target("memory-file",     ("firmware_sim.program.nvstore", "firmware_sim.program.memory_format"), _memory, _memory_file),
    Target("memory-records",  ("firmware_sim.program.memory_format", "firmware_sim.program.records"), _memory_records, _memory_payloads),
    Target("recorded-decks",  ("randomness.certification.recorded",),                     _decks,          _deck_files),
    Target("bit-file",        ("shuffler.lab.bit_files",),                                _bits,           lambda: [b"0101 1\n", bytes(range(64))]),
    Target("certificate",     ("shuffler.lab.certificate.sealing",),                      _certificate,    _reports),
    Target("key-file",        ("shuffler.lab.certificate.sealing",),                      _keys,           _key_files),
    Target("checkpoint",      ("randomness.certification.checkpoint",),                   _checkpoint,     _checkpoints),
    Target("journal-file",    ("shuffler.journal.file", "shuffler.journal.reading", "shuffler.journal.chain"), _journal, _journals),
    Target("journal-record",  ("shuffler.journal.codec", "shuffler.journal.rows"), _journal_record, _journal_bodies),
    Target("journal-anchors", ("shuffler.journal.anchors",),                              _anchors,        _anchor_files),
    Target("device-log",      ("shuffler.host.device_log",),                              _device_log,     _log_files),
    Target("snapshot",        ("firmware_sim.unit.snapshot",),                            _snapshot,       _snapshots),
)
# fmt: on
BY_NAME = {target.name: target for target in TARGETS}
