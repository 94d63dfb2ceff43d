"""SP 800-90A generators on `cryptography`'s primitives: CTR_DRBG with AES-256 and HMAC_DRBG with SHA-256."""

from randomness.drbg.ctr import CtrDfMechanism, CtrMechanism
from randomness.drbg.envelope import Drbg, DrbgSource
from randomness.drbg.hmac import HmacMechanism
from randomness.drbg.mechanism import MAX_REQUEST_BYTES, RESEED_INTERVAL, DrbgMechanism
from randomness.drbg.selftest import KNOWN_ANSWERS, KnownAnswer, power_up_self_test

MECHANISMS: dict[str, type[CtrMechanism] | type[CtrDfMechanism] | type[HmacMechanism]] = {
    "ctr": CtrMechanism,
    "ctr-df": CtrDfMechanism,
    "hmac": HmacMechanism,
}
"""By the names that commands and settings use."""

__all__ = [
    "KNOWN_ANSWERS",
    "MAX_REQUEST_BYTES",
    "MECHANISMS",
    "RESEED_INTERVAL",
    "CtrDfMechanism",
    "CtrMechanism",
    "Drbg",
    "DrbgMechanism",
    "DrbgSource",
    "HmacMechanism",
    "KnownAnswer",
    "power_up_self_test",
]
