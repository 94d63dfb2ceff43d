"""Memories that 0.1.0 wrote: read by name, continued, and damaged ones refused like any other."""

from pathlib import Path

import pytest

from firmware_sim.errors import MemoryCorrupt
from firmware_sim.program.memory_format import MAGIC
from firmware_sim.program.memory_version1 import read
from firmware_sim.program.nvstore import NvStore, VolatileMedium
from firmware_sim.program.records import DealRecord, FaultsRecord, MetersRecord, StandingFault, UnsoundTail
from protocol.vocabulary import DealState, FaultCode, RoundState

DATA = Path(__file__).parent.parent / "unit" / "data"
FILES = sorted(DATA.glob("0.1.0-*.nv"))


def old(name: str) -> bytes:
    return (DATA / f"0.1.0-{name}.nv").read_bytes()


def test_lists_get_names() -> None:
    values, sound = read(old("jammed"))
    assert sound == len(old("jammed"))
    assert values["meters"] == MetersRecord(shuffles=1, rounds=1, groups=3, cards=9, faults=1, power_ups=1)
    assert values["faults"] == FaultsRecord(faults=(StandingFault(code=FaultCode.JAM_EXIT, detail=0),))
    assert values["deal"] == DealRecord(state=DealState.STUB_DELIVERING, shuffle=1, round=1, seats=3, group=3)
    assert values["log"].length == 4
    assert values["log:4"].text == "fault JAM_EXIT at EXIT (0)"
    assert values["deck:1"].epoch == values["epoch"]
    assert len(values["deck:1"].codes) == 52


def test_an_open_round_is_read() -> None:
    values, _ = read(old("deciding-slots"))
    assert (values["deal"].round_state, values["deal"].round) == (RoundState.DECIDING, 1)
    assert [kept.round for kept in values.get("rounds").rounds] == [1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_first_opening_writes_it_in_the_present_version(path: Path) -> None:
    medium = VolatileMedium(path.read_bytes())
    before = read(path.read_bytes())[0]
    NvStore(medium)
    assert medium.read().startswith(MAGIC)
    again = NvStore(medium)
    assert {key: again.get(key) for key in again.keys("")} == before


def test_an_unsound_end_is_noted() -> None:
    store = NvStore(VolatileMedium(old("idle")[:-3]))
    assert isinstance(store.get("unsound"), UnsoundTail)
    store = NvStore(VolatileMedium(old("idle") + bytes(512)))
    assert store.get("unsound") == UnsoundTail(dropped=512)


@pytest.mark.parametrize("at", [6, 7, 10, 20, 3000])
def test_damage_before_sound_records_is_corruption(at: int) -> None:
    data = bytearray(old("idle"))
    data[at] ^= 0x40
    with pytest.raises(MemoryCorrupt, match="others follow"):
        NvStore(VolatileMedium(bytes(data)))
