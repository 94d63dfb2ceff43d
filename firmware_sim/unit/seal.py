"""What seals a memory: AES-256-GCM under a key of the file's own, so that a copy tells its size and no more."""

from collections.abc import Callable

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32
SALT_BYTES = 32
_NONCE_BYTES = 12  # random: a file is written anew, under another key, long before 2^32 records
_INFO = b"shuffler-bench/memory/1"


class SealingKey:
    """The operator's key for a device's memory; each file's own is derived from it and the salt in its header."""

    def __init__(self, key: bytes, chance: Callable[[int], bytes]) -> None:
        self._key = key
        self._chance = chance

    def new_salt(self) -> bytes:
        """For a file that is written anew."""
        return self._chance(SALT_BYTES)

    def box(self, salt: bytes) -> "SealingBox":
        """For the file with this salt."""
        own = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=salt, info=_INFO).derive(self._key)
        return SealingBox(AESGCM(own), self._chance)


class SealingBox:
    """Seals the records of one file; a record opens under its own number alone."""

    def __init__(self, cipher: AESGCM, chance: Callable[[int], bytes]) -> None:
        self._cipher = cipher
        self._chance = chance

    def seal(self, number: int, data: bytes) -> bytes:
        """Nonce, then ciphertext and tag."""
        nonce = self._chance(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, data, _place(number))

    def unseal(self, number: int, data: bytes) -> bytes | None:
        """What was sealed; None where it is another's or was changed."""
        try:
            return self._cipher.decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], _place(number))
        except (InvalidTag, ValueError):
            return None


def _place(number: int) -> bytes:
    return number.to_bytes(4, "little")
