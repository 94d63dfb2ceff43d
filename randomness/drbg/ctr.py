"""CTR_DRBG with AES-256 (SP 800-90A rev. 1, 10.2.1), with and without the derivation function.

One request is one run of AES in counter mode: the output blocks and, behind them, the three blocks that become the
next key and V. That makes a request of 64 KiB cost little more than its keystream.
"""

from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import CBC, CTR, ECB

from randomness.drbg.mechanism import MAX_REQUEST_BYTES, SLACK

KEY_BYTES = 32
BLOCK_BYTES = 16
SEED_BYTES = KEY_BYTES + BLOCK_BYTES
"""seedlen of AES-256: 384 bits (SP 800-90A rev. 1 table 3)."""

_MASK = (1 << 128) - 1
_ZEROS = memoryview(bytes(MAX_REQUEST_BYTES + SLACK))


def _xor(left: bytes, right: bytes) -> bytes:
    return (int.from_bytes(left, "big") ^ int.from_bytes(right, "big")).to_bytes(len(left), "big")


class CtrMechanism:
    """CTR_DRBG, AES-256, no derivation function: needs full-entropy input of exactly 384 bits."""

    name = "CTR_DRBG AES-256"
    security_strength = 256
    entropy_bytes = SEED_BYTES
    nonce_bytes = 0
    max_input_bytes = SEED_BYTES

    def __init__(self) -> None:
        self._key = bytes(KEY_BYTES)
        self._v = 0

    def instantiate(self, entropy: bytes, nonce: bytes, personalization: bytes) -> None:  # noqa: ARG002
        """10.2.1.3.1."""
        self._key, self._v = bytes(KEY_BYTES), 0
        self._update(_xor(entropy, personalization.ljust(SEED_BYTES, b"\0")))

    def reseed(self, entropy: bytes, additional: bytes) -> None:
        """10.2.1.4.1."""
        self._update(_xor(entropy, additional.ljust(SEED_BYTES, b"\0")))

    def generate_into(self, out: memoryview, n: int, additional: bytes) -> None:
        """10.2.1.5.1."""
        provided = b""
        if additional:
            provided = self._condition(additional)
            self._update(provided)
        blocks = -(-n // BLOCK_BYTES) * BLOCK_BYTES
        # update_into wants one block less a byte more room than it writes.
        self._keystream().update_into(_ZEROS[: blocks + SEED_BYTES], out)
        self._v = (self._v + blocks // BLOCK_BYTES) & _MASK
        self._take(bytes(out[blocks : blocks + SEED_BYTES]), provided)
        out[n : blocks + SEED_BYTES] = _ZEROS[: blocks + SEED_BYTES - n]

    def zeroise(self) -> None:
        """Forget key and V."""
        self._key, self._v = bytes(KEY_BYTES), 0

    def _condition(self, additional: bytes) -> bytes:
        return additional.ljust(SEED_BYTES, b"\0")

    def _keystream(self) -> CipherContext:
        start = ((self._v + 1) & _MASK).to_bytes(BLOCK_BYTES, "big")
        return Cipher(AES256(self._key), CTR(start)).encryptor()

    def _update(self, provided: bytes) -> None:
        """CTR_DRBG_Update, 10.2.1.2."""
        self._take(self._keystream().update(_ZEROS[:SEED_BYTES]), provided)

    def _take(self, blocks: bytes, provided: bytes) -> None:
        state = _xor(blocks, provided) if provided else blocks
        self._key = state[:KEY_BYTES]
        self._v = int.from_bytes(state[KEY_BYTES:], "big")


class CtrDfMechanism(CtrMechanism):
    """CTR_DRBG, AES-256, with Block_Cipher_df: takes a nonce and inputs of any length."""

    name = "CTR_DRBG AES-256 with derivation function"
    entropy_bytes = 32
    nonce_bytes = 16
    max_input_bytes = 2**32
    """Table 3 allows 2^35 bits."""

    def instantiate(self, entropy: bytes, nonce: bytes, personalization: bytes) -> None:
        """10.2.1.3.2."""
        self._key, self._v = bytes(KEY_BYTES), 0
        self._update(derive(entropy + nonce + personalization))

    def reseed(self, entropy: bytes, additional: bytes) -> None:
        """10.2.1.4.2."""
        self._update(derive(entropy + additional))

    def _condition(self, additional: bytes) -> bytes:
        return derive(additional)


def derive(material: bytes, wanted: int = SEED_BYTES) -> bytes:
    """Block_Cipher_df, SP 800-90A rev. 1, 10.3.2."""
    string = len(material).to_bytes(4, "big") + wanted.to_bytes(4, "big") + material + b"\x80"
    string += bytes(-len(string) % BLOCK_BYTES)
    key = bytes(range(KEY_BYTES))
    temp = b"".join(_bcc(key, i.to_bytes(4, "big").ljust(BLOCK_BYTES, b"\0") + string) for i in range(3))
    key, block = temp[:KEY_BYTES], temp[KEY_BYTES:SEED_BYTES]
    cipher = Cipher(AES256(key), ECB()).encryptor()  # single blocks, chained by the standard's own rule
    out = b""
    while len(out) < wanted:
        block = cipher.update(block)
        out += block
    return out[:wanted]


def _bcc(key: bytes, data: bytes) -> bytes:
    """BCC, 10.3.3: the last block of CBC under a zero initialisation vector."""
    return Cipher(AES256(key), CBC(bytes(BLOCK_BYTES))).encryptor().update(data)[-BLOCK_BYTES:]
