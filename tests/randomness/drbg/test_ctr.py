"""CTR_DRBG with AES-256."""

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import ECB

from randomness.drbg.ctr import CtrDfMechanism, CtrMechanism, derive
from randomness.drbg.mechanism import SLACK


class Textbook:
    """SP 800-90A 10.2.1 word by word, one block at a time: the slow, obvious twin."""

    def __init__(self) -> None:
        self.key, self.v = bytes(32), bytes(16)

    def block(self) -> bytes:
        self.v = ((int.from_bytes(self.v, "big") + 1) % 2**128).to_bytes(16, "big")
        return Cipher(AES256(self.key), ECB()).encryptor().update(self.v)

    def update(self, provided: bytes) -> None:
        temp = b"".join(self.block() for _ in range(3))
        mixed = bytes(a ^ b for a, b in zip(temp, provided, strict=True))
        self.key, self.v = mixed[:32], mixed[32:]

    def generate(self, n: int, additional: bytes) -> bytes:
        provided = additional.ljust(48, b"\0")
        if additional:
            self.update(provided)
        out = b"".join(self.block() for _ in range(-(-n // 16)))[:n]
        self.update(provided)
        return out


def generated(mechanism: CtrMechanism, n: int, additional: bytes = b"") -> bytes:
    out = bytearray(n + SLACK)
    mechanism.generate_into(memoryview(out), n, additional)
    assert not any(out[n:]), "nothing of the next state may be left behind the output"
    return bytes(out[:n])


@pytest.mark.parametrize("additional", [b"", b"x", bytes(range(48))])
def test_one_run_of_the_cipher_equals_the_textbook_block_by_block(additional: bytes) -> None:
    mechanism, textbook = CtrMechanism(), Textbook()
    entropy = bytes(range(100, 148))
    mechanism.instantiate(entropy, b"", b"personal")
    textbook.update(bytes(a ^ b for a, b in zip(entropy, b"personal".ljust(48, b"\0"), strict=True)))
    for n in (0, 1, 15, 16, 17, 32, 1000):
        assert generated(mechanism, n, additional) == textbook.generate(n, additional)


def test_the_counter_wraps_around_like_the_textbooks() -> None:
    mechanism, textbook = CtrMechanism(), Textbook()
    mechanism._v = 2**128 - 2
    textbook.v = (2**128 - 2).to_bytes(16, "big")
    for _ in range(2):
        assert generated(mechanism, 100) == textbook.generate(100, b"")


def test_the_derivation_function_separates_what_only_concatenation_joins() -> None:
    assert len(derive(b"")) == 48
    assert len({derive(b""), derive(b"\0"), derive(b"\0\0"), derive(b"\x80")}) == 4


def test_with_derivation_inputs_of_any_length_are_taken() -> None:
    outputs = set()
    for extra in (b"", b"a", bytes(1000)):
        mechanism = CtrDfMechanism()
        mechanism.instantiate(bytes(32), bytes(16), extra)
        outputs.add(generated(mechanism, 32, extra))
    assert len(outputs) == 3


def test_zeroise_forgets() -> None:
    mechanism = CtrMechanism()
    mechanism.instantiate(bytes(range(48)), b"", b"")
    mechanism.zeroise()
    assert generated(mechanism, 16) == generated(CtrMechanism(), 16)
