"""Self-verification: a keyed digest over the firmware's own files and its profile, against a fresh challenge.

A verifier that holds a copy of the files computes the same digest and compares; the device never states a hash that a
recording could repeat. This is the one file of the firmware that reads the disk, once, when a device is built.
"""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import resources

ROOMS = ("firmware_sim", "protocol", "randomness")
_DOMAIN = b"shuffler-bench/verify/1\0"


@dataclass(frozen=True, slots=True)
class Image:
    """The program and its profile: names and contents in the order of names."""

    files: tuple[tuple[str, bytes], ...]

    def digest(self, challenge: bytes) -> bytes:
        """HMAC-SHA-256, keyed by the challenge, over each file's name, length and bytes."""
        mac = hmac.new(challenge, _DOMAIN, sha256)
        for name, content in self.files:
            encoded = name.encode()
            mac.update(len(encoded).to_bytes(2, "little") + encoded + len(content).to_bytes(4, "little") + content)
        return mac.digest()


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
