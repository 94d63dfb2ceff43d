"""Framing: any cut gives the same frames, noise costs only itself, memory is bounded."""

from dataclasses import asdict
from random import Random

import pytest
from cobs import cobs
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.crc import crc32c
from protocol.framing import (
    DELIMITER,
    HEADER,
    HEADER_SIZE,
    KNOWN_FLAGS,
    MAX_ENCODED,
    MAX_RAW,
    MUST_UNDERSTAND,
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
from protocol.limits import MAX_BODY
from protocol.render.examples import Example, all_examples
from protocol.structs import HEADER as STRUCT

GOOD = all_examples()[0]
LINES = [example.line for example in all_examples()]


def fed(*pieces: bytes) -> tuple[list[Frame], Garbage]:
    framer = Framer()
    frames = [frame for piece in pieces for frame in framer.feed(piece)]
    return frames, framer.garbage


def counts(garbage: Garbage) -> dict[str, int]:
    return {name: count for name, count in asdict(garbage).items() if count}


def sealed_raw(raw: bytes) -> bytes:
    """Raw bytes with their check, for the line: what `wrap` does, without its good manners."""
    return DELIMITER + cobs.encode(raw + crc32c(raw).to_bytes(4, "little")) + DELIMITER


# ---------------------------------------------------------------------------------------------------------- the bytes


@pytest.mark.parametrize("example", all_examples(), ids=lambda it: f"{it.entry.name}-{it.name}")
def test_an_example_comes_back_as_it_was_sent(example: Example) -> None:
    assert fed(example.line) == ([example.frame], Garbage())


def test_the_header_is_laid_out_as_construct_says() -> None:
    header = pack_header(0x81, 0x67, 0x11223344, 0x55667788, 0x99AABBCC, 0xDDEEFF01)
    assert header == bytes.fromhex("02 81 67 44332211 88776655 ccbbaa99 01ffeedd")
    parsed = STRUCT.parse(header)
    assert (parsed.version, parsed.flags, parsed.message) == (VERSION, 0x81, 0x67)
    assert (parsed.session, parsed.sequence) == (0x11223344, 0x55667788)
    assert (parsed.acknowledge, parsed.request) == (0x99AABBCC, 0xDDEEFF01)
    assert len(header) == HEADER_SIZE == STRUCT.sizeof()
    assert tuple(field.name for field in HEADER) == Frame._fields[:-1]


def test_a_frame_is_zero_cobs_of_header_body_and_check_zero() -> None:
    header, body = pack_header(0, 0x03, 0, 0, 0, 0), b"\x01\x00"
    raw = header + body
    line = wrap(header, body)
    assert (line[:1], line[-1:]) == (DELIMITER, DELIMITER)
    assert DELIMITER not in line[1:-1]
    assert cobs.decode(line[1:-1]) == raw + crc32c(raw).to_bytes(4, "little")


def test_flags_that_must_be_understood_are_the_upper_half() -> None:
    assert SEALED & MUST_UNDERSTAND
    assert not RETRANSMITTED & MUST_UNDERSTAND
    assert KNOWN_FLAGS == SEALED | RETRANSMITTED


def test_a_frame_of_another_version_is_given_on_for_the_link_to_refuse() -> None:
    header = pack_header(0, 0x05, 7, 0, 0, 0, version=9)
    frames, garbage = fed(wrap(header, b""))
    assert [frame.version for frame in frames] == [9]
    assert garbage.total == 0


# -------------------------------------------------------------------------------------------------------------- cuts


def test_every_cut_in_two_gives_the_same_frames() -> None:
    stream = b"".join(LINES[:12])
    whole = fed(stream)
    assert len(whole[0]) == 12
    for at in range(len(stream) + 1):
        assert fed(stream[:at], stream[at:]) == whole


def test_byte_by_byte_gives_the_same_frames() -> None:
    stream = b"".join(LINES)
    assert fed(*(stream[at : at + 1] for at in range(len(stream)))) == fed(stream)


noise = st.one_of(
    st.binary(max_size=80),
    st.sampled_from(LINES),
    st.sampled_from(LINES).flatmap(lambda line: st.integers(0, len(line)).map(lambda at: line[:at])),
    st.integers(MAX_ENCODED - 2, MAX_ENCODED + 2).map(lambda length: b"\x01" * length),
    st.just(bytes(5)),
)


@settings(max_examples=150, deadline=None)
@given(parts=st.lists(noise, max_size=8), seed=st.integers(0, 2**32))
def test_any_cut_of_any_stream_gives_the_same_frames_and_the_same_count_of_garbage(
    parts: list[bytes], seed: int
) -> None:
    stream = b"".join(parts) + DELIMITER
    chance = Random(seed)
    cuts = sorted(chance.choices(range(len(stream) + 1), k=chance.randrange(20)))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert fed(*pieces) == fed(stream)


# ------------------------------------------------------------------------------------------------------------- noise


@settings(max_examples=150, deadline=None)
@given(parts=st.lists(noise, max_size=6))
def test_the_next_good_frame_is_found_behind_any_noise(parts: list[bytes]) -> None:
    framer = Framer()
    for part in parts:
        framer.feed(part)
        assert framer.pending <= MAX_ENCODED
    assert framer.feed(GOOD.line)[-1] == GOOD.frame


def test_noise_without_end_takes_no_memory() -> None:
    framer = Framer()
    for _ in range(200):
        assert framer.feed(b"\x55" * 10_000) == []
        assert framer.pending <= MAX_ENCODED
    assert framer.feed(GOOD.line) == [GOOD.frame]
    assert counts(framer.garbage) == {"too_long": 1}


def test_zeros_between_frames_are_nothing() -> None:
    assert fed(bytes(1000), GOOD.line, bytes(1000), GOOD.line) == ([GOOD.frame] * 2, Garbage())


@pytest.mark.parametrize("at", [0, -1])
@pytest.mark.parametrize("bit", range(8))
def test_a_damaged_delimiter_costs_its_own_frame_and_no_other(at: int, bit: int) -> None:
    damaged = bytearray(GOOD.line)
    damaged[at] ^= 1 << bit
    frames, garbage = fed(LINES[5], bytes(damaged), LINES[6])
    assert frames == [all_examples()[5].frame, all_examples()[6].frame]
    assert garbage.total == 1


def test_a_frame_that_was_cut_off_costs_only_itself() -> None:
    frames, garbage = fed(GOOD.line[:20], GOOD.line)
    assert frames == [GOOD.frame]
    assert garbage.total == 1


# ---------------------------------------------------------------------------------------------- each way to be refused


def test_bytes_that_are_no_cobs() -> None:
    assert counts(fed(b"\0\x09\x01\x02\0")[1]) == {"not_cobs": 1}


def test_a_frame_shorter_than_header_and_check() -> None:
    assert counts(fed(sealed_raw(bytes(HEADER_SIZE - 1)))[1]) == {"too_short": 1}
    assert counts(fed(b"\0\x01\0")[1]) == {"too_short": 1}
    assert len(fed(sealed_raw(bytes(HEADER_SIZE)))[0]) == 1


def test_a_frame_whose_check_is_wrong() -> None:
    damaged = bytearray(GOOD.line)
    damaged[5] ^= 0x10
    frames, garbage = fed(bytes(damaged))
    assert frames == []
    assert counts(garbage) == {"bad_crc": 1}


def test_the_longest_frame_passes_and_one_byte_more_does_not() -> None:
    body = b"\xee" * (MAX_BODY + SEAL_OVERHEAD)
    longest = wrap(pack_header(SEALED, 0x67, 7, 1, 2, 0), body)
    assert len(longest) <= MAX_ENCODED + 2
    for pieces in ((longest,), tuple(longest[at : at + 100] for at in range(0, len(longest), 100))):
        frames, garbage = fed(*pieces)
        assert [frame.body for frame in frames] == [body]
        assert garbage.total == 0
    beyond = sealed_raw(b"\xee" * (MAX_RAW - 4 + 1 + 8))
    for pieces in ((beyond,), (beyond[:-1], beyond[-1:]), (beyond[:100], beyond[100:])):
        frames, garbage = fed(*pieces)
        assert frames == []
        assert counts(garbage) == {"too_long": 1}
