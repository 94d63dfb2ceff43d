"""Misdeal detection as a table: what each profile must find, and that the table can fail."""

import pytest

from proofs import misdeals
from proofs.misdeals import COUNTER, KINDS, READER, SHOE, SLIPS, WHY_NOT, Slip, one, run
from protocol.vocabulary import MisdealReason

CELLS = [
    pytest.param(injection, profile, id=f"{injection.name}-{profile}") for injection in SLIPS for profile in KINDS
]


def test_every_kind_of_profile_has_its_finding_for_every_injection() -> None:
    assert all(set(injection.found) == {READER, COUNTER, SHOE} for injection in SLIPS)


def test_what_a_profile_can_not_see_is_stated() -> None:
    unseen = {(row.name, kind) for row in SLIPS for kind, found in row.found.items() if found is None}
    assert unseen == set(WHY_NOT)


@pytest.mark.parametrize(("injection", "profile"), CELLS)
def test_an_injection_is_found_as_the_table_says(injection: Slip, profile: str) -> None:
    expected = injection.found[KINDS[profile]]
    assert [one(injection, profile, seed) for seed in range(6)] == [expected] * 6


def test_a_device_that_does_not_look_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_sim.program.deck.Deck.objection", lambda *_: None)
    rows = [row for row in run(2, seed=1) if row.profile == "i-deal-style"]
    missed = {row.injection for row in rows if row.found < row.tried}
    assert {"a card dealt before comes again", "a card of no deck", "another group comes first"} <= missed


def test_an_exposed_card_is_recorded_and_the_round_goes_on() -> None:
    exposed = next(injection for injection in SLIPS if "turns over" in injection.name)
    assert not isinstance(exposed.found[READER], MisdealReason)
    assert misdeals.say(one(exposed, "i-deal-style", 5)) == "recorded, no misdeal"
