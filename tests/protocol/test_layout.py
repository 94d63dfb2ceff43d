"""Layouts read from the declarations."""

import pytest

from protocol import messages as m
from protocol.layout import (
    Blob,
    Codes,
    Fixed,
    Int,
    Nested,
    Records,
    Text,
    describe,
    layout,
)
from protocol.vocabulary import Role


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        (m.AskChallenge, "role", Int(1, Role)),
        (m.ServiceMode, "on", Int(1, bool)),
        (m.Counters, "cards", Int(8, int)),
        (m.Hello, "nonce", Fixed(16)),
        (m.Hello, "ephemeral", Blob(1)),
        (m.RandomBytes, "data", Blob(2)),
        (m.Reset, "text", Text(1)),
        (m.RecalledHand, "cards", Codes(2)),
        (m.RecalledHand, "places", Codes(2, "places")),
        (m.Stub, "opening", Nested(m.Opening)),
        (m.Games, "games", Records(1, m.GameEntry)),
    ],
)
def test_each_kind_of_field_is_recognised(kind: type, name: str, expected: object) -> None:
    assert {field.name: field.kind for field in layout(kind)}[name] == expected


def test_describe_says_every_name_and_size() -> None:
    assert describe(m.GetInfo) == ""
    assert describe(m.Error) == "code:u16 text:u8 utf8"
    opening = "first:u16 cards:u16 u8[] places:u16 u8[] salts:u16 bytes proof:u16 bytes"
    assert describe(m.Stub) == f"shuffle:u32 opening:({opening})"
    assert describe(m.LogPage) == "length:u32 lines:u8 (number:u32 time_ms:u64 hash:bytes[32] text:u8 utf8)[]"
