"""Operations that concern more than the round: progressives, keypads, the books. Each has its check and its doing."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from round_engine.errors import MoveRefused, StaffError, WagerRefused, WrongPhase
from round_engine.keypads import DIALECTS, Pressed
from round_engine.meters.awards import Due, lit, meter_account, reserve_account
from round_engine.meters.jackpot import Prepared
from round_engine.meters.records import Standing, WinRecord
from round_engine.money.ledger import ELSEWHERE, HOUSE, TRAY, EntryKind, Posting, player_account
from round_engine.round.course import Phase, Round, open_round, settle_with
from round_engine.round.operations import (
    AdjustMeter,
    BackOut,
    ChangeStaff,
    CloseRound,
    DeclareMisdeal,
    LinkMeter,
    LockWagers,
    OpenRound,
    Operation,
    PressKey,
    Settle,
    SettleSpot,
    VerifyWin,
)
from round_engine.round.state import Spot
from round_engine.rules.ruleset import RuleSet, WagerName
from round_engine.staff import Staff, StaffRole
from round_engine.table.state import Applied, AuditLine

if TYPE_CHECKING:
    from round_engine.table import Table

OVER = (Phase.CLOSED, Phase.VOID)


class TableMove(NamedTuple):
    """How an operation is checked, and how it is done with what the check found."""

    verify: Callable[["Table", Any], Any]
    do: Callable[["Table", Any, Any], Applied]


def _verify_open(table: "Table", move: OpenRound) -> Round:
    if table.round is not None and table.round.phase not in OVER:
        raise WrongPhase(f"round {table.round.round_id} is in {table.round.phase}: close it before the next")
    opened = open_round(table.book, move)
    if move.round_id in table.rounds:
        raise MoveRefused(f"there has been a round {move.round_id!r}: every round needs an id of its own")
    if move.shuffle in table.shuffles:
        raise MoveRefused(f"shuffle {move.shuffle!r} has been dealt from: every round needs a shuffle of its own")
    for wagers in move.wagers:
        _verify_no_staff(table, wagers.player)
    return opened


def _verify_no_staff(table: "Table", player: str) -> None:
    if table.staff.roles_of(player):
        raise WagerRefused(f"{player!r} works at this table and cannot play at it")


def _do_open(table: "Table", move: OpenRound, opened: Round) -> Applied:
    table.round = opened
    table.rounds.add(move.round_id)
    table.shuffles.add(move.shuffle)
    for jackpot in table.jackpots.values():
        jackpot.open_round()
    return Applied(move)


def _verify_lock(table: "Table", move: LockWagers) -> dict[WagerName, Pressed]:
    table_round = table.in_play()
    table_round.verify(move)
    return {
        wager: jackpot.verify_key(jackpot.dialect.lock_key, table_round.dealer_name)
        for wager, jackpot in table.jackpots.items()
    }


def _do_lock(table: "Table", move: LockWagers, pressed: dict[WagerName, Pressed]) -> Applied:
    state = table.in_play()
    postings = state.do(move)
    more: list[Posting] = []
    for wager, jackpot in table.jackpots.items():
        more += jackpot.lock(pressed[wager], state, table.standing)
    if table.standing:
        more += _given_back(table, state)
        table.standing = ()
    state.postings += more
    postings = postings + more
    table.ledger.post(postings)
    return Applied(move, tuple(postings))


def _given_back(table: "Table", state: Round) -> list[Posting]:
    """A wager that stood for this round goes back where its player did not leave it in."""
    return [
        Posting(
            EntryKind.GIVEN_BACK, one.spot, one.wager, one.stake, TRAY, player_account(one.player), "stake",
            table.rules.clauses["misdeal"], "stood from a misdeal and was not used",
        )
        for one in table.standing
        if (spot := state.spots.get(one.spot)) is None or spot.wagers.player != one.player or not lit(spot, one.wager)
    ]  # fmt: skip


class Settling(NamedTuple):
    """What a settlement needs: the spots in order, the awards that go with them, the recorded prizes."""

    spots: list[Spot]
    dues: list[Due]
    prizes: dict[Due, int]


def _verify_settle(table: "Table", move: Settle) -> Settling:
    state = table.in_play()
    spots = state.verify(move)
    prizes: dict[Due, int] = {}
    for jackpot in table.jackpots.values():
        prizes |= jackpot.verify_reconciled(state)
    return Settling(spots, _dues(table, {spot.wagers.spot for spot in spots}, last=True), prizes)


def _verify_settle_spot(table: "Table", move: SettleSpot) -> Settling:
    """One spot: with it go its own awards, where the rules pay them with the spot; they are recorded by then."""
    state = table.in_play()
    spots = state.verify(move)
    due_now = _dues(table, {move.spot}, last=False)
    prizes = {due: prize for jackpot in table.jackpots.values() for due, prize in jackpot.prizes().items()}
    for jackpot in table.jackpots.values():
        jackpot.verify_recorded(state, due_now)
    return Settling(spots, due_now, prizes)


def _dues(table: "Table", spots: set[int], *, last: bool) -> list[Due]:
    """The awards that are paid now."""
    state = table.in_play()
    every = [due for jackpot in table.jackpots.values() for due in jackpot.dues(state)]
    if table.rules.settings.progressive_paid == "end-of-round":
        return every if last else []
    return [due for due in every if due.spot in spots]


def _do_settle(table: "Table", move: Settle | SettleSpot, found: Settling) -> Applied:
    state, last = table.in_play(), isinstance(move, Settle)
    postings = settle_with(state, found.spots, found.dues, found.prizes, last=last)
    for jackpot in table.jackpots.values():
        jackpot.paid(postings)
    if last:
        for jackpot in table.jackpots.values():
            postings += jackpot.pay_envy(state)
    return table.post(move, postings)


def _verify_close(table: "Table", move: CloseRound) -> dict[WagerName, Pressed]:
    state = table.in_play()
    state.verify(move)
    for jackpot in table.jackpots.values():
        jackpot.verify_reconciled(state)
    return {
        wager: jackpot.verify_key(jackpot.dialect.end_key, state.dealer_name)
        for wager, jackpot in table.jackpots.items()
    }


def _do_close(table: "Table", move: CloseRound, pressed: dict[WagerName, Pressed]) -> Applied:
    for wager, jackpot in table.jackpots.items():
        jackpot.keypad = pressed[wager].state
    return Applied(move, tuple(table.in_play().do(move)))


def _verify_misdeal(table: "Table", move: DeclareMisdeal) -> None:
    state = table.in_play()
    state.verify(move)
    never = table.rules.settings.misdeal_after_jackpot == "refused" and not state.miscount
    for wager, jackpot in table.jackpots.items():
        if jackpot.records and never:
            raise MoveRefused(f"a {wager} win has been recorded in this round: it cannot be a misdeal any more")
        if standing := jackpot.active():
            raise MoveRefused(
                f"record {standing[-1].number} of {wager} stands: back it out by a manual adjustment before the misdeal"
            )


def _do_misdeal(table: "Table", move: DeclareMisdeal, _found: None) -> Applied:
    state = table.in_play()
    was_locked = state.phase is not Phase.BETTING
    undone = state.verify(move)
    stands = table.rules.settings.misdeal_progressive == "stand"
    for jackpot in table.jackpots.values():
        undone = jackpot.void(undone, contributions_reversed=was_locked and not stands)
    state.carry_out(move, undone)
    if stands and was_locked:
        table.standing = tuple(
            Standing(number, wager, spot.wagers.player, jackpot.rules.denomination)
            for wager, jackpot in table.jackpots.items()
            for number, spot in state.spots.items()
            if lit(spot, wager)
        )
    table.ledger.post(undone)
    return Applied(move, tuple(undone))


def _verify_press(table: "Table", move: PressKey) -> Prepared:
    return table.jackpot(move.wager).verify_press(table.in_play(), move)


def _do_press(table: "Table", move: PressKey, prepared: Prepared) -> Applied:
    return table.post(move, table.jackpot(move.wager).press(table.in_play(), prepared))


def _verify_verify(table: "Table", move: VerifyWin) -> None:
    table.jackpot(move.wager).verify_verify(table.in_play(), move)


def _do_verify(table: "Table", move: VerifyWin, _found: None) -> Applied:
    table.jackpot(move.wager).verified[move.spot, move.hand] = move.by
    return table.post(move, [])


def _verify_back_out(table: "Table", move: BackOut) -> WinRecord:
    state = table.in_play()
    if state.phase in OVER:
        raise WrongPhase(f"round {state.round_id} is {state.phase}; adjust the meter instead")
    _verify_signed(move.by, move.reason)
    return table.jackpot(move.wager).verify_back_out(move)


def _do_back_out(table: "Table", move: BackOut, record: WinRecord) -> Applied:
    undone = table.jackpot(move.wager).take_back(record, void=move.void)
    what = f"record {record.number} ({record.hand}) {'void' if move.void else 'backed out'}"
    line = AuditLine(what, move.wager, record.prize, move.by, move.reason)
    return table.post(move, undone, line)


def _verify_adjust(table: "Table", move: AdjustMeter) -> None:
    _verify_signed(move.by, move.reason)
    table.jackpot(move.wager).verify_move(move.change)


def _do_adjust(table: "Table", move: AdjustMeter, _found: None) -> Applied:
    clause = table.jackpot(move.wager).rules.clauses["adjusted"]
    posting = _meter_move(EntryKind.ADJUSTED, move.wager, move.change, HOUSE, clause, f"{move.by}: {move.reason}")
    line = AuditLine("meter adjusted", move.wager, move.change, move.by, move.reason)
    table.jackpot(move.wager).follow([posting])
    return table.post(move, [posting], line)


def _verify_link(table: "Table", move: LinkMeter) -> int:
    if not move.table:
        raise MoveRefused("say which table moved the meter")
    return table.jackpot(move.wager).verify_move(move.change, move.percent, move.reserve_change, move.floor)


def _do_link(table: "Table", move: LinkMeter, floor: int) -> Applied:
    jackpot = table.jackpot(move.wager)
    clause = jackpot.rules.clauses["contributed"]
    postings = [
        _meter_move(EntryKind.LINKED, move.wager, change, ELSEWHERE, clause, move.table, account)
        for change, account in (
            (move.change, meter_account(move.wager)),
            (move.reserve_change, reserve_account(move.wager)),
        )
        if change
    ]
    jackpot.moved(move, floor, postings)
    return table.post(move, postings)


def _meter_move(
    entry: EntryKind, wager: WagerName, change: int, other: str, clause: str, note: str, account: str | None = None
) -> Posting:
    shown = meter_account(wager) if account is None else account
    source, target = (other, shown) if change > 0 else (shown, other)
    return Posting(entry, 0, wager, abs(change), source, target, "meter", clause, note)


def _verify_signed(by: str, reason: str) -> None:
    if not by or not reason:
        raise MoveRefused("a manual adjustment needs a name and a reason")


def verify_staff(rules: RuleSet, staff: Staff) -> None:
    """Refuse a staff that cannot work every keypad of the table."""
    for how in rules.progressives.values():
        if DIALECTS[how.keypad].needs_executive and not staff.holding(StaffRole.EXECUTIVE):
            needs = "takes an executive's card for large prizes: the staff needs an executive"
            raise StaffError(f"the {how.keypad} keypad {needs}")


def _verify_change_staff(table: "Table", move: ChangeStaff) -> Staff:
    staff = Staff(move.members)
    verify_staff(table.rules, staff)
    state = table.round
    if state is not None and state.phase not in OVER:
        if StaffRole.DEALER not in staff.roles_of(state.dealer_name):
            raise MoveRefused(f"{state.dealer_name!r} is dealing this round and stays on the staff until its end")
        if not any(name != state.dealer_name for name in staff.holding(StaffRole.SUPERVISOR)):
            raise MoveRefused(f"the round needs a supervisor other than {state.dealer_name!r}, who deals it")
        for spot in state.spots.values():
            if staff.roles_of(spot.wagers.player):
                raise MoveRefused(f"{spot.wagers.player!r} has wagers in this round and cannot join the staff")
    return staff


def _do_change_staff(table: "Table", move: ChangeStaff, staff: Staff) -> Applied:
    table.staff = staff
    return table.post(move, [])


TABLE_MOVES: Mapping[type[Operation], TableMove] = {
    OpenRound: TableMove(_verify_open, _do_open),
    LockWagers: TableMove(_verify_lock, _do_lock),
    SettleSpot: TableMove(_verify_settle_spot, _do_settle),
    Settle: TableMove(_verify_settle, _do_settle),
    CloseRound: TableMove(_verify_close, _do_close),
    DeclareMisdeal: TableMove(_verify_misdeal, _do_misdeal),
    PressKey: TableMove(_verify_press, _do_press),
    VerifyWin: TableMove(_verify_verify, _do_verify),
    BackOut: TableMove(_verify_back_out, _do_back_out),
    AdjustMeter: TableMove(_verify_adjust, _do_adjust),
    LinkMeter: TableMove(_verify_link, _do_link),
    ChangeStaff: TableMove(_verify_change_staff, _do_change_staff),
}
