"""What a rule set is: frozen values that say everything the engine needs and nothing about where they were read from.

Code knows the kinds of rule; the numbers come from `rules/*.toml` through `rulebook.load`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Literal

from round_engine.errors import RuleError
from round_engine.hands.cards import Card
from round_engine.money import ZERO, Cents
from round_engine.rules.fingerprint import fingerprint

# --- names -----------------------------------------------------------------------------------------------------------

WagerName = str
"""The name of a wager in `round_engine.wagers.registry`."""


class Hand(StrEnum):
    """The hands a pay row can name, of three cards or of five; a wager may name others in its own module."""

    AKQ_SPADES = "akq_spades"
    AKQ_SUITED = "akq_suited"  # of any suit that no row above it has paid
    TOP_STRAIGHT_FLUSH = "top_straight_flush"  # a straight flush from PayRow.least_high up
    ROYAL_FLUSH = "royal_flush"
    STRAIGHT_FLUSH = "straight_flush"
    FOUR_OF_A_KIND = "four_of_a_kind"
    FULL_HOUSE = "full_house"
    THREE_OF_A_KIND = "three_of_a_kind"
    STRAIGHT = "straight"
    FLUSH = "flush"
    TWO_PAIR = "two_pair"
    PAIR = "pair"
    HIGH_CARD = "high_card"
    DEALER_NOT_BEATEN = "dealer_not_beaten"  # a hand that has a row, and does not beat the dealer's


class Showdown(StrEnum):
    """How a played hand ends against the dealer."""

    DEALER_DOES_NOT_QUALIFY = "dealer_does_not_qualify"
    PLAYER_WINS = "player_wins"
    TIE = "tie"
    PLAYER_LOSES = "player_loses"


class Pay(StrEnum):
    """What kind of pay a row is."""

    TO_ONE = "to 1"  # profit; the stake goes back as well
    FOR_ONE = "for 1"  # total; the stake is not returned
    METER = "% of meter"  # off the meter; the stake is not returned
    AMOUNT = "amount"  # a fixed sum; the stake is not returned
    PUSH = "push"  # the stake goes back
    NOTHING = "nothing"  # the stake is lost


# --- pays ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class PayRow:
    """One row: what it takes, what it pays, and the clause that says so.

    `value` is the odds' first number (TO_ONE, FOR_ONE), a percentage (METER) or cents (AMOUNT); `per` the odds' second.
    """

    hand: str  # a `Hand`, a `Showdown`, or a name of the wager's own
    pay: Pay
    value: int = 0
    per: int = 1
    clause: str
    envy: Cents = ZERO  # to every other lit spot, for a wager of $1
    least_high: int | None = None  # TOP_STRAIGHT_FLUSH: rank (0 … 12) of the lowest high card it takes

    @property
    def wins(self) -> bool:
        """Whether the row pays anything beyond the stake."""
        return self.pay not in (Pay.PUSH, Pay.NOTHING)

    @property
    def returns_stake(self) -> bool:
        """Whether the stake goes back to the player."""
        return self.pay in (Pay.TO_ONE, Pay.PUSH)

    @property
    def odds(self) -> Fraction:
        """TO_ONE and FOR_ONE: the pay for a stake of one."""
        return Fraction(self.value, self.per)

    @cached_property
    def label(self) -> str:
        """The row as a posting names it: `straight_flush 40 to 1`."""
        return f"{self.hand} {self}"

    def paid(self, stake: int, meter: int = 0) -> int:
        """Cents paid beside a returned stake; what does not divide is rounded down to the cent."""
        if self.pay is Pay.TO_ONE or self.pay is Pay.FOR_ONE:
            return stake * self.value // self.per
        if self.pay is Pay.AMOUNT:
            return self.value
        if self.pay is Pay.METER:
            return meter * self.value // 100
        return 0

    def __str__(self) -> str:
        if self.pay in (Pay.TO_ONE, Pay.FOR_ONE):
            return f"{self.value:,} {self.pay.split()[0]} {self.per}"
        if self.pay is Pay.METER:
            return f"{self.value}% of meter"
        if self.pay is Pay.AMOUNT:
            return f"${self.value // 100:,}" + (f".{self.value % 100:02d}" if self.value % 100 else "")
        return self.pay.value


@dataclass(frozen=True, kw_only=True)
class Paytable:
    """The rows of one wager, highest first; a hand takes the first row it fits, and without one it pays nothing."""

    id: str
    wager: WagerName
    rows: tuple[PayRow, ...]
    clause: str
    contribution_bp: int = 0  # basis points of each wager that go to the meter

    def row(self, hand: str) -> PayRow | None:
        """The row of that name, if the table has one."""
        return next((row for row in self.rows if row.hand == hand), None)


# --- settings --------------------------------------------------------------------------------------------------------

Dealing = Literal["groups", "rotation"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the documents leave to a reading, and the house's order of business; each named, each with its default."""

    # decisions and folds
    decision_order: Literal["in-turn", "any"] = "in-turn"
    alive_after_fold: tuple[WagerName, ...] = ()  # wagers on the layout that a fold does not forfeit
    forced_fold: Literal["pair-plus-only", "every-pair-plus", "none"]
    # misdeal
    misdeal_forfeits: Literal["return", "stand"] = "return"
    misdeal_progressive: Literal["return", "stand"] = "return"
    misdeal_after_jackpot: Literal["adjust-first", "refused"] = "adjust-first"
    # dealer tips
    tips: bool
    tip_play_equals_tip_ante: bool = True
    tip_earns_ante_bonus: bool = True
    tip_push: Literal["player", "dealer"] = "player"
    # settlement
    settlement_start: Literal["dealers-right", "dealers-left"] = "dealers-right"
    settlement_order: tuple[WagerName, ...] = ()  # what it leaves out comes last
    folded_wagers: Literal["in-turn", "end"]
    progressive_paid: Literal["with-spot", "end-of-round"]
    # cap on a hand's winnings
    cap: Cents | None = None
    cap_counts_stakes: bool = False
    cap_order: Literal["settlement", "largest-first"] = "settlement"
    cap_counts_awards: bool = False  # awards of progressive wagers too


@dataclass(frozen=True, kw_only=True)
class Limit:
    """What one wager may be; None where nothing is posted."""

    minimum: Cents | None = None
    maximum: Cents | None = None


@dataclass(frozen=True, kw_only=True)
class House:
    """What the operator of one table chooses among what the rule set offers."""

    seats: int = 7
    spots_per_player: int = 1
    ante_mandatory: bool = False
    dealing: Dealing = "groups"
    paytables: Mapping[WagerName, str]  # the chosen table of each wager that the layout has
    systems: Mapping[WagerName, str] = field(default_factory=dict)  # the system in use for each progressive wager
    limits: Mapping[WagerName, Limit] = field(default_factory=dict)
    limit_ceiling: Cents | None = None


@dataclass(frozen=True, kw_only=True)
class ProgressiveRules:
    """How one progressive wager works on one system."""

    wager: WagerName
    keypad: str  # the dialect's name
    denomination: Cents
    seed: Cents  # already multiplied by the denomination where the document says so
    reserve_bp: int = 0
    percentage_rounding: Literal["down", "nearest", "up"] = "down"
    folded_hands: Literal["alive", "disqualified"]
    envy_needs_wager: bool = True
    envy_own_other_spot: bool
    envy_from_disqualified: bool = False
    envy_multiplies: bool
    envy_source: Literal["tray", "meter"] = "tray"
    meter_win_order: Literal["dealers-right", "dealers-left"] = "dealers-right"
    several_meter_wins: Literal["in-order", "split"] = "in-order"
    backed_out_envy: Literal["recover", "refuse"] = "recover"
    tray_wins_keyed: bool = True
    end_needs_confirmation: bool = True
    confirmer_is_not_the_dealer: bool = True
    executive_from: Cents  # on keypads with cards: prizes from here up take an executive card
    undo_covers_enter: bool = True  # on keypads with UNDO: it takes back an ENTER too
    clauses: Mapping[str, str]


# --- the whole -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class RuleSet:
    """One set of rules as one table plays it: what is offered, what the house chose, how every doubt is settled."""

    id: str
    title: str
    document: str
    least_qualifying_hand: tuple[Card, Card, Card]
    showdown: Mapping[WagerName, Mapping[Showdown, PayRow]]  # ante and play
    paytables: Mapping[WagerName, Mapping[str, Paytable]]  # all that are offered
    designators: Mapping[str, Mapping[WagerName, str]]  # e.g. TCP-05 -> ante bonus C, pair plus A
    dealing: tuple[Dealing, ...]
    spots_per_player_most: int
    spots_adjacent: bool  # whether a player's spots must be neighbours
    ceiling_required: bool
    clauses: Mapping[str, str]
    settings: Settings
    house: House
    progressives: Mapping[WagerName, ProgressiveRules]  # those the layout has

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything in it, by which a journal or a report says what was played."""
        return fingerprint(self)

    @property
    def short_fingerprint(self) -> str:
        """The first twelve digits, for people."""
        return self.fingerprint[:12]

    def paytable(self, wager: WagerName) -> Paytable:
        """The table in use for that wager."""
        chosen = self.house.paytables.get(wager)
        if chosen is None:
            raise RuleError(f"{self.id} has no {wager} wager on this layout")
        return self.paytables[wager][chosen]
