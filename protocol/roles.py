"""Proving a role: an HMAC over the device's challenge, bound to device, session and role."""

import hashlib
import hmac

from protocol.vocabulary import Role

_DOMAIN = b"shuffler-bench/role/1\0"


def role_key(secret: str) -> bytes:
    """Return a role's key from its secret words."""
    return hashlib.sha256(_DOMAIN + secret.encode()).digest()


def proof(key: bytes, *, serial: str, session: int, role: Role, nonce: bytes) -> bytes:
    """Return the answer to a challenge."""
    message = _DOMAIN + serial.encode() + b"\0" + session.to_bytes(4, "little") + bytes((role,)) + nonce
    return hmac.digest(key, message, "sha256")


def is_proof(key: bytes, given: bytes, *, serial: str, session: int, role: Role, nonce: bytes) -> bool:
    """Check an answer, in constant time."""
    return hmac.compare_digest(given, proof(key, serial=serial, session=session, role=role, nonce=nonce))
