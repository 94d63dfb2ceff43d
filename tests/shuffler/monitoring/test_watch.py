"""The watch: one monitor for each device, and what else was noticed."""

import numpy as np

from randomness.monitoring import CARDS
from shuffler.monitoring import SeenRound, Watch
from shuffler.monitoring.seen import seen_round


def fair(rounds: int, device: str = "A", seed: int = 1) -> list[SeenRound]:
    rng = np.random.default_rng(seed)
    made = []
    for number in range(rounds):
        cards = rng.permutation(CARDS).tolist()
        groups = [(first, cards[first : first + 3]) for first in range(0, 24, 3)]
        made.append(seen_round(device, f"R{number + 1}", groups, at=f"t{number + 1}"))
    return made


def test_each_device_has_evidence_of_its_own() -> None:
    watch = Watch(0.001, compiled=False)
    for one, other in zip(fair(5, "A", 1), fair(5, "B", 2), strict=True):
        assert not watch.take(one)
        assert not watch.take(other)
    first, second = watch.devices.values()
    assert first.monitor.rounds == second.monitor.rounds == 5
    assert first.monitor.evidence != second.monitor.evidence


def test_an_impossible_round_raises_the_alarm_once() -> None:
    watch = Watch(0.001, compiled=False)
    bad = SeenRound(device="A", round="R1", at="now", impossible="3♣ twice in one round")
    assert watch.take(bad)
    assert not watch.take(bad)
    one = watch.devices["A"]
    assert watch.alarmed
    assert one.impossible == ["R1: 3♣ twice in one round"] * 2
    assert (one.alarm_name, one.alarm_at) == ("R1", "now")


def test_a_repeated_deal_raises_the_alarm_with_its_round() -> None:
    watch = Watch(0.001, compiled=False)
    rounds = fair(12)
    alarms = [watch.take(one) for one in (*rounds, rounds[3])]
    assert alarms == [False] * 12 + [True]
    found = watch.devices["A"].to_json(1)
    assert found["alarm_in"] == "R4"
    assert found["questions"][0]["name"] == "deal-again"


def test_rounds_without_cards_are_counted_and_named() -> None:
    watch = Watch(0.001, compiled=False)
    watch.take(seen_round("A", "R1", []))
    assert (watch.devices["A"].unusable, watch.devices["A"].why_unusable) == (1, "no group was shown")
    assert watch.devices["A"].monitor.cards == 0
