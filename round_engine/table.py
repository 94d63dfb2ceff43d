"""A table from round to round: the round in play, the progressives, the books.

The one door for whoever runs a table: `do` takes any operation, checks it as a whole, carries it out and says what
money moved; a refused operation changes nothing. The same operations from the same state give an equal table.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from round_engine.errors import Refused, RoundEngineError, RuleError, WrongPhase
from round_engine.jackpot import Jackpot, Prepared
from round_engine.keypads import Pressed
from round_engine.ledger import ELSEWHERE, HOUSE, TRAY, Entry, Ledger, Posting, player_account
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
from round_engine.paybook import PayBook
from round_engine.progressive import Due, Meter, envy, lit, meter_account
from round_engine.round import Phase, Round, open_round, settle_with
from round_engine.ruleset import RuleSet, Wager
from round_engine.table_state import Applied, AuditLine, Standing, TableState, WinRecord
from round_engine.wagers import verify_table

OVER = (Phase.CLOSED, Phase.VOID)


class Table:
    """A table that can be played at."""

    __slots__ = (
        "audit", "book", "jackpots", "last_shuffle", "ledger", "opening_postings", "round", "rules", "standing",
    )  # fmt: skip

    def __init__(self, rules: RuleSet, state: TableState | None = None) -> None:
        """Open a table with fresh meters, or go on from a state."""
        verify_table(rules)
        self.rules = rules
        self.book = PayBook(rules)
        self.round: Round | None = None
        known = {meter.wager: meter for meter in state.meters} if state is not None else {}
        if set(known) - set(rules.progressives):
            raise RuleError("the table's state has meters that the rule set does not")
        self.jackpots: dict[Wager, Jackpot] = {}
        self.opening_postings: list[Posting] = []
        for wager, progressive in rules.progressives.items():
            meter = known.get(wager)
            if meter is None:
                meter = Meter(wager=wager, amount=progressive.seed)
                self.opening_postings.append(
                    Posting(
                        Entry.SEEDED, 0, wager, progressive.seed, HOUSE, meter_account(wager), "seed",
                        progressive.clauses["reseeded"],
                    )
                )  # fmt: skip
            self.jackpots[wager] = Jackpot(
                rules=progressive, paytable=rules.paytable(wager), meter=meter, meter_before=meter
            )
            if state is not None and wager in known and state.balances.get(meter_account(wager)) != meter.amount:
                raise RuleError(f"the table's state does not balance: the {wager} meter shows {meter.amount} cents")
        self.ledger = Ledger(state.balances if state is not None else None)
        self.ledger.post(self.opening_postings)
        self.standing: tuple[Standing, ...] = state.standing if state is not None else ()
        self.last_shuffle = state.last_shuffle if state is not None else ""
        self.audit: list[AuditLine] = list(state.audit) if state is not None else []

    # --- the door ---

    def verify(self, operation: Operation) -> Any:
        """What doing it needs to know; raises with the reason when it is not allowed."""
        moves = _MOVES.get(type(operation))
        return moves[0](self, operation) if moves is not None else self._in_play().verify(operation)

    def can(self, operation: Operation) -> bool:
        """Whether it is allowed now."""
        try:
            self.verify(operation)
        except RoundEngineError:
            return False
        return True

    def do(self, operation: Operation) -> Applied:
        """Check and do it; what it led to."""
        moves = _MOVES.get(type(operation))
        if moves is None:
            postings = self._in_play().do(operation)
            if postings:
                self.ledger.post(postings)
            return Applied(operation, tuple(postings))
        return moves[1](self, operation, moves[0](self, operation))

    @property
    def meters(self) -> Mapping[Wager, Meter]:
        """What every meter shows."""
        return {wager: jackpot.meter for wager, jackpot in self.jackpots.items()}

    def dues(self) -> list[Due]:
        """The awards of this round that still have to be recorded, in order, progressive by progressive."""
        if self.round is None:
            return []
        return [due for jackpot in self.jackpots.values() for due in jackpot.to_be_keyed(self.round)]

    def state(self) -> TableState:
        """The table between two rounds; refuses in the middle of one."""
        if self.round is not None and self.round.phase not in OVER:
            raise WrongPhase(f"round {self.round.round_id} is in {self.round.phase}: keep a table between rounds")
        return TableState(
            meters=tuple(self.meters.values()),
            balances=dict(self.ledger.balances),
            standing=self.standing,
            last_shuffle=self.last_shuffle,
            audit=tuple(self.audit),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and all(
            getattr(self, name) == getattr(other, name)
            for name in ("rules", "round", "jackpots", "ledger", "standing", "last_shuffle", "audit")
        )

    __hash__ = None  # type: ignore[assignment]

    # --- inside ---

    def _in_play(self) -> Round:
        if self.round is None:
            raise WrongPhase("no round is open")
        return self.round

    def _post(self, operation: Operation, postings: list[Posting], audit: AuditLine | None = None) -> Applied:
        """Book what an operation moved, and write it into the round it belongs to."""
        self.ledger.post(postings)
        if audit is not None:
            self.audit.append(audit)
        if self.round is not None and self.round.phase not in OVER:
            self.round.postings += postings
            self.round.operations.append(operation)
        return Applied(operation, tuple(postings), audit)

    def _jackpot(self, wager: Wager) -> Jackpot:
        jackpot = self.jackpots.get(wager)
        if jackpot is None:
            raise RuleError(f"this layout has no {wager} wager")
        return jackpot


def replay(rules: RuleSet, operations: Iterable[Operation], state: TableState | None = None) -> Table:
    """The table that the operations lead to."""
    table = Table(rules, state)
    for operation in operations:
        table.do(operation)
    return table


# --- operations that concern more than the round -------------------------------------------------------------------


def _verify_open(table: Table, move: OpenRound) -> Round:
    if table.round is not None and table.round.phase not in OVER:
        raise WrongPhase(f"round {table.round.round_id} is in {table.round.phase}: close it before the next")
    if move.shuffle == table.last_shuffle:
        raise Refused(f"shuffle {move.shuffle!r} has been dealt from: every round needs a shuffle of its own")
    return open_round(table.book, move)


def _do_open(table: Table, move: OpenRound, opened: Round) -> Applied:
    table.round, table.last_shuffle = opened, move.shuffle
    for jackpot in table.jackpots.values():
        jackpot.open_round()
    return Applied(move)


def _verify_lock(table: Table, move: LockWagers) -> dict[Wager, Pressed]:
    table_round = table._in_play()
    table_round.verify(move)
    return {
        wager: jackpot.verify_key(jackpot.dialect.lock_key, table_round.dealer_name)
        for wager, jackpot in table.jackpots.items()
    }


def _do_lock(table: Table, move: LockWagers, pressed: dict[Wager, Pressed]) -> Applied:
    state = table._in_play()
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


def _given_back(table: Table, state: Round) -> list[Posting]:
    """A wager that stood for this round goes back where its player did not leave it in."""
    return [
        Posting(
            Entry.GIVEN_BACK, one.spot, one.wager, one.stake, TRAY, player_account(one.player), "stake",
            table.rules.clauses["misdeal"], "stood from a misdeal and was not used",
        )
        for one in table.standing
        if (spot := state.spots.get(one.spot)) is None or spot.wagers.player != one.player or not lit(spot, one.wager)
    ]  # fmt: skip


def _verify_settle(table: Table, move: Settle) -> tuple[list[Any], dict[Due, int]]:
    state = table._in_play()
    spots = state.verify(move)
    prizes: dict[Due, int] = {}
    for jackpot in table.jackpots.values():
        prizes |= jackpot.verify_reconciled(state)
    return spots, prizes


def _do_settle(table: Table, move: Settle, found: tuple[list[Any], dict[Due, int]]) -> Applied:
    state = table._in_play()
    spots, prizes = found
    due = [one for jackpot in table.jackpots.values() for one in jackpot.dues(state)]
    postings = settle_with(state, spots, due, prizes)
    for wager, jackpot in table.jackpots.items():
        if jackpot.keypad.lit:
            paid = envy(table.book, wager, spots, state.dealer.rank, jackpot.meter.amount)
            if jackpot.rules.envy_source == "meter":
                jackpot.follow(paid)
            postings += paid
    return table._post(move, postings)


def _verify_close(table: Table, move: CloseRound) -> dict[Wager, Pressed]:
    state = table._in_play()
    state.verify(move)
    for jackpot in table.jackpots.values():
        jackpot.verify_reconciled(state)
    return {
        wager: jackpot.verify_key(jackpot.dialect.end_key, state.dealer_name)
        for wager, jackpot in table.jackpots.items()
    }


def _do_close(table: Table, move: CloseRound, pressed: dict[Wager, Pressed]) -> Applied:
    for wager, jackpot in table.jackpots.items():
        jackpot.keypad = pressed[wager].state
    return Applied(move, tuple(table._in_play().do(move)))


def _verify_misdeal(table: Table, move: DeclareMisdeal) -> None:
    state = table._in_play()
    state.verify(move)
    never = table.rules.settings.misdeal_after_jackpot == "refused"
    for wager, jackpot in table.jackpots.items():
        if jackpot.records and never:
            raise Refused(f"a {wager} win has been recorded in this round: it cannot be a misdeal any more")
        if standing := jackpot.active():
            raise Refused(
                f"record {standing[-1].number} of {wager} stands: back it out by a manual adjustment before the misdeal"
            )


def _do_misdeal(table: Table, move: DeclareMisdeal, _found: None) -> Applied:
    state = table._in_play()
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


def _verify_press(table: Table, move: PressKey) -> Prepared:
    return table._jackpot(move.wager).verify_press(table._in_play(), move)


def _do_press(table: Table, move: PressKey, prepared: Prepared) -> Applied:
    return table._post(move, table._jackpot(move.wager).press(prepared))


def _verify_back_out(table: Table, move: BackOut) -> WinRecord:
    state = table._in_play()
    if state.phase in OVER:
        raise WrongPhase(f"round {state.round_id} is {state.phase}; adjust the meter instead")
    _verify_signed(move.by, move.reason)
    return table._jackpot(move.wager).verify_back_out(state, move)


def _do_back_out(table: Table, move: BackOut, record: WinRecord) -> Applied:
    state = table._in_play()
    paid_to = state.spots[record.due.spot].account if state.settled and record.due is not None else None
    undone = table._jackpot(move.wager).take_back(record, paid_to)
    what = f"record {record.number} ({record.hand}) backed out"
    line = AuditLine(what, move.wager, record.prize, move.by, move.reason)
    return table._post(move, undone, line)


def _verify_adjust(table: Table, move: AdjustMeter) -> None:
    _verify_signed(move.by, move.reason)
    _verify_change(table, move.wager, move.change)


def _do_adjust(table: Table, move: AdjustMeter, _found: None) -> Applied:
    clause = table._jackpot(move.wager).rules.clauses["adjusted"]
    posting = _meter_move(Entry.ADJUSTED, move.wager, move.change, HOUSE, clause, f"{move.by}: {move.reason}")
    line = AuditLine("meter adjusted", move.wager, move.change, move.by, move.reason)
    table._jackpot(move.wager).follow([posting])
    return table._post(move, [posting], line)


def _verify_link(table: Table, move: LinkMeter) -> None:
    if not move.table:
        raise Refused("say which table moved the meter")
    _verify_change(table, move.wager, move.change)


def _do_link(table: Table, move: LinkMeter, _found: None) -> Applied:
    clause = table._jackpot(move.wager).rules.clauses["contributed"]
    posting = _meter_move(Entry.LINKED, move.wager, move.change, ELSEWHERE, clause, move.table)
    table._jackpot(move.wager).follow([posting])
    return table._post(move, [posting])


def _meter_move(entry: Entry, wager: Wager, change: int, other: str, clause: str, note: str) -> Posting:
    shown = meter_account(wager)
    source, target = (other, shown) if change > 0 else (shown, other)
    return Posting(entry, 0, wager, abs(change), source, target, "meter", clause, note)


def _verify_signed(by: str, reason: str) -> None:
    if not by or not reason:
        raise Refused("a manual adjustment needs a name and a reason")


def _verify_change(table: Table, wager: Wager, change: object) -> None:
    meter = table._jackpot(wager).meter
    if type(change) is not int or change == 0:
        raise Refused(f"a meter moves by whole cents, not by {change!r}")
    if meter.amount + change < 0:
        raise Refused(f"the {wager} meter shows {meter.amount} cents: it cannot fall by {-change}")


_MOVES: Mapping[type[Operation], tuple[Callable[[Table, Any], Any], Callable[[Table, Any, Any], Applied]]] = {
    OpenRound: (_verify_open, _do_open),
    LockWagers: (_verify_lock, _do_lock),
    Settle: (_verify_settle, _do_settle),
    CloseRound: (_verify_close, _do_close),
    DeclareMisdeal: (_verify_misdeal, _do_misdeal),
    PressKey: (_verify_press, _do_press),
    BackOut: (_verify_back_out, _do_back_out),
    AdjustMeter: (_verify_adjust, _do_adjust),
    LinkMeter: (_verify_link, _do_link),
}
