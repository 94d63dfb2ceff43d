"""The watching device in virtual time: our host passes, each broken one is caught, a bad cable is no finding."""

import pytest

from proofs.broken_devices import KEY
from proofs.broken_hosts import BROKEN_HOSTS, BrokenHost
from proofs.conformance import BAD
from proofs.playing_host import watched
from shuffler.kit.conformance.controller.suite import judge
from shuffler.kit.conformance.controller.transcript import RunTranscript
from shuffler.kit.conformance.verdict import RuleVerdict, failed


def test_our_host_passes_every_check() -> None:
    found = judge(watched())
    assert [one for one in found if one.verdict in (RuleVerdict.FAILED, RuleVerdict.NOT_SEEN)] == []
    assert sum(one.verdict is RuleVerdict.PASSED for one in found) >= 32


def test_our_host_passes_with_a_key() -> None:
    found = {one.rule: one for one in judge(watched(key=KEY))}
    assert failed(found.values()) == []
    assert found["X-1"].verdict is found["X-4"].verdict is RuleVerdict.PASSED


@pytest.mark.parametrize("broken", BROKEN_HOSTS, ids=lambda broken: f"{broken.rule} {broken.how}")
def test_a_broken_host_is_caught_and_the_rule_named(broken: BrokenHost) -> None:
    assert broken.rule in failed(judge(watched(broken.make)))


@pytest.mark.parametrize("seed", [1, 3, 5, 7, 45, 57, 141, 901, 977])
def test_a_bad_cable_is_no_finding(seed: int) -> None:
    assert failed(judge(watched(seed=seed, cable=BAD))) == []


def test_nobody_came() -> None:
    found = judge(RunTranscript(jitter_us=0))
    assert {one.verdict for one in found} <= {RuleVerdict.NOT_SEEN, RuleVerdict.NOT_APPLICABLE, RuleVerdict.NOT_CHECKED}


def test_there_are_more_than_forty_mutants() -> None:
    from proofs.broken_devices import BROKEN_DEVICES

    for table in (BROKEN_DEVICES, BROKEN_HOSTS):
        assert len({(one.rule, one.how) for one in table}) == len(table)
    assert len(BROKEN_DEVICES) + len(BROKEN_HOSTS) >= 40
