"""Simulated rounds against exact figures: they agree, a wrong engine does not, and a run resumes where it stopped."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from round_engine.errors import OperationError, WagerRefused
from round_engine.hands.strategy import parse
from round_engine.money import Cents
from round_engine.odds import Mix
from round_engine.rules import rulebook
from round_engine.rules.ruleset import WagerName
from shuffler.odds import simulate
from shuffler.odds.simulate import Simulation, six_cards

pytestmark = pytest.mark.slow

NEXUS = {"house": {"limit_ceiling": "$300", "systems": {"progressive": "nexus"}}}
EVERYTHING = {"ante": 1000, "pair_plus": 500, "six_card_bonus": 500, "progressive": 100,
              "bad_beat": 100}  # fmt: skip


def mix(name: str, stakes: Mapping[WagerName, int], strategy: str | None = None, **changes: Any) -> Mix:
    rules = rulebook.load(name, sides=["bad-beat"], changes=changes)
    stakes_in_cents = {wager: Cents(stake) for wager, stake in stakes.items()}
    return Mix(rules, stakes_in_cents, strategy=None if strategy is None else parse(strategy))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "BLOCK", 20_000)
    monkeypatch.setattr(simulate, "DRAWS", 499)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("name", "changes", "strategy"),
    [("south-dakota", {}, None), ("light-and-wonder", NEXUS, "K-Q-J"), ("ten-dollar-house", {}, "always")],
)
def test_simulated_rounds_agree_with_exact_figures(name: str, changes: dict[str, Any], strategy: str | None) -> None:
    stakes = dict(EVERYTHING)
    if name == "ten-dollar-house":
        stakes.pop("progressive")
    run = Simulation(mix(name, stakes, strategy, **changes), seed=4)
    for _ in range(3):
        run.block()
    found = run.result()
    assert found.rounds == 60_000 == run.counts.sum()
    assert found.p_value > 0.001
    told = {one.name for one in found.figures}
    assert told >= {"Ante hold", "Pair Plus variance", "Bad Beat (long run) hit frequency"}


@pytest.mark.usefixtures("small")
def test_an_engine_that_pays_a_little_too_much_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = six_cards

    def rigged(rng: np.random.Generator, rounds: int) -> Any:
        decks = real(rng, rounds)
        swap = (decks[:, 0] % 13 < decks[:, 3] % 13) & (rng.random(rounds) < 0.15)
        decks[np.ix_(swap, (0, 3))] = decks[np.ix_(swap, (3, 0))]
        return decks

    monkeypatch.setattr(simulate, "six_cards", rigged)
    run = Simulation(mix("south-dakota", {"ante": 1000}), seed=4)
    for _ in range(5):
        run.block()
    assert run.result().p_value < 0.01


@pytest.mark.usefixtures("small")
def test_a_run_resumes_where_it_stopped_and_comes_to_the_same() -> None:
    question = mix("south-dakota", EVERYTHING)
    whole, first = Simulation(question, seed=9), Simulation(question, seed=9)
    for _ in range(3):
        whole.block()
    first.block()
    again = Simulation(question, seed=9)
    again.resume(json.loads(json.dumps(first.to_json())))
    again.block()
    again.block()
    assert again.to_json() == whole.to_json()
    with pytest.raises(OperationError, match="other rules, stakes, strategy or seed"):
        Simulation(question, seed=10).resume(first.to_json())
    for spoil in ({"rounds": 5}, {"counts": [1]}, {"meters": 3}, {"rows": {}}):
        with pytest.raises(OperationError):
            Simulation(question, seed=9).resume(first.to_json() | spoil)
    with pytest.raises(OperationError, match="not a kept run"):
        Simulation(question, seed=9).resume({})


def test_stakes_that_no_table_takes_are_refused() -> None:
    with pytest.raises(WagerRefused, match="an ante or a pair plus wager comes first"):
        Simulation(mix("south-dakota", {"progressive": 100}), seed=1)


def test_six_cards_are_six_different_ones_in_every_order() -> None:
    decks = six_cards(np.random.default_rng(1), 50_000)
    assert (np.diff(np.sort(decks, axis=1), axis=1) > 0).all()
    counts = np.array([np.bincount(column, minlength=52) for column in decks.T])
    assert np.abs(counts - 50_000 / 52).max() < 6 * (50_000 / 52) ** 0.5
