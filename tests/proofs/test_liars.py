"""Honest devices are not accused, whatever fails; tests/shuffler/table/test_bridge_lies.py plays with every liar."""

import pytest

from firmware_sim.machine import profile as profiles
from proofs import liars


@pytest.mark.parametrize("profile", profiles.names())
def test_an_honest_device_is_not_accused_where_line_and_power_fail(profile: str) -> None:
    heard = liars.honest(profile, seats=2, rounds=30, seed=4, every=5)
    assert heard.missed == []
    assert heard.settled >= 25


def test_a_lie_that_no_check_finds_would_be_told_as_believed() -> None:
    harmless = liars.Liar(name="honest", found="nothing")
    liars_steps, liars.STEPS_MOST = liars.STEPS_MOST, 300
    try:
        heard = liars.listen_to(harmless, times=1)
    finally:
        liars.STEPS_MOST = liars_steps
    assert heard.caught == 0
    assert heard.settled > harmless.believed
