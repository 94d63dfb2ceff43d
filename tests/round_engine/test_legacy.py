"""Operations and states of version 0.1.0, brought up to date."""

from round_engine import operations as op
from round_engine.legacy import Upgrade, upgrade
from round_engine.rulebook import load
from round_engine.staff import StaffRole
from round_engine.table import Table, replay
from round_engine.table_state import TableState
from tests.round_engine.support import NINES, hand

CHANGES = {"house": {"limit_ceiling": "$300", "systems": {"progressive": "nexus"}}}
WAGERS = {"spot": 1, "player": "p1", "ante": 500, "pair_plus": 0, "six_card_bonus": 0, "progressive": 100,
          "bad_beat": 100, "tip_ante": 0, "tip_pair_plus": 0}  # fmt: skip
# A round as 0.1.0 wrote it into a journal: the top prize on both meters, all confirmed under the supervisor's name.
OLD = [
    {"op": "OpenRound", "round_id": "1", "shuffle": "s/7", "dealer": "dealer", "dealing": "groups", "wagers": [WAGERS]},
    {"op": "LockWagers"},
    {"op": "DealGroup", "spot": 1, "cards": list(hand("As Ks Qs")), "count": 3, "shuffle": "s/7"},
    {"op": "DealGroup", "spot": 0, "cards": None, "count": 3, "shuffle": None},
    {"op": "Play", "spot": 1, "amount": 500, "tip": 0},
    {"op": "RevealDealer", "cards": list(hand(NINES))},
    {"op": "PressKey", "wager": "progressive", "key": "POSITION", "by": "dealer", "hand": None, "spot": 1},
    {"op": "PressKey", "wager": "progressive", "key": "HAND", "by": "dealer", "hand": "akq_spades", "spot": None},
    {"op": "PressKey", "wager": "progressive", "key": "CONFIRM", "by": "supervisor", "hand": None, "spot": None},
    {"op": "PressKey", "wager": "progressive", "key": "EXECUTIVE CARD", "by": "supervisor", "hand": None, "spot": None},
    {"op": "PressKey", "wager": "bad_beat", "key": "HAND", "by": "dealer", "hand": "pair", "spot": None},
    {"op": "PressKey", "wager": "bad_beat", "key": "POSITION", "by": "dealer", "hand": None, "spot": 1},
    {"op": "PressKey", "wager": "bad_beat", "key": "ENTER", "by": "supervisor", "hand": None, "spot": None},
    {"op": "Settle"},
    {"op": "CloseRound"},
]


def test_an_old_round_replays_with_the_roles_its_names_are_taken_to_have() -> None:
    reading = Upgrade()
    new = [op.from_json(one) for old in OLD for one in reading.operations(old)]
    rules = load("light-and-wonder", sides=["bad-beat"], changes=CHANGES)
    table = replay(rules, new, staff=reading.staff())
    assert table.ledger.balance("player:p1") == 100_014 + 400 - 200 + 500 + 500 + 2_500
    confirmed = [(type(one).__name__, one.by, one.role) for one in new if isinstance(one, op.PressKey | op.VerifyWin)]
    assert confirmed[2:4] == [
        ("PressKey", "supervisor", StaffRole.SUPERVISOR), ("PressKey", "supervisor", StaffRole.EXECUTIVE),
    ]  # fmt: skip
    assert confirmed[-2:] == [
        ("VerifyWin", "supervisor", StaffRole.SUPERVISOR),
        ("PressKey", "dealer", StaffRole.DEALER),
    ]


def test_signed_corrections_are_a_supervisors_and_a_dealers_keys_the_dealers() -> None:
    old = [
        OLD[0],
        {"op": "PressKey", "wager": "progressive", "key": "HAND", "by": "anybody", "hand": "straight", "spot": None},
        {"op": "BackOut", "wager": "progressive", "record": 1, "by": "sam", "reason": "x"},
        {"op": "AdjustMeter", "wager": "progressive", "change": 5, "by": "sam", "reason": "x"},
        {"op": "BackOut", "wager": "progressive", "record": 1, "by": "dealer", "reason": "x"},
    ]
    assert [(one.get("by"), one.get("role")) for one in upgrade(old)] == [
        (None, None), ("dealer", "dealer"), ("sam", "supervisor"), ("sam", "supervisor"), ("dealer", "dealer"),
    ]  # fmt: skip


def test_an_old_state_is_read_with_its_floor_found_again() -> None:
    rules = load("ten-dollar-house", sides=["bad-beat"])
    old = Table(rules).state().to_json()
    for meter in old["meters"]:
        meter.pop("floor")
    for key in ("staff", "rounds", "shuffles"):
        old.pop(key)
    old |= {"format": 1, "last_shuffle": "serial/epoch/007"}
    table = Table(rules, TableState.from_json(old))
    assert [meter.floor for meter in table.meters.values()] == [1_000_000]
    assert not table.can(op.OpenRound(round_id="1", shuffle="serial/epoch/007", dealer="dealer"))
    assert table.can(op.OpenRound(round_id="1", shuffle="serial/epoch/7", dealer="dealer"))
