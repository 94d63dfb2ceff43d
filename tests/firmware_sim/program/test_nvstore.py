"""Non-volatile memory: a cut at any byte leaves the old or the new state."""

import contextlib
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_sim.errors import MemoryCorrupt
from firmware_sim.program.memory_format import MARK, record
from firmware_sim.program.nvstore import Medium, NvStore, VolatileMedium
from firmware_sim.program.records import VERSION, UnsoundTail, read_value

VALUES = st.recursive(
    st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8) | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=5,
)


def opened(medium: Medium | None = None) -> NvStore:
    """A store of any keys and values beside its own."""

    def schema(key: str, packed: msgspec.Raw) -> object:
        return read_value(key, packed) if key == "unsound" else msgspec.msgpack.decode(packed)

    return NvStore(medium, schema=schema)



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
    store = opened(medium)
    store.put("a", 1)
    store.put("b", [b"\x00\xff", "text", {"n": None}])
    store.commit()
    assert state(opened(medium)) == {"a": 1, "b": [b"\x00\xff", "text", {"n": None}]}


def test_what_is_staged_and_not_committed_is_not() -> None:
    medium = VolatileMedium()
    store = opened(medium)
    store.put("a", 1)
    assert store.get("a") == 1
    assert state(opened(medium)) == {}
    store.forget()
    assert store.get("a", 7) == 7


def test_none_removes_a_key() -> None:
    store = opened(VolatileMedium())
    store.put("a", 1)
    store.commit()
    store.put("a", None)
    assert store.get("a") is None
    assert store.keys("") == []
    store.commit()
    assert store.keys("") == []


def test_a_cut_at_every_byte_of_a_write_leaves_the_old_or_the_new_state() -> None:
    medium = VolatileMedium()
    store = opened(medium)
    store.put("count", 1)
    store.put("event:1", [99, b"body"])
    store.commit()
    before, saved = state(store), medium.read()
    seen, whole = set(), len(record(2, {"count": 2, "event:1": None}, None))
    for cut_after in range(200):
        cutting = CuttingMedium(saved, cut_after)
        store = opened(cutting)
        store.put("count", 2)
        store.put("event:1", None)
        with contextlib.suppress(Cut):
            store.commit()
        again = VolatileMedium(cutting.read())
        after = state(opened(again))
        torn = after.pop("unsound", None) is not None
        assert torn is (len(saved) < len(cutting.read()) < len(saved) + whole)
        assert after in (before, {"count": 2})
        seen.add(after == before)
        # and what comes next is kept, torn tail or not
        next_store = opened(again)
        next_store.put("later", True)
        next_store.commit()
        assert opened(again).get("later") is True
    assert seen == {True, False}


@given(st.lists(st.dictionaries(st.sampled_from("abcdef"), VALUES | st.none(), min_size=1), max_size=8))
def test_the_file_says_what_the_object_says(commits: list[dict]) -> None:
    medium, plain = VolatileMedium(), opened()
    store = opened(medium)
    for changes in commits:
        for key, value in changes.items():
            store.put(key, value)
            plain.put(key, value)
        store.commit()
        plain.commit()
    assert state(opened(medium)) == state(plain) == state(store)


def test_a_long_log_is_written_anew() -> None:
    medium = VolatileMedium()
    store = opened(medium)
    chance = Random(1)
    for number in range(3000):
        store.put(f"key:{number % 7}", chance.randbytes(30))
        store.commit()
    assert len(medium.read()) < 100_000
    assert state(opened(medium)) == state(store)


def test_damage_in_the_middle_is_not_taken_for_a_torn_end() -> None:
    medium = VolatileMedium()
    store = opened(medium)
    for number in range(3):
        store.put("n", number)
        store.commit()
    data = bytearray(medium.read())
    data[len(data) // 2] ^= 1
    with pytest.raises(MemoryCorrupt):
        opened(VolatileMedium(bytes(data)))


def test_a_file_of_something_else_is_refused() -> None:
    with pytest.raises(MemoryCorrupt):
        opened(VolatileMedium(b"#!/bin/sh\n"))


@pytest.mark.parametrize("number", [1, 7])
def test_a_memory_of_another_version_is_refused(number: int) -> None:
    with pytest.raises(MemoryCorrupt, match=f"written in version {number}; this program reads version {VERSION}"):
        opened(VolatileMedium(b"SBNV%d\n" % number))


def test_erasing_starts_with_nothing() -> None:
    medium = VolatileMedium()
    store = opened(medium)
    store.put("a", 1)
    store.commit()
    store.erase()
    assert state(opened(medium)) == {}


def test_an_unsound_end_is_dropped_and_noted_in_one_step() -> None:
    medium = VolatileMedium()
    store = opened(medium)
    for number in range(3):
        store.put("n", number)
        store.commit()
    torn = VolatileMedium(medium.read()[:-1])
    opened(torn)  # the power goes again before anybody has acted on it
    again = opened(torn)
    assert again.get("n") == 1
    assert again.get("unsound") == UnsoundTail(dropped=len(record(3, {"n": 2}, None)) - 1)


@pytest.mark.parametrize("tail", [bytes(4096), b"\xff" * 40, bytes(1), MARK + bytes(12), MARK * 20])
def test_what_follows_the_last_record_never_parses_as_one(tail: bytes) -> None:
    medium = VolatileMedium()
    store = opened(medium)
    store.put("n", 1)
    store.commit()
    medium.append(tail)
    assert opened(medium).get("n") == 1
    assert opened(medium).get("unsound") == UnsoundTail(dropped=len(tail))


def test_a_flipped_length_before_other_records_is_damage() -> None:
    medium = VolatileMedium()
    store = opened(medium)
    for number in range(300):
        store.put(f"n:{number}", bytes(80))
        store.commit()
    data = medium.read()
    at = data.index(MARK, len(data) // 3) + 6
    for bit in range(32):
        flipped = bytearray(data)
        flipped[at + bit // 8] ^= 1 << bit % 8
        with pytest.raises(MemoryCorrupt, match="others follow"):
            opened(VolatileMedium(bytes(flipped)))


def test_a_medium_that_can_not_be_written_anew_goes_on_growing() -> None:
    class NoRoomForTwo(VolatileMedium):
        def replace(self, data: bytes) -> None:
            if self.read():
                raise OSError(28, "No space left on device")
            super().replace(data)

    medium = NoRoomForTwo()
    store = opened(medium)
    for _ in range(1000):
        store.put("a", bytes(250))
        store.commit()
    assert len(medium.read()) > 200_000
    assert opened(VolatileMedium(medium.read())).get("a") == bytes(250)
