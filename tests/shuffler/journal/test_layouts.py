"""The codec: every entry both ways, and everything else refused."""

import zlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import messages as m
from round_engine.round.operations import OPERATIONS, Operation, Play
from round_engine.rules.rulebook import load
from round_engine.table import Table
from round_engine.table.state import TableState
from shuffler.journal import JournalBroken
from shuffler.journal.codec import decode_record, encode_record, unpacked
from shuffler.journal.entries import DeviceSaid, Entry, Remark
from shuffler.journal.layouts import ENTRIES, MESSAGES, SECTIONS, current_layouts

STATE = Table(load("south-dakota")).state()
EVENT = m.GroupRemoved(
    number=3, time_ms=5, round=1, group=2, seat=2, count=3, shuffle=9, withheld=False,
    opening=m.Opening(first=3, cards=(1, 2, 3), salts=bytes(96), proof=bytes(range(64))),
)  # fmt: skip


def made(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a type, by its hints."""
    if kind is TableState:
        return st.just(STATE)
    if kind is m.Event or kind is m.Message:
        return st.sampled_from([one for one in MESSAGES if issubclass(one, kind)]).flatmap(made)
    if kind is Operation:
        return st.just(Play(spot=3, amount=1000))
    if get_origin(kind) is tuple:
        return st.lists(made(get_args(kind)[0]), max_size=3).map(tuple)
    if get_origin(kind) is not None and issubclass(get_origin(kind), Mapping):
        return st.dictionaries(st.text(max_size=5), made(get_args(kind)[1]), max_size=2)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return st.builds(kind, **{one.name: made(hints[one.name]) for one in fields(kind)})
    return st.from_type(kind)


@given(st.sampled_from(ENTRIES).flatmap(made))
def test_every_entry_comes_back_as_it_went_in(entry: Entry) -> None:
    assert decode_record(1, encode_record([entry])) == [entry]


def test_every_type_has_a_layout_and_names_are_unique() -> None:
    for section, kinds in SECTIONS.items():
        assert list(current_layouts()[section]) == [kind.__name__ for kind in kinds]
    assert len(OPERATIONS) == len(current_layouts()["operations"])
    assert current_layouts()["messages"]["GroupRemoved"][-1] == "opening:Opening"
    assert "salts:bytes" in current_layouts()["records"]["Opening"]


def body(text: str, tail: bytes = b"") -> bytes:
    data = text.encode()
    return b"E" + zlib.compress(len(data).to_bytes(4, "little") + data + tail)


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ('[["Nothing"]]', b""),
        ('[["Remark","R1","a"]]', b""),
        ('[["Remark","R1","a",5]]', b""),
        ('[["Operated",["Nothing"],[]]]', b""),
        ('[["Operated",["Play",true,1000,0],[]]]', b""),
        ('[["HeadSigned",1,32,32,64]]', bytes(31)),
        ('[["Remark","R1","a","b"]]', b"x"),
        ('{"Remark":1}', b""),
        ("[5]", b""),
        ("[[]]", b""),
        ("[[", b""),
    ],
)
def test_what_is_no_entry_is_a_broken_journal(text: str, tail: bytes) -> None:
    with pytest.raises(JournalBroken, match="record 7 can't be read"):
        decode_record(7, body(text, tail))


EMPTY = zlib.compress(b"\2\0\0\0[]")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"E",
        b"X" + EMPTY,
        b"E" + EMPTY[:-1],
        b"E" + EMPTY + b"x",
        b"E" + zlib.compress(b"\7\0\0\0[]"),
        b"E" + zlib.compress(b"\2\0\0\0\xff\xff"),
    ],
)
def test_what_is_no_body_is_a_broken_journal(data: bytes) -> None:
    with pytest.raises(JournalBroken, match="record 7 can't be read"):
        decode_record(7, data)


def test_a_body_is_json_that_anybody_can_read() -> None:
    plains, tail = unpacked(encode_record([Remark("R1", "a", "ü"), DeviceSaid("S", 7, EVENT)]))
    assert plains[0] == ["Remark", "R1", "a", "ü"]
    first, cards, *_, salts, proof = plains[1][3][-1]
    assert (first, cards, salts, proof) == (3, [1, 2, 3], 96, 64)
    assert tail.take(96) == bytes(96)
