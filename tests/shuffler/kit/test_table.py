"""A table in a test's hands."""

import pytest

from protocol import messages as m
from round_engine.round.operations import BackOut
from shuffler.kit.errors import BadSettings
from shuffler.kit.settings import DeviceSettings
from shuffler.kit.table import KitTable, TableSettings
from shuffler.table import Want
from shuffler.virtual.table import Stalled


def test_rounds_are_played_and_the_hands_are_the_table_s() -> None:
    table = KitTable(TableSettings(seats=4))
    table.device.rig_hands({3: "9c 9d 9h"}, seats=table.seats)
    table.play(2)
    assert (table.settled, table.void, table.out_of_balance) == (2, 0, 0)
    assert set(table.hands) == {0, 1, 2, 3, 4}
    assert table.balance("layout") == 0


def test_a_round_by_the_device_is_a_round_of_the_table() -> None:
    table = KitTable(TableSettings(seats=2))
    table.device.rig_hands({1: "9c 9d 9h"}, seats=[1, 2])
    assert table.device.deal([1, 2])[1] == "9♣ 9♦ 9♥"
    with pytest.raises(BadSettings, match=r"this table plays at seats \[1, 2\]"):
        table.device.deal([5])


def test_the_backup_takes_the_place_in_mid_round() -> None:
    table = KitTable(TableSettings(seats=3))
    assert table.run(lambda: any(isinstance(event, m.GroupRemoved) for event in table.events), 600)
    table.swap("smoke")
    assert (table.device.serial, table.backup.serial, table.void) == ("BACKUP", "PRIMARY", 1)
    assert table.reasons == ["smoke"]
    table.play(1)
    assert (table.settled, table.out_of_balance) == (1, 0)
    assert table.device.transcript.frames()


def test_a_fault_that_nobody_mends_calls_for_people_and_stalls_the_table() -> None:
    table = KitTable()
    table.device.inject("jam_exit", when="group=1", by_hand=True)
    with pytest.raises(Stalled, match="1 rounds are missing after 300 s of virtual time; it waits: backup"):
        table.play(1, limit_s=300)
    assert Want.ATTENTION in table.called
    table.device.clear()
    table.device.press("OK")
    table.play(1)
    assert table.settled == 1


def test_the_cable_of_a_table_can_be_pulled() -> None:
    table = KitTable()
    table.device.inject("cable_pulled", when="group=1")
    table.play(1)
    table.device.unplug()
    table.device.advance(30)
    table.device.plug()
    table.play(1)
    assert (table.settled, table.void) == (2, 0)


def test_a_void_award_is_taken_back_after_the_settlement() -> None:
    table = KitTable(TableSettings(rules="south-dakota", seats=1, strategy="always"))
    table.device.rig_hands({1: "As Ks Qs"}, seats=[1])
    table.back_out(BackOut(wager="progressive", record=1, by="supervisor", reason="review", void=True))
    table.play(1)
    assert table.refused == []
    assert table.engine.meters["progressive"].amount == 100_014
    assert (table.settled, table.out_of_balance, table.balance("payable:progressive")) == (1, 0, 0)


def test_a_device_that_reads_no_faces_is_entered_by_eye() -> None:
    table = KitTable(TableSettings(seats=2), DeviceSettings(profile="ace-style", serial="PRIMARY"))
    table.play(1)
    table.swap()
    table.play(1)
    assert table.settled == 2
