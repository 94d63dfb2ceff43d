"""A device's shuffling mechanism as the one line that `certify --mechanism` takes. Pure."""

from collections.abc import Mapping
from typing import Any

from firmware_sim.machine.profile import Profile


def mechanism_of(profile: Profile, worn: Mapping[str, Any] | None = None) -> str:
    """The profile's kernel with its settings, and what is worn in it."""
    settings = {**profile.build.kernel_parameters, **(worn or {})}
    line = ",".join(f"{key}={_text(value)}" for key, value in settings.items())
    return f"{profile.build.kernel}:{line}" if line else profile.build.kernel


def _text(value: object) -> str:
    return "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
