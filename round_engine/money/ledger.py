"""Money moves between named accounts; a posting takes from one what it gives to another, so all balances sum to zero.

A balance says how much came in since the books were opened. Accounts:

    player:NAME      a player, at whatever spots
    tips             what the dealer has won in tips
    layout           stakes lying on the table, undecided; empty between rounds
    tray             the dealer's chips: pays and takes everything but percentage awards
    house            the bankroll behind the tray: seeds the meters
    meter:WAGER      what a progressive meter shows
    reserve:WAGER    what has been put aside for the meter's next seed
    payable:WAGER    awards recorded at a keypad and not yet paid; empty between rounds
    elsewhere        other tables on a shared meter
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

TIPS = "tips"
LAYOUT = "layout"
TRAY = "tray"
HOUSE = "house"
ELSEWHERE = "elsewhere"


def player_account(name: str) -> str:
    """The account of a player."""
    return f"player:{name}"


class EntryKind(StrEnum):
    """What a posting is about."""

    PLACED = "placed"  # a stake put on the layout
    COLLECTED = "collected"  # a progressive wager taken at the lock
    CONTRIBUTED = "contributed"  # the meter's share of it
    RESERVED = "reserved"  # the reserve's share of it
    FORFEITED = "forfeited"  # a stake given up by folding
    LOST = "lost"  # a stake taken
    PUSHED = "pushed"  # a stake given back, nothing won
    RETURNED = "returned"  # a stake given back beside a win
    WON = "won"  # a pay from the tray
    RECORDED = "recorded"  # an award taken off the meter at the keypad
    AWARDED = "awarded"  # a recorded award handed to the player
    WITHHELD = "withheld"  # the part of a recorded award that a cap keeps from the player
    SEEDED = "seeded"  # a meter started or restarted
    ENVY = "envy"  # an envy bonus
    BACKED_OUT = "backed out"  # an award undone
    ADJUSTED = "adjusted"  # a meter moved by hand
    LINKED = "linked"  # a meter moved by another table on it
    GIVEN_BACK = "given back"  # a wager that stood from a misdeal and was not used
    VOID = "void"  # a posting of a misdealt round undone


class Posting(NamedTuple):
    """One move of money, with its wager, rule row and clause; a plain tuple, because a round makes dozens."""

    entry: EntryKind
    spot: int  # 0 where no spot is concerned
    wager: str
    amount: int
    source: str
    target: str
    row: str
    clause: str
    note: str = ""

    def reversed(self, note: str) -> "Posting":
        """The posting that undoes this one."""
        return Posting(
            EntryKind.VOID, self.spot, self.wager, self.amount, self.target, self.source, self.row, self.clause, note
        )

    def to_json(self) -> dict[str, Any]:
        """The posting as plain data."""
        return self._asdict() | {"entry": self.entry.value}


class Ledger:
    """Running balances of every account that money has touched."""

    __slots__ = ("balances",)

    def __init__(self, balances: Mapping[str, int] | None = None) -> None:
        self.balances: defaultdict[str, int] = defaultdict(int, balances or {})

    def post(self, postings: Iterable[Posting]) -> None:
        """Move the money."""
        balances = self.balances
        for _, _, _, amount, source, target, _, _, _ in postings:
            balances[source] -= amount
            balances[target] += amount

    def balance(self, account: str) -> int:
        """What the account has gained; zero for one that never moved."""
        return self.balances.get(account, 0)

    def total(self) -> int:
        """The sum over all accounts: zero, always."""
        return sum(self.balances.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and self.balances == other.balances

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Ledger({dict(self.balances)!r})"
