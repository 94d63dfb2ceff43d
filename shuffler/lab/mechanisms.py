"""A device's shuffling mechanism as the one line that `certify --mechanism` takes. Pure."""

from collections.abc import Mapping
from typing import Any

from firmware_sim.machine.profile import Profile
from firmware_sim.machine.shuffling import kernel_settings


def mechanism_of(profile: Profile, worn: Mapping[str, Any] | None = None) -> str:
    """The kernel that shuffles for the profile's first game, with its settings and what is worn in it."""
    settings = kernel_settings(profile, profile.games[0], worn)
    line = ",".join(f"{key}={_text(value)}" for key, value in settings.items())
    return f"{profile.build.kernel}:{line}" if line else profile.build.kernel


def _text(value: object) -> str:
    return "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
