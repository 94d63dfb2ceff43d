"""A device to collect from, a hundred thousand times as fast as a real one."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from firmware_sim.machine.profile import load
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Background, Location, background
from firmware_sim.unit.emulator import Build
from protocol.roles import role_key
from protocol.vocabulary import Role

WORDS = {Role.SUPERVISOR: "sun", Role.TECHNICIAN: "oil", Role.LABORATORY: "ice"}

Serve = Callable[..., AbstractContextManager[Background]]


@pytest.fixture
def serve() -> Serve:
    """Serve a device for the length of a `with` block; settings are `Build`'s."""

    @contextmanager
    def served(profile: str = "i-deal-style", **settings: Any) -> Iterator[Background]:
        keys = {role: role_key(words) for role, words in WORDS.items()}
        build = Build(profile=load(profile), **{"serial": "C-1", "speed": 100_000.0, "role_keys": keys, **settings})
        with background([Location(build=build, ports=(Tcp(),))]) as devices:
            yield devices

    return served
