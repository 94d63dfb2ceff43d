"""The walk through link, session and driver: every state leads back to an answered command, and a dead end is found."""

import pytest

from proofs.liveness import ACTIONS, LIMIT_US, PLANTED, World, planted, recovers, walk


def test_the_first_states_all_have_a_way_to_an_answered_command() -> None:
    found = walk(World(), most=40)
    assert found.states == 40
    assert found.dead_ends == []
    assert 0 < found.longest_us < LIMIT_US


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_dead_end_is_found(name: str) -> None:
    assert walk(planted(name), most=16).dead_ends


@pytest.mark.parametrize("name", ACTIONS)
def test_every_letter_of_the_alphabet_can_happen_and_a_way_leads_back_afterwards(name: str) -> None:
    world = World()
    for prepare in (World.pass_time, World.deliver_down, World.pass_time, World.deliver_down, World.pull, None):
        if ACTIONS[name](world):
            break
        assert prepare is not None, "never"
        prepare(world)
    assert recovers(world) is not None
