"""The arrows between the rooms, and what the pure rooms must not touch."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("protocol", "randomness", "round_engine", "firmware_sim", "shuffler")

MAY_IMPORT = {
    "protocol": set(),
    "round_engine": set(),
    "randomness": {"round_engine.hands"},
    "firmware_sim": {"protocol", "randomness"},
    "shuffler": {"protocol", "randomness", "round_engine", "firmware_sim"},
}

IMPURE = {
    "asyncio", "concurrent", "datetime", "io", "multiprocessing", "os", "pathlib", "random", "secrets", "select",
    "selectors", "serial", "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading",
    "time",
}  # fmt: skip

# Rooms (or folders of one) whose files do no I/O and know no clock and no chance, with their few edge files.
PURE = {
    "protocol": set(),
    "round_engine": {"rulebook.py"},
    "randomness/bits": set(),
    "randomness/draws": set(),
    "randomness/outside": {"drive.py"},
    "randomness/drbg": set(),
    "randomness/kernels": {"engines.py"},
    "randomness/theory": set(),
    "randomness/weak": set(),
    "firmware_sim/usb": {"runner_pipe.py", "usbip_server.py", "usbip_client.py", "pyusb_backend.py"},
    "firmware_sim/capture": {"file.py"},
}


def python_files(folder: str) -> Iterator[Path]:
    yield from sorted((ROOT / folder).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def allowed(room: str, name: str) -> bool:
    return any(name == door or name.startswith(door + ".") for door in MAY_IMPORT[room])


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_the_rooms_below_it(room: str) -> None:
    broken = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in python_files(room)
        for name in imports(path)
        if name.split(".")[0] in ROOMS and name.split(".")[0] != room and not allowed(room, name)
    ]
    assert not broken


@pytest.mark.parametrize("folder", PURE)
def test_a_pure_room_knows_no_clock_no_chance_and_no_files(folder: str) -> None:
    broken = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in python_files(folder)
        if path.name not in PURE[folder]
        for name in imports(path)
        if name.split(".")[0] in IMPURE
    ]
    assert not broken


@pytest.mark.parametrize("folder", PURE)
def test_a_pure_room_opens_nothing_and_prints_nothing(folder: str) -> None:
    broken = [
        f"{path.relative_to(ROOT)}:{node.lineno} calls {node.func.id}()"
        for path in python_files(folder)
        if path.name not in PURE[folder]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"open", "print", "input"}
    ]
    assert not broken
