"""Roles: proved by an answer to a challenge, lost with the session, locked out after too many wrong answers."""

import pytest

from firmware_sim.program.authority import FREE_FAILURES, LOCK_OUT_US, Authority
from firmware_sim.program.nvstore import NvStore
from protocol import messages as m
from protocol.roles import proof, role_key
from protocol.vocabulary import ErrorCode, Role

KEY = role_key("open sesame")
SUPERVISOR = (Role.SUPERVISOR,)


def made(store: NvStore | None = None, now_us: int = 0) -> Authority:
    return Authority(
        serial="SB-1", keys={Role.SUPERVISOR: KEY}, store=store or NvStore(), chance=lambda n: bytes(n), now_us=now_us
    )


def attempt(authority: Authority, key: bytes, now_us: int = 0, session: int = 9, claimed: int = 9) -> m.Message:
    challenge = authority.challenge(Role.SUPERVISOR, now_us)
    if not isinstance(challenge, m.Challenge):
        return challenge
    given = proof(key, serial="SB-1", session=claimed, role=Role.SUPERVISOR, nonce=challenge.nonce)
    return authority.prove(Role.SUPERVISOR, given, session, now_us)


def test_the_right_answer_grants_the_role() -> None:
    authority = made()
    assert not authority.may(SUPERVISOR)
    assert attempt(authority, KEY) == m.Done()
    assert authority.may(SUPERVISOR)
    assert not authority.may((Role.TECHNICIAN,))


def test_the_role_ends_with_the_session() -> None:
    authority = made()
    attempt(authority, KEY)
    authority.new_session()
    assert not authority.may(SUPERVISOR)


def test_a_wrong_answer_grants_nothing() -> None:
    authority = made()
    assert attempt(authority, role_key("guess")).code is ErrorCode.BAD_PROOF
    assert not authority.may(SUPERVISOR)


def test_an_answer_of_another_session_is_wrong() -> None:
    assert attempt(made(), KEY, session=9, claimed=8).code is ErrorCode.BAD_PROOF


def test_a_challenge_is_good_for_one_answer() -> None:
    authority = made()
    challenge = authority.challenge(Role.SUPERVISOR, 0)
    given = proof(KEY, serial="SB-1", session=9, role=Role.SUPERVISOR, nonce=challenge.nonce)
    authority.prove(Role.SUPERVISOR, bytes(32), 9, 0)
    assert authority.prove(Role.SUPERVISOR, given, 9, 0).code is ErrorCode.NOT_NOW


def test_a_role_without_a_key_cannot_be_had() -> None:
    assert made().challenge(Role.TECHNICIAN, 0).code is ErrorCode.UNSUPPORTED


def test_everyone_may_what_needs_no_role() -> None:
    assert made().may(())


@pytest.mark.parametrize("restart", [False, True])
def test_too_many_wrong_answers_lock_out_also_across_a_power_cycle(restart: bool) -> None:
    store = NvStore()
    authority = made(store)
    for _ in range(FREE_FAILURES + 1):
        assert attempt(authority, bytes(32)).code is ErrorCode.BAD_PROOF
    if restart:
        authority = made(store)
    assert attempt(authority, KEY, now_us=LOCK_OUT_US - 1).code is ErrorCode.LOCKED_OUT
    assert attempt(authority, KEY, now_us=LOCK_OUT_US) == m.Done()
    assert store.get("lockout:1") is None


def test_the_lock_out_doubles() -> None:
    authority = made()
    now = 0
    for _ in range(FREE_FAILURES + 1):
        attempt(authority, bytes(32), now)
    now = LOCK_OUT_US
    assert attempt(authority, bytes(32), now).code is ErrorCode.BAD_PROOF
    assert attempt(authority, KEY, now + LOCK_OUT_US).code is ErrorCode.LOCKED_OUT
    assert attempt(authority, KEY, now + 2 * LOCK_OUT_US) == m.Done()
