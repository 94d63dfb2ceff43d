"""The walk through every state, its first part: `make proof-every-state` goes on until nothing new comes."""

import pytest

from firmware_sim.machine import profile as profiles
from firmware_sim.program.firmware import Firmware
from proofs.every_state import Walk
from protocol import messages as m
from protocol.vocabulary import ErrorCode, InfeedState


@pytest.mark.parametrize("profile", profiles.names())
def test_the_first_states_and_an_accident_in_each_are_left_again(profile: str) -> None:
    found = Walk(profile).run(most=12)
    assert found.states >= 12
    assert found.after_accident > found.states
    assert found.again > 0
    assert not found.complete
    assert found.traps == []


class KeepsItsCards(Firmware):
    """Deaf to a shuffle: a loaded deck stays in the infeed for ever."""

    def execute(self, command: m.Message, *more: object) -> m.Message:
        if isinstance(command, m.Shuffle) and self.infeed.state is InfeedState.LOADED:
            return m.Error(code=ErrorCode.NOT_NOW, text="no")
        return super().execute(command, *more)  # type: ignore[arg-type]


def test_a_planted_dead_end_is_found_with_the_way_to_it() -> None:
    found = Walk("i-deal-style", program=KeepsItsCards).run(most=3)
    assert found.traps
    assert " by " in found.traps[0]
