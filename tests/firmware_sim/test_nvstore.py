"""Non-volatile memory: a cut at any byte leaves the old or the new state."""

import contextlib
import os
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_sim.errors import MemoryCorrupt
from firmware_sim.nvstore import FileMedium, NvStore, VolatileMedium

VALUES = st.recursive(
    st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8) | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=5,
)


class Cut(Exception):
    pass


class CuttingMedium(VolatileMedium):
    """Fails after so many bytes of the next write, whatever kind of write it is."""

    def __init__(self, data: bytes, cut_after: int) -> None:
        super().__init__(data)
        self._cut_after = cut_after

    def append(self, data: bytes) -> None:
        super().append(data[: self._cut_after])
        if self._cut_after < len(data):
            raise Cut

    def replace(self, data: bytes) -> None:
        """A rename is done or not done."""
        if self._cut_after < len(data):
            raise Cut
        super().replace(data)


def state(store: NvStore) -> dict:
    return {key: store.get(key) for key in store.keys("")}


def test_what_is_committed_is_there_after_a_restart() -> None:
    medium = VolatileMedium()
    store = NvStore(medium)
    store.put("a", 1)
    store.put("b", [b"\x00\xff", "text", {"n": None}])
    store.commit()
    assert state(NvStore(medium)) == {"a": 1, "b": [b"\x00\xff", "text", {"n": None}]}


def test_what_is_staged_and_not_committed_is_not() -> None:
    medium = VolatileMedium()
    store = NvStore(medium)
    store.put("a", 1)
    assert store.get("a") == 1
    assert state(NvStore(medium)) == {}
    store.forget()
    assert store.get("a", 7) == 7


def test_none_removes_a_key() -> None:
    store = NvStore(VolatileMedium())
    store.put("a", 1)
    store.commit()
    store.put("a", None)
    assert store.get("a") is None
    assert store.keys("") == []
    store.commit()
    assert store.keys("") == []


def test_a_cut_at_every_byte_of_a_write_leaves_the_old_or_the_new_state() -> None:
    medium = VolatileMedium()
    store = NvStore(medium)
    store.put("count", 1)
    store.put("event:1", [99, b"body"])
    store.commit()
    before, saved = state(store), medium.read()
    seen = set()
    for cut_after in range(200):
        cutting = CuttingMedium(saved, cut_after)
        store = NvStore(cutting)
        store.put("count", 2)
        store.put("event:1", None)
        with contextlib.suppress(Cut):
            store.commit()
        again = VolatileMedium(cutting.read())
        after = state(NvStore(again))
        assert after in (before, {"count": 2})
        seen.add(after == before)
        # and what comes next is kept, torn tail or not
        next_store = NvStore(again)
        next_store.put("later", True)
        next_store.commit()
        assert NvStore(again).get("later") is True
    assert seen == {True, False}


@given(st.lists(st.dictionaries(st.sampled_from("abcdef"), VALUES | st.none(), min_size=1), max_size=8))
def test_the_file_says_what_the_object_says(commits: list[dict]) -> None:
    medium, plain = VolatileMedium(), NvStore()
    store = NvStore(medium)
    for changes in commits:
        for key, value in changes.items():
            store.put(key, value)
            plain.put(key, value)
        store.commit()
        plain.commit()
    assert state(NvStore(medium)) == state(plain) == state(store)


def test_a_long_log_is_written_anew() -> None:
    medium = VolatileMedium()
    store = NvStore(medium)
    chance = Random(1)
    for number in range(3000):
        store.put(f"key:{number % 7}", chance.randbytes(30))
        store.commit()
    assert len(medium.read()) < 100_000
    assert state(NvStore(medium)) == state(store)


def test_damage_in_the_middle_is_not_taken_for_a_torn_end() -> None:
    medium = VolatileMedium()
    store = NvStore(medium)
    for number in range(3):
        store.put("n", number)
        store.commit()
    data = bytearray(medium.read())
    data[len(data) // 2] ^= 1
    with pytest.raises(MemoryCorrupt):
        NvStore(VolatileMedium(bytes(data)))


def test_a_file_of_something_else_is_refused() -> None:
    with pytest.raises(MemoryCorrupt):
        NvStore(VolatileMedium(b"#!/bin/sh\n"))


def test_erasing_starts_with_nothing() -> None:
    medium = VolatileMedium()
    store = NvStore(medium)
    store.put("a", 1)
    store.commit()
    store.erase()
    assert state(NvStore(medium)) == {}


def test_a_file_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "device.nv"
    medium = FileMedium(path)
    store = NvStore(medium)
    store.put("a", b"\x01")
    store.commit()
    medium.close()
    again = FileMedium(path)
    assert NvStore(again).get("a") == b"\x01"
    again.close()


def test_a_full_disk_is_an_error_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "device.nv"
    medium = FileMedium(path)
    store = NvStore(medium)
    store.put("a", 1)
    store.commit()

    class Full:
        def __init__(self, file) -> None:
            self._file = file

        def __getattr__(self, name: str):
            return getattr(self._file, name)

        def write(self, data: bytes) -> int:
            os.write(self._file.fileno(), data[:5])
            raise OSError(28, "No space left on device")

    good, medium._file = medium._file, Full(medium._file)
    store.put("a", 2)
    with pytest.raises(OSError, match="No space left"):
        store.commit()
    medium._file = good
    assert NvStore(VolatileMedium(path.read_bytes())).get("a") == 1
    store.commit()
    assert NvStore(VolatileMedium(path.read_bytes())).get("a") == 2
    medium.close()
