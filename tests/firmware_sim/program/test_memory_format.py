"""How the memory lies in its bytes: header, numbered records, sealed or not."""

import msgspec
import pytest

from firmware_sim.errors import MemoryCorrupt, WrongMemory
from firmware_sim.program.memory_format import MAGIC, MARK, Changes, header, read, record
from firmware_sim.program.records import LogRecord, fingerprint
from firmware_sim.unit.seal import SealingKey

KEY, OTHER = bytes(range(32)), bytes(32)


def anything(_: str, packed: msgspec.Raw) -> object:
    """A schema of any keys and values."""
    return msgspec.msgpack.decode(packed)


def sealing(key: bytes = KEY) -> SealingKey:
    numbers = iter(range(1000))
    return SealingKey(key, lambda count: next(numbers).to_bytes(2, "big") * (count // 2))


def made(*changes: dict, key: SealingKey | None = None) -> bytes:
    data, box = header(key)
    return data + b"".join(record(number, change, box) for number, change in enumerate(changes, 1))


def test_what_was_written_is_read() -> None:
    data = made({"a": 1, "b": b"\x00"}, {"a": None, "log": LogRecord(length=2, head=bytes(32))})
    found = read(data, None, anything)
    assert found.values == {"b": b"\x00", "log": {"length": 2, "head": bytes(32)}}
    assert (found.records, found.sound_bytes, found.box) == (3, len(data), None)


def test_a_record_in_another_ones_place_is_not_sound() -> None:
    head, _ = header(None)
    assert read(head + record(2, {"a": 1}, None), None, anything).values == {}
    first, second = record(1, {"a": 1}, None), record(2, {"a": 2}, None)
    with pytest.raises(MemoryCorrupt, match="others follow"):
        read(head + second + first, None, anything)


def test_sound_bytes_that_say_nothing_are_damage() -> None:
    head, _ = header(None)

    class Words:
        def seal(self, number: int, data: bytes) -> bytes:
            return msgspec.msgpack.encode([1, 2])

        def unseal(self, number: int, data: bytes) -> bytes | None:
            return data

    with pytest.raises(MemoryCorrupt, match="no transaction"):
        read(head + record(1, {}, Words()), None, anything)


@pytest.mark.parametrize(
    ("change", "said"),
    [({"schema": bytes(8)}, "other fields"), ({"salt": None}, "header is damaged"), ({"check": 5}, "is damaged")],
)
def test_a_header_of_another_build_or_none_is_refused(change: Changes, said: str) -> None:
    head: Changes = {"schema": fingerprint(), "salt": b"", "check": b""}
    assert read(MAGIC + record(0, head, None), None).values == {}
    with pytest.raises(MemoryCorrupt, match=said):
        read(MAGIC + record(0, head | change, None), None)


def test_a_sealed_memory_says_nothing_but_its_size() -> None:
    secret = bytes(range(52))
    data = made({"deck:1": secret, "name": "Q of spades"}, key=sealing())
    assert b"deck" not in data
    assert b"spades" not in data
    assert len(data) == len(made({"deck:1": secret[::-1], "name": "7 of spades"}, key=sealing()))
    assert read(data, sealing(), anything).values["deck:1"] == secret


def test_a_sealed_memory_opens_with_its_key_alone() -> None:
    data = made({"a": 1}, key=sealing())
    with pytest.raises(WrongMemory, match="sealed with another key"):
        read(data, sealing(OTHER), anything)
    with pytest.raises(WrongMemory, match="--memory-key"):
        read(data, None, anything)


def test_a_record_of_another_sealed_memory_is_damage() -> None:
    box = sealing(OTHER).box(b"x" * 32)
    data = made({"a": 1}, key=sealing()) + record(2, {"a": 2}, box)
    with pytest.raises(MemoryCorrupt, match="not sealed with this memory's key"):
        read(data, sealing(), anything)


def test_a_mark_inside_a_payload_is_no_record() -> None:
    data = made({"a": MARK.decode("latin-1") * 30})
    assert read(data[:-1], None, anything).values == {}
