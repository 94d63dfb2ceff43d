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


class Wager(StrEnum):
    """Every kind of stake or pay a posting can name."""

    ANTE = "ante"
    PLAY = "play"
    ANTE_BONUS = "ante_bonus"
    PAIR_PLUS = "pair_plus"
    SIX_CARD_BONUS = "six_card_bonus"
    PROGRESSIVE = "progressive"
    BAD_BEAT = "bad_beat"


class Hand(StrEnum):
    """The hands a pay row can name, of three cards or of five."""

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


# Rows of each paytable, highest first: (hand, must it be there). Left-out optional rows pay nothing.
LADDERS: Mapping[Wager, tuple[tuple[Hand, bool], ...]] = {
    Wager.ANTE_BONUS: (
        (Hand.AKQ_SPADES, False),
        (Hand.AKQ_SUITED, False),
        (Hand.STRAIGHT_FLUSH, True),
        (Hand.THREE_OF_A_KIND, True),
        (Hand.STRAIGHT, True),
        (Hand.FLUSH, False),
        (Hand.PAIR, False),
    ),
    Wager.PAIR_PLUS: (
        (Hand.AKQ_SPADES, False),
        (Hand.AKQ_SUITED, False),
        (Hand.STRAIGHT_FLUSH, True),
        (Hand.THREE_OF_A_KIND, True),
        (Hand.STRAIGHT, True),
        (Hand.FLUSH, True),
        (Hand.PAIR, True),
    ),
    Wager.SIX_CARD_BONUS: (
        (Hand.ROYAL_FLUSH, True),
        (Hand.STRAIGHT_FLUSH, True),
        (Hand.FOUR_OF_A_KIND, True),
        (Hand.FULL_HOUSE, True),
        (Hand.FLUSH, True),
        (Hand.STRAIGHT, True),
        (Hand.THREE_OF_A_KIND, True),
        (Hand.TWO_PAIR, False),
        (Hand.PAIR, False),
    ),
    Wager.PROGRESSIVE: (
        (Hand.AKQ_SPADES, True),
        (Hand.AKQ_SUITED, True),
        (Hand.STRAIGHT_FLUSH, True),
        (Hand.THREE_OF_A_KIND, True),
        (Hand.STRAIGHT, True),
        (Hand.FLUSH, False),
        (Hand.PAIR, False),
    ),
    Wager.BAD_BEAT: (
        (Hand.TOP_STRAIGHT_FLUSH, True),
        (Hand.STRAIGHT_FLUSH, True),
        (Hand.THREE_OF_A_KIND, True),
        (Hand.STRAIGHT, True),
        (Hand.FLUSH, True),
        (Hand.PAIR, True),
    ),
}  # fmt: skip

# --- pays ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class PayRow:
    """One row: what it takes, what it pays, and the clause that says so.

    `value` is the odds' first number (TO_ONE, FOR_ONE), a percentage (METER) or cents (AMOUNT); `per` the odds' second.
    """

    hand: Hand | Showdown
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
    wager: Wager
    rows: tuple[PayRow, ...]
    clause: str
    contribution_bp: int = 0  # basis points of each wager that go to the meter

    def row(self, hand: Hand) -> PayRow | None:
        """The row of that name, if the table has one."""
        return next((row for row in self.rows if row.hand is hand), None)


# --- settings --------------------------------------------------------------------------------------------------------

# The wagers a spot is settled for, in the order all documents agree on.
SETTLED = (Wager.PLAY, Wager.ANTE_BONUS, Wager.ANTE, Wager.PAIR_PLUS, Wager.SIX_CARD_BONUS)

Dealing = Literal["groups", "rotation"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the documents leave to a reading, and the house's order of business; each named, each with its default."""

    # decisions and folds
    decision_order: Literal["in-turn", "any"] = "in-turn"
    fold_forfeits_pair_plus: bool
    forced_fold: Literal["pair-plus-only", "every-pair-plus", "none"]
    ante_bonus_on_fold: bool = False
    six_card_survives_fold: bool = True
    # misdeal
    misdeal_forfeits: Literal["return", "stand"] = "return"
    misdeal_progressive: Literal["return", "stand"] = "return"
    misdeal_after_jackpot: Literal["adjust-first", "refused"] = "adjust-first"
    # dealer tips
    tips: bool
    tip_play_equals_tip_ante: bool = True
    tips_forfeited_on_fold: bool = True
    tip_earns_ante_bonus: bool = True
    tip_push: Literal["player", "dealer"] = "player"
    # settlement
    settlement_start: Literal["dealers-right", "dealers-left"] = "dealers-right"
    settlement_order: tuple[Wager, ...] = SETTLED
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
    paytables: Mapping[Wager, str]  # the chosen table of each wager that the layout has
    systems: Mapping[Wager, str] = field(default_factory=dict)  # the system in use for each progressive wager
    limits: Mapping[Wager, Limit] = field(default_factory=dict)
    limit_ceiling: Cents | None = None


@dataclass(frozen=True, kw_only=True)
class ProgressiveRules:
    """How one progressive wager works on one system."""

    wager: Wager
    keypad: Literal["game-manager", "nexus", "bad-beat"]
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
    executive_from: Cents  # nexus: prizes from here up take an executive card
    undo_covers_enter: bool = True  # bad-beat: UNDO takes back an ENTER too
    clauses: Mapping[str, str]


# --- the whole -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class RuleSet:
    """One set of rules as one table plays it: what is offered, what the house chose, how every doubt is settled."""

    id: str
    title: str
    document: str
    least_qualifying_hand: tuple[Card, Card, Card]
    showdown: Mapping[Wager, Mapping[Showdown, PayRow]]  # ante and play
    paytables: Mapping[Wager, Mapping[str, Paytable]]  # all that are offered
    designators: Mapping[str, Mapping[Wager, str]]  # e.g. TCP-05 -> ante bonus C, pair plus A
    dealing: tuple[Dealing, ...]
    spots_per_player_most: int
    spots_adjacent: bool  # whether a player's spots must be neighbours
    ceiling_required: bool
    clauses: Mapping[str, str]
    settings: Settings
    house: House
    progressives: Mapping[Wager, ProgressiveRules]  # those the layout has

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything in it, by which a journal or a report says what was played."""
        return fingerprint(self)

    @property
    def short_fingerprint(self) -> str:
        """The first twelve digits, for people."""
        return self.fingerprint[:12]

    def paytable(self, wager: Wager) -> Paytable:
        """The table in use for that wager."""
        chosen = self.house.paytables.get(wager)
        if chosen is None:
            raise RuleError(f"{self.id} has no {wager} wager on this layout")
        return self.paytables[wager][chosen]

    def offers(self, wager: Wager) -> bool:
        """Whether this layout has that wager."""
        return wager in (Wager.ANTE, Wager.PLAY) or wager in self.house.paytables
