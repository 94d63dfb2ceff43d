"""What a table remembers from round to round, and what it hands back for each operation."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from round_engine.errors import OperationError, StateRefused
from round_engine.meters.awards import (
    BASIS_POINTS,
    Meter,
    meter_account,
    payable_account,
    reserve_account,
)
from round_engine.meters.records import Standing
from round_engine.money import dollars
from round_engine.money.ledger import LAYOUT, Posting
from round_engine.round.operations import Operation
from round_engine.rules.ruleset import Pay, Paytable, ProgressiveRules, RuleSet
from round_engine.staff import BENCH_STAFF, Staff, staff_of
from round_engine.table.used_names import UsedNames
from round_engine.wagers.registry import METERED

FORMAT = 2


class AuditLine(NamedTuple):
    """A correction by hand: who moved what, by how much, and why."""

    what: str
    wager: str
    amount: int
    by: str
    reason: str


class Applied(NamedTuple):
    """What an operation did."""

    operation: Operation
    postings: tuple[Posting, ...] = ()
    audit: AuditLine | None = None


@dataclass(frozen=True, kw_only=True)
class TableState:
    """A table between two rounds, as plain as it can be: enough to go on from."""

    meters: tuple[Meter, ...]
    balances: Mapping[str, int]
    standing: tuple[Standing, ...] = ()
    staff: Staff = BENCH_STAFF
    rounds: UsedNames = field(default_factory=UsedNames)  # every round's id, and
    shuffles: UsedNames = field(default_factory=UsedNames)  # every shuffle, so far
    audit: tuple[AuditLine, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """The state as plain data, ready for `json.dumps`."""
        return {
            "format": FORMAT,
            "meters": [{item.name: getattr(meter, item.name) for item in fields(meter)} for meter in self.meters],
            "balances": dict(self.balances),
            "standing": [one._asdict() for one in self.standing],
            "staff": {member.name: list(member.roles) for member in self.staff.members},
            "rounds": self.rounds.plain(),
            "shuffles": self.shuffles.plain(),
            "audit": [one._asdict() for one in self.audit],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "TableState":
        """The state that `to_json` made this from."""
        if not isinstance(data, Mapping) or "format" not in data:
            raise OperationError("not a table state: it does not say its format")
        if data["format"] != FORMAT:
            raise OperationError(f"a table state of format {data['format']!r}; this version reads {FORMAT}")
        if missing := [key for key in _KEYS if key not in data]:
            raise OperationError(f"not a table state: it lacks {', '.join(missing)}")
        try:
            return cls(
                meters=tuple(Meter(**{**one, "wager": str(one["wager"])}) for one in data["meters"]),
                balances={str(account): _whole(amount) for account, amount in data["balances"].items()},
                standing=tuple(Standing(**{**one, "wager": str(one["wager"])}) for one in data["standing"]),
                staff=staff_of(**data["staff"]),
                rounds=UsedNames(data["rounds"]),
                shuffles=UsedNames(data["shuffles"]),
                audit=tuple(AuditLine(**one) for one in data["audit"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise OperationError(f"not a table state: {error}") from None


_PAYABLE = frozenset(payable_account(wager) for wager in METERED)
_KEYS = ("meters", "balances", "standing", "staff", "rounds", "shuffles", "audit")


def _whole(amount: object) -> int:
    if type(amount) is not int:
        raise ValueError(f"a balance is whole cents, not {amount!r}")
    return amount


def verify_state(rules: RuleSet, state: TableState) -> None:
    """Refuse a state that no table can be in between two rounds."""
    balances = state.balances
    if known := sorted({meter.wager for meter in state.meters} - set(rules.progressives)):
        raise StateRefused(f"the table's state has meters that the rule set does not: {', '.join(known)}")
    if total := sum(balances.values()):
        raise StateRefused(f"the table's state does not balance: the accounts sum to {dollars(total)}, not to $0")
    if balances.get(LAYOUT, 0):
        raise StateRefused(f"the table's state has {dollars(balances[LAYOUT])} on the layout between two rounds")
    for meter in state.meters:
        _verify_meter(rules.progressives[meter.wager], rules.paytable(meter.wager), meter, balances)
    for account in balances:
        if account in _PAYABLE and balances[account]:
            raise StateRefused(f"the table's state has {dollars(balances[account])} in {account} between two rounds")


def _verify_meter(rules: ProgressiveRules, table: Paytable, meter: Meter, balances: Mapping[str, int]) -> None:
    name = meter.wager
    for key in ("amount", "reserve", "carry", "reserve_carry", "floor"):
        if type(getattr(meter, key)) is not int or getattr(meter, key) < 0:
            raise StateRefused(f"the {name} meter's {key.replace('_', ' ')} cannot be {getattr(meter, key)!r}")
    if meter.carry >= BASIS_POINTS or meter.reserve_carry >= BASIS_POINTS:
        raise StateRefused(f"the {name} meter carries a cent or more in parts of a cent")
    if meter.amount < meter.floor or meter.floor > rules.seed:
        raise StateRefused(
            f"the {name} meter shows {dollars(meter.amount)} over a floor of {dollars(meter.floor)}: it cannot be "
            f"below its floor, nor its floor above the seed of {dollars(rules.seed)}"
        )
    if meter.floor < rules.seed and not any(row.pay is Pay.METER and row.value < 100 for row in table.rows):
        raise StateRefused(
            f"the {name} meter shows {dollars(meter.amount)} with a floor of {dollars(meter.floor)}: no award leaves "
            f"it under the seed of {dollars(rules.seed)}"
        )
    for account, shown in ((meter_account(name), meter.amount), (reserve_account(name), meter.reserve)):
        if balances.get(account, 0) != shown:
            raise StateRefused(
                f"the table's state does not balance: {account} holds {dollars(balances.get(account, 0))} in the "
                f"books, and {dollars(shown)} at the meter"
            )
