"""The fast codec: equal to construct both ways, in what it accepts and in what it refuses."""

from collections.abc import Iterator
from dataclasses import replace
from enum import IntEnum, IntFlag
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import messages as m
from protocol.catalogue import BY_NUMBER, CATALOGUE, CatalogueEntry
from protocol.codec import decode_body, encode_body, number_of
from protocol.errors import Malformed, RemoteProtocolError, Unencodable, UnknownMessage
from protocol.layout import Blob, Codes, Fixed, Int, Nested, Records, Text, layout
from protocol.limits import MAX_BODY
from protocol.render.examples import Example, all_examples, examples, filled
from protocol.vocabulary import DeviceFlag, Role
from tests.construct_oracle import construct_decode, construct_encode
from tests.message_strategies import values

every_kind = pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
every_example = pytest.mark.parametrize("example", all_examples(), ids=lambda it: f"{it.entry.name}-{it.name}")


def outcome(decode: Any, number: int, body: bytes) -> m.Message | type[RemoteProtocolError]:
    try:
        message: m.Message = decode(number, body)
    except RemoteProtocolError as error:
        return type(error)
    return message


def assert_same_verdict(number: int, body: bytes) -> None:
    assert outcome(decode_body, number, body) == outcome(construct_decode, number, body), body.hex(" ")


# --------------------------------------------------------------------------------------------------- equal both ways


@every_example
def test_an_example_is_the_same_through_construct_both_ways(example: Example) -> None:
    body = encode_body(example.message)
    assert body == construct_encode(example.message)
    assert decode_body(example.entry.number, body) == example.message
    assert construct_decode(example.entry.number, body) == example.message


@every_kind
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_any_value_is_the_same_through_construct_both_ways(entry: CatalogueEntry, data: st.DataObject) -> None:
    message = data.draw(values(entry.body))
    body = encode_body(message)
    assert body == construct_encode(message)
    assert decode_body(entry.number, body) == message
    assert construct_decode(entry.number, body) == message


@every_kind
def test_decoded_fields_have_the_types_that_the_message_declares(entry: CatalogueEntry) -> None:
    message = decode_body(entry.number, encode_body(filled(entry.body)))
    for field in layout(entry.body):
        if isinstance(field.kind, Int):
            assert type(getattr(message, field.name)) is field.kind.type, field.name


def test_flag_bits_that_are_not_known_are_kept() -> None:
    body = b"\x00\x80" + encode_body(filled(m.Info))[2:]
    info = decode_body(0x90, body)
    assert isinstance(info, m.Info)
    assert info.flags == DeviceFlag(0x8000)
    assert encode_body(info) == body


# ----------------------------------------------------------------------------------------- equal in what it refuses


@every_kind
def test_every_truncation_is_refused_by_both(entry: CatalogueEntry) -> None:
    for body in (example.frame.body for example in examples(entry)):
        for length in range(0, len(body), 1 + len(body) // 60):
            assert outcome(decode_body, entry.number, body[:length]) is Malformed
            assert outcome(construct_decode, entry.number, body[:length]) is Malformed


@every_kind
def test_trailing_bytes_are_refused_by_both(entry: CatalogueEntry) -> None:
    for body in (example.frame.body for example in examples(entry)):
        for more in (b"\0", b"\xff", b"\0" * 9):
            assert outcome(decode_body, entry.number, body + more) is Malformed
            assert outcome(construct_decode, entry.number, body + more) is Malformed


@pytest.mark.parametrize(
    "example", [it for it in all_examples() if it.name == "typical"], ids=lambda it: it.entry.name
)
def test_every_byte_changed_gets_the_same_verdict_from_both(example: Example) -> None:
    body = example.frame.body
    for at, byte in enumerate(body):
        for other in {byte ^ 0x80, 0x00, 0xFF, byte + 1 & 0xFF} - {byte}:
            assert_same_verdict(example.entry.number, body[:at] + bytes((other,)) + body[at + 1 :])


@settings(max_examples=200, deadline=None)
@given(number=st.integers(0, 255), body=st.binary(max_size=120))
def test_arbitrary_bytes_get_the_same_verdict_from_both(number: int, body: bytes) -> None:
    assert_same_verdict(number, body)


@settings(max_examples=200, deadline=None)
@given(number=st.sampled_from(sorted(BY_NUMBER)), body=st.binary(max_size=MAX_BODY + 40))
def test_decoding_raises_nothing_but_remote_errors(number: int, body: bytes) -> None:
    outcome(decode_body, number, body)


def test_a_number_that_no_message_has_is_unknown() -> None:
    for number in set(range(256)) - BY_NUMBER.keys():
        assert outcome(decode_body, number, b"") is UnknownMessage
        assert outcome(construct_decode, number, b"") is UnknownMessage


def test_a_boolean_is_zero_or_one() -> None:
    assert decode_body(0x44, b"\x01") == m.ServiceMode(on=True)
    with pytest.raises(Malformed, match="2 is no truth value"):
        decode_body(0x44, b"\x02")


def test_a_word_that_the_vocabulary_lacks_is_named_in_the_error() -> None:
    with pytest.raises(Malformed, match=r"AskChallenge.*9 is no Role"):
        decode_body(0x40, b"\x09")


def test_text_must_be_utf8() -> None:
    with pytest.raises(Malformed, match="Reset"):
        decode_body(0x03, b"\x00\x02\xc3\x28")


def test_a_body_beyond_the_longest_allowed_is_refused_by_both() -> None:
    body = (MAX_BODY - 1).to_bytes(2, "little") + bytes(MAX_BODY - 1)
    assert len(body) == MAX_BODY + 1
    assert outcome(decode_body, 0xC5, body) is Malformed
    assert outcome(construct_decode, 0xC5, body) is Malformed
    with pytest.raises(Unencodable, match=f"{MAX_BODY + 1} bytes"):
        encode_body(m.RandomBytes(data=bytes(MAX_BODY - 1)))
    with pytest.raises(Unencodable):
        construct_encode(m.RandomBytes(data=bytes(MAX_BODY - 1)))


# ----------------------------------------------------------------------------------------------- what can't be sent


def spoiled(kind: type) -> Iterator[tuple[str, Any]]:
    """The filled value of a message or record with one field that does not fit, for each way not to fit."""
    good = filled(kind)
    for field in layout(kind):
        value = getattr(good, field.name)
        for bad in misfits(field.kind, value):
            yield field.name, replace(good, **{field.name: bad})


def misfits(kind: Any, value: Any) -> Iterator[Any]:
    match kind:
        case Int(size, of):
            yield from (-1, 1 << 8 * size, "seven", None, 1.5)
            if of is bool:
                yield 2
            elif issubclass(of, IntEnum) and not issubclass(of, IntFlag):
                yield max(of) + 1
        case Fixed(size):
            yield from (value[:-1], value + b"\0", "x" * size, None)
        case Blob(prefix):
            yield from (bytes(1 << 8 * prefix), "text", None)
        case Text():
            yield from ("x" * 256, "♠" * 86, "\ud800", b"bytes", None)
        case Codes():
            yield from ((256,), (-1,), ("Q♠",), None, (0,) * (MAX_BODY + 1))
        case Nested(inner):
            yield None
            yield from (bad for _, bad in spoiled(inner))
        case Records(_, inner):
            yield from (None, (None,), value * 128)
            yield from ((bad,) for _, bad in spoiled(inner))


@every_kind
def test_what_does_not_fit_is_refused_by_both(entry: CatalogueEntry) -> None:
    for name, message in spoiled(entry.body):
        for encode in (encode_body, construct_encode):
            with pytest.raises(Unencodable):
                raise AssertionError(f"{encode.__name__} took {name} = {getattr(message, name)!r}: {encode(message)!r}")


@pytest.mark.parametrize("value", [m.Message(), m.Event(number=1, time_ms=2), filled(m.Opening), filled(m.LogLine)])
def test_what_is_no_message_can_not_be_encoded(value: Any) -> None:
    for encode in (encode_body, construct_encode, number_of):
        with pytest.raises(Unencodable, match=f"{type(value).__name__} is no message"):
            encode(value)


def test_the_error_names_what_does_not_fit() -> None:
    with pytest.raises(Unencodable, match=r"AskChallenge.*9 is no Role"):
        encode_body(m.AskChallenge(role=9))  # type: ignore[arg-type]
    with pytest.raises(Unencodable, match=r"Verify.*challenge must have 32 bytes"):
        encode_body(m.Verify(challenge=b""))


def test_numbers_go_by_the_catalogue() -> None:
    assert number_of(m.AskChallenge(role=Role.SUPERVISOR)) == 0x40
