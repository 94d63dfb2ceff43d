"""Role proofs: bound to key, device, session, role and challenge."""

import hashlib
import hmac

import pytest

from protocol.roles import is_proof, proof, role_key
from protocol.vocabulary import Role

KEY = role_key("words of the night shift")
ASKED = {"serial": "SB-000042", "session": 0x01020304, "role": Role.SUPERVISOR, "nonce": bytes(range(32))}


def test_the_key_is_the_hash_of_domain_and_words() -> None:
    assert hashlib.sha256(b"shuffler-bench/role/1\0words of the night shift").digest() == KEY


def test_the_proof_is_an_hmac_over_the_bytes_of_the_reference() -> None:
    message = b"shuffler-bench/role/1\0" b"SB-000042\0" b"\x04\x03\x02\x01" b"\x01" + bytes(range(32))
    assert proof(KEY, **ASKED) == hmac.new(KEY, message, hashlib.sha256).digest()


def test_the_right_answer_is_taken() -> None:
    assert is_proof(KEY, proof(KEY, **ASKED), **ASKED)


@pytest.mark.parametrize(
    "changed",
    [
        {"serial": "SB-000043"},
        {"session": 0x01020305},
        {"role": Role.TECHNICIAN},
        {"nonce": bytes(32)},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_an_answer_to_another_question_is_refused(changed: dict[str, object]) -> None:
    assert not is_proof(KEY, proof(KEY, **(ASKED | changed)), **ASKED)


def test_an_answer_by_another_key_is_refused() -> None:
    assert not is_proof(KEY, proof(role_key("words of the day shift"), **ASKED), **ASKED)


@pytest.mark.parametrize("given", [b"", bytes(32), bytes(31), bytes(33)])
def test_what_is_no_answer_is_refused(given: bytes) -> None:
    assert not is_proof(KEY, given, **ASKED)
