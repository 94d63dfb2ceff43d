"""The program and its profile as bytes, and the keyed digest that a verifier compares."""

import hmac
from dataclasses import dataclass
from hashlib import sha256

_DOMAIN = b"shuffler-bench/verify/1\0"


@dataclass(frozen=True, slots=True)
class Image:
    """Names and contents in the order of names."""

    files: tuple[tuple[str, bytes], ...]

    def digest(self, challenge: bytes) -> bytes:
        """HMAC-SHA-256, keyed by the challenge, over each file's name, length and bytes."""
        mac = hmac.new(challenge, _DOMAIN, sha256)
        for name, content in self.files:
            encoded = name.encode()
            mac.update(len(encoded).to_bytes(2, "little") + encoded + len(content).to_bytes(4, "little") + content)
        return mac.digest()
