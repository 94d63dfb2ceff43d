"""The doors: each room lists its public names, each is there, and a room's top level is folders, no loose modules."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("strict_toml", "protocol", "randomness", "round_engine", "firmware_sim", "shuffler")

# Rooms in folders: beside the door and the errors their top level holds folders alone.
IN_FOLDERS = {
    "firmware_sim": {"__init__.py", "errors.py"},
    "round_engine": {"__init__.py", "errors.py"},
    "shuffler": {"__init__.py", "__main__.py", "errors.py", "timeouts.py"},
}


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_is_listed_once_in_order_and_there(room: str) -> None:
    door = import_module(room)
    assert len(set(door.__all__)) == len(door.__all__)
    for name in door.__all__:
        assert getattr(door, name) is not None


@pytest.mark.parametrize("room", ROOMS)
def test_no_other_name_comes_through_the_door(room: str) -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing_of_the_kind'"):
        _ = import_module(room).nothing_of_the_kind


@pytest.mark.parametrize("room", IN_FOLDERS)
def test_the_top_level_of_a_room_is_its_door_and_folders(room: str) -> None:
    assert {path.name for path in (ROOT / room).glob("*.py")} == IN_FOLDERS[room]


@pytest.mark.parametrize("room", ROOMS)
def test_every_folder_says_what_it_is_for(room: str) -> None:
    for path in sorted((ROOT / room).rglob("*.py")):
        door = path.parent / "__init__.py"
        assert door.is_file(), f"{path.parent.relative_to(ROOT)} has no __init__.py"
        assert door.read_text(encoding="utf-8").startswith('"""'), f"{door.relative_to(ROOT)} does not say what it owns"
