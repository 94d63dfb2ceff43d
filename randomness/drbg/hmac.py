"""HMAC_DRBG with SHA-256 (SP 800-90A rev. 1, 10.1.2)."""

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC

OUT_BYTES = 32


class HmacMechanism:
    """HMAC_DRBG, SHA-256."""

    name = "HMAC_DRBG SHA-256"
    security_strength = 256
    entropy_bytes = 32
    nonce_bytes = 16
    """8.6.7: half the security strength."""
    max_input_bytes = 2**32
    """Table 2 allows 2^35 bits."""

    def __init__(self) -> None:
        self._key = bytes(OUT_BYTES)
        self._v = b"\x01" * OUT_BYTES

    def instantiate(self, entropy: bytes, nonce: bytes, personalization: bytes) -> None:
        """10.1.2.3."""
        self._key, self._v = bytes(OUT_BYTES), b"\x01" * OUT_BYTES
        self._update(entropy + nonce + personalization)

    def reseed(self, entropy: bytes, additional: bytes) -> None:
        """10.1.2.4."""
        self._update(entropy + additional)

    def generate_into(self, out: memoryview, n: int, additional: bytes) -> None:
        """10.1.2.5."""
        if additional:
            self._update(additional)
        # A copy of a keyed context costs a third of making one.
        keyed = HMAC(self._key, SHA256())
        for start in range(0, n, OUT_BYTES):
            context = keyed.copy()
            context.update(self._v)
            self._v = context.finalize()
            out[start : start + OUT_BYTES] = self._v
        self._update(additional)
        out[n : n + OUT_BYTES] = bytes(OUT_BYTES)

    def zeroise(self) -> None:
        """Forget key and V."""
        self._key, self._v = bytes(OUT_BYTES), b"\x01" * OUT_BYTES

    def _update(self, provided: bytes) -> None:
        """HMAC_DRBG_Update, 10.1.2.2."""
        for mark in (b"\x00", b"\x01") if provided else (b"\x00",):
            self._key = _hmac(self._key, self._v + mark + provided)
            self._v = _hmac(self._key, self._v)


def _hmac(key: bytes, message: bytes) -> bytes:
    context = HMAC(key, SHA256())
    context.update(message)
    return context.finalize()
