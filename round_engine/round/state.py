"""What a round remembers: phase, spots, cards, decisions, money moved."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple

from round_engine.money.ledger import Posting
from round_engine.round.operations import Operation
from round_engine.rules.ruleset import Dealing, WagerName
from round_engine.wagers.paybook import PayBook
from round_engine.wagers.spot import SpotWagers

UNKNOWN = -1


class Phase(StrEnum):
    """Where a round stands."""

    BETTING = "betting"
    LOCKED = "locked"
    DEALING = "dealing"
    DECISIONS = "decisions"
    REVEAL = "reveal"  # all have decided; folds are collected, then the dealer's hand is turned over
    SETTLEMENT = "settlement"
    MISDEALT = "misdealt"  # somebody has the wrong number of cards: nothing but the misdeal is left
    CLOSED = "closed"
    VOID = "void"


class Exposed(NamedTuple):
    """A card that was seen while dealing."""

    spot: int
    card: int | None


class Miscount(NamedTuple):
    """A wrong number of cards, found while checking an operation: always a misdeal, and no second try."""

    reason: str


@dataclass(slots=True, kw_only=True)
class DealtHand:
    """Cards that have been dealt to somebody, known or not."""

    dealt: int = 0
    cards: tuple[int, ...] = ()  # as far as they are known
    rank: int = UNKNOWN
    paying: int = UNKNOWN  # the rank to look a pay up by
    seen: tuple[int, ...] = ()  # faces that were exposed in this hand


@dataclass(slots=True, kw_only=True)
class Spot(DealtHand):
    """One spot in one round."""

    wagers: SpotWagers
    account: str
    stakes: dict[WagerName, int] = field(init=False)  # what is in play: the wagers, and what a decision adds
    number: int = field(init=False)
    decision: Literal["", "play", "fold"] = ""
    folded: bool = False
    settled: bool = False

    def __post_init__(self) -> None:
        self.stakes = self.wagers.stakes
        self.number = self.wagers.spot


@dataclass(slots=True, kw_only=True)
class RoundOnTable:
    """The whole of a round; equal when everything in it is equal, the operations that led there included."""

    book: PayBook = field(compare=False, repr=False)
    round_id: str
    shuffle: str
    dealer_name: str
    dealing: Dealing
    phase: Phase = Phase.BETTING
    spots: dict[int, Spot] = field(default_factory=dict)  # in order from the lock on
    dealer: DealtHand = field(default_factory=DealtHand)
    faces: set[int] = field(default_factory=set)  # every card known to have left the deck
    to_receive: list[int] = field(default_factory=list)  # who gets the next cards, last one first
    undecided: list[int] = field(default_factory=list)  # in turn
    folds: list[int] = field(default_factory=list)  # in the order of folding
    folds_collected: int = 0  # so many of them
    exposed: list[Exposed] = field(default_factory=list)
    settled: bool = False
    miscount: str = ""  # what made the round a misdeal whatever is said later
    misdeal_reason: str = ""
    postings: list[Posting] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
