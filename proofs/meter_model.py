"""A shared meter as a small pure machine: the oracle that the SQL of the meter server is compared with.

Knows what a move does to a meter, which prizes are held and who is served next. Each move says what its table's books
did (told). The meter may not be able to follow: another table has won it since, or it is at its cap. Then the house
bears the rest, or the reserve takes it; both are in the ledger's row, so that the sum of what was told is the sum of
the books, and the sum of what was moved is the meter.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from shuffler.journal.entries import MeterMoved, MoveKind
from shuffler.meters.errors import MeterRefused
from shuffler.meters.values import Hold, HoldState, MeterRules, Wanted


class RowKind(StrEnum):
    """What a row of the ledger is about; a move of a table makes one, an award with a restart two."""

    SEED = "seed"
    RESET = "reset"
    TRANSFER = "transfer"
    CONTRIBUTION = "contribution"
    AWARD = "award"
    BACK_OUT = "back-out"
    VOID = "void"
    ENVY = "envy"
    CORRECTION = "correction"


class MeterKey(NamedTuple):
    """Under which a move is taken once."""

    table: str
    round_id: str
    spot: int
    kind: str
    nth: int


class Row(NamedTuple):
    """One row of the ledger."""

    key: MeterKey
    told: int
    told_reserve: int
    change: int
    reserve_change: int
    amount: int  # after it
    reserve: int
    floor: int

    @property
    def borne(self) -> int:
        """What the house paid in beside what was told."""
        return self.change + self.reserve_change - self.told - self.told_reserve


@dataclass(frozen=True, kw_only=True, slots=True)
class MeterModel:
    """One meter at one moment; every operation gives the next."""

    rules: MeterRules
    amount: int
    reserve: int = 0
    floor: int
    holds: tuple[Hold, ...] = ()
    rows: tuple[Row, ...] = ()
    last_ticket: int = 0

    @classmethod
    def new(cls, rules: MeterRules) -> "MeterModel":
        """A meter at its seed."""
        first = Row(MeterKey("", "", 0, RowKind.SEED, 1), rules.seed, 0, rules.seed, 0, rules.seed, 0, rules.seed)
        return cls(rules=rules, amount=rules.seed, floor=rules.seed, rows=(first,))

    @property
    def fixed(self) -> Hold | None:
        """The reservation that is served now."""
        return next((hold for hold in self.holds if hold.state is HoldState.FIXED), None)

    @property
    def held(self) -> int:
        """What nobody else may touch."""
        return 0 if self.fixed is None else self.fixed.left

    @property
    def least(self) -> int:
        """What the meter may be brought down to: the floor, and a prize that is fixed."""
        fixed = self.fixed
        if fixed is None:
            return self.floor
        return fixed.left if fixed.percent == 100 else fixed.left + min(self.floor, self.amount - fixed.left)

    def has(self, key: MeterKey) -> bool:
        """Whether a row stands under that key."""
        return any(row.key == key for row in self.rows)

    # --- moves ---

    def push(self, table: str, move: MeterMoved) -> "MeterModel":
        """One move of a table; one that has been taken changes nothing."""
        key = MeterKey(table, move.round_id, move.spot, move.kind, move.nth)
        known = next((row for row in self.rows if row.key == key), None)
        if known is not None:
            told = -move.prize if move.kind is MoveKind.AWARD else move.change
            if (known.told, known.told_reserve) != (told, 0 if move.kind is MoveKind.AWARD else move.reserve_change):
                raise MeterRefused(f"{key} is known with other amounts")
            return self
        match move.kind:
            case MoveKind.RELEASE:
                return self._released(table, move.round_id)._fix_next()
            case MoveKind.AWARD:
                return self._award(key, move)
            case MoveKind.CONTRIBUTION | MoveKind.TRANSFER if move.change < 0 or move.reserve_change < 0:
                raise MeterRefused("a contribution is not negative")
            case MoveKind.BACK_OUT:
                return self._back_out(key, move)
            case MoveKind.VOID:  # what the round had reserved for itself does not stand in its own way
                return self._released(table, move.round_id)._moved(key, move.change, move.reserve_change)._fix_next()
            case _:
                return self._moved(key, move.change, move.reserve_change)

    def _moved(self, key: MeterKey, told: int, told_reserve: int) -> "MeterModel":
        """The row for what was told, as far as the meter can follow."""
        change = max(told, self.least - self.amount) if told < 0 else told
        held_aside = 0 if self.fixed is None or self.fixed.percent < 100 else min(self.fixed.reserve, self.reserve)
        reserve_change = max(told_reserve, held_aside - self.reserve) if told_reserve < 0 else told_reserve
        return self._row(key, told, told_reserve, change, reserve_change)

    def _row(
        self, key: MeterKey, told: int, told_reserve: int, change: int, reserve_change: int, floor: int | None = None
    ) -> "MeterModel":
        over = 0 if self.rules.cap is None else max(0, self.amount + change - self.rules.cap)
        change, reserve_change = change - over, reserve_change + over
        amount, reserve = self.amount + change, self.reserve + reserve_change
        floor = self.floor if floor is None else floor
        row = Row(key, told, told_reserve, change, reserve_change, amount, reserve, floor)
        return replace(self, amount=amount, reserve=reserve, floor=floor, rows=(*self.rows, row))

    def _award(self, key: MeterKey, move: MeterMoved) -> "MeterModel":
        hold = self.fixed
        restarts = bool(move.seed or move.from_reserve)
        if hold is not None and (hold.table, hold.round_id) == (key.table, key.round_id):
            if move.prize > hold.left or (restarts and move.prize != hold.left):
                raise MeterRefused(f"{move.prize} is not what is reserved: {hold.left}")
            after = self._with(replace(hold, left=hold.left - move.prize))
            prize = move.prize
        elif move.ticket > self.last_ticket:  # fixed before this server was restored from a back-up
            after = replace(self, last_ticket=move.ticket)
            prize = min(move.prize, self.amount - self.held)
        else:
            raise MeterRefused("an award without a reservation")
        left = after.amount - prize
        after = after._row(key, -move.prize, 0, -prize, 0, floor=min(after.floor, left))
        if restarts:
            aside = min(move.from_reserve, after.reserve)
            after = after._row(
                key._replace(kind=RowKind.RESET), move.seed + move.from_reserve, -move.from_reserve,
                move.seed + move.from_reserve, -aside, floor=self.rules.seed,
            )  # fmt: skip
        fixed = after.fixed
        if fixed is not None and fixed.left == 0:
            after = after._with(replace(fixed, state=HoldState.TAKEN))._fix_next()
        return after

    def _back_out(self, key: MeterKey, move: MeterMoved) -> "MeterModel":
        """An award taken back gives its floor back, and takes back the seed that restarted the meter."""
        of_round = [one for one in self.holds if (one.table, one.round_id) == (key.table, key.round_id)]
        hold = next((one for one in reversed(of_round) if one.state is HoldState.TAKEN), None)
        if hold is None:
            return self._moved(key, move.change, move.reserve_change)
        after = replace(self, floor=min(self.floor, hold.floor))._moved(key, move.change, move.reserve_change)
        floor = max(0 if hold.percent == 100 else self.floor, min(hold.floor, after.amount))
        return replace(after, floor=floor, rows=(*self.rows, after.rows[-1]._replace(floor=floor)))

    def _released(self, table: str, round_id: str) -> "MeterModel":
        after = self
        for hold in self.holds:
            if (hold.table, hold.round_id) == (table, round_id) and hold.open:
                after = after._with(replace(hold, state=HoldState.RELEASED, left=0))
        return after

    # --- reservations ---

    def ask(self, table: str, round_id: str, wanted: tuple[Wanted, ...]) -> "MeterModel":
        """Reserve awards, in this order, behind those that were asked for before; asking again changes nothing."""
        after = self
        for one in wanted:
            if one.percent not in self.rules.percents:
                raise MeterRefused(f"no award takes {one.percent}% of {self.rules.name}")
            if after.hold_of(table, round_id, one) is None:
                ticket = after.last_ticket + 1
                hold = Hold(ticket=ticket, table=table, round_id=round_id, **one._asdict())
                after = replace(after, holds=(*after.holds, hold), last_ticket=ticket)
        return after._fix_next()

    def hold_of(self, table: str, round_id: str, wanted: Wanted) -> Hold | None:
        """The reservation of an award."""
        key = table, round_id, wanted.spot, wanted.nth
        return next((one for one in self.holds if (one.table, one.round_id, one.spot, one.nth) == key), None)

    def _fix_next(self) -> "MeterModel":
        """The first in the queue gets its prize, from the meter as it now stands, when nobody is being served."""
        if self.fixed is not None:
            return self
        hold = next((one for one in self.holds if one.state is HoldState.WAITING), None)
        if hold is None:
            return self
        pot, rest = divmod(self.amount * hold.percent, 100)
        if (self.rules.rounding == "up" and rest) or (self.rules.rounding == "nearest" and rest >= 50):
            pot += 1
        return self._with(
            replace(
                hold, state=HoldState.FIXED, pot=pot, left=pot, amount=self.amount, reserve=self.reserve,
                floor=self.floor,
            )
        )  # fmt: skip

    def _with(self, hold: Hold) -> "MeterModel":
        return replace(self, holds=tuple(hold if one.ticket == hold.ticket else one for one in self.holds))

    # --- by hand ---

    def correct(self, change: int, nth: int) -> "MeterModel":
        """Two people move the meter against the house; refuses what is not free."""
        if self.amount + change < self.least or (self.rules.cap is not None and self.amount + change > self.rules.cap):
            raise MeterRefused(f"the meter shows {self.amount} and {self.least} of it must stay")
        return self._row(MeterKey("", "", 0, RowKind.CORRECTION, nth), change, 0, change, 0)

    # --- what must hold ---

    def problems(self) -> list[str]:
        """Whatever is wrong with it; nothing, always."""
        wrong = []
        amount = reserve = 0
        for row in self.rows:
            amount, reserve = amount + row.change, reserve + row.reserve_change
            if (row.amount, row.reserve) != (amount, reserve) or amount < 0 or reserve < 0:
                wrong.append(f"the ledger does not add up at {row.key}")
            if row.borne < 0:
                wrong.append(f"{row.key}: money left the meter that nobody was told of")
        if (amount, reserve) != (self.amount, self.reserve):
            wrong.append(f"the meter shows {self.amount}, the ledger adds up to {amount}")
        if self.amount < self.floor or (self.rules.whole_only and self.floor != self.rules.seed):
            wrong.append(f"{self.amount} is below the floor of {self.floor}, or that below the seed")
        if not 0 <= self.held <= self.amount or not 0 <= self.floor <= self.rules.seed:
            wrong.append(f"{self.held} are held of {self.amount}, floor {self.floor}")
        if self.rules.cap is not None and self.amount > self.rules.cap:
            wrong.append(f"{self.amount} is above the cap")
        if len({row.key for row in self.rows}) != len(self.rows):
            wrong.append("a key occurs twice")
        if sum(hold.state is HoldState.FIXED for hold in self.holds) > 1:
            wrong.append("two awards are served at once")
        return wrong
