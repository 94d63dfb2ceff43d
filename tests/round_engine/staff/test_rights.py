"""Who may do what: every operation and key by every role under every rule set, cell by cell."""

from typing import Any

import pytest

from round_engine.errors import RoleRefused, RoundEngineError, StaffError, WagerRefused
from round_engine.keypads import DIALECTS, Key
from round_engine.round import operations as op
from round_engine.rules.rulebook import RULE_SETS
from round_engine.rules.ruleset import Hand, WagerName
from round_engine.staff import BENCH_STAFF, Member, Staff, StaffRole, staff_of
from round_engine.staff.rights import MOVE_RIGHTS, Rights
from round_engine.table import Table
from tests.round_engine.support import AKQ_SPADES, NINES, STAFF, bet, new_table, opened, revealed, rules_for

RIGHTS_OF = {name: dialect.rights for name, dialect in DIALECTS.items()}
ACTORS = {
    StaffRole.DEALER: "dana",
    StaffRole.SUPERVISOR: "sam",
    StaffRole.EXECUTIVE: "eve",
    StaffRole.SYSTEM: "link",
    StaffRole.PLAYER: "p1",
}
NEXUS = {"house": {"systems": {"progressive": "nexus"}}}
LAYOUTS: list[tuple[str, dict[str, Any]]] = [*((name, {}) for name in RULE_SETS), ("light-and-wonder", NEXUS)]

D, S, E, L, P = StaffRole.DEALER, StaffRole.SUPERVISOR, StaffRole.EXECUTIVE, StaffRole.SYSTEM, StaffRole.PLAYER
# Written out again, by hand, from the clauses: who may, and nobody else.
MOVES: dict[str, set[StaffRole]] = {
    "OpenRound": {D}, "PlaceWagers": {P}, "WithdrawWagers": {P}, "LockWagers": {D}, "DealGroup": {D}, "DealCard": {D},
    "ExposeCard": {D}, "ShowHand": {D}, "Play": {P}, "Fold": {P}, "CollectFolds": {D}, "RevealDealer": {D},
    "SettleSpot": {D}, "Settle": {D}, "CloseRound": {D}, "DeclareMisdeal": {D, S}, "VerifyWin": {S}, "BackOut": {S, E},
    "AdjustMeter": {S, E}, "LinkMeter": {L}, "ChangeStaff": {S, E},
}  # fmt: skip
KEYS: dict[str, dict[Key, set[StaffRole]]] = {
    "game-manager": {
        "COIN IN": {D}, "HAND": {D}, "KEY TO JPH": {S}, "J-POT": {S}, "KEY TO RUN": {S}, "GAME OVER": {D},
    },
    "nexus": {
        "START GAME": {D}, "POSITION": {D}, "HAND": {D}, "CONFIRM": {S}, "SUPERVISOR CARD": {S},
        "EXECUTIVE CARD": {E}, "END GAME": {D},
    },
    "bad-beat": {
        "LOCK OUT": {D}, "HAND": {D}, "POSITION": {D}, "ENTER": {D}, "UNDO": {D}, "MISDEAL": {D},
        "GAME OVER": {D},
    },
}  # fmt: skip


def moves(wager: WagerName) -> list[op.Operation]:
    """One of each kind, for spot 1."""
    return [
        op.OpenRound(round_id="next", shuffle="next", dealer="dana"),
        op.PlaceWagers(wagers=bet(1, ante=600)), op.WithdrawWagers(spot=1), op.LockWagers(), op.DealGroup(spot=1),
        op.DealCard(spot=1), op.ExposeCard(spot=1), op.ShowHand(spot=1, cards=(1, 2, 3)),
        op.Play(spot=1, amount=500), op.Fold(spot=1), op.CollectFolds(spots=(1,), counted=(3,)),  # type: ignore[arg-type]
        op.RevealDealer(cards=(4, 5, 6)), op.SettleSpot(spot=1), op.Settle(), op.CloseRound(),
        op.DeclareMisdeal(reason="x"), op.VerifyWin(wager=wager, spot=1, hand=Hand.STRAIGHT_FLUSH),
        op.BackOut(wager=wager, record=1, reason="x"), op.AdjustMeter(wager=wager, change=5, reason="x"),
        op.LinkMeter(wager=wager, change=5, table="t2"), op.ChangeStaff(members=STAFF.members),
    ]  # fmt: skip


def may(table: Table, operation: op.Operation, role: StaffRole) -> bool:
    """Whether the role stands in nobody's way; what else may be wrong with the move does not matter here."""
    named = type(operation)(**{
        name: getattr(operation, name) for name in op.FIELDS[type(operation)] if name not in ("by", "role")
    }, by=ACTORS[role], role=role)  # fmt: skip
    try:
        table.verify(named)
    except RoleRefused:
        return False
    except RoundEngineError:
        pass
    return True


CELLS = [
    pytest.param(name, changes, role, id=f"{name}-{'nexus' if changes else 'own'}-{role}")
    for name, changes in LAYOUTS
    for role in StaffRole
]


@pytest.mark.parametrize(("name", "changes", "role"), CELLS)
def test_every_operation_by_every_role(name: str, changes: dict[str, Any], role: StaffRole) -> None:
    table = new_table(name, sides=["bad-beat"], **changes)
    opened(table, bet(1, ante=500, bad_beat=100))
    examples = moves("bad_beat")
    assert {type(one) for one in examples} == set(op.OPERATIONS) - {op.PressKey}
    found = {type(one).__name__: may(table, one, role) for one in examples}
    assert found == {kind: role in roles for kind, roles in MOVES.items()}


@pytest.mark.parametrize(("name", "changes", "role"), CELLS)
def test_every_key_by_every_role(name: str, changes: dict[str, Any], role: StaffRole) -> None:
    table = new_table(name, sides=["bad-beat"], **changes)
    opened(table, bet(1, ante=500, bad_beat=100))
    for wager, how in table.rules.progressives.items():
        assert set(KEYS[how.keypad]) == set(DIALECTS[how.keypad].keys)
        for key, roles in KEYS[how.keypad].items():
            press = op.PressKey(wager=wager, key=key, hand=Hand.STRAIGHT_FLUSH, spot=1)
            assert may(table, press, role) == (role in roles), (wager, key)


def test_every_operation_and_key_has_its_roles_and_a_clause_in_every_document() -> None:
    assert set(MOVE_RIGHTS) == set(op.OPERATIONS) - {op.PressKey}
    assert {name: set(keys) for name, keys in RIGHTS_OF.items()} == {
        name: set(dialect.keys) for name, dialect in DIALECTS.items()
    }
    for name in RULE_SETS:
        rights = Rights(rules_for(name, sides=["bad-beat"]))
        document = rules_for(name).document
        for right in rights.of_moves.values():
            assert right.clause.startswith((document, "003"))
        for right in rights.of_keys.values():
            assert right.clause.startswith((document, "003"))


def test_nobody_acts_in_a_role_that_is_not_theirs() -> None:
    table = new_table()
    opened(table, bet(1, ante=500))
    for by, role, says in (
        ("sam", StaffRole.DEALER, "'sam' is no dealer at this table"),
        ("p1", StaffRole.SUPERVISOR, "'p1' is no supervisor"),
        ("stranger", StaffRole.DEALER, "the name is not on the staff"),
        ("dave", StaffRole.DEALER, "'dana' deals this round, not 'dave'"),
        ("p1", None, "LockWagers is for the dealer .*'p1' is not on the staff"),
    ):
        with pytest.raises(RoleRefused, match=says):
            table.do(op.LockWagers(by=by, role=role))


def test_a_player_decides_for_no_other_and_nobody_for_a_player() -> None:
    table = new_table()
    revealed_to = [bet(1, ante=500), bet(2, ante=500)]
    opened(table, *revealed_to)
    table.do(op.LockWagers())
    for spot in (1, 2, 0):
        table.do(op.DealGroup(spot=spot))
    for by in ("p2", "dana", "sam"):
        with pytest.raises(RoleRefused, match="Fold is for the player"):
            table.do(op.Fold(spot=1, by=by))
    assert table.do(op.Fold(spot=1, by="p1")).operation == op.Fold(spot=1, by="p1", role=StaffRole.PLAYER)


def test_whoever_works_at_a_table_does_not_play_at_it() -> None:
    table = new_table()
    with pytest.raises(WagerRefused, match="'sam' works at this table"):
        opened(table, bet(1, "sam", ante=500))
    opened(table)
    with pytest.raises(RoleRefused, match=r"PlaceWagers is for the player .*'dana' is dealer"):
        table.do(op.PlaceWagers(wagers=bet(1, "dana", ante=500)))


def test_a_supervisor_who_deals_confirms_nothing_in_that_round() -> None:
    staff = staff_of(dana=("dealer", "supervisor", "executive"), sam="supervisor")
    table = Table(rules_for("south-dakota"), staff=staff)
    revealed(table, [bet(1, ante=500, progressive=100)], {1: AKQ_SPADES}, NINES)
    keys = table.keys_for(table.dues()[0], supervisor="dana")
    table.do(keys[0])
    with pytest.raises(RoleRefused, match="'dana' is dealing this round"):
        table.do(keys[1])
    free = Table(rules_for("south-dakota", progressive={"confirmer_is_not_the_dealer": False}), staff=STAFF)
    revealed(free, [bet(1, ante=500, progressive=100)], {1: AKQ_SPADES}, NINES)
    for press in free.keys_for(free.dues()[0], supervisor="dana"):
        free.do(press)


def test_what_is_done_says_who_did_it_in_which_role() -> None:
    table = new_table()
    opened(table, bet(1, ante=500))
    done = table.do(op.LockWagers()).operation
    assert (done.by, done.role) == ("dana", StaffRole.DEALER)
    assert [(one.by, one.role) for one in table.in_play().operations] == [("dana", StaffRole.DEALER)] * 2


# --- the staff -------------------------------------------------------------------------------------------------------


def test_a_staff_that_cannot_run_a_table() -> None:
    for members in ({"dana": "dealer"}, {"sam": "supervisor"}, {"dana": ("dealer", "supervisor")}):
        with pytest.raises(StaffError, match="a supervisor who is not the same person"):
            staff_of(**members)  # type: ignore[arg-type]
    with pytest.raises(StaffError, match="needs one or more of the roles"):
        Member(name="p1", roles=(StaffRole.PLAYER,))
    with pytest.raises(StaffError, match="'boss' is no role"):
        staff_of(dana="boss")
    with pytest.raises(StaffError, match="a name occurs twice"):
        Staff((*BENCH_STAFF.members, BENCH_STAFF.members[0]))
    with pytest.raises(StaffError, match="the staff needs an executive"):
        Table(rules_for("light-and-wonder", **NEXUS), staff=staff_of(dana="dealer", sam="supervisor"))


def test_the_staff_changes_but_not_under_a_round() -> None:
    table = new_table()
    opened(table, bet(1, ante=500))
    for members, says in (
        ({"dave": "dealer", "sam": "supervisor"}, "'dana' is dealing this round"),
        ({"dana": ("dealer", "supervisor"), "dave": "dealer"}, "needs a supervisor other than 'dana'"),
        ({"dana": "dealer", "sam": "supervisor", "p1": "dealer"}, "'p1' has wagers in this round"),
    ):
        with pytest.raises(RoundEngineError, match=says):
            table.do(op.ChangeStaff(members=staff_of(**members).members, by="sam"))  # type: ignore[arg-type]
    later = staff_of(dana="dealer", zoe="supervisor")
    table.do(op.ChangeStaff(members=later.members, by="sam"))
    assert table.staff == later
    with pytest.raises(RoleRefused):
        table.do(op.AdjustMeter(wager="progressive", change=5, by="sam", reason="x"))
