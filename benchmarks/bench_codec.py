"""Codec and framing against hand-written `struct` code and against compiled construct, in one run.

The hand-written twin gives the same typed, frozen values with the same refusals, so the ratio is the price of deriving
the codec from one definition. Compiled construct is given less to do than the product: a bare parse of header and body
into its own container, without COBS, check and typed value.
"""

import struct
from collections.abc import Callable
from typing import Any

from construct import Struct

from benchmarks import Section, best_rate
from protocol import messages as m
from protocol.codec import decode_body, encode_body
from protocol.crc import is_compiled
from protocol.framing import Framer, pack_header, wrap
from protocol.render.examples import Example, examples
from protocol.structs import HEADER, struct_of
from protocol.vocabulary import CommitKind, DeviceFlag, FaultCode, Place

ROUNDS = 2_000
REPEATS = 15
MUST_REACH = 0.5  # full decode against compiled construct's bare parse

# ------------------------------------------------------------------------------------------------- hand-written codecs

_BEGIN = struct.Struct("<IH")
_FAULT = struct.Struct("<IQBBH")
_SHUFFLED = struct.Struct("<IQIHBBH16s32s")
_REMOVED = struct.Struct("<IQIBBBIBHH")
_U16 = struct.Struct("<H")
_CODES = {member.value: member for member in FaultCode}
_PLACES = {member.value: member for member in Place}
_KINDS = {member.value: member for member in CommitKind}
_BOOLS = {0: False, 1: True}


def begin_to_bytes(it: m.BeginRound) -> bytes:
    return _BEGIN.pack(it.round, it.seats)


def begin_from_bytes(body: bytes) -> m.BeginRound:
    number, seats = _BEGIN.unpack(body)
    return m.BeginRound(round=number, seats=seats)


def fault_to_bytes(it: m.FaultRaised) -> bytes:
    return _FAULT.pack(it.number, it.time_ms, it.code, it.place, it.detail)


def fault_from_bytes(body: bytes) -> m.FaultRaised:
    number, time_ms, code, place, detail = _FAULT.unpack(body)
    return m.FaultRaised(number=number, time_ms=time_ms, code=_CODES[code], place=_PLACES[place], detail=detail)


def shuffled_to_bytes(it: m.ShuffleCompleted) -> bytes:
    if len(it.nonce) != 16 or len(it.root) != 32:
        raise ValueError("nonce or root has the wrong length")
    return _SHUFFLED.pack(it.number, it.time_ms, it.shuffle, it.count, it.game, it.kind, it.flags, it.nonce, it.root)


def shuffled_from_bytes(body: bytes) -> m.ShuffleCompleted:
    number, time_ms, shuffle, count, game, kind, flags, nonce, root = _SHUFFLED.unpack(body)
    return m.ShuffleCompleted(
        number=number, time_ms=time_ms, shuffle=shuffle, count=count, game=game, kind=_KINDS[kind],
        flags=DeviceFlag(flags), nonce=nonce, root=root,
    )  # fmt: skip


def removed_to_bytes(it: m.GroupRemoved) -> bytes:
    opening = it.opening
    head = _REMOVED.pack(
        it.number, it.time_ms, it.round, it.group, it.seat, it.count, it.shuffle, it.withheld, opening.first,
        len(opening.cards),
    )  # fmt: skip
    salts, proof = opening.salts, opening.proof
    places = _U16.pack(len(opening.places)) + bytes(opening.places)
    return head + bytes(opening.cards) + places + _U16.pack(len(salts)) + salts + _U16.pack(len(proof)) + proof


def removed_from_bytes(body: bytes) -> m.GroupRemoved:
    number, time_ms, round_, group, seat, count, shuffle, withheld, first, cards = _REMOVED.unpack_from(body)
    at = _REMOVED.size + cards
    codes = tuple(body[_REMOVED.size : at])
    places_at = at + 2
    at = places_at + _U16.unpack_from(body, at)[0]
    places = tuple(body[places_at:at])
    salts_at = at + 2
    salts_end = salts_at + _U16.unpack_from(body, at)[0]
    end = salts_end + 2 + _U16.unpack_from(body, salts_end)[0]
    if end != len(body):
        raise ValueError("lengths and body do not agree")
    opening = m.Opening(
        first=first, cards=codes, places=places, salts=body[salts_at:salts_end], proof=body[salts_end + 2 :]
    )
    return m.GroupRemoved(
        number=number, time_ms=time_ms, round=round_, group=group, seat=seat, count=count, shuffle=shuffle,
        withheld=_BOOLS[withheld], opening=opening,
    )  # fmt: skip


HAND_WRITTEN: dict[type[m.Message], tuple[Callable[[Any], bytes], Callable[[bytes], m.Message]]] = {
    m.BeginRound: (begin_to_bytes, begin_from_bytes),
    m.FaultRaised: (fault_to_bytes, fault_from_bytes),
    m.ShuffleCompleted: (shuffled_to_bytes, shuffled_from_bytes),
    m.GroupRemoved: (removed_to_bytes, removed_from_bytes),
}

# ------------------------------------------------------------------------------------------------------------ measuring


def typical(kind: type[m.Message]) -> Example:
    """The typical example of a message."""
    return examples(kind.entry)[0]


def rates(*works: Callable[[], object]) -> tuple[float, ...]:
    """Calls a second of each, the best of several short runs taken in turn, so that a busy moment hits all alike."""
    best = [0.0] * len(works)
    for _ in range(REPEATS):
        for place, work in enumerate(works):
            best[place] = max(best[place], best_rate(lambda work=work: _several(work), repeats=1))
    return tuple(best)


def _several(work: Callable[[], object]) -> int:
    for _ in range(ROUNDS):
        work()
    return ROUNDS


def full_decode(line: bytes) -> m.Message:
    """Bytes of the line to a typed value, as a link does it."""
    (frame,) = Framer().feed(line)
    return decode_body(frame.message, frame.body)


def full_encode(example: Example) -> bytes:
    """A typed value to bytes of the line."""
    frame = example.frame
    header = pack_header(0, frame.message, frame.session, frame.sequence, frame.acknowledge, frame.request)
    return wrap(header, encode_body(example.message))


def run() -> list[Section]:
    """Both tables."""
    return [against_struct(), against_construct()]


def against_struct() -> Section:
    """The derived codec beside code written for each message."""
    rows = []
    for kind, (to_bytes, from_bytes) in HAND_WRITTEN.items():
        message, body = typical(kind).message, typical(kind).frame.body
        number = kind.entry.number
        assert to_bytes(message) == encode_body(message) == body
        assert from_bytes(body) == decode_body(number, body) == message
        encode = rates(lambda message=message: encode_body(message), lambda f=to_bytes, x=message: f(x))
        decode = rates(lambda n=number, b=body: decode_body(n, b), lambda f=from_bytes, b=body: f(b))
        rows.append((f"{kind.__name__} ({len(body)} bytes)", *_pair(*encode), *_pair(*decode)))
    return Section(
        title="Codec against hand-written struct code",
        columns=("message body", "encode/s", "struct", "ratio", "decode/s", "struct", "ratio"),
        rows=tuple(rows),
        note=(
            "The codec is written from the declared layouts when first used; the peer is `struct` code written by hand "
            "for each message and called directly. Both give the same frozen value. Decoding is quicker than by hand "
            "because the derived code fills the slots of the value without going through its `__init__`. Encoding is "
            "slower: it finds the encoder by type, holds words against their enumerations and the length against the "
            "longest body, and turns what does not fit into an error of the protocol."
        ),
    )


def against_construct() -> Section:
    """All the work of a frame beside compiled construct's parse of header and body alone."""
    rows = []
    framer = Framer()
    for kind in HAND_WRITTEN:
        example = typical(kind)
        raw = pack_header(0, *example.frame[2:7]) + example.frame.body
        whole = Struct("header" / HEADER, "body" / struct_of(kind))
        parse = whole.compile().parse
        assert parse(raw).header.message == example.frame.message
        assert full_decode(example.line) == example.message
        line = example.line

        def product(line: bytes = line) -> m.Message:
            (frame,) = framer.feed(line)
            return decode_body(frame.message, frame.body)

        ours, theirs, uncompiled, encode = rates(
            product,
            lambda parse=parse, raw=raw: parse(raw),
            lambda parse=whole.parse, raw=raw: parse(raw),
            lambda example=example: full_encode(example),
        )
        rows.append(
            (
                f"{kind.__name__} ({len(example.line)} bytes)",
                f"{ours:,.0f}",
                f"{theirs:,.0f}",
                f"{ours / theirs:.1f}",
                f"{uncompiled:,.0f}",
                f"{ours / uncompiled:.1f}",
                f"{encode:,.0f}",
            )
        )
    extension = "its C extension" if is_compiled() else "pure Python (no compiler was there): some 18 times slower"
    return Section(
        title="Full decode against construct's bare parse",
        columns=("frame on the line", "full decode/s", "compiled construct", "ratio", "construct", "ratio", "encode/s"),
        rows=tuple(rows),
        note=(
            "Full decode: COBS, CRC-32C, header, body to a typed value; encode: the same way back. Construct parses "
            f"header and body only, into its own container. To be reached: {MUST_REACH} of compiled construct. "
            f"crcmod ran {extension}. What limits it: in a short frame the interpreter's calls (splitting, COBS, "
            "check, header, slots), in a long one the byte loops of COBS and check."
        ),
    )


def _pair(ours: float, theirs: float) -> tuple[str, str, str]:
    return f"{ours:,.0f}", f"{theirs:,.0f}", f"{ours / theirs:.2f}"
