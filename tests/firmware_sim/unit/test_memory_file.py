"""The memory's file: kept, its owner's alone, whole or not written at all."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from firmware_sim.program.nvstore import Medium, NvStore, VolatileMedium
from firmware_sim.unit import memory_file
from firmware_sim.unit.memory_file import FileMedium, file_name, make_folder


def opened(medium: Medium | None = None) -> NvStore:
    """A store of any keys and values."""
    return NvStore(medium, schema=lambda _, packed: msgspec.msgpack.decode(packed))



@pytest.fixture(autouse=True)
def _careless_user() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "device.nv"
    medium = FileMedium(path)
    store = opened(medium)
    store.put("a", b"\x01")
    store.commit()
    medium.close()
    again = FileMedium(path)
    assert opened(again).get("a") == b"\x01"
    again.close()


def test_file_and_folder_are_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "memory"
    make_folder(folder)
    path = folder / "device.nv"
    medium = FileMedium(path)
    store = opened(medium)
    assert (mode(folder), mode(path)) == (0o700, 0o600)
    store.put("a", 1)
    store.commit()
    store.erase()  # writes it anew
    assert mode(path) == 0o600
    medium.close()


def test_what_an_earlier_version_left_open_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir(mode=0o755)
    path = folder / "device.nv"
    path.write_bytes(b"")
    path.chmod(0o644)
    make_folder(folder)
    FileMedium(path).close()
    assert (mode(folder), mode(path)) == (0o700, 0o600)


def test_a_full_disk_is_an_error_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "device.nv"
    medium = FileMedium(path)
    store = opened(medium)
    store.put("a", 1)
    store.commit()

    def half(descriptor: int, data: bytes) -> None:
        os.write(descriptor, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(memory_file, "_write_all", half)
        store.put("a", 2)
        with pytest.raises(OSError, match="No space left"):
            store.commit()
        assert opened(VolatileMedium(path.read_bytes())).get("a") == 1
        with pytest.raises(OSError, match="No space left"):
            medium.replace(b"other")
        assert [left.name for left in tmp_path.iterdir()] == ["device.nv"]
    store.commit()
    assert opened(VolatileMedium(path.read_bytes())).get("a") == 2
    medium.close()


@pytest.mark.parametrize(
    ("serial", "name"),
    [
        ("SB-0001", "SB-0001.nv"),
        ("../../evil", "%2E%2E%2F%2E%2E%2Fevil.nv"),
        ("Pit 3", "Pit%203.nv"),
        ("/etc/passwd", "%2Fetc%2Fpasswd.nv"),
        ("", ".nv"),
        ("a%20", "a%2520.nv"),
        ("\0\n", "%00%0A.nv"),
    ],
)
def test_a_serial_is_a_name_and_never_a_path(serial: str, name: str, tmp_path: Path) -> None:
    assert file_name(serial) == name
    assert (tmp_path / name).parent == tmp_path


def test_a_long_serial_has_a_file_of_its_own(tmp_path: Path) -> None:
    names = {file_name("x" * 254 + last) for last in "ab"}
    assert len(names) == 2
    for name in names:
        FileMedium(tmp_path / name).close()
