"""Self-verification: a keyed digest over the firmware's own files and its profile, against a fresh challenge.

A verifier that holds a copy of the files computes the same digest and compares; the device never states a hash that a
recording could repeat. The files are read once, when a device is built.
"""

from collections.abc import Iterable
from functools import cache
from importlib import resources

from firmware_sim.program.image import Image

ROOMS = ("firmware_sim", "protocol", "randomness", "strict_toml")


@cache
def installed_image(profile: str, text: str) -> Image:
    """What is installed here: the sources of the rooms that the device is made of, and a profile's file."""
    return Image(tuple(sorted([*_sources(), (f"profiles/{profile}.toml", text.encode())])))


@cache
def _sources() -> tuple[tuple[str, bytes], ...]:
    return tuple(found for room in ROOMS for found in _walk(resources.files(room), room))


def _walk(folder: "resources.abc.Traversable", name: str) -> Iterable[tuple[str, bytes]]:
    for path in folder.iterdir():
        inner = f"{name}/{path.name}"
        if path.is_dir() and not path.name.startswith((".", "__")):
            yield from _walk(path, inner)
        elif path.name.endswith(".py"):
            yield inner, path.read_bytes()
