"""The file of a recording: what is written is read, and nothing damaged is."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shuffler.kit.recording.errors import BadRecording
from shuffler.kit.recording.format import (
    KEYS_BYTES,
    MAGIC,
    VERSION,
    PieceKind,
    RecordedPiece,
    Recording,
    Writer,
    read,
    written,
)

LINE = (PieceKind.HOST, PieceKind.DEVICE)
SAMPLE = Recording(
    started_us=1_700_000_000_000_000,
    about="a conversation ♠",
    pieces=(
        RecordedPiece(0, PieceKind.PLUGGED),
        RecordedPiece(1_500, PieceKind.HOST, b"\0hello\0"),
        RecordedPiece(2_000_000, PieceKind.DEVICE, b"\0welcome\0" * 30),
        RecordedPiece(2_000_000, PieceKind.KEYS, bytes(KEYS_BYTES)),
        RecordedPiece(9_000_000_000, PieceKind.PULLED),
    ),
)


@given(
    st.lists(st.tuples(st.integers(0, 1 << 40), st.sampled_from(LINE), st.binary(max_size=300)), max_size=20),
    st.text(max_size=50),
    st.integers(0, 1 << 52),
)
def test_what_is_written_is_read(items: list[tuple[int, PieceKind, bytes]], about: str, started_us: int) -> None:
    at_us, pieces = 0, []
    for passed, kind, data in items:
        at_us += passed
        pieces.append(RecordedPiece(at_us, kind, data))
    recording = Recording(started_us=started_us, about=about, pieces=tuple(pieces))
    assert read(written(recording)) == recording


def test_it_is_compact() -> None:
    pieces = tuple(RecordedPiece(1000 * n, PieceKind.HOST, bytes(40)) for n in range(1000))
    size = len(written(Recording(started_us=0, about="", pieces=pieces)))
    assert size / 1000 < 40 + 15  # size, kind, time, length and check


def test_every_single_damaged_byte_is_refused() -> None:
    sound = written(SAMPLE)
    for at in range(len(sound)):
        for bit in (0x01, 0x80):
            damaged = bytearray(sound)
            damaged[at] ^= bit
            with pytest.raises(BadRecording):
                read(bytes(damaged))


def test_a_piece_that_is_missing_doubled_or_moved_is_refused() -> None:
    writer = Writer()
    head = writer.head(0, "")
    blocks = [writer.piece(RecordedPiece(0, PieceKind.HOST, bytes((n,)))) for n in range(3)]
    end = writer.end()
    assert len(read(head + b"".join(blocks) + end).pieces) == 3
    for order in ([0, 2], [0, 0, 1, 2], [1, 0, 2]):
        with pytest.raises(BadRecording, match="its check is wrong"):
            read(head + b"".join(blocks[n] for n in order) + end)


def test_a_recording_that_was_cut_off_is_refused_unless_that_is_said() -> None:
    sound = written(SAMPLE)
    for size in range(len(MAGIC) + 40, len(sound)):
        with pytest.raises(BadRecording, match=r"cut off|damaged"):
            read(sound[:size])
    found = read(sound[:-3], cut_off=True)
    assert not found.whole
    assert found.pieces == SAMPLE.pieces


def test_other_files_and_other_versions_are_named() -> None:
    with pytest.raises(BadRecording, match="this is no recording"):
        read(b"\x0a\x0d\x0d\x0a" * 9)
    with pytest.raises(BadRecording, match=f"version 9 of the format, this program reads {VERSION}"):
        read(MAGIC + b"\x09" + written(SAMPLE)[len(MAGIC) + 1 :])
    with pytest.raises(BadRecording, match="bytes follow the recording's end"):
        read(written(SAMPLE) + b"x")


def test_noise_is_refused_and_never_raises_anything_else() -> None:
    chance = Random(3)
    for _ in range(2000):
        with pytest.raises(BadRecording):
            read(MAGIC + bytes((VERSION,)) + chance.randbytes(chance.randrange(80)))
