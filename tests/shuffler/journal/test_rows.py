"""Rows: every entry both ways, and everything else refused."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, cast, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import messages as m
from round_engine.round.operations import OPERATIONS, Operation, Play
from round_engine.rules.rulebook import load
from round_engine.table import Table
from round_engine.table.state import TableState
from shuffler.journal.entries import Checkpoint, CommandKept, DeviceSaid, Entry, Operated, Remark, Tally
from shuffler.journal.rows import (
    COMMANDS,
    ENTRIES,
    EVENTS,
    LAYOUTS_TEXT,
    SECTIONS,
    current_layouts,
    decode_rows,
    encode_rows,
)

STATE = Table(load("south-dakota")).state()
EVENT = m.GroupRemoved(
    number=3, time_ms=5, round=1, group=2, seat=2, count=3, shuffle=9, withheld=False,
    opening=m.Opening(first=3, cards=(1, 2, 3), salts=bytes(96), proof=bytes(range(64))),
)  # fmt: skip


def made(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a type, by its hints."""
    kind = getattr(kind, "__supertype__", kind)
    if kind is int:
        return st.integers(-(2**63), 2**64 - 1)
    if kind is TableState:
        return st.just(STATE)
    if kind is m.Event:
        return st.sampled_from(EVENTS).flatmap(made)
    if kind is m.Message:
        return st.sampled_from(COMMANDS).flatmap(made)
    if kind is Operation:
        return st.just(Play(spot=3, amount=1000))
    if get_origin(kind) is tuple:
        return st.lists(made(get_args(kind)[0]), max_size=3).map(tuple)
    if get_origin(kind) is not None and isinstance(get_origin(kind), type) and issubclass(get_origin(kind), Mapping):
        return st.dictionaries(st.text(max_size=5), made(get_args(kind)[1]), max_size=2)
    if isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_fields")):
        hints = get_type_hints(kind)
        names = [one.name for one in fields(kind)] if is_dataclass(kind) else kind._fields
        return st.builds(kind, **{name: made(hints[name]) for name in names})
    return st.from_type(kind)


@given(st.sampled_from(ENTRIES).flatmap(made))
def test_every_entry_comes_back_as_it_went_in(entry: Entry) -> None:
    (found,) = decode_rows(encode_rows([entry]))
    assert found == entry
    assert type(found) is type(entry)


def test_a_checkpoint_comes_back_with_its_commands_and_its_table() -> None:
    entry = Checkpoint(
        table=STATE, instance=b"i", settings={"rules": "x"}, rules=(), stores=(), reserved=1,
        commands=(CommandKept(3, m.BeginRound(round=1, seats=3)),), tally=Tally(rounds=3),
    )  # fmt: skip
    (found,) = decode_rows(encode_rows([entry]))
    assert found == entry
    assert isinstance(found, Checkpoint)
    assert found.table.rounds == STATE.rounds


def test_layouts_name_every_type_and_mark_rows() -> None:
    layouts = json.loads(LAYOUTS_TEXT)
    assert layouts == current_layouts()
    for section, kinds in SECTIONS.items():
        assert list(layouts[section]) == [kind.__name__ for kind in kinds]
    assert len(OPERATIONS) == len(layouts["operations"])
    assert layouts["entries"]["DeviceSaid"] == ["serial", "epoch", "event:messages"]
    assert "commands:[entries]" in layouts["entries"]["Checkpoint"]


def test_a_row_is_a_name_and_fields_that_anybody_can_read() -> None:
    remark, said = msgspec.msgpack.decode(encode_rows([Remark("R1", "a", "ü"), DeviceSaid("S", 2**64 - 1, EVENT)]))
    assert remark == ["Remark", "R1", "a", "ü"]
    opening = {"first": 3, "cards": [1, 2, 3], "places": [], "salts": bytes(96), "proof": bytes(range(64))}
    assert said == ["DeviceSaid", "S", 2**64 - 1, ["GroupRemoved", 3, 5, 1, 2, 2, 3, 9, False, opening]]


@pytest.mark.parametrize(
    "rows",
    [
        [["Nothing"]],
        [["Remark", "R1", "a"]],
        [["Remark", "R1", "a", "b", "c"]],
        [["Remark", "R1", "a", 5]],
        [["Operated", ["Nothing"], []]],
        [["Operated", ["Play", "", None, True, 1000, 0], []]],
        [["DeviceSaid", "S", 7, ["BeginRound", 1, 3]]],
        [["CommandKept", 1, ["GroupRemoved", 3, 5, 1, 2, 2, 3, 9, False, {}]]],
        [["CommandSettled", 1.0]],
        [["CommandSettled", True]],
        {"Remark": 1},
        [5],
        [[]],
        None,
    ],
)
def test_other_rows_are_refused(rows: object) -> None:
    with pytest.raises(msgspec.MsgspecError):
        decode_rows(msgspec.msgpack.encode(rows))


@pytest.mark.parametrize("value", [Play(spot=3, amount=1000), m.BeginRound(round=1, seats=3), 5])
def test_what_is_no_entry_is_not_written(value: object) -> None:
    with pytest.raises(TypeError, match="is not one of the journal's entries"):
        encode_rows([cast("Any", value)])


def test_an_operation_that_is_none_is_not_written() -> None:
    with pytest.raises(TypeError, match="is not one of the journal's operations"):
        encode_rows([Operated(cast("Any", EVENT), ())])
