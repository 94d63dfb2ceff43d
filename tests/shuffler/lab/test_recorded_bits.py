"""Recorded bits for a certificate: sequences of the plan's length, provenance from beside, marks respected."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from randomness.certification import CertificationError, load_plan
from shuffler.lab.recorded_bits import recorded

PLAN = replace(load_plan("quick"), bit_sequences=0, bit_length=1_000)


def test_all_of_a_file_or_as_much_as_the_plan_asks_for(tmp_path: Path) -> None:
    path = tmp_path / "b.bin"
    path.write_bytes(bytes(range(256)) * 2)  # 4,096 bits
    for asked, found in ((0, 4), (3, 3), (9, 4)):
        source = recorded(path, replace(PLAN, bit_sequences=asked), test=False)
        assert [len(sequence) for sequence in source.sequences()] == [1_000] * found
        assert len(list(source.sequences())) == found  # a second time too


def test_provenance_and_marks(tmp_path: Path) -> None:
    path = tmp_path / "b.bin"
    path.write_bytes(b"\xff" * 200)
    assert recorded(path, PLAN, test=False).provenance == {}
    beside = tmp_path / "b.bin.provenance.json"
    beside.write_text(json.dumps({"provenance": {"seeded": True, "url": "u"}}))
    with pytest.raises(CertificationError, match=r"marked as seeded; --test"):
        recorded(path, PLAN, test=False)
    assert recorded(path, PLAN, test=True).provenance["url"] == "u"
    beside.write_text("{")
    with pytest.raises(CertificationError, match="not readable as provenance"):
        recorded(path, PLAN, test=True)
