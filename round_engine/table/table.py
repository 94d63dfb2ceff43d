"""A table from round to round: the round in play, the progressives, the books.

The one door for whoever runs a table: `do` takes any operation, checks it as a whole, carries it out and says what
money moved; a refused operation changes nothing. The same operations from the same state give an equal table.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from round_engine.errors import RoundEngineError, RuleError, WrongPhase
from round_engine.keypads import Crew
from round_engine.meters.awards import Due, Meter, meter_account
from round_engine.meters.jackpot import Jackpot
from round_engine.meters.records import Standing
from round_engine.money.ledger import HOUSE, EntryKind, Ledger, Posting
from round_engine.round.course import Round
from round_engine.round.operations import Operation
from round_engine.rules.ruleset import RuleSet, WagerName
from round_engine.staff import BENCH_STAFF, Staff
from round_engine.staff.acting import acted
from round_engine.staff.rights import Rights
from round_engine.table.moves import OVER, TABLE_MOVES, verify_staff
from round_engine.table.state import Applied, AuditLine, TableState, verify_state
from round_engine.table.used_names import UsedNames
from round_engine.wagers.paybook import PayBook
from round_engine.wagers.spot import verify_table


class Table:
    """A table that can be played at."""

    __slots__ = (
        "audit", "book", "jackpots", "ledger", "opening_postings", "rights", "round", "rounds", "rules", "shuffles",
        "staff", "standing",
    )  # fmt: skip

    def __init__(self, rules: RuleSet, state: TableState | None = None, *, staff: Staff | None = None) -> None:
        """Open a table with fresh meters, or go on from a state; `staff` in place of the state's."""
        verify_table(rules)
        self.rules = rules
        self.book = PayBook(rules)
        self.rights = Rights(rules)
        self.round: Round | None = None
        if state is not None:
            verify_state(rules, state)
        self.staff = staff or (state.staff if state is not None else BENCH_STAFF)
        verify_staff(rules, self.staff)
        known = {meter.wager: meter for meter in state.meters} if state is not None else {}
        self.jackpots: dict[WagerName, Jackpot] = {}
        self.opening_postings: list[Posting] = []
        for wager, progressive in rules.progressives.items():
            meter = known.get(wager)
            if meter is None:
                meter = Meter(wager=wager, amount=progressive.seed, floor=progressive.seed)
                self.opening_postings.append(
                    Posting(
                        EntryKind.SEEDED, 0, wager, progressive.seed, HOUSE, meter_account(wager), "seed",
                        progressive.clauses["reseeded"],
                    )
                )  # fmt: skip
            self.jackpots[wager] = Jackpot(
                rules=progressive, paytable=rules.paytable(wager), meter=meter, meter_before=meter
            )
        self.ledger = Ledger(state.balances if state is not None else None)
        self.ledger.post(self.opening_postings)
        self.standing: tuple[Standing, ...] = state.standing if state is not None else ()
        self.rounds = state.rounds.copy() if state is not None else UsedNames()
        self.shuffles = state.shuffles.copy() if state is not None else UsedNames()
        self.audit: list[AuditLine] = list(state.audit) if state is not None else []

    # --- the door ---

    def verify(self, operation: Operation) -> Any:
        """What doing it needs to know; raises with the reason when it is not allowed."""
        operation = acted(self, operation)
        moves = TABLE_MOVES.get(type(operation))
        return moves.verify(self, operation) if moves is not None else self.in_play().verify(operation)

    def can(self, operation: Operation) -> bool:
        """Whether it is allowed now."""
        try:
            self.verify(operation)
        except RoundEngineError:
            return False
        return True

    def do(self, operation: Operation) -> Applied:
        """Check and do it; what it led to, and the operation with who acted in it."""
        operation = acted(self, operation)
        moves = TABLE_MOVES.get(type(operation))
        if moves is None:
            postings = self.in_play().do(operation)
            if postings:
                self.ledger.post(postings)
            return Applied(operation, tuple(postings))
        return moves.do(self, operation, moves.verify(self, operation))

    @property
    def meters(self) -> Mapping[WagerName, Meter]:
        """What every meter shows."""
        return {wager: jackpot.meter for wager, jackpot in self.jackpots.items()}

    def dues(self) -> list[Due]:
        """The awards of this round that still have to be recorded, in order, progressive by progressive."""
        if self.round is None:
            return []
        return [due for jackpot in self.jackpots.values() for due in jackpot.to_be_keyed(self.round)]

    def keys_for(self, due: Due, *, supervisor: str) -> list[Operation]:
        """The operations that record an award as the meter now stands: keys, and a verification where it is apart."""
        state = self.in_play()
        return self.jackpot(due.wager).script(state, due, Crew(state.dealer_name, supervisor, self.staff))

    def state(self) -> TableState:
        """The table between two rounds; refuses in the middle of one."""
        if self.round is not None and self.round.phase not in OVER:
            raise WrongPhase(f"round {self.round.round_id} is in {self.round.phase}: keep a table between rounds")
        return TableState(
            meters=tuple(self.meters.values()),
            balances=dict(self.ledger.balances),
            standing=self.standing,
            staff=self.staff,
            rounds=self.rounds.copy(),
            shuffles=self.shuffles.copy(),
            audit=tuple(self.audit),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and all(
            getattr(self, name) == getattr(other, name)
            for name in ("rules", "round", "jackpots", "ledger", "standing", "staff", "rounds", "shuffles", "audit")
        )

    __hash__ = None  # type: ignore[assignment]

    # --- for the table's moves ---

    def in_play(self) -> Round:
        """The round on the table."""
        if self.round is None:
            raise WrongPhase("no round is open")
        return self.round

    def post(self, operation: Operation, postings: list[Posting], audit: AuditLine | None = None) -> Applied:
        """Book what an operation moved, and write it into the round it belongs to."""
        self.ledger.post(postings)
        if audit is not None:
            self.audit.append(audit)
        if self.round is not None and self.round.phase not in OVER:
            self.round.postings += postings
            self.round.operations.append(operation)
        return Applied(operation, tuple(postings), audit)

    def jackpot(self, wager: WagerName) -> Jackpot:
        """The progressive of that wager."""
        jackpot = self.jackpots.get(wager)
        if jackpot is None:
            raise RuleError(f"this layout has no {wager} wager")
        return jackpot


def replay(
    rules: RuleSet, operations: Iterable[Operation], state: TableState | None = None, *, staff: Staff | None = None
) -> Table:
    """The table that the operations lead to."""
    table = Table(rules, state, staff=staff)
    for operation in operations:
        table.do(operation)
    return table
