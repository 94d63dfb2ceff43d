"""The device suite in virtual time: our device passes, each broken one is caught, a bad cable is no finding."""

import pytest

from proofs.broken_devices import BROKEN_DEVICES, KEY, BrokenDevice
from proofs.conformance import BAD, check_device, our_device
from shuffler.kit.conformance.verdict import RuleVerdict, failed


@pytest.mark.slow
@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "with a key"])
def test_our_device_passes_every_check(key: bytes | None) -> None:
    found = check_device(our_device(key), key=key)
    wrong = [one for one in found if one.verdict in (RuleVerdict.FAILED, RuleVerdict.NOT_SEEN)]
    assert not wrong
    assert sum(one.verdict is RuleVerdict.PASSED for one in found) >= 55


@pytest.mark.slow
@pytest.mark.parametrize("broken", BROKEN_DEVICES, ids=lambda broken: f"{broken.rule} {broken.how}")
def test_a_broken_device_is_caught_and_the_rule_named(broken: BrokenDevice) -> None:
    key = KEY if broken.secure else None
    assert failed(check_device(broken.build(), key=key, only=frozenset({broken.rule}))) == [broken.rule]


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "key"), [(2, None), (4, None), (550, KEY), (670, KEY)])
def test_a_bad_cable_is_no_finding(seed: int, key: bytes | None) -> None:
    assert failed(check_device(our_device(key), seed=seed, cable=BAD, key=key)) == []


def test_a_device_that_never_answers_is_not_judged() -> None:
    class Nobody:
        def receive(self, data: bytes, now: int) -> None: ...
        def data_to_send(self, now: int) -> bytes:
            return b""

        def tick(self, now: int) -> None: ...
        def next_deadline(self) -> int | None:
            return None

        def pull_cable(self) -> None: ...

    found = check_device(Nobody(), only=frozenset({"H-2", "F-2"}))
    assert [one.verdict for one in found] == [RuleVerdict.NOT_SEEN, RuleVerdict.NOT_SEEN]
    assert found[0].evidence == "no hello is answered"
