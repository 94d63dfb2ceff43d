"""docs/protocol/vectors.json: the catalogue as JSON, and bytes to test another implementation with."""

import json
from dataclasses import replace
from typing import Any

from cobs import cobs

from protocol import messages as m
from protocol.catalogue import CATALOGUE, RECORDS, fingerprint
from protocol.codec import encode_body
from protocol.commitment import Commitment, Context, opens
from protocol.crc import CHECK, NAME, crc32c
from protocol.framing import (
    DELIMITER,
    HEADER,
    HEADER_SIZE,
    KNOWN_FLAGS,
    MAX_ENCODED,
    MAX_RAW,
    MUST_UNDERSTAND,
    SEAL_OVERHEAD,
    VERSION,
    Frame,
    Framer,
    pack_header,
    wrap,
)
from protocol.limits import MAX_BODY
from protocol.render.as_json import Json, entry_json, header_of, numbers_of, plain, schema
from protocol.render.examples import all_examples, examples, typical
from protocol.render.handshake import KEY, handshake
from protocol.render.tables import type_name
from protocol.roles import proof, role_key
from protocol.story import LOG_BEFORE, ROLE_NONCE, ROLE_SECRET, SERIAL, SESSION, commitment, context, log_lines
from protocol.vocabulary import VOCABULARY, CommitKind, Role

NOTES = [
    "Rendered by `shuffler protocol docs`; docs/protocol.md explains every part.",
    "Bytes are hex without separators. Numbers of 8 bytes are decimal strings, because many JSON readers round them.",
    "Enumerations and flags are numbers; `enums` has their words. Cards are lists of codes.",
    "`frame` and `stream` are bytes of the line with all delimiters.",
]


def vectors() -> str:
    """Return the whole file."""
    content: Json = {
        "notes": NOTES,
        "protocol": _constants(),
        "enums": {kind.__name__: numbers_of(kind) for kind in VOCABULARY},
        "records": {kind.__name__: schema(kind) for kind in RECORDS},
        "catalogue": [entry_json(entry) for entry in CATALOGUE],
        "crc": [{"data": data.hex(), "crc": f"{crc32c(data):08x}"} for data in _crc_inputs()],
        "cobs": [{"raw": raw.hex(), "encoded": cobs.encode(raw).hex()} for raw in _cobs_inputs()],
        "messages": [_message(each.message, each.name, each.frame, each.line) for each in all_examples()],
        "refused_bodies": _refused_bodies(),
        "streams": _streams(),
        "secure": _secure(),
        "role": _role(),
        "commitment": _commitment(),
        "log": _log(),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


# ------------------------------------------------------------------------------------------------------- the catalogue


def _constants() -> Json:
    return {
        "version": VERSION,
        "fingerprint": fingerprint().hex(),
        "crc": {"name": NAME, "check": f"{CHECK:08x}"},
        "header": [{"name": field.name, "type": type_name(field.kind)} for field in HEADER],
        "header_size": HEADER_SIZE,
        "max_body": MAX_BODY,
        "seal_overhead": SEAL_OVERHEAD,
        "max_raw": MAX_RAW,
        "max_encoded": MAX_ENCODED,
        "flags_known": KNOWN_FLAGS,
        "flags_must_understand": MUST_UNDERSTAND,
    }


# ------------------------------------------------------------------------------------------------------------ messages


def _message(message: m.Message, name: str, frame: Frame, line: bytes) -> Json:
    return {
        "message": type(message).__name__,
        "example": name,
        "header": header_of(frame),
        "fields": plain(message),
        "body": frame.body.hex(),
        "frame": line.hex(),
    }


def _refused_bodies() -> list[Json]:
    stub = encode_body(typical(m.Stub))
    cases: list[tuple[str, int, bytes]] = [
        ("one byte short", 0x30, bytes.fromhex("cd0b00007f")),
        ("one byte too many", 0x30, bytes.fromhex("cd0b00007f0000")),
        ("a body where none belongs", 0x80, b"\0"),
        ("a boolean of 2", 0x44, b"\x02"),
        ("a role that does not exist", 0x40, b"\x04"),
        ("a misdeal reason of 0", 0x6E, bytes(22)),
        ("text longer than the body", 0x03, b"\0\x05abc"),
        ("text that is no UTF-8", 0x03, b"\0\x02\xc3\x28"),
        ("text with an overlong form", 0x03, b"\0\x02\xc0\x80"),
        ("text with a surrogate", 0x03, b"\0\x03\xed\xa0\x80"),
        ("more cards than the body", 0xAD, stub[:6] + b"\xff\xff" + stub[8:]),
        ("an opening cut off in its proof", 0xAD, stub[:-1]),
        ("more games than the body", 0xA0, b"\x01\x01"),
        ("longer than a body may be", 0xC5, (MAX_BODY - 1).to_bytes(2, "little") + bytes(MAX_BODY - 1)),
        ("a number that no message has", 0x7F, b""),
    ]
    return [{"why": why, "number": number, "body": body.hex()} for why, number, body in cases]


# ------------------------------------------------------------------------------------------------------------- framing


def _crc_inputs() -> list[bytes]:
    return [b"", b"123456789", bytes(32), b"\xff" * 32, bytes(range(32)), b"\0"]


def _cobs_inputs() -> list[bytes]:
    run = bytes(range(1, 255))
    short = [b"", b"\0", b"\0\0", b"\x11\x22\0\x33", b"\x11\0\0\0"]
    return [*short, run[:253], run, run + b"\xff", b"\0" + run, run + b"\0"]


def _streams() -> list[Json]:
    """Byte streams with the frames that a receiver must find and the noise that it must count."""
    first, second = (examples(entry)[0].line for entry in CATALOGUE[3:5])
    after = second
    flipped = bytearray(first)
    flipped[9] ^= 0x04
    head = pack_header(0, 0x05, SESSION, 0, 3, 0)
    longest = wrap(pack_header(0x80, 0x67, SESSION, 1, 0, 0), b"\x11" * (MAX_BODY + SEAL_OVERHEAD))
    swapped = head + bytes(12)
    wrong_order = DELIMITER + cobs.encode(swapped + crc32c(swapped).to_bytes(4, "big")) + DELIMITER
    cases: list[tuple[str, bytes]] = [
        ("one frame", first),
        ("no delimiter before the first frame", first[1:]),
        ("two frames that share a delimiter", first + second[1:]),
        ("many delimiters between frames", bytes(9) + first + bytes(9) + second + bytes(9)),
        ("noise before a frame", b"\x55\xaa noise" + first),
        ("the end of a frame, then a frame", first[7:] + second),
        ("a frame cut off, then a frame", first[:12] + after),
        ("the longest frame", longest + after),
        ("a flipped bit", bytes(flipped) + after),
        ("the delimiter before a frame damaged", first[:-1] + b"\0\x01" + second[1:] + after),
        ("the delimiter between two frames damaged", first[:-1] + b"\x01" + after),
        ("the check in the wrong byte order", wrong_order + after),
        ("no COBS: a code beyond the end", b"\0\x09\x01\x02\0" + after),
        ("shorter than header and check", DELIMITER + cobs.encode(bytes(22)) + DELIMITER + after),
        ("longer than a frame can be", DELIMITER + b"\x01" * (MAX_ENCODED + 1) + DELIMITER + after),
    ]
    found: list[Json] = []
    for name, stream in cases:
        framer = Framer()
        frames = framer.feed(stream)
        noise = framer.garbage
        found.append(
            {
                "name": name,
                "stream": stream.hex(),
                "frames": [{"header": header_of(frame), "body": frame.body.hex()} for frame in frames],
                "noise": {
                    "too_long": noise.too_long,
                    "not_cobs": noise.not_cobs,
                    "too_short": noise.too_short,
                    "bad_crc": noise.bad_crc,
                },
            }
        )
    return found


# ------------------------------------------------------------------------------------------------------------- secrets


def _secure() -> Json:
    made = handshake()
    return {
        "pre_shared_key": KEY.hex(),
        "host_private": made.host_private.hex(),
        "device_private": made.device_private.hex(),
        "hello": _message(made.hello, "secure", _frame(made.hello_line), made.hello_line),
        "welcome": _message(made.welcome, "secure", _frame(made.welcome_line), made.welcome_line),
        "session": made.session,
        "transcript": made.transcript.hex(),
        "digest": made.digest.hex(),
        "shared": made.shared.hex(),
        "info_prefix": "shuffler-bench/secure/1",
        "host_key": made.keys.host.hex(),
        "device_key": made.keys.device.hex(),
        "proof_key": made.proof_key.hex(),
        "proof_label": "device",
        "proof": made.keys.proof.hex(),
        "frames": [
            {
                "from": sealed.sender,
                "message": type(sealed.message).__name__,
                "fields": plain(sealed.message),
                "header": header_of(sealed.frame),
                "associated_data": pack_header(*sealed.frame[1:7]).hex(),
                "counter": str(sealed.counter),
                "clear_body": encode_body(sealed.message).hex(),
                "sealed_body": sealed.frame.body.hex(),
                "frame": sealed.line.hex(),
            }
            for sealed in made.sealed
        ],
    }


def _frame(line: bytes) -> Frame:
    (frame,) = Framer().feed(line)
    return frame


def _role() -> Json:
    key = role_key(ROLE_SECRET)
    asked: dict[str, Any] = {"serial": SERIAL, "session": SESSION, "role": Role.SUPERVISOR, "nonce": ROLE_NONCE}
    return {
        "domain": b"shuffler-bench/role/1\0".hex(),
        "secret": ROLE_SECRET,
        "key": key.hex(),
        "serial": SERIAL,
        "session": SESSION,
        "role": int(Role.SUPERVISOR),
        "nonce": ROLE_NONCE.hex(),
        "proof": proof(key, **asked).hex(),
    }


def _commitment() -> Json:
    deck = commitment()
    where = context()
    good = [deck.opening(3, 3), deck.opening(21, 3), deck.opening(48, 4), deck.opening(0, 1), deck.opening(0, 52)]
    group = good[0]
    good.append(Commitment(where, deck.codes, deck.salts, kind=CommitKind.SLOTS).opening(3, 3))
    bad = {
        "another card": replace(group, cards=(group.cards[1], group.cards[0], group.cards[2])),
        "another position": replace(group, first=6),
        "a hash short": replace(group, proof=group.proof[:-32]),
        "a hash too many": replace(group, proof=group.proof + bytes(32)),
        "another salt": replace(group, salts=bytes(32) + group.salts[32:]),
        "cards and places": replace(group, places=group.cards),
        "no cards": replace(group, cards=(), salts=b"", proof=b""),
    }
    return {
        "context": _context(where),
        "leaf_prefix": where.prefix.hex(),
        "node_domain": b"shuffler-bench/commitment/1/node\0".hex(),
        "empty_domain": b"shuffler-bench/commitment/1/empty\0".hex(),
        "cards": list(deck.codes),
        "salts": deck.salts.hex(),
        "root": deck.root.hex(),
        "openings": [{"opens": opens(where, deck.root, opening), **plain(opening)} for opening in good]
        + [{"opens": opens(where, deck.root, opening), "why": why, **plain(opening)} for why, opening in bad.items()],
    }


def _context(context: Context) -> Json:
    return {
        "serial": context.serial,
        "epoch": str(context.epoch),
        "shuffle": context.shuffle,
        "game": context.game,
        "count": context.count,
        "nonce": context.nonce.hex(),
    }


def _log() -> Json:
    return {
        "domain": b"shuffler-bench/log/1\0".hex(),
        "hash_before": LOG_BEFORE.hex(),
        "lines": [plain(line) for line in log_lines()],
    }
