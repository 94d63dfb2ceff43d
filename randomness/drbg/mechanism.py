"""What a DRBG mechanism of SP 800-90A is to the envelope around it: a working state and three moves on it."""

from typing import Protocol

MAX_REQUEST_BYTES = 2**16
"""SP 800-90A rev. 1 tables 2 and 3: 2^19 bits a request (HMAC_DRBG and CTR_DRBG with AES)."""

RESEED_INTERVAL = 2**48
"""SP 800-90A rev. 1 tables 2 and 3: requests between reseeds."""


class DrbgMechanism(Protocol):
    """The working state of one instantiation. Does no length checks beyond its own arithmetic: the envelope does."""

    name: str
    security_strength: int
    entropy_bytes: int
    """Entropy input that the envelope asks for, at instantiation and at each reseed."""
    nonce_bytes: int
    """Nonce at instantiation; 0 where the mechanism takes none."""
    max_input_bytes: int
    """Longest personalisation string and additional input."""

    def instantiate(self, entropy: bytes, nonce: bytes, personalization: bytes) -> None:
        """Set the initial state."""
        ...

    def reseed(self, entropy: bytes, additional: bytes) -> None:
        """Mix new entropy into the state."""
        ...

    def generate_into(self, out: memoryview, n: int, additional: bytes) -> None:
        """Write one request of `n` bytes to the front of `out`, which has `SLACK` bytes to spare behind them."""
        ...

    def zeroise(self) -> None:
        """Forget the state."""
        ...


SLACK = 96
"""Spare bytes behind a request: CTR_DRBG's next key and V come out of the same run of the cipher."""
