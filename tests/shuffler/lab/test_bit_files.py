"""Bits from files: bytes or text, whole sequences, the rest told."""

import io

import numpy as np
import pytest

from randomness.errors import BitsError
from shuffler.lab.bit_files import BitReader
from shuffler.lab.bit_format import BitFormat


def read(data: bytes, length: int, most: int | None = None, **options: object) -> tuple[list[list[int]], BitReader]:
    reader = BitReader(io.BytesIO(data), length=length, **options)  # type: ignore[arg-type]
    return [values.tolist() for values in reader.sequences(most)], reader


def test_bytes_are_cut_into_sequences() -> None:
    found, reader = read(b"\xff\x00\xf0\x0f\xaa", 16)
    assert found == [[1] * 8 + [0] * 8, [1] * 4 + [0] * 8 + [1] * 4]
    assert (reader.form, reader.bits_left_over) == (BitFormat.BYTES, 8)


def test_text_is_told_by_its_beginning() -> None:
    found, reader = read(b"0110 1001\n1111\n", 4)
    assert found == [[0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 1, 1]]
    assert (reader.form, reader.bits_left_over) == (BitFormat.TEXT, 0)


def test_text_can_be_read_as_bytes_when_asked() -> None:
    found, _ = read(b"01", 16, form=BitFormat.BYTES)
    assert found == [[0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1]]


def test_a_wrong_letter_is_named_with_its_place() -> None:
    with pytest.raises(BitsError, match=r"'x' after 3 bits; say --format bytes"):
        read(b"011 x", 4, form=BitFormat.TEXT)


def test_a_short_file_is_one_sequence_unless_a_length_was_asked_for() -> None:
    assert read(b"0101", 100)[0] == [[0, 1, 0, 1]]
    found, reader = read(b"0101", 100, short=False)
    assert (found, reader.bits_left_over) == ([], 4)
    assert read(b"", 100)[0] == []


def test_no_more_than_asked_for() -> None:
    found, _ = read(bytes(1_000), 16, most=3)
    assert len(found) == 3


def test_long_sequences_span_chunks() -> None:
    data = np.random.default_rng(1).bytes(300_000)
    found, reader = read(data, 1_000_000)
    assert [len(values) for values in found] == [1_000_000] * 2
    assert reader.bits_left_over == 400_000
    assert found[0] + found[1] == np.unpackbits(np.frombuffer(data, np.uint8))[:2_000_000].tolist()
