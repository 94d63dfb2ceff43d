"""The benchmark compares equals: the hand-written twins give what the product gives."""

import pytest

from benchmarks.bench_codec import HAND_WRITTEN, full_decode, full_encode
from protocol import messages as m
from protocol.codec import decode_body, encode_body
from protocol.render.examples import examples


@pytest.mark.parametrize("kind", HAND_WRITTEN, ids=lambda kind: kind.__name__)
def test_the_hand_written_codec_gives_what_the_derived_one_gives(kind: type[m.Message]) -> None:
    to_bytes, from_bytes = HAND_WRITTEN[kind]
    for example in examples(kind.entry):
        assert to_bytes(example.message) == encode_body(example.message) == example.frame.body
        assert from_bytes(example.frame.body) == decode_body(example.entry.number, example.frame.body)


@pytest.mark.parametrize("kind", HAND_WRITTEN, ids=lambda kind: kind.__name__)
def test_full_decode_and_encode_are_what_goes_over_the_line(kind: type[m.Message]) -> None:
    for example in examples(kind.entry):
        assert full_decode(example.line) == example.message
        assert full_encode(example) == example.line
