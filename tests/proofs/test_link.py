"""The link proof, small: `make proof-link` runs it in full."""

import pytest

from proofs.link import SurvivingStore, run
from protocol import messages as m
from shuffler.host.session import HostSession


@pytest.mark.parametrize("seed", range(3))
def test_over_a_bad_cable_nothing_is_lost_and_nothing_happens_twice(seed: int) -> None:
    outcome = run(300, seed)
    assert outcome.problems == []
    assert (outcome.done, outcome.refused, outcome.events) == (200, 100, 2000)


def test_the_same_holds_in_secure_mode() -> None:
    assert run(200, 4, key=bytes(range(32))).problems == []


@pytest.mark.parametrize("seed", range(4))
def test_the_same_holds_with_the_host_killed_and_the_power_cut(seed: int) -> None:
    outcome = run(300, seed, kills=0.01)
    assert outcome.problems == []
    assert outcome.host_kills > 0
    assert outcome.power_cuts > 0


def test_the_proof_catches_a_host_that_acknowledges_before_it_stores(monkeypatch: pytest.MonkeyPatch) -> None:
    def flush_commands_only(self: SurvivingStore) -> None:
        self._durable = {"next": self._next, "open": dict(self._open), "newest": {}, "effects": 0}

    monkeypatch.setattr(SurvivingStore, "flush", flush_commands_only)
    assert run(300, 1, kills=0.01).problems


def test_the_proof_catches_a_host_that_gives_a_command_a_new_id(monkeypatch: pytest.MonkeyPatch) -> None:
    resume = HostSession._resume

    def renumber(self: HostSession, welcome: m.Welcome, now: int, happenings: list) -> None:
        again = list(self._open.values())
        resume(self, welcome, now, happenings)
        for command in again:
            self.link.send(command, self._next)
            self._next += 1

    monkeypatch.setattr(HostSession, "_resume", renumber)
    assert run(300, 1, kills=0.02).problems
