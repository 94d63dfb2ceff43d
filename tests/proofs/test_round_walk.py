"""The walk through every state of a round, small: one spot on each keypad; and that a planted dead end is found."""

from dataclasses import replace
from typing import Any

import pytest

from proofs import round_walk
from proofs.round_walk import Deal, Layout, Walk, layouts, walk
from round_engine.errors import WrongPhase
from round_engine.jackpot import Jackpot

LAYOUTS = {layout.name: layout for layout in layouts()}
JACKPOT = Deal(
    name="jackpot", hands={1: "As Ks Qs"}, dealer="9c 9d 4h", stakes={1: {"ante": 500, "metered": 100}}
)
BEAT = Deal(
    name="25%", hands={1: "6s 5s 4s"}, dealer="Qd Jd Td", stakes={1: {"ante": 500, "metered": 100}}
)


def small(name: str) -> Walk:
    layout: Layout = LAYOUTS[name]
    return Walk(layout=layout, deal=BEAT if name.endswith("bad-beat") else JACKPOT, moves_from_outside=False)


KEYPADS = ["south-dakota, game-manager", "light-and-wonder, nexus", "ten-dollar-house, bad-beat"]


@pytest.mark.parametrize("name", KEYPADS)
@pytest.mark.slow
def test_every_state_of_a_round_with_one_spot_leads_to_the_close(name: str) -> None:
    found = walk(small(name))
    assert found.problems == []
    assert found.states > 300
    assert min(found.closed, found.void) > 2


def test_every_rule_set_and_every_keypad_is_walked() -> None:
    assert {name.split(", ")[1] for name in LAYOUTS} == {"game-manager", "nexus", "bad-beat"}
    assert len(LAYOUTS) == 8


@pytest.mark.slow
def test_a_planted_dead_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Jackpot._record

    def not_after_the_settlement(self: Jackpot, state: Any, *more: Any) -> Any:
        if state.settled:
            raise WrongPhase("planted: wins are recorded before the settlement only")
        return real(self, state, *more)

    monkeypatch.setattr(Jackpot, "_record", not_after_the_settlement)
    found = walk(small("south-dakota, game-manager"))
    assert any(problem.startswith("dead end in settlement") and "BackOut" in problem for problem in found.problems)


@pytest.mark.slow
def test_a_planted_loss_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Jackpot._reserved
    monkeypatch.setattr(Jackpot, "_reserved", lambda self, floor: (0, real(self, floor)[1]))
    found = walk(replace(small("south-dakota, game-manager"), moves_from_outside=True), most=400)
    assert any(problem.startswith("the meter shows") for problem in found.problems)


def test_what_a_walk_found_is_kept(tmp_path: Any) -> None:
    assert round_walk.read_kept(tmp_path / "none") == {}
