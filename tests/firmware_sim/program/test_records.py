"""The schema of the memory: keys, types, a version; everything else is refused."""

from dataclasses import fields, is_dataclass
from typing import Any

import msgspec
import pytest

from firmware_sim.errors import MemoryCorrupt
from firmware_sim.program import records
from firmware_sim.program.records import (
    SCHEMA,
    AnswerRecord,
    DealRecord,
    FaultsRecord,
    InfeedRecord,
    KeptRounds,
    StandingFault,
    fingerprint,
    read_value,
)
from protocol.vocabulary import DealState, FaultCode, Mode

RECORDS = [kind for kind in SCHEMA.values() if is_dataclass(kind)]


def again(key: str, value: object) -> Any:
    return read_value(key, msgspec.Raw(msgspec.msgpack.encode(value)))


def test_a_record_is_kept_by_the_names_of_its_fields() -> None:
    deal = DealRecord(state=DealState.READY, round=7)
    plain = msgspec.msgpack.decode(msgspec.msgpack.encode(deal))
    assert list(plain) == [one.name for one in fields(DealRecord)]
    assert (plain["state"], plain["round"]) == (DealState.READY, 7)
    assert again("deal", deal) == deal


@pytest.mark.parametrize("kind", RECORDS)
def test_every_record_is_frozen(kind: Any) -> None:
    assert kind.__dataclass_params__.frozen or kind is DealRecord  # the deal works on its own copy: test_deal.py


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"state": 99}, "InfeedRecord: .*99"),
        ({"count": "many"}, "InfeedRecord: .*count"),
        ({"count": True}, "InfeedRecord: .*count"),
        ({"nonce": [1]}, "InfeedRecord: .*nonce"),
    ],
)
def test_a_record_that_is_none_is_refused(change: dict[str, object], reason: str) -> None:
    plain = msgspec.msgpack.decode(msgspec.msgpack.encode(InfeedRecord()))
    with pytest.raises(MemoryCorrupt, match=reason):
        again("infeed", plain | change)


def test_a_value_comes_out_as_its_keys_type() -> None:
    assert again("mode", 2) is Mode(2)
    assert again("boots", 5) == 5
    fault = StandingFault(code=FaultCode.JAM_EXIT, detail=0)
    assert again("faults", FaultsRecord(faults=(fault,))).faults == (fault,)
    answer = AnswerRecord(message=1, body=b"x", digest=b"y")
    assert again("answer:ab:7", answer) == answer
    assert again("command:instances", ["a", "b"]) == ("a", "b")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("nothing", 1), ("boots", "five"), ("boots", None), ("boots", True), ("mode", 77), ("deal", [KeptRounds()]),
        ("deck:5", 3), ("", 1), ("command:other", ()), ("command:round", 5),
    ],
)  # fmt: skip
def test_a_key_or_a_value_of_another_schema_is_refused(key: str, value: object) -> None:
    with pytest.raises(MemoryCorrupt):
        again(key, value)


def test_the_fingerprint_changes_with_a_key_and_with_a_field(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint.__wrapped__()
    assert fingerprint.__wrapped__() == before
    monkeypatch.setattr(records, "SCHEMA", {**SCHEMA, "more": int})
    with_key = fingerprint.__wrapped__()
    monkeypatch.setattr(records, "SCHEMA", {**SCHEMA, "deal": KeptRounds})
    assert len({before, with_key, fingerprint.__wrapped__()}) == 3
