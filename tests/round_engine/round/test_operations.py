"""Operations through JSON and back; what is no operation is refused."""

import json
from typing import Any

import pytest

from round_engine.errors import OperationError
from round_engine.round import operations as op
from round_engine.rules.ruleset import Hand
from round_engine.staff import Member, StaffRole
from tests.round_engine.support import bet

EXAMPLES: list[op.Operation] = [
    op.OpenRound(
        round_id="1", shuffle="s", dealer="d", dealing="rotation", wagers=(bet(1, ante=500), bet(2, pair_plus=1))
    ),
    op.OpenRound(round_id="1", shuffle="s", dealer="d"),
    op.PlaceWagers(wagers=bet(3, ante=500, tip_ante=100)),
    op.WithdrawWagers(spot=3),
    op.LockWagers(),
    op.DealGroup(spot=1, cards=(1, 2, 3), shuffle="s"),
    op.DealGroup(spot=0),
    op.DealCard(spot=1, card=51),
    op.DealCard(spot=0),
    op.ExposeCard(spot=1, card=None),
    op.ShowHand(spot=1, cards=(1, 2, 3)),
    op.Play(spot=1, amount=500, tip=100),  # type: ignore[arg-type]
    op.Fold(spot=1),
    op.CollectFolds(spots=(1, 2), counted=(3, 3)),
    op.RevealDealer(cards=(4, 5, 6)),
    op.RevealDealer(),
    op.SettleSpot(spot=1),
    op.Settle(),
    op.CloseRound(by="dana", role=StaffRole.DEALER),
    op.DeclareMisdeal(reason="why"),
    op.PressKey(wager="bad_beat", key="ENTER", by="sam", hand=Hand.PAIR, spot=4),
    op.BackOut(wager="progressive", record=1, by="sam", reason="why"),
    op.AdjustMeter(wager="progressive", change=-5, by="sam", reason="why"),
    op.BackOut(wager="progressive", record=1, by="sam", reason="why", void=True),
    op.LinkMeter(wager="bad_beat", change=26, table="t2", percent=25, reserve_change=-5),
    op.VerifyWin(wager="bad_beat", spot=1, hand=Hand.PAIR, by="sam", role=StaffRole.SUPERVISOR),
    op.ChangeStaff(
        members=(Member(name="d", roles=(StaffRole.DEALER,)), Member(name="s", roles=(StaffRole.SUPERVISOR,)))
    ),
]


def test_every_kind_of_operation_has_an_example() -> None:
    assert {type(one) for one in EXAMPLES} == set(op.OPERATIONS)


@pytest.mark.parametrize("operation", EXAMPLES, ids=lambda one: type(one).__name__)
def test_json_and_back(operation: op.Operation) -> None:
    again = op.from_json(json.loads(json.dumps(op.to_json(operation))))
    assert again == operation
    assert type(again) is type(operation)
    assert hash(again) == hash(operation)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"op": "Dance"},
        {"op": "Fold"},
        {"op": "Fold", "spot": "1"},
        {"op": "Fold", "spot": 1.0},
        {"op": "Fold", "spot": True},
        {"op": "Fold", "spot": 1, "seat": 2},
        {"op": "DealGroup", "spot": 1, "cards": [1, "2", 3]},
        {"op": "DealGroup", "spot": 1, "cards": 7},
        {"op": "OpenRound", "round_id": "1", "shuffle": "1", "dealer": "d", "dealing": "thrown"},
        {"op": "OpenRound", "round_id": "1", "shuffle": "1", "dealer": "d", "wagers": [5]},
        {"op": "PlaceWagers", "wagers": {"spot": 1}},
        {"op": "PressKey", "wager": "lottery", "key": "ENTER", "by": "sam"},
        {"op": "PressKey", "wager": "ante", "key": "ENTER", "by": "sam", "hand": "royal"},
        {"op": "DeclareMisdeal", "reason": None},
    ],
)  # fmt: skip
def test_what_is_no_operation_is_refused(data: Any) -> None:
    with pytest.raises(OperationError):
        op.from_json(data)
