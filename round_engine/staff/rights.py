"""Which role a move belongs to, move by move and key by key, with the clause of each document that says so.

"(read)" marks a row where the document is silent or names nobody. A rule file of the user's own keeps the rights of the
document that it extends; one with a document of its own has these roles as house rules.
"""

from collections.abc import Mapping
from typing import NamedTuple

from round_engine.keypads import DIALECTS
from round_engine.round.operations import (
    AdjustMeter,
    BackOut,
    ChangeStaff,
    CloseRound,
    CollectFolds,
    DealCard,
    DealGroup,
    DeclareMisdeal,
    ExposeCard,
    Fold,
    LinkMeter,
    LockWagers,
    OpenRound,
    Operation,
    PlaceWagers,
    Play,
    PressKey,
    RevealDealer,
    Settle,
    SettleSpot,
    ShowHand,
    VerifyWin,
    WithdrawWagers,
)
from round_engine.rules.ruleset import RuleSet, WagerName
from round_engine.staff import StaffRole

HOUSE_RULE = "house rule"

DEALER, SUPERVISOR, PLAYER = (StaffRole.DEALER,), (StaffRole.SUPERVISOR,), (StaffRole.PLAYER,)
SYSTEM = (StaffRole.SYSTEM,)
EITHER = (StaffRole.DEALER, StaffRole.SUPERVISOR)
ABOVE = (StaffRole.SUPERVISOR, StaffRole.EXECUTIVE)

STATUTES = ("000", "001")

#    move            roles       000 and 001, n the document  002                      004
MOVE_RIGHTS: Mapping[type[Operation], tuple[tuple[StaffRole, ...], str, str, str]] = {
    OpenRound:      (DEALER,     "{n} (4)",                  "002 (read)",            "004 Dealing (2)"),
    PlaceWagers:    (PLAYER,     "{n} (2)",                  "002 Bets",              "004 Dealing (1)"),
    WithdrawWagers: (PLAYER,     "{n} (2) (read)",           "002 Bets (read)",       "004 Dealing (1) (read)"),
    LockWagers:     (DEALER,     "{n} (4)",                  "002 (read)",            "004 Dealing (2)"),
    DealGroup:      (DEALER,     "{n} (4)",                  "002 Bets (read)",       "004 Dealing (3)"),
    DealCard:       (DEALER,     "{n} (4)",                  "002 Bets (read)",       "004 Dealing (3)"),
    ExposeCard:     (DEALER,     "{n} (5)",                  "002 (read)",            "004 Dealing (3) (read)"),
    ShowHand:       (DEALER,     "{n} (10) (read)",          "002 (read)",            "004 Dealing (7)"),
    Play:           (PLAYER,     "{n} (9)",                  "002 Ante and Play (2)", "004 Dealing (4)"),
    Fold:           (PLAYER,     "{n} (8)",                  "002 Ante and Play (1)", "004 Dealing (4)"),
    CollectFolds:   (DEALER,     "{n} (8)",                  "002 (read)",            "004 Dealing (5)"),
    RevealDealer:   (DEALER,     "{n} (10)",                 "002 Ante and Play",     "004 Dealing (6)"),
    SettleSpot:     (DEALER,     "{n} (10)",                 "002 6 Card Bonus",      "004 Dealing (7)"),
    Settle:         (DEALER,     "{n} (10)",                 "002 6 Card Bonus",      "004 Dealing (7)"),
    CloseRound:     (DEALER,     "{n} (16)(a)(vi)",          "002 (read)",            "004 GM (9)(h)"),
    DeclareMisdeal: (EITHER,     "{n} (5) (read)",           "002 (read)",            "004 Irregularities (1) (read)"),
    VerifyWin:      (SUPERVISOR, "003 (9)(d)",               "003 (9)(d)",            "003 (9)(d)"),
    BackOut:        (ABOVE,      "{n} (16)(a)(iii) (read)",  "003 (9)(g) (read)",     "004 GM (9)(i) (read)"),
    AdjustMeter:    (ABOVE,      "{n} (16)(a)(v) (read)",    "003 (9)(e) (read)",     "004 GM (9)(i) (read)"),
    LinkMeter:      (SYSTEM,     "{n} (16)(a)(v) (read)",    "003 (9)(e) (read)",     "004 GM (9)(g) (read)"),
    ChangeStaff:    (ABOVE,      "{n} (16)(a)(iii) (read)",  "003 (9)(d) (read)",     "004 GM (9)(e) (read)"),
}  # fmt: skip
"""Every operation but keys. `LockWagers`, `CloseRound` and `DeclareMisdeal` press the round's keys of each keypad."""


class Right(NamedTuple):
    """Who may do something, and the clause."""

    roles: tuple[StaffRole, ...]
    clause: str


class Rights:
    """The rights at one table: the literal tables with the rule set's document and settings applied."""

    def __init__(self, rules: RuleSet) -> None:
        statute = rules.document in STATUTES
        self.of_moves: dict[type[Operation], Right] = {}
        for kind, (roles, in_statute, in_002, in_004) in MOVE_RIGHTS.items():
            other = {"002": in_002, "004": in_004}.get(rules.document, HOUSE_RULE)
            self.of_moves[kind] = Right(roles, in_statute.format(n=rules.document) if statute else other)
        self.of_keys: dict[tuple[WagerName, str], Right] = {}
        self.strict: dict[WagerName, bool] = {}
        """By progressive wager, whether whoever deals the round may confirm nothing in it."""
        for wager, how in rules.progressives.items():
            self.strict[wager] = how.confirmer_is_not_the_dealer
            for key, (roles, own, in_statute) in DIALECTS[how.keypad].rights.items():
                clause = in_statute.format(n=rules.document) if statute else own
                if StaffRole.DEALER not in roles and not how.confirmer_is_not_the_dealer:
                    roles = (*roles, StaffRole.DEALER)
                self.of_keys[wager, key] = Right(roles, clause)

    def of(self, operation: Operation) -> Right | None:
        """The right that an operation needs; None for a key that the wager's keypad does not have."""
        if isinstance(operation, PressKey):
            return self.of_keys.get((operation.wager, operation.key))
        right = self.of_moves[type(operation)]
        if isinstance(operation, BackOut) and not self.strict.get(operation.wager, True):
            return Right((*right.roles, StaffRole.DEALER), right.clause)
        return right
