"""Operations that concern more than the round: progressives, keypads, the books. Each has its check and its doing."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from round_engine.errors import Refused, WrongPhase
from round_engine.jackpot import Prepared
from round_engine.keypads import Pressed
from round_engine.ledger import ELSEWHERE, HOUSE, TRAY, Entry, Posting, player_account
from round_engine.operations import (
    AdjustMeter,
    BackOut,
    CloseRound,
    DeclareMisdeal,
    LinkMeter,
    LockWagers,
    OpenRound,
    Operation,
    PressKey,
    Settle,
)
from round_engine.progressive import Due, envy, lit, meter_account
from round_engine.round import Phase, Round, open_round, settle_with
from round_engine.ruleset import Wager
from round_engine.table_state import Applied, AuditLine, Standing, WinRecord

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
    if move.shuffle == table.last_shuffle:
        raise Refused(f"shuffle {move.shuffle!r} has been dealt from: every round needs a shuffle of its own")
    return open_round(table.book, move)


def _do_open(table: "Table", move: OpenRound, opened: Round) -> Applied:
    table.round, table.last_shuffle = opened, move.shuffle
    for jackpot in table.jackpots.values():
        jackpot.open_round()
    return Applied(move)


def _verify_lock(table: "Table", move: LockWagers) -> dict[Wager, Pressed]:
    table_round = table.in_play()
    table_round.verify(move)
    return {
        wager: jackpot.verify_key(jackpot.dialect.lock_key, table_round.dealer_name)
        for wager, jackpot in table.jackpots.items()
    }


def _do_lock(table: "Table", move: LockWagers, pressed: dict[Wager, Pressed]) -> Applied:
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
            Entry.GIVEN_BACK, one.spot, one.wager, one.stake, TRAY, player_account(one.player), "stake",
            table.rules.clauses["misdeal"], "stood from a misdeal and was not used",
        )
        for one in table.standing
        if (spot := state.spots.get(one.spot)) is None or spot.wagers.player != one.player or not lit(spot, one.wager)
    ]  # fmt: skip


def _verify_settle(table: "Table", move: Settle) -> tuple[list[Any], dict[Due, int]]:
    state = table.in_play()
    spots = state.verify(move)
    prizes: dict[Due, int] = {}
    for jackpot in table.jackpots.values():
        prizes |= jackpot.verify_reconciled(state)
    return spots, prizes


def _do_settle(table: "Table", move: Settle, found: tuple[list[Any], dict[Due, int]]) -> Applied:
    state = table.in_play()
    spots, prizes = found
    due = [one for jackpot in table.jackpots.values() for one in jackpot.dues(state)]
    postings = settle_with(state, spots, due, prizes)
    for wager, jackpot in table.jackpots.items():
        if jackpot.keypad.lit:
            paid = envy(table.book, wager, spots, state.dealer.rank, jackpot.meter.amount)
            if jackpot.rules.envy_source == "meter":
                jackpot.follow(paid)
            postings += paid
    return table.post(move, postings)


def _verify_close(table: "Table", move: CloseRound) -> dict[Wager, Pressed]:
    state = table.in_play()
    state.verify(move)
    for jackpot in table.jackpots.values():
        jackpot.verify_reconciled(state)
    return {
        wager: jackpot.verify_key(jackpot.dialect.end_key, state.dealer_name)
        for wager, jackpot in table.jackpots.items()
    }


def _do_close(table: "Table", move: CloseRound, pressed: dict[Wager, Pressed]) -> Applied:
    for wager, jackpot in table.jackpots.items():
        jackpot.keypad = pressed[wager].state
    return Applied(move, tuple(table.in_play().do(move)))


def _verify_misdeal(table: "Table", move: DeclareMisdeal) -> None:
    state = table.in_play()
    state.verify(move)
    never = table.rules.settings.misdeal_after_jackpot == "refused"
    for wager, jackpot in table.jackpots.items():
        if jackpot.records and never:
            raise Refused(f"a {wager} win has been recorded in this round: it cannot be a misdeal any more")
        if standing := jackpot.active():
            raise Refused(
                f"record {standing[-1].number} of {wager} stands: back it out by a manual adjustment before the misdeal"
            )


def _do_misdeal(table: "Table", move: DeclareMisdeal, _found: None) -> Applied:
    state = table.in_play()
    was_locked = state.phase is not Phase.BETTING
    undone = state.do(move)
    stands = table.rules.settings.misdeal_progressive == "stand"
    for jackpot in table.jackpots.values():
        jackpot.void(undone, contributions_reversed=was_locked and not stands)
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
    return table.post(move, table.jackpot(move.wager).press(prepared))


def _verify_back_out(table: "Table", move: BackOut) -> WinRecord:
    state = table.in_play()
    if state.phase in OVER:
        raise WrongPhase(f"round {state.round_id} is {state.phase}; adjust the meter instead")
    _verify_signed(move.by, move.reason)
    return table.jackpot(move.wager).verify_back_out(state, move)


def _do_back_out(table: "Table", move: BackOut, record: WinRecord) -> Applied:
    state = table.in_play()
    paid_to = state.spots[record.due.spot].account if state.settled and record.due is not None else None
    undone = table.jackpot(move.wager).take_back(record, paid_to)
    what = f"record {record.number} ({record.hand}) backed out"
    line = AuditLine(what, move.wager, record.prize, move.by, move.reason)
    return table.post(move, undone, line)


def _verify_adjust(table: "Table", move: AdjustMeter) -> None:
    _verify_signed(move.by, move.reason)
    _verify_change(table, move.wager, move.change)


def _do_adjust(table: "Table", move: AdjustMeter, _found: None) -> Applied:
    clause = table.jackpot(move.wager).rules.clauses["adjusted"]
    posting = _meter_move(Entry.ADJUSTED, move.wager, move.change, HOUSE, clause, f"{move.by}: {move.reason}")
    line = AuditLine("meter adjusted", move.wager, move.change, move.by, move.reason)
    table.jackpot(move.wager).follow([posting])
    return table.post(move, [posting], line)


def _verify_link(table: "Table", move: LinkMeter) -> None:
    if not move.table:
        raise Refused("say which table moved the meter")
    _verify_change(table, move.wager, move.change)


def _do_link(table: "Table", move: LinkMeter, _found: None) -> Applied:
    clause = table.jackpot(move.wager).rules.clauses["contributed"]
    posting = _meter_move(Entry.LINKED, move.wager, move.change, ELSEWHERE, clause, move.table)
    table.jackpot(move.wager).follow([posting])
    return table.post(move, [posting])


def _meter_move(entry: Entry, wager: Wager, change: int, other: str, clause: str, note: str) -> Posting:
    shown = meter_account(wager)
    source, target = (other, shown) if change > 0 else (shown, other)
    return Posting(entry, 0, wager, abs(change), source, target, "meter", clause, note)


def _verify_signed(by: str, reason: str) -> None:
    if not by or not reason:
        raise Refused("a manual adjustment needs a name and a reason")


def _verify_change(table: "Table", wager: Wager, change: object) -> None:
    meter = table.jackpot(wager).meter
    if type(change) is not int or change == 0:
        raise Refused(f"a meter moves by whole cents, not by {change!r}")
    if meter.amount + change < 0:
        raise Refused(f"the {wager} meter shows {meter.amount} cents: it cannot fall by {-change}")


TABLE_MOVES: Mapping[type[Operation], TableMove] = {
    OpenRound: TableMove(_verify_open, _do_open),
    LockWagers: TableMove(_verify_lock, _do_lock),
    Settle: TableMove(_verify_settle, _do_settle),
    CloseRound: TableMove(_verify_close, _do_close),
    DeclareMisdeal: TableMove(_verify_misdeal, _do_misdeal),
    PressKey: TableMove(_verify_press, _do_press),
    BackOut: TableMove(_verify_back_out, _do_back_out),
    AdjustMeter: TableMove(_verify_adjust, _do_adjust),
    LinkMeter: TableMove(_verify_link, _do_link),
}
