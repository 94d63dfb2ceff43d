"""The seal: each file its own key, each record its own place."""

from firmware_sim.unit.seal import SALT_BYTES, SealingKey

KEY = bytes(range(32))


def key(salt: int = 0) -> SealingKey:
    return SealingKey(KEY, lambda count: bytes((salt,)) * count)


def test_what_was_sealed_is_opened() -> None:
    box = key().box(bytes(SALT_BYTES))
    assert box.unseal(3, box.seal(3, b"the order")) == b"the order"


def test_nothing_opens_under_another_number_salt_or_key_or_when_changed() -> None:
    box = key().box(bytes(SALT_BYTES))
    sealed = box.seal(3, b"the order")
    assert box.unseal(4, sealed) is None
    assert key().box(b"\1" * SALT_BYTES).unseal(3, sealed) is None
    assert SealingKey(bytes(32), lambda count: bytes(count)).box(bytes(SALT_BYTES)).unseal(3, sealed) is None
    for at in range(len(sealed)):
        assert box.unseal(3, sealed[:at] + bytes((sealed[at] ^ 1,)) + sealed[at + 1 :]) is None
        assert box.unseal(3, sealed[:at]) is None


def test_a_salt_is_as_long_as_a_key() -> None:
    assert key(7).new_salt() == b"\7" * SALT_BYTES
