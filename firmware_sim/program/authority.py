"""Roles at the device: challenge, proof, lock-out. Failures survive a power cycle, so that it is no way out.

Time here is the link's, not the machine's: a fast machine must not make a short wait.
"""

from collections.abc import Mapping

from firmware_sim.program.nvstore import NvStore
from protocol import messages as m
from protocol.limits import FREE_FAILURES, LOCK_OUT_MAX_S, LOCK_OUT_S
from protocol.roles import is_proof
from protocol.secure import Chance
from protocol.vocabulary import ErrorCode, Role

LOCK_OUT_US = LOCK_OUT_S * 1_000_000
LOCK_OUT_MAX_US = LOCK_OUT_MAX_S * 1_000_000


class Authority:
    """Which role the open session has, and who may still try for another."""

    def __init__(self, *, serial: str, keys: Mapping[Role, bytes], store: NvStore, chance: Chance, now_us: int) -> None:
        self.role = Role.DEALER
        self._serial = serial
        self._keys = keys
        self._store = store
        self._chance = chance
        self._nonce: dict[Role, bytes] = {}
        self._failed_us = dict.fromkeys(keys, now_us)  # a lock-out starts anew with the power

    def new_session(self) -> None:
        """Nobody has proved anything yet."""
        self.role = Role.DEALER
        self._nonce.clear()

    def challenge(self, role: Role, now_us: int) -> m.Message:
        """A nonce to answer, unless the role has no key here or is locked out."""
        if role not in self._keys:
            return m.Error(code=ErrorCode.UNSUPPORTED, text=f"no key is set for the role {role.name.lower()}")
        if (wait_us := self._locked_for_us(role, now_us)) > 0:
            seconds = -(-wait_us // 1_000_000)
            return m.Error(code=ErrorCode.LOCKED_OUT, text=f"too many wrong proofs: try again in {seconds} s")
        self._nonce[role] = self._chance(32)
        return m.Challenge(role=role, nonce=self._nonce[role])

    def prove(self, role: Role, given: bytes, session: int, now_us: int) -> m.Message:
        """Grant the role for a right answer; each challenge can be answered once."""
        nonce = self._nonce.pop(role, None)
        if nonce is None:
            return m.Error(code=ErrorCode.NOT_NOW, text="ask for a challenge first")
        if is_proof(self._keys[role], given, serial=self._serial, session=session, role=role, nonce=nonce):
            self.role = role
            self._store.put(f"lockout:{int(role)}", None)
            return m.Done()
        self._store.put(f"lockout:{int(role)}", self._failures(role) + 1)
        self._failed_us[role] = now_us
        return m.Error(code=ErrorCode.BAD_PROOF, text=f"that is not the proof for {role.name.lower()}")

    def may(self, needed: tuple[Role, ...]) -> bool:
        """Whether the session's role is one of those that may; an empty list is for everyone."""
        return not needed or self.role in needed

    def _failures(self, role: Role) -> int:
        failures: int = self._store.get(f"lockout:{int(role)}", 0)
        return failures

    def _locked_for_us(self, role: Role, now_us: int) -> int:
        beyond = self._failures(role) - FREE_FAILURES
        if beyond <= 0:
            return 0
        return self._failed_us[role] + min(LOCK_OUT_MAX_US, LOCK_OUT_US << min(beyond - 1, 20)) - now_us
