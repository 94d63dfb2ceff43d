"""Layouts read from the construct definitions."""

from dataclasses import fields

import pytest
from construct import Int16ub, Int32ul, Struct, VarInt

from protocol import layout as layout_module
from protocol import messages as m
from protocol.layout import (
    RECORDS,
    Blob,
    Codes,
    Field,
    Fixed,
    Int,
    Nested,
    Records,
    Text,
    describe,
    field_names,
    is_fixed,
    layout,
)
from protocol.vocabulary import Role
from protocol.wire import BODIES

every_layout = pytest.mark.parametrize("kind", [*BODIES, *RECORDS], ids=lambda kind: kind.__name__)


@every_layout
def test_the_wire_has_the_fields_of_the_value_in_their_order(kind: type) -> None:
    assert tuple(field.name for field in layout(kind)) == field_names(kind)
    assert field_names(kind) == tuple(field.name for field in fields(kind))


@every_layout
def test_fields_of_fixed_size_come_first(kind: type) -> None:
    fixed = [is_fixed(field.kind) for field in layout(kind)]
    assert fixed == sorted(fixed, reverse=True)


@pytest.mark.parametrize("kind", BODIES, ids=lambda kind: kind.__name__)
def test_fixed_bodies_have_the_size_construct_gives_them(kind: type[m.Message]) -> None:
    kinds = [field.kind for field in layout(kind)]
    if all(isinstance(each, Int | Fixed) for each in kinds):
        assert BODIES[kind].sizeof() == sum(each.size for each in kinds if isinstance(each, Int | Fixed))


@every_layout
def test_every_word_of_an_enumeration_fits_its_field(kind: type) -> None:
    for field in layout(kind):
        if isinstance(field.kind, Int) and field.kind.type not in (int, bool):
            assert max(field.kind.type) < 1 << 8 * field.kind.size, field.name


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
    assert Field(name, expected) in layout(kind)


def test_describe_says_every_name_and_size() -> None:
    assert describe(m.GetInfo) == ""
    assert describe(m.Error) == "code:u16 text:u8 utf8"
    opening = "first:u16 cards:u16 u8[] places:u16 u8[] salts:u16 bytes proof:u16 bytes"
    assert describe(m.Stub) == f"shuffle:u32 opening:({opening})"
    assert describe(m.LogPage) == "length:u32 lines:u8 (number:u32 time_ms:u64 hash:bytes[32] text:u8 utf8)[]"


def test_a_construct_without_a_layout_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(layout_module.BODIES, m.AskFate, Struct("command" / VarInt))
    with pytest.raises(TypeError, match="VarInt"):
        layout.__wrapped__(m.AskFate)


def test_a_big_endian_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(layout_module.BODIES, m.AskFate, Struct("command" / Int16ub))
    with pytest.raises(TypeError, match="little-endian"):
        layout.__wrapped__(m.AskFate)
    monkeypatch.setitem(layout_module.BODIES, m.AskFate, Struct("command" / Int32ul))
    assert layout.__wrapped__(m.AskFate) == (Field("command", Int(4, int)),)
