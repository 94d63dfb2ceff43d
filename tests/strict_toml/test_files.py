"""Settings files from disk: regular, bounded, UTF-8."""

from pathlib import Path

import pytest

from strict_toml import read_bounded, read_bounded_text, read_source


class Refused(Exception):
    def __init__(self, name: str, line: int | None, problem: str) -> None:
        super().__init__(f"{name}: {problem}")


def test_a_file_is_read_under_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("x = '♠'", encoding="utf-8")
    source = read_source(tmp_path / "a.toml", Refused)
    assert (source.name, source.text) == (str(tmp_path / "a.toml"), "x = '♠'")


def test_what_is_no_settings_file_is_refused_before_it_is_swallowed(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(101))
    (tmp_path / "latin").write_bytes(b"\xe4")
    with pytest.raises(ValueError, match="larger than 100 bytes"):
        read_bounded(tmp_path / "large", 100)
    latin = (tmp_path / "latin", r"not text in UTF-8 \(line 1\)")
    cases = ((Path("/dev/zero"), "not a regular file"), (tmp_path, "not a regular"), latin)
    for path, says in cases:
        with pytest.raises(Refused, match=says):
            read_source(path, Refused)
    (tmp_path / "latin").write_bytes(b"one\ntwo\n\xe4")
    with pytest.raises(ValueError, match=r"not text in UTF-8 \(line 3\)"):
        read_bounded_text(tmp_path / "latin")
    with pytest.raises(FileNotFoundError):
        read_source(tmp_path / "none", Refused)
