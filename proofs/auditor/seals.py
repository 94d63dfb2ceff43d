"""Signatures of heads and changes of keys; without the `cryptography` package they are counted and not checked."""

from typing import Any

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError:  # pragma: no cover
    Ed25519PublicKey = None  # type: ignore[assignment,misc]


class Seals:
    """Follows who may sign; without keys any key is taken as it is."""

    def __init__(self, keys: frozenset[bytes]) -> None:
        self._given = keys
        self._accepted = set(keys)
        self.count = 0

    def take(self, seq: int, before: bytes, entry: dict[str, Any]) -> str:
        """One entry of record `seq`; what is wrong with it, or nothing."""
        number = (seq - 1).to_bytes(8, "little")
        if entry["name"] == "KeyChanged":
            if not entry["signature"]:
                lost = self._given and entry["new"] not in self._given
                return "the key is said to be lost, and the new one is not the operator's" if lost else ""
            text = b"shuffler-journal/3 key\0" + number + before + entry["new"]
            if not self._may(entry["old"]) or not _holds(entry["old"], entry["signature"], text):
                return "the key was changed without the old one's signature"
            self._accepted.discard(entry["old"])
            self._accepted.add(entry["new"])
            return ""
        self.count += 1
        if entry["seq"] != seq - 1 or entry["head"] != before:
            return "another head is signed than that of the record before"
        if not self._may(entry["key"]):
            return "signed by a key that is not the operator's"
        text = b"shuffler-journal/3 head\0" + number + before
        return "" if _holds(entry["key"], entry["signature"], text) else "the signature does not hold"

    def _may(self, key: bytes) -> bool:
        return not self._given or key in self._accepted


def _holds(key: bytes, signature: bytes, text: bytes) -> bool:
    if Ed25519PublicKey is None:
        return True
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, text)
    except (InvalidSignature, ValueError):
        return False
    return True
