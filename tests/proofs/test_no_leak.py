"""Non-interference: undealt cards change nothing that a host can see; firmwares that leak are caught."""

import pytest

from firmware_sim.machine import profile as profiles
from proofs.no_leak import Slow, Talkative, blot, compare
from protocol import messages as m
from protocol.messages import Opening


@pytest.mark.slow
@pytest.mark.parametrize("profile", profiles.names())
def test_undealt_cards_change_neither_content_nor_time(profile: str) -> None:
    pairs = [compare(profile, seed) for seed in range(5)]
    assert [pair.difference for pair in pairs] == [None] * 5
    assert min(pair.messages for pair in pairs) > 100
    assert len({pair.role for pair in pairs}) >= 3
    assert any(pair.staged for pair in pairs) is profiles.load(profile).build.prestages


@pytest.mark.slow
@pytest.mark.parametrize("profile", profiles.names())
def test_a_firmware_that_leaks_by_content_is_caught(profile: str) -> None:
    assert any((compare(profile, seed, Talkative).difference or "").startswith("content") for seed in range(4))


@pytest.mark.slow
@pytest.mark.parametrize("profile", profiles.names())
def test_a_firmware_that_leaks_by_timing_is_caught(profile: str) -> None:
    assert any((compare(profile, seed, Slow).difference or "").startswith("time") for seed in range(8))


def test_only_the_commitment_is_blotted_out() -> None:
    opening = Opening(first=3, cards=(1, 2), salts=b"s" * 64, proof=b"p" * 64)
    removed = m.GroupRemoved(
        number=1, time_ms=2, round=3, group=4, seat=5, count=2, shuffle=6, withheld=False, opening=opening
    )
    blotted = blot(removed)
    assert isinstance(blotted, m.GroupRemoved)
    assert blotted.opening == Opening(first=3, cards=(1, 2), salts=b"s" * 64, proof=bytes(64))
    assert blot(m.GetStatus()) == m.GetStatus()
