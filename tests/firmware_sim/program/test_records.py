"""The schema of the memory: names, types, a version; whatever is not of it is refused."""

from dataclasses import fields
from typing import Any

import pytest

from firmware_sim.errors import MemoryCorrupt
from firmware_sim.program.records import (
    NAMES,
    SCHEMA,
    DealRecord,
    FaultsRecord,
    InfeedRecord,
    KeptRounds,
    StandingFault,
    check,
    from_plain,
    to_plain,
)
from protocol.vocabulary import DealState, FaultCode, Mode


def test_a_record_is_kept_by_the_names_of_its_fields() -> None:
    plain = to_plain(DealRecord(state=DealState.READY, round=7))
    assert plain["record"] == "DealRecord"
    assert (plain["state"], plain["round"]) == (DealState.READY, 7)
    assert from_plain(plain) == DealRecord(state=DealState.READY, round=7)


@pytest.mark.parametrize("name", NAMES)
def test_every_record_has_names_of_its_own_and_is_frozen(name: str) -> None:
    kind: Any = NAMES[name]
    assert "record" not in {entry.name for entry in fields(kind)}
    assert kind.__dataclass_params__.frozen


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"record": "Nothing"}, "no record is called"),
        ({"record": 3}, "no record is called"),
        ({"more": 1}, "other fields"),
        ({"state": 99}, "InfeedRecord.state can't be 99"),
        ({"count": "many"}, "InfeedRecord.count"),
        ({"count": True}, "InfeedRecord.count"),
        ({"nonce": "text"}, "InfeedRecord.nonce"),
    ],
)
def test_a_record_that_is_none_is_refused(change: dict, reason: str) -> None:
    with pytest.raises(MemoryCorrupt, match=reason):
        from_plain(to_plain(InfeedRecord()) | change)


def test_a_record_without_one_of_its_fields_is_refused() -> None:
    plain = to_plain(InfeedRecord())
    del plain["count"]
    with pytest.raises(MemoryCorrupt, match="other fields"):
        from_plain(plain)


def test_a_value_comes_out_as_its_keys_type() -> None:
    assert check("mode", 2) is Mode(2)
    assert check("boots", 5) == 5
    fault = StandingFault(code=FaultCode.JAM_EXIT, detail=0)
    assert check("faults", FaultsRecord(faults=(fault,))).faults == (fault,)
    assert check("command:ab:7", [1, b"x"]) == [1, b"x"]


@pytest.mark.parametrize(
    ("key", "value"),
    [("nothing", 1), ("boots", "five"), ("boots", None), ("mode", 77), ("deal", KeptRounds()), ("deck:5", 3), ("", 1)],
)
def test_a_key_or_a_value_of_another_schema_is_refused(key: str, value: object) -> None:
    with pytest.raises(MemoryCorrupt):
        check(key, value)


def test_every_key_of_the_schema_names_a_type() -> None:
    assert {kind for kind in SCHEMA.values() if kind.__module__.endswith("records")} <= set(NAMES.values())
