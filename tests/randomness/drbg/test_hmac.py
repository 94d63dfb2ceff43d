"""HMAC_DRBG with SHA-256."""

import hashlib
import hmac

import pytest

from randomness.drbg.hmac import HmacMechanism
from randomness.drbg.mechanism import SLACK


class Textbook:
    """SP 800-90A 10.1.2 on the standard library: the slow, obvious twin."""

    def __init__(self) -> None:
        self.key, self.v = bytes(32), b"\x01" * 32

    def mac(self, message: bytes) -> bytes:
        return hmac.new(self.key, message, hashlib.sha256).digest()

    def update(self, provided: bytes) -> None:
        self.key = self.mac(self.v + b"\x00" + provided)
        self.v = self.mac(self.v)
        if provided:
            self.key = self.mac(self.v + b"\x01" + provided)
            self.v = self.mac(self.v)

    def generate(self, n: int, additional: bytes) -> bytes:
        if additional:
            self.update(additional)
        temp = b""
        while len(temp) < n:
            self.v = self.mac(self.v)
            temp += self.v
        self.update(additional)
        return temp[:n]


@pytest.mark.parametrize("additional", [b"", b"x", bytes(range(100))])
def test_it_equals_the_textbook(additional: bytes) -> None:
    mechanism, textbook = HmacMechanism(), Textbook()
    mechanism.instantiate(bytes(32), bytes(range(16)), b"personal")
    textbook.update(bytes(32) + bytes(range(16)) + b"personal")
    for n in (0, 1, 31, 32, 33, 1000):
        out = bytearray(n + SLACK)
        mechanism.generate_into(memoryview(out), n, additional)
        assert bytes(out[:n]) == textbook.generate(n, additional)
        assert not any(out[n:])
    mechanism.reseed(bytes(range(32)), additional)
    textbook.update(bytes(range(32)) + additional)
    out = bytearray(64 + SLACK)
    mechanism.generate_into(memoryview(out), 64, b"")
    assert bytes(out[:64]) == textbook.generate(64, b"")
