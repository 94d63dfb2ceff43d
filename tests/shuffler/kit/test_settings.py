"""What can't be meant is refused with a sentence before anything is made."""

import re

import pytest

from shuffler.kit.errors import BadSettings
from shuffler.kit.settings import DeviceSettings
from shuffler.kit.table import KitTable, TableSettings

REFUSED = [
    ({"prot": "tcp"}, "a device has no setting 'prot'; there are profile, setup, port"),
    ({"port": "usb"}, "port is one of tcp, pty, usbip, memory, not 'usb'"),
    ({"hands": "mine"}, "hands are auto or manual, not 'mine'"),
    ({"seed": -1}, "seed is a whole number from 0 to 2^63 - 1, or None, not -1"),
    ({"speed": 0}, "speed is above 0 and at most 100000, not 0"),
    ({"key": b"short"}, "key is 32 bytes, not 5"),
    ({"roles": {"boss": "words"}}, "roles are supervisor, technician, laboratory, not 'boss'"),
]


@pytest.mark.parametrize(
    ("given", "sentence"), REFUSED, ids=lambda value: next(iter(value)) if type(value) is dict else ""
)
def test_a_setting_that_cannot_be_meant(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadSettings, match=re.escape(sentence)):
        DeviceSettings.of(given)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"profile": "no-such"}, "no-such"),
        ({"setup": "no-such"}, "no file and no set-up is called 'no-such'"),
        ({"setup": "[[fault]]\nname = 'jam'"}, "setup:2: fault[1].name must be one of"),
        ({"setup": "wrong-back", "profile": "ace-style"}, "this set-up is for the profile i-deal-plus-style"),
    ],
)
def test_a_profile_or_a_set_up_that_cannot_be_used(given: dict[str, str], sentence: str) -> None:
    with pytest.raises(BadSettings, match=re.escape(sentence)):
        DeviceSettings.of(given).build()


def test_a_table_is_refused_likewise() -> None:
    with pytest.raises(BadSettings, match="a table has no setting 'seat'; there are rules, seats, strategy"):
        TableSettings.of({"seat": 3})
    with pytest.raises(BadSettings, match="a table has 1 to 7 seats, not 8"):
        KitTable(TableSettings(seats=8))
    with pytest.raises(BadSettings):
        KitTable(TableSettings(rules="no-such"))
    with pytest.raises(BadSettings):
        KitTable(TableSettings(strategy="no-such"))


def test_a_set_up_can_be_its_own_text() -> None:
    setup = DeviceSettings(setup='[[deck]]\nhands = { 2 = "Qs Ks As" }').build().setup
    assert setup is not None
    assert setup.calls[0].values["hands"] == {2: (49, 50, 51)}
