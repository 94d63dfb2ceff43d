"""A device's mechanism as a line: what the line says is what the device shuffles with."""

import pytest

from firmware_sim.machine.profile import load, names
from firmware_sim.machine.shuffling import kernel_for
from randomness import seeded_source
from randomness.kernels import parse
from shuffler.lab.mechanisms import mechanism_of


@pytest.mark.parametrize("name", names())
def test_the_line_is_the_kernel_that_deals(name: str) -> None:
    profile = load(name)
    told, dealt = parse(mechanism_of(profile)), kernel_for(profile, profile.games[0])
    ours, theirs = (kernel.permutations(52, 4, seeded_source(3)).tolist() for kernel in (told, dealt))
    assert ours == theirs


def test_what_is_worn_is_in_the_line() -> None:
    assert mechanism_of(load("i-deal-style"), {"sticky": 0.25}).endswith("sticky=0.25")
