"""Entropy sources."""

import os

import pytest

from randomness.entropy import ReplayedEntropy, SeededEntropy, SystemEntropy
from randomness.errors import EntropyUnavailable


def test_the_operating_systems_bytes_differ_from_read_to_read() -> None:
    source = SystemEntropy()
    assert len(source.read(48)) == 48
    assert source.read(48) != source.read(48)


def test_an_operating_system_without_random_bytes_is_an_entropy_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(n: int) -> bytes:
        raise OSError("no device")

    monkeypatch.setattr(os, "urandom", broken)
    with pytest.raises(EntropyUnavailable, match="no device"):
        SystemEntropy().read(1)


def test_a_seed_repeats_and_every_seed_and_stream_differs() -> None:
    firsts = {SeededEntropy(seed, stream).read(48) for seed in (1, 12, b"1", b"\1") for stream in (0, 1, 2)}
    assert len(firsts) == 12
    assert SeededEntropy(7, 3).read(32) == SeededEntropy(7, 3).read(32)


def test_a_seeds_reads_differ_and_do_not_depend_on_earlier_sizes() -> None:
    one, other = SeededEntropy(5), SeededEntropy(5)
    first = one.read(48)
    other.read(16)
    assert one.read(48) == other.read(48) != first


def test_a_seed_says_in_its_name_that_it_is_not_for_play() -> None:
    assert "not for play" in SeededEntropy(5).name


def test_replayed_inputs_come_in_order_and_run_out() -> None:
    source = ReplayedEntropy([b"ab", b"c"])
    assert source.read(2) == b"ab"
    with pytest.raises(EntropyUnavailable, match="has 1 bytes, 2 were asked for"):
        source.read(2)
    with pytest.raises(EntropyUnavailable, match="used up"):
        source.read(2)
