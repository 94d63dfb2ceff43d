"""Damage to a memory, a sample of it: `make proof-memory-flips` tries every byte."""

import pytest

from firmware_sim.program import memory_format
from proofs import memory_flips
from proofs.memory_flips import KEY, run, small_memory


@pytest.mark.parametrize("key", [None, KEY], ids=["open", "sealed"])
def test_no_damage_passes_unnoticed_and_none_gives_a_traceback(key: bytes | None) -> None:
    size = len(small_memory(key).read())
    outcomes, wrong, _ = run(key, [*range(0, size, 401), size - 9, size - 1])
    assert wrong == []
    assert outcomes["flipped: said to be corrupt"] > 10
    assert any(what.startswith("cut: an unsound end, dropped") for what in outcomes)


def test_a_memory_without_its_checks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_format.zlib, "crc32", lambda *_: 0)
    monkeypatch.setattr(memory_flips, "damaged", lambda data, _, at: data[:at] + b"7" + data[at + 1 :])
    data = small_memory(None).read()
    digits = [at for at in range(len(data) // 2, len(data)) if data[at : at + 1] in b"123456" and data[at]]
    assert run(None, digits[:40])[1]
