"""No false alarm in clean rounds."""

import pytest

from firmware_sim.machine import profile as profiles
from proofs.clean_rounds import play, play_on_the_wire


@pytest.mark.parametrize("profile", profiles.names())
def test_clean_rounds_raise_no_alarm_and_lose_no_card(profile: str) -> None:
    outcome = play(profile, rounds=60, seed=5)
    assert outcome.alarms == ()
    assert outcome.conserved
    assert outcome.rounds == 60


@pytest.mark.slow
@pytest.mark.parametrize("profile", profiles.names())
def test_the_same_over_the_wire(profile: str) -> None:
    outcome = play_on_the_wire(profile, rounds=10, seed=5)
    assert (outcome.alarms, outcome.conserved, outcome.rounds) == ((), True, 10)


def test_an_alarm_would_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_sim.machine.mechanism.Mechanism.tray_occupied", property(lambda _: True))
    monkeypatch.setattr("firmware_sim.machine.mechanism.Mechanism.tray_sensor_answers", property(lambda _: False))
    with pytest.raises(AssertionError):
        play("ace-style", rounds=1, seed=1)
