"""Several wagers on one spot at once: the exact distribution of the total, for a cap and a decision that bind them all.

Player hands that differ by an exchange of suits meet the same dealer hands, so one of each kind stands for all of them:
1,755 kinds against 18,424 dealer hands each. A-K-Q suited stays four hands, because a row can name its spades. A share
of a meter is paid as the meter stands, by default at its long-run mean; envy is left out of the distribution and told
as an expectation, because it hangs on other players' hands.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from math import lcm
from typing import Final

import numpy as np
from numpy.typing import NDArray

from round_engine.errors import RuleError
from round_engine.hands import (
    FiveCardCategory,
    ThreeCardCategory,
    best_five_array,
    category5_of_rank_array,
    lowest_rank3,
    name_of_rank3,
    rank3,
)
from round_engine.hands.strategy import Strategy
from round_engine.money import Cents, dollars
from round_engine.odds.against_dealer import Decisions
from round_engine.odds.deals import DEALER_HANDS, DEALS, Counts, hands, ranks
from round_engine.odds.figures import Meter
from round_engine.odds.metered import metered_odds
from round_engine.odds.rows import MINI_ROYAL, NO_ROW, rows_by_category5, rows_by_rank3, rows_of_hands
from round_engine.odds.stakes import Stake, real_stake
from round_engine.rules.ruleset import Pay, PayRow, Paytable, RuleSet, Showdown, Wager

TOGETHER: Final = (Wager.ANTE, Wager.PAIR_PLUS, Wager.SIX_CARD_BONUS, Wager.PROGRESSIVE, Wager.BAD_BEAT)
"""The wagers that one hand can carry."""
METERED: Final = (Wager.PROGRESSIVE, Wager.BAD_BEAT)

_RESULTS: Final = tuple(Showdown)
_CATEGORIES: Final = len(FiveCardCategory)
_PAIR: Final = lowest_rank3(ThreeCardCategory.PAIR)


@dataclass(frozen=True, kw_only=True)
class TogetherOdds:
    """The total of several wagers on one hand."""

    rule_set: str
    fingerprint: str
    stakes: Mapping[Wager, Cents]
    paytables: Mapping[Wager, str]
    strategy: str | None
    """How the ante is played; None where nothing is decided."""
    distribution: Mapping[Fraction, int]
    """Deals for each net result in cents, worst first, envy left out."""
    capped: int
    """Deals in which the cap takes something."""
    meters: Mapping[Wager, Fraction] = field(default_factory=dict)
    """What each meter was taken to stand at, in cents."""
    envy: Fraction = Fraction(0)
    """Expected envy bonuses for one hand, in cents."""
    others: int = 0

    @property
    def expected_loss(self) -> Fraction:
        """In cents for one hand."""
        return -sum((net * ways for net, ways in self.distribution.items()), Fraction(0)) / DEALS - self.envy

    @property
    def house_advantage(self) -> Fraction:
        """The expected loss for each unit put up before the cards."""
        return self.expected_loss / sum(self.stakes.values())

    @property
    def variance(self) -> Fraction:
        """Of the net result without envy, in squared cents."""
        square = sum((net**2 * ways for net, ways in self.distribution.items()), Fraction(0)) / DEALS
        return square - (self.expected_loss + self.envy) ** 2

    @property
    def hit_frequency(self) -> Fraction:
        """How often the hand ends ahead."""
        return Fraction(sum(ways for net, ways in self.distribution.items() if net > 0), DEALS)


def together_odds(
    rules: RuleSet,
    stakes: Mapping[Wager, Cents],
    *,
    tables: Mapping[Wager, str] | None = None,
    strategy: Strategy | None = None,
    meters: Mapping[Wager, Cents] | None = None,
    others: int = 0,
) -> TogetherOdds:
    """Exact figures of stakes in real money, by default on the house's paytables, decided as is best for them all."""
    return Mix(rules, stakes, tables=tables, strategy=strategy, meters=meters, others=others).odds


class Mix:
    """Wagers on one spot, and how the hand is played."""

    def __init__(
        self,
        rules: RuleSet,
        stakes: Mapping[Wager, Cents],
        *,
        tables: Mapping[Wager, str] | None = None,
        strategy: Strategy | None = None,
        meters: Mapping[Wager, Cents] | None = None,
        others: int = 0,
    ) -> None:
        if not stakes or any(wager not in TOGETHER for wager in stakes):
            raise RuleError(f"name stakes for some of {', '.join(TOGETHER)}")
        self.rules, self.strategy, self.others = rules, strategy, others
        self.given_meters: Mapping[Wager, Cents] = meters or {}
        if unused := [wager for wager in self.given_meters if wager not in stakes]:
            raise RuleError(f"a meter is given for {', '.join(unused)}, which is not among the stakes")
        self.stakes: dict[Wager, Stake] = {wager: _stake(rules, wager, cents) for wager, cents in stakes.items()}
        chosen = {wager: tables.get(wager) if tables else None for wager in Wager}
        self.bonus_table = _table(rules, Wager.ANTE_BONUS, chosen[Wager.ANTE_BONUS])
        self.pair_table = _table(rules, Wager.PAIR_PLUS, chosen[Wager.PAIR_PLUS])
        self.tables: dict[Wager, Paytable] = {
            wager: self.bonus_table if wager is Wager.ANTE else _table(rules, wager, chosen[wager]) for wager in stakes
        }
        beat = self.tables.get(Wager.BAD_BEAT)
        beat_rows = tuple(rows_by_rank3(beat.rows).tolist()) if beat is not None else ()
        self.kinds, self.ways = _joint(rank3(*rules.least_qualifying_hand), beat_rows)
        self.beat_rows = len(beat.rows) + 1 if beat is not None else 1

    # Rows of every kind of hand.

    @cached_property
    def row_keys(self) -> list[tuple[int, int, int]]:
        """For each kind of hand the rows of ante bonus, pair plus and progressive that it takes."""
        progressive = self.tables.get(Wager.PROGRESSIVE)
        columns = [rows_of_hands(table, hands(), ranks())[self.kinds] for table in (self.bonus_table, self.pair_table)]
        none = np.full(len(self.kinds), NO_ROW)
        columns.append(none if progressive is None else rows_of_hands(progressive, hands(), ranks())[self.kinds])
        return list(zip(*(column.tolist() for column in columns), strict=True))

    @cached_property
    def _must_fold(self) -> Decisions:
        forced = self.rules.settings.forced_fold
        below: Decisions = ranks()[self.kinds] < _PAIR
        applies = Wager.PAIR_PLUS in self.stakes and (
            forced == "every-pair-plus" or (forced == "pair-plus-only" and Wager.ANTE not in self.stakes)
        )
        return below & applies

    # Meters.

    @cached_property
    def meters(self) -> dict[Wager, Fraction]:
        """What each meter stands at, in cents: as given, or its long-run mean under the decisions of the ante alone."""
        found: dict[Wager, Fraction] = {}
        for wager in METERED:
            if wager in self.given_meters:
                found[wager] = Fraction(self.given_meters[wager])
            elif wager in self.tables:
                found[wager] = self._alone(wager, 0).average_top
        return found

    def _alone(self, wager: Wager, others: int) -> Meter:
        meter = metered_odds(self.rules, self.tables[wager], others, self.strategy).meter
        if meter is None:
            raise RuleError(f"{wager} has no meter")
        return meter

    # Nets.

    def net(self, cell: int, keys: tuple[int, int, int], *, played: bool) -> tuple[Fraction, bool]:
        """The total of one cell, up or down, in cents, and whether the cap took something."""
        rest, beat = divmod(cell, self.beat_rows)
        result, category = divmod(rest, _CATEGORIES)
        settings, put_up, winnings, returned, uncapped = self.rules.settings, 0, Fraction(0), 0, Fraction(0)
        for wager, row, at in self._rows(_RESULTS[result], category, beat - 1, keys, played=played):
            stake = self.stakes[at]
            if wager is not Wager.ANTE_BONUS:
                put_up += stake.cents
            if not played and self._gone(wager):
                continue
            if wager in METERED:
                award = self._award(wager, row)
                winnings, uncapped = (
                    (winnings + award, uncapped) if settings.cap_counts_awards else (winnings, uncapped + award)
                )
                continue
            winnings += stake.pay(row)
            if wager is not Wager.ANTE_BONUS and row is not None and row.returns_stake:
                returned += stake.cents
        kept = next(iter(self.stakes.values())).capped(winnings, returned)
        return kept + uncapped + returned - put_up, kept < winnings

    def _gone(self, wager: Wager) -> bool:
        """Whether folding loses the wager."""
        settings = self.rules.settings
        if wager in METERED:
            return self.rules.progressives[wager].folded_hands == "disqualified"
        return (
            wager is Wager.ANTE
            or (wager is Wager.ANTE_BONUS and not settings.ante_bonus_on_fold)
            or (wager is Wager.PAIR_PLUS and settings.fold_forfeits_pair_plus)
            or (wager is Wager.SIX_CARD_BONUS and not settings.six_card_survives_fold)
        )

    def _award(self, wager: Wager, row: PayRow | None) -> Fraction:
        if row is None:
            return Fraction(0)
        if row.pay is Pay.METER:
            return self.meters[wager] * row.value / 100
        return Fraction(row.paid(self.rules.progressives[wager].denomination))

    def _rows(
        self, result: Showdown, category: int, beat: int, keys: tuple[int, int, int], *, played: bool
    ) -> list[tuple[Wager, PayRow | None, Wager]]:
        """Each wager with the row it takes and the wager whose stake it is paid on."""
        rows: list[tuple[Wager, PayRow | None, Wager]] = []
        bonus, pair, progressive = keys
        if Wager.ANTE in self.stakes:
            rows.append((Wager.ANTE, self.rules.showdown[Wager.ANTE][result], Wager.ANTE))
            rows.append((Wager.ANTE_BONUS, _row(self.bonus_table, bonus), Wager.ANTE))
            if played:
                rows.append((Wager.PLAY, self.rules.showdown[Wager.PLAY][result], Wager.ANTE))
        if Wager.PAIR_PLUS in self.stakes:
            rows.append((Wager.PAIR_PLUS, _row(self.pair_table, pair), Wager.PAIR_PLUS))
        for wager, index in (
            (Wager.SIX_CARD_BONUS, int(self._six_rows[category])),
            (Wager.PROGRESSIVE, progressive),
            (Wager.BAD_BEAT, beat),
        ):
            if wager in self.stakes:
                rows.append((wager, _row(self.tables[wager], index), wager))
        return rows

    @cached_property
    def _six_rows(self) -> NDArray[np.int8]:
        table = self.tables.get(Wager.SIX_CARD_BONUS)
        return rows_by_category5(table) if table is not None else np.full(_CATEGORIES, NO_ROW, dtype=np.int8)

    @cached_property
    def _nets(self) -> dict[tuple[tuple[int, int, int], bool], list[tuple[Fraction, bool]]]:
        """The total of every cell, for every combination of rows, played and folded."""
        return {
            (keys, played): [self.net(cell, keys, played=played) for cell in range(self.ways.shape[1])]
            for keys in sorted(set(self.row_keys))
            for played in (False, True)
        }

    # Decisions.

    @cached_property
    def plays(self) -> Decisions:
        """Which kinds of hand are played: as the strategy says, or where that loses less on all wagers together."""
        if Wager.ANTE not in self.stakes:
            return ~self._must_fold
        if self.strategy is not None:
            plays: Decisions = np.array(self.strategy.plays)[ranks()[self.kinds]]
        else:
            plays = self._best()
        return plays & ~self._must_fold

    def _best(self) -> Decisions:
        scale = lcm(*(net.denominator for nets in self._nets.values() for net, _ in nets))
        whole = {
            at: np.array([int(net * scale) for net, _ in nets], dtype=object) for at, nets in self._nets.items()
        }
        better = [
            bool((self.ways[kind] * (whole[keys, True] - whole[keys, False])).sum() > 0)
            for kind, keys in enumerate(self.row_keys)
        ]
        return np.array(better)

    @cached_property
    def plays_by_hand(self) -> Decisions:
        """The same for each of the 22,100 hands of `deals.hands`."""
        decided = np.zeros(len(hands()), dtype=np.bool_)
        for plays, members in zip(self.plays.tolist(), _members(), strict=True):
            decided[members] = plays
        return decided

    @property
    def told(self) -> str | None:
        """The strategy in words."""
        if Wager.ANTE not in self.stakes:
            return None
        if self.strategy is not None:
            return self.strategy.name
        played, folded = ranks()[self.kinds][self.plays], ranks()[self.kinds][~self.plays]
        if not len(folded):
            return "optimal for these wagers: always play"
        if not len(played):
            return "optimal for these wagers: never play"
        if played.min() > folded.max():
            return f"optimal for these wagers: {name_of_rank3(int(played.min()))} or better"
        return "optimal for these wagers: hand by hand"

    # Figures.

    @cached_property
    def odds(self) -> TogetherOdds:
        """The whole distribution."""
        distribution: Counter[Fraction] = Counter()
        capped = 0
        sums: dict[tuple[tuple[int, int, int], bool], Counts] = {}
        for kind, at in enumerate(zip(self.row_keys, self.plays.tolist(), strict=True)):
            sums[at] = sums.get(at, 0) + self.ways[kind]
        for at, cells in sums.items():
            for cell in np.flatnonzero(cells).tolist():
                net, cut = self._nets[at][cell]
                distribution[net] += int(cells[cell])
                capped += int(cells[cell]) if cut else 0
        metered = [wager for wager in METERED if wager in self.stakes]
        envy = sum((self._alone(wager, self.others).envy * self.stakes[wager].cents for wager in metered), Fraction(0))
        return TogetherOdds(
            rule_set=self.rules.id,
            fingerprint=self.rules.fingerprint,
            stakes={wager: stake.cents for wager, stake in self.stakes.items()},
            paytables={wager: table.id for wager, table in self.tables.items()},
            strategy=self.told,
            distribution=dict(sorted(distribution.items())),
            capped=capped,
            meters=self.meters,
            envy=envy,
            others=self.others if metered else 0,
        )


def _stake(rules: RuleSet, wager: Wager, cents: Cents) -> Stake:
    """A stake in real money; on a meter it is the meter's denomination."""
    how = rules.progressives.get(wager)
    if wager not in METERED:
        return real_stake(rules, wager, cents)
    if how is None:
        raise RuleError(f"{rules.id} has no {wager} on this layout")
    if cents != how.denomination:
        raise RuleError(f"{rules.id}: every {wager} wager on this meter is {dollars(how.denomination)}")
    return Stake(
        cents=cents, real=True, cap=rules.settings.cap, cap_counts_stakes=rules.settings.cap_counts_stakes
    )


def _table(rules: RuleSet, wager: Wager, name: str | None) -> Paytable:
    if name is None:
        return rules.paytable(wager)
    if name not in rules.paytables.get(wager, {}):
        raise RuleError(f"{rules.id} has no paytable {name} for {wager}")
    return rules.paytables[wager][name]


def _row(table: Paytable, index: int) -> PayRow | None:
    return None if index < 0 else table.rows[index]


@cache
def _joint(least_qualifying_rank: int, beat_rows: tuple[int, ...]) -> tuple[NDArray[np.intp], Counts]:
    """One hand of each kind, and how many deals of its kind have each showdown, best five and bad-beat row.

    `beat_rows` is the row of the lower hand by rank, where there is a bad beat; no row counts as 0, row r as r + 1.
    """
    kinds, weights = _kinds()
    faces = hands()
    beat = np.array(beat_rows, dtype=np.int16)
    per_cell = int(beat.max()) + 2 if beat_rows else 1
    size = len(_RESULTS) * _CATEGORIES * per_cell
    masks = (np.uint64(1) << faces.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    ways = np.empty((len(kinds), size), dtype=np.int64)
    # Six bytes a row, written two at a time: player's first and second, third and dealer's first, second and third.
    pairs = np.empty((DEALER_HANDS, 3), dtype="<u2")
    low, middle, high = faces.astype(np.uint16).T
    dealer_first, dealer_rest, player_first = low << 8, middle | high << 8, low | middle << 8
    dealer_ranks = ranks().astype(np.int16)
    for index, kind in enumerate(kinds.tolist()):
        dealers = np.flatnonzero(masks & masks[kind] == 0)
        pairs[:, 0] = player_first[kind]
        pairs[:, 1] = dealer_first[dealers] | high[kind]
        pairs[:, 2] = dealer_rest[dealers]
        category = category5_of_rank_array(best_five_array(pairs.view(np.uint8)))
        own, theirs = dealer_ranks[kind], dealer_ranks[dealers]
        cells = _showdown_index(own, theirs, least_qualifying_rank).astype(np.int32) * _CATEGORIES + category
        if beat_rows:
            beaten = (theirs != own) & (theirs >= _PAIR) & (own >= _PAIR)
            cells = cells * per_cell + np.where(beaten, beat[np.minimum(own, theirs)] + 1, 0)
        ways[index] = np.bincount(cells, minlength=size)
    return kinds, ways * weights[:, None]


def _showdown_index(own: np.int16, dealers: NDArray[np.int16], least_qualifying_rank: int) -> NDArray[np.uint8]:
    """The index in `Showdown` of each dealer hand against one player hand."""
    # True counts one: dealer lower 1, tie 2, dealer higher 3; none of it where the dealer does not qualify.
    index = (dealers >= own).view(np.uint8) + (dealers > own).view(np.uint8) + np.uint8(1)
    index *= (dealers >= least_qualifying_rank).view(np.uint8)
    return index


@cache
def _members() -> tuple[list[int], ...]:
    """The hands of each kind."""
    members: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for index, hand in enumerate(hands().tolist()):
        # A kind: the sets of ranks that share a suit. A-K-Q suited keeps its suit.
        by_suit = [tuple(face % 13 for face in hand if face // 13 == suit) for suit in range(4)]
        kind = tuple(sorted(by_suit)) if ranks()[index] != MINI_ROYAL else tuple(by_suit)
        members.setdefault(kind, []).append(index)
    return tuple(members.values())


@cache
def _kinds() -> tuple[NDArray[np.intp], Counts]:
    """The first hand of each kind, and how many hands the kind has."""
    firsts = np.array([of_kind[0] for of_kind in _members()], dtype=np.intp)
    return firsts, np.array([len(of_kind) for of_kind in _members()], dtype=np.int64)
