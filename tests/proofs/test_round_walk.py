"""The walk through every state of a round, small: one spot on each keypad; and that a planted dead end is found."""

from dataclasses import replace
from pathlib import Path

import pytest

from proofs import round_walk
from proofs.round_walk import ONE_SPOT, ONE_SPOT_BEATEN, Layout, Walk, Walked, kept_or_walked, layouts, walk
from round_engine.meters.jackpot import Jackpot
from round_engine.round import operations as op
from round_engine.round.state import Phase
from round_engine.rules.ruleset import Hand
from round_engine.staff import StaffRole

LAYOUTS = {layout.name: layout for layout in layouts()}


def small(name: str) -> Walk:
    layout: Layout = LAYOUTS[name]
    return Walk(
        layout=layout, deal=ONE_SPOT_BEATEN if name.endswith("bad-beat") else ONE_SPOT, moves_from_outside=False
    )


KEYPADS = ["south-dakota, game-manager", "light-and-wonder, nexus", "ten-dollar-house, bad-beat"]


@pytest.mark.parametrize("name", KEYPADS)
@pytest.mark.slow
def test_every_state_of_a_round_with_one_spot_leads_to_the_close(name: str) -> None:
    found = walk(small(name))
    assert found.problems == []
    assert found.states > 300
    assert min(found.closed, found.void) > 2


def test_every_rule_set_and_every_keypad_is_walked() -> None:
    for name in LAYOUTS:
        mine = [one for one in round_walk.walks() if one.layout.name == name]
        assert any(len(one.deal.hands) == 2 for one in mine)
        assert any(one.moves_from_outside for one in mine)
    walked = {(one.layout.wager, one.deal.name) for one in round_walk.walks()}
    assert {(layout.wager, deal.name) for layout in LAYOUTS.values() for deal in layout.deals} <= walked
    assert {name.split(", ")[1] for name in LAYOUTS} == {"game-manager", "nexus", "bad-beat"}
    assert len(LAYOUTS) == 8


@pytest.mark.slow
def test_a_planted_dead_end_is_found() -> None:
    found = round_walk.find_the_plant()
    assert any(problem.startswith("dead end in settlement") and "BackOut" in problem for problem in found)
    assert Jackpot._record.__qualname__ == "Jackpot._record"  # the plant is gone again


@pytest.mark.slow
def test_a_planted_loss_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Jackpot._reserved
    monkeypatch.setattr(Jackpot, "_reserved", lambda self, floor: (0, real(self, floor)[1]))
    found = walk(replace(small("south-dakota, game-manager"), moves_from_outside=True), most=400)
    assert any(problem.startswith("the meter shows") for problem in found.problems)


@pytest.mark.slow
def test_a_round_in_rotation_leads_to_the_close() -> None:
    found = walk(replace(small("south-dakota, game-manager"), dealing="rotation"))
    assert found.problems == []
    assert found.states > 300


def test_every_operation_is_tried() -> None:
    one = next(one for one in round_walk.walks() if one.dealing == "rotation")
    tried = {type(operation) for operation in one.operations(one.start(), "")}
    later = {op.BackOut}  # what has been recorded
    assert tried == set(op.OPERATIONS) - later - {op.LinkMeter, op.AdjustMeter}
    assert {type(operation) for operation in one.from_outside(one.start())} == {op.LinkMeter, op.AdjustMeter}


def test_rotation_is_walked_where_the_rules_offer_it() -> None:
    turning = {one.layout.name for one in round_walk.walks() if one.dealing == "rotation"}
    assert turning == {name for name, layout in LAYOUTS.items() if "rotation" in layout.rules.dealing}
    assert len(turning) == 5


def test_a_walk_that_is_kept_is_not_walked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = small("south-dakota, game-manager")
    counted: list[Walk] = []

    def count(one: Walk, most: int | None = None) -> Walked:
        counted.append(one)
        return Walked(states=7)

    monkeypatch.setattr(round_walk, "walk", count)
    for _ in range(2):
        assert kept_or_walked(one, None, tmp_path).states == 7
    assert len(counted) == 1
    assert kept_or_walked(one, 5, tmp_path).states == 7  # a look is not kept
    assert len(counted) == 2


def test_a_win_that_was_keyed_before_a_wrong_count_was_noticed_is_not_paid_after_it() -> None:
    layout = LAYOUTS["light-and-wonder, game-manager"]
    one = Walk(layout=layout, deal=layout.deals[0], moves_from_outside=False)
    table = one.start()
    dealer, supervisor = (round_walk.ACTORS[role] for role in (StaffRole.DEALER, StaffRole.SUPERVISOR))
    tray_win = [
        op.PressKey(wager=layout.wager, key="HAND", hand=Hand.THREE_OF_A_KIND, by=dealer),
        op.PressKey(wager=layout.wager, key="KEY TO JPH", by=supervisor),
    ]
    j_pot = op.PressKey(wager=layout.wager, key="J-POT", by=supervisor)
    run = op.PressKey(wager=layout.wager, key="KEY TO RUN", by=supervisor)
    for move in (
        op.LockWagers(),
        *(op.DealGroup(spot=spot, cards=one.deal.cards(spot)) for spot in (1, 2)),
        op.DealGroup(spot=op.DEALER),
        *(op.Play(spot=spot, amount=500) for spot in (1, 2)),
        op.RevealDealer(cards=one.deal.cards(op.DEALER)),
        *tray_win, j_pot, run,
        op.SettleSpot(spot=2),
        *tray_win,
        op.BackOut(wager=layout.wager, record=1, reason="keyed too early", by=supervisor),
        j_pot,
        op.ShowHand(spot=1, cards=one.deal.cards(1)[:2]),
    ):  # fmt: skip
        table.do(move)
    assert table.in_play().phase is Phase.MISDEALT
    assert table.do(run).postings == ()
