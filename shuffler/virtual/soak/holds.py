"""What the house kept of each wager, round by round, against what it must keep on average.

Hands of one round share a deck, so a round is one observation: the hold is a ratio of sums over rounds, its error the
ratio estimator's. Jackpots are counted, and their number is Poisson.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from round_engine.money.ledger import HOUSE, TRAY, EntryKind, Posting
from round_engine.odds import odds_of
from round_engine.odds.against_dealer import NO_BONUS
from round_engine.rules.ruleset import RuleSet
from round_engine.wagers import WAGERS, offered

KEPT_BY = (TRAY, HOUSE)


@dataclass(slots=True)
class HoldSums:
    """Sums over rounds of stake x and what the house kept y."""

    rounds: int = 0
    stake: int = 0
    kept: int = 0
    xx: int = 0
    xy: int = 0
    yy: int = 0

    def add(self, stake: int, kept: int) -> None:
        """One round."""
        self.rounds += 1
        self.stake += stake
        self.kept += kept
        self.xx += stake * stake
        self.xy += stake * kept
        self.yy += kept * kept

    def plus(self, other: "HoldSums") -> "HoldSums":
        """Both."""
        return HoldSums(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    @property
    def ratio(self) -> float:
        """The observed hold."""
        return self.kept / self.stake if self.stake else 0.0

    @property
    def error(self) -> float:
        """Its standard error."""
        if self.rounds < 2 or not self.stake:
            return math.inf
        ratio = self.ratio
        spread = self.yy - 2 * ratio * self.xy + ratio * ratio * self.xx
        return math.sqrt(max(spread, 0.0) * self.rounds / (self.rounds - 1)) / self.stake


@dataclass(slots=True)
class HoldBook:
    """The holds of all wagers of a table."""

    holds: dict[str, HoldSums] = field(default_factory=dict)
    jackpots: dict[str, int] = field(default_factory=dict)
    lit: dict[str, int] = field(default_factory=dict)

    def settle(self, postings: Iterable[Posting]) -> None:
        """Take one settled round."""
        stakes: dict[str, int] = {}
        kept: dict[str, int] = {}
        for posting in postings:
            if not posting.wager:
                continue
            wager, entry = WAGERS[posting.wager].judged_with, posting.entry
            if entry is EntryKind.PLACED or entry is EntryKind.COLLECTED:
                if posting.wager == wager:
                    stakes[wager] = stakes.get(wager, 0) + posting.amount
                if entry is EntryKind.COLLECTED:
                    self.lit[wager] = self.lit.get(wager, 0) + 1
            elif entry is EntryKind.SEEDED:
                self.jackpots[wager] = self.jackpots.get(wager, 0) + 1
            if posting.target in KEPT_BY:
                kept[wager] = kept.get(wager, 0) + posting.amount
            if posting.source in KEPT_BY:
                kept[wager] = kept.get(wager, 0) - posting.amount
        for wager, stake in stakes.items():
            self.holds.setdefault(wager, HoldSums()).add(stake, kept.get(wager, 0))

    def add(self, other: "HoldBook") -> None:
        """Take in another table's."""
        for wager, hold in other.holds.items():
            self.holds[wager] = self.holds.get(wager, HoldSums()).plus(hold)
        for mine, theirs in ((self.jackpots, other.jackpots), (self.lit, other.lit)):
            for wager, count in theirs.items():
                mine[wager] = mine.get(wager, 0) + count


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldRow:
    """One wager: observed against exact."""

    wager: str
    rounds: int
    observed: float
    exact: float
    error: float
    p: float  # two-sided, normal
    p_holm: float


def exact_holds(rules: RuleSet, others: int) -> dict[str, float]:
    """What the house must keep of each wager on average, by counting every deal."""
    exact: dict[str, float] = {}
    for wager in offered(rules):
        chosen = rules.house.paytables.get(wager.table_name, NO_BONUS.id)
        (odds,) = odds_of(rules, wager.name, paytable=chosen, others=others)
        exact[wager.name] = float(Fraction(odds.house_advantage))
    return exact


def judge(book: HoldBook, exact: dict[str, float]) -> list[HoldRow]:
    """Every wager against its exact value, with Holm's correction over the wagers."""
    rows = []
    for wager, hold in book.holds.items():
        if wager not in exact or not math.isfinite(hold.error) or hold.error == 0:
            continue
        z = (hold.ratio - exact[wager]) / hold.error
        rows.append((wager, hold, math.erfc(abs(z) / math.sqrt(2))))
    rows.sort(key=lambda row: row[2])
    judged, worst = [], 0.0
    for rank, (wager, hold, p) in enumerate(rows):
        worst = max(worst, min(1.0, p * (len(rows) - rank)))
        judged.append(
            HoldRow(
                wager=wager, rounds=hold.rounds, observed=hold.ratio, exact=exact[wager], error=hold.error, p=p,
                p_holm=worst,
            )
        )  # fmt: skip
    return judged


def poisson_p(count: int, mean: float) -> float:
    """Two-sided p of a count: twice the smaller tail, at most 1."""
    if mean <= 0:
        return 1.0 if count == 0 else 0.0
    below = above = 0.0
    for value in range(max(4 * count, int(mean + 12 * math.sqrt(mean)) + 20)):
        mass = math.exp(value * math.log(mean) - mean - math.lgamma(value + 1))
        below += mass if value <= count else 0.0
        above += mass if value >= count else 0.0
    return min(1.0, 2 * min(below, above))
