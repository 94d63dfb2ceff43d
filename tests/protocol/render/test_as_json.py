"""Catalogue, messages and headers as plain data."""

import json

from protocol import messages as m
from protocol.framing import Frame
from protocol.render.as_json import entry_json, header_of, numbers_of, plain, schema
from protocol.render.examples import typical
from protocol.vocabulary import Capability, Fate


def test_an_entry_states_what_its_class_declares() -> None:
    entry = entry_json(m.ClearFault.entry)
    assert (entry["number"], entry["name"]) == (0x43, "ClearFault")
    assert (entry["chapter"], entry["from"]) == ("maintenance", "host")
    assert (entry["reply"], entry["effect"], entry["roles"]) == ("Done", True, ["SUPERVISOR", "TECHNICIAN"])
    assert entry["meaning"] == m.ClearFault.entry.meaning
    assert entry["layout"] == "code:u8"
    assert entry["fields"] == [{"name": "code", "type": "enum", "size": 1, "of": "FaultCode"}]


def test_each_wire_type_has_a_name() -> None:
    assert {row["name"]: row["type"] for row in schema(m.GroupRemoved)} == {
        "number": "uint", "time_ms": "uint", "round": "uint", "group": "uint", "seat": "uint", "count": "uint",
        "shuffle": "uint", "withheld": "bool", "opening": "record",
    }  # fmt: skip
    assert [row["type"] for row in schema(m.Opening)] == ["uint", "cards", "places", "blob", "blob"]
    assert [row["type"] for row in schema(m.Games)] == ["uint", "list"]
    assert [row["type"] for row in schema(m.Reset)] == ["enum", "text"]
    assert [row["type"] for row in schema(m.Hello)][2:4] == ["flags", "flags"]


def test_long_numbers_are_text_and_bytes_are_hex() -> None:
    shown = plain(typical(m.Welcome))
    assert shown["epoch"] == str(0x0123456789ABCDEF)
    assert shown["known_instance"] is True
    assert bytes.fromhex(shown["host_nonce"]) == typical(m.Welcome).host_nonce
    assert json.loads(json.dumps(shown)) == shown


def test_records_are_nested() -> None:
    assert [game["name"] for game in plain(typical(m.Games))["games"]] == ["Three Card Poker", "Five-card stud"]
    assert plain(typical(m.Stub))["opening"]["first"] == 48


def test_words_have_their_numbers() -> None:
    assert numbers_of(Fate) == {"DONE": 1, "REFUSED": 2, "NEVER_EXECUTED": 3, "FORGOTTEN": 4}
    assert numbers_of(Capability)["COMMITMENTS"] == 4


def test_a_header_has_every_field_but_the_body() -> None:
    assert header_of(Frame(2, 0, 0x30, 7, 1, 0, 17, b"x")) == {
        "version": 2, "flags": 0, "message": 0x30, "session": 7, "sequence": 1, "acknowledge": 0, "request": 17
    }  # fmt: skip
