"""Secure mode: a pre-shared key, ephemeral X25519, keys bound to the whole handshake, every frame sealed.

The session keys come from HKDF-SHA-256 over the ephemeral secret with the pre-shared key as salt and the digest of the
whole handshake as info: they can't be derived without the key, and the key does not decrypt earlier sessions. Each
direction has its own key, so that a reflected frame fails. The nonce is a packet counter that is never reused (a
retransmission takes a new one); the header is associated data.

`cryptography` is imported where it is used: sessions without a key start faster.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass, replace

from protocol.codec import encode_body
from protocol.messages import Hello, Welcome

KEY_BYTES = 32
PUBLIC_BYTES = 32
PROOF_BYTES = 32
COUNTER_BYTES = 8
REPLAY_WINDOW = 1024
_INFO = b"shuffler-bench/secure/1"

Chance = Callable[[int], bytes]


class Ephemeral:
    """One end's key pair for one handshake."""

    def __init__(self, chance: Chance) -> None:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        self._private = X25519PrivateKey.from_private_bytes(chance(KEY_BYTES))
        self.public = self._private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    def shared(self, peer: bytes) -> bytes | None:
        """Return the secret shared with the peer; None if the peer's public key is invalid."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

        try:
            return self._private.exchange(X25519PublicKey.from_public_bytes(peer))
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class SessionKeys:
    """The keys that both ends derive from a handshake."""

    host: bytes
    device: bytes
    proof: bytes


def derive(key: bytes, shared: bytes, transcript: bytes) -> SessionKeys:
    """Return the session's keys and the device's proof that it has the pre-shared key."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    digest = hashlib.sha256(transcript).digest()
    derived = HKDF(hashes.SHA256(), 3 * KEY_BYTES, salt=key, info=_INFO + digest).derive(shared)
    proof = hmac.digest(derived[2 * KEY_BYTES :], b"device" + digest, "sha256")
    return SessionKeys(derived[:KEY_BYTES], derived[KEY_BYTES : 2 * KEY_BYTES], proof)


def is_proof(keys: SessionKeys, given: bytes) -> bool:
    """Check the device's proof that it has the pre-shared key, in constant time."""
    return hmac.compare_digest(keys.proof, given)


def transcript(hello: Hello, welcome: Welcome, session: int) -> bytes:
    """Return the bytes of the handshake without the proof."""
    parts = (encode_body(hello), encode_body(replace(welcome, proof=b"")), session.to_bytes(4, "little"))
    return b"".join(len(part).to_bytes(4, "little") + part for part in parts)


class Seal:
    """Encrypts the frames that one end sends and decrypts those that it receives, each once."""

    def __init__(self, *, send: bytes, receive: bytes) -> None:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        self._broken = InvalidTag
        self._send = ChaCha20Poly1305(send)
        self._receive = ChaCha20Poly1305(receive)
        self._sent = 0
        self._newest = 0
        self._seen = 0  # bit n: counter newest - n was received
        self.refused = 0

    def seal(self, header: bytes, body: bytes) -> bytes:
        """Return packet counter and ciphertext of a body."""
        self._sent += 1
        counter = self._sent.to_bytes(COUNTER_BYTES, "little")
        return counter + self._send.encrypt(b"\0\0\0\0" + counter, body, header)

    def open(self, header: bytes, sealed: bytes) -> bytes | None:
        """Return the decrypted body, or None if the seal is invalid or the packet was received before."""
        counter = int.from_bytes(sealed[:COUNTER_BYTES], "little")
        age = self._newest - counter
        if len(sealed) < COUNTER_BYTES or age >= REPLAY_WINDOW or (age >= 0 and self._seen >> age & 1):
            self.refused += 1
            return None
        try:
            body = self._receive.decrypt(b"\0\0\0\0" + sealed[:COUNTER_BYTES], sealed[COUNTER_BYTES:], header)
        except self._broken:
            self.refused += 1
            return None
        if age < 0:
            ahead = min(-age, REPLAY_WINDOW)  # a peer may jump far ahead; the shift must not grow with it
            self._seen = (self._seen << ahead | 1) & ((1 << REPLAY_WINDOW) - 1)
            self._newest = counter
        else:
            self._seen |= 1 << age
        return body
