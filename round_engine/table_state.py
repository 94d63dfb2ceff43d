"""What a table remembers from round to round, and what it hands back for each operation."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from round_engine.errors import OperationError
from round_engine.ledger import Posting
from round_engine.operations import Operation
from round_engine.progressive import Due, Meter
from round_engine.ruleset import Hand, PayRow, Wager

FORMAT = 1


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


@dataclass(slots=True, kw_only=True)
class WinRecord:
    """A win that has been recorded at a keypad in this round."""

    number: int
    wager: Wager
    hand: Hand
    row: PayRow
    spot: int | None  # None where the keypad names no spot and nobody was due
    due: Due | None  # the win that the cards show; None for a wrong entry
    prize: int
    by: str
    seed: int = 0
    from_reserve: int = 0
    adjusted: bool = False  # whether the meter has moved
    backed_out: bool = False


class Standing(NamedTuple):
    """A collected progressive wager that a misdeal left in action for the next round."""

    spot: int
    wager: Wager
    player: str
    stake: int


@dataclass(frozen=True, kw_only=True)
class TableState:
    """A table between two rounds, as plain as it can be: enough to go on from."""

    meters: tuple[Meter, ...]
    balances: Mapping[str, int]
    standing: tuple[Standing, ...] = ()
    last_shuffle: str = ""
    audit: tuple[AuditLine, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """The state as plain data, ready for `json.dumps`."""
        return {
            "format": FORMAT,
            "meters": [{item.name: getattr(meter, item.name) for item in fields(meter)} for meter in self.meters],
            "balances": dict(self.balances),
            "standing": [one._asdict() for one in self.standing],
            "last_shuffle": self.last_shuffle,
            "audit": [one._asdict() for one in self.audit],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "TableState":
        """The state that `to_json` made this from."""
        try:
            if data["format"] != FORMAT:
                raise OperationError(f"a table state of format {data['format']!r}; this version reads {FORMAT}")
            return cls(
                meters=tuple(Meter(**{**one, "wager": Wager(one["wager"])}) for one in data["meters"]),
                balances={str(account): int(amount) for account, amount in data["balances"].items()},
                standing=tuple(Standing(**{**one, "wager": Wager(one["wager"])}) for one in data["standing"]),
                last_shuffle=data["last_shuffle"],
                audit=tuple(AuditLine(**one) for one in data["audit"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise OperationError(f"not a table state: {error!r}") from None
