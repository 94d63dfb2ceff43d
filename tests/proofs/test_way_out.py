"""The walk that looks for states without a way out, small: `make proof-way-out` runs it in full."""

import pytest

from firmware_sim.machine import profile as profiles
from firmware_sim.program.deal import Deal
from firmware_sim.program.effects import Effects
from firmware_sim.program.fault_desk import FaultDesk
from firmware_sim.program.firmware import Firmware
from proofs.way_out import Stage, actions, lead_out, walk
from protocol import messages as m
from protocol.vocabulary import Cleared, DealState, ErrorCode, FaultCode


@pytest.mark.parametrize("profile", profiles.names())
def test_every_state_of_a_short_walk_is_left_again(profile: str) -> None:
    game = profiles.load(profile).games[-1].game
    found = walk(profile, game, steps=120, seed=7)
    assert found.states > 10
    assert found.traps == []


def test_the_same_walk_meets_the_same_states() -> None:
    assert walk("i-deal-style", 1, steps=60) == walk("i-deal-style", 1, steps=60)


class Stubborn(Deal):
    """Keeps the deck of a misdealt round."""

    def eject(self) -> m.Error | Effects:
        if self.states.state is DealState.MISDEALT:
            return m.Error(code=ErrorCode.NOT_NOW, text="no")
        return super().eject()


class StubbornFirmware(Firmware):
    deal_type = Stubborn


def test_a_planted_trap_is_found() -> None:
    stage = Stage(profiles.load("i-deal-style"), 1, StubbornFirmware)
    told = actions(stage.device.profile)
    stage.device.run(lambda: stage.controller.act() and stage.device.firmware.deal.state is DealState.DELIVERING)
    told["VoidRound"](stage)
    assert "not idle" in (lead_out(stage) or "")
    found = walk("i-deal-style", 1, steps=400, seed=3, program=StubbornFirmware)
    assert found.traps
    assert "MISDEALT" in found.traps[0]


class Unforgiving(FaultDesk):
    """Never believes that a short deck is whole."""

    def clear(self, code: FaultCode, how: Cleared) -> bool:
        return code is not FaultCode.SHORT_DECK and super().clear(code, how)


def test_a_fault_that_can_not_be_cleared_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_sim.program.firmware.FaultDesk", Unforgiving)
    stage = Stage(profiles.load("i-deal-style"), 1, Firmware)
    actions(stage.device.profile)["short_deck"](stage)
    stage.do(m.Load())
    stage.device.run_for(60_000_000)
    assert "SHORT_DECK" in (lead_out(stage) or "")
