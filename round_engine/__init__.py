"""The game, pure: hands, rule sets as data, wagers, rounds, settlement, progressives, exact odds.

`load` gives a rule set, `Table` plays it by the operations of `round_engine.round.operations`, `replay` plays a list of
them again. Hands and odds have doors of their own: `round_engine.hands`, `round_engine.odds`. Names are imported when
first asked for, so that using one part does not load the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from round_engine.errors import (
        CardError,
        KeyRefused,
        MoneyError,
        MoveRefused,
        OperationError,
        OutOfTurn,
        RoleRefused,
        RoundEngineError,
        RuleError,
        RuleFileError,
        StaffError,
        StateRefused,
        WagerRefused,
        WrongCardCount,
        WrongPhase,
    )
    from round_engine.meters.awards import Due, Meter
    from round_engine.meters.records import WinRecord
    from round_engine.money.ledger import EntryKind, Ledger, Posting
    from round_engine.round.state import Phase
    from round_engine.rules.rulebook import RULE_SETS, SIDE_WAGERS, load
    from round_engine.rules.ruleset import Hand, PayRow, Paytable, RuleSet, WagerName
    from round_engine.staff import BENCH_STAFF, Member, Staff, StaffRole, staff_of
    from round_engine.table import Table, replay
    from round_engine.table.state import Applied, AuditLine, TableState
    from round_engine.wagers.registry import WAGERS
    from round_engine.wagers.spot import SpotWagers

_HOMES = {
    "errors": (
        "CardError", "KeyRefused", "MoneyError", "OperationError", "OutOfTurn", "MoveRefused", "RoundEngineError",
        "RoleRefused", "RuleError", "RuleFileError", "StaffError", "StateRefused", "WagerRefused", "WrongCardCount",
        "WrongPhase",
    ),
    "money.ledger": ("EntryKind", "Ledger", "Posting"),
    "meters.awards": ("Due", "Meter"),
    "round.state": ("Phase",),
    "rules.rulebook": ("RULE_SETS", "SIDE_WAGERS", "load"),
    "rules.ruleset": ("Hand", "PayRow", "Paytable", "RuleSet", "WagerName"),
    "staff": ("BENCH_STAFF", "Member", "StaffRole", "Staff", "staff_of"),
    "table": ("Table", "replay"),
    "table.state": ("Applied", "AuditLine", "TableState"),
    "meters.records": ("WinRecord",),
    "wagers.registry": ("WAGERS",),
    "wagers.spot": ("SpotWagers",),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BENCH_STAFF",
    "RULE_SETS",
    "SIDE_WAGERS",
    "WAGERS",
    "Applied",
    "AuditLine",
    "CardError",
    "Due",
    "EntryKind",
    "Hand",
    "KeyRefused",
    "Ledger",
    "Member",
    "Meter",
    "MoneyError",
    "MoveRefused",
    "OperationError",
    "OutOfTurn",
    "PayRow",
    "Paytable",
    "Phase",
    "Posting",
    "RoleRefused",
    "RoundEngineError",
    "RuleError",
    "RuleFileError",
    "RuleSet",
    "SpotWagers",
    "Staff",
    "StaffError",
    "StaffRole",
    "StateRefused",
    "Table",
    "TableState",
    "WagerName",
    "WagerRefused",
    "WinRecord",
    "WrongCardCount",
    "WrongPhase",
    "load",
    "replay",
    "staff_of",
]


def __getattr__(name: str) -> object:
    if name in _HOME_OF:
        return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
