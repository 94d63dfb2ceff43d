"""A side wager on the layout of `shuffler table` and `shuffler soak`."""

import pytest

from shuffler.cli.table import rules_by_name, with_sides
from shuffler.virtual.soak.crew import SoakPlan, soak


def test_a_rule_set_and_its_side_wagers_have_one_name_that_is_read_back() -> None:
    name = with_sides("ten-dollar-house", ["bad-beat"])
    assert name == "ten-dollar-house+bad-beat"
    rules = rules_by_name(name)
    assert "bad_beat" in rules.progressives
    assert rules.fingerprint != rules_by_name("ten-dollar-house").fingerprint
    assert with_sides("south-dakota", None) == "south-dakota"
    assert rules_by_name("light-and-wonder+bad-beat").house.limit_ceiling == 30_000


@pytest.mark.slow
def test_a_soak_with_the_bad_beat_balances() -> None:
    rules = rules_by_name("light-and-wonder+bad-beat")
    plan = SoakPlan(rules=rules, strategy="Q-6-4", seats=3, profile="i-deal-style", seed=3, rate=0.0)
    report = soak(plan, 20)
    assert report.problems == []
    assert (report.rules, report.rules_fingerprint) == (rules.id, rules.fingerprint)
    assert "bad_beat" in {row.wager for row in report.holds}
