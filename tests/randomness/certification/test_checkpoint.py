"""Checkpoints: what goes in comes out, and a crash while writing leaves the old one."""

from pathlib import Path

import numpy as np
import pytest

from randomness.certification import CheckpointError
from randomness.certification.checkpoint import load, save

STATE = {
    "counts": np.arange(6, dtype=np.uint64).reshape(2, 3),
    "long": list(range(100)),
    "short": [1, 2],
    "inside": {"p": [0.1, 1 / 3], "name": "array of words", "number": np.int64(2**62)},
}


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    save(tmp_path / "c", "me", STATE)
    found = load(tmp_path / "c", "me")
    assert np.array_equal(found["counts"], STATE["counts"])
    assert found["counts"].dtype == np.uint64
    assert list(found["long"]) == STATE["long"]
    assert found["short"] == [1, 2]
    assert found["inside"] == {"p": [0.1, 1 / 3], "name": "array of words", "number": 2**62}


def test_a_crash_while_writing_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path / "c", "me", {"n": 1})

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(CheckpointError, match="No space left"):
        save(tmp_path / "c", "me", {"n": 2})
    assert load(tmp_path / "c", "me") == {"n": 1}


def test_another_identity_is_refused(tmp_path: Path) -> None:
    save(tmp_path / "c", "me", {"n": 1})
    with pytest.raises(CheckpointError, match="another run"):
        load(tmp_path / "c", "you")


def test_an_archive_of_a_later_version_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    save(path, "run", {"tally": list(range(100))})
    data = bytearray(path.read_bytes())
    data[data.rindex(b"PK\1\2") + 6] = 158  # the version that reading it needs
    path.write_bytes(bytes(data))
    with pytest.raises(CheckpointError, match="is damaged"):
        load(path, "run")
