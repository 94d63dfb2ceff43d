"""`shuffler emulate`: where memories lie, and options that don't fit together."""

import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shuffler.cli import app
from shuffler.cli.emulate import _memory_file


def test_a_serial_with_a_path_in_it_stays_in_the_memory_folder(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    path = _memory_file(folder, "../../evil")
    assert path is not None
    assert path.resolve().parent == folder.resolve()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_key_for_no_memory_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["emulate", "--memory-key", str(tmp_path / "key")])
    assert result.exit_code == 2
    assert "--memory-key seals a memory: give its folder with --memory" in result.output
    assert not (tmp_path / "key").exists()


def test_a_memory_that_is_sealed_with_another_key_is_refused_with_a_sentence(tmp_path: Path) -> None:
    from firmware_sim.machine.profile import load
    from firmware_sim.unit.emulator import Build, Emulator
    from firmware_sim.unit.memory_file import FileMedium

    path = _memory_file(tmp_path, "SB-0001")
    assert path is not None
    medium = FileMedium(path)
    Emulator(Build(profile=load("i-deal-style"), serial="SB-0001", memory_key=bytes(32)), medium)
    medium.close()
    result = CliRunner().invoke(app, ["emulate", "--tcp", "0", "--memory", str(tmp_path)])
    assert result.exit_code == 2
    assert "sealed" in result.output
    assert "--memory-key" in result.output
    assert not isinstance(result.exception, Exception) or isinstance(result.exception, SystemExit)


@pytest.fixture(autouse=True)
def _no_leftovers(tmp_path: Path) -> None:
    assert list(tmp_path.iterdir()) == []
