"""The room's door: every listed name is there, and a part loads no more than it needs."""

import subprocess
import sys

import pytest

import firmware_sim


@pytest.mark.parametrize("name", firmware_sim.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(firmware_sim, name) is not None


def test_the_list_is_whole_and_unknown_names_are_unknown() -> None:
    assert set(firmware_sim.__all__) == set(firmware_sim._HOME_OF)
    with pytest.raises(AttributeError, match="has no attribute 'gremlin'"):
        _ = firmware_sim.gremlin


def test_the_fault_catalogue_alone_loads_no_numbers_and_no_sockets() -> None:
    code = "import sys, firmware_sim; firmware_sim.CATALOGUE; print('numpy' in sys.modules, 'asyncio' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["False", "False"]


def test_every_error_of_the_room_has_its_root() -> None:
    errors = [getattr(firmware_sim, name) for name in firmware_sim._HOMES["errors"]]
    assert all(issubclass(error, firmware_sim.DeviceError) for error in errors)
