"""Several wagers on one spot at once: the exact distribution of the total, for a cap that binds them all.

Player hands that differ by an exchange of suits meet the same dealer hands, so one of each kind stands for all of them:
1,755 kinds against 18,424 dealer hands each. A-K-Q suited stays four hands, because a row can name its spades.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
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
    rank3,
)
from round_engine.money import Cents
from round_engine.odds.against_dealer import AnteGame
from round_engine.odds.deals import DEALER_HANDS, DEALS, Counts, hands, ranks
from round_engine.odds.rows import MINI_ROYAL, rows_by_category5, rows_of_hands
from round_engine.odds.stakes import Stake, real_stake
from round_engine.ruleset import PayRow, Paytable, RuleSet, Showdown, Wager
from round_engine.strategy import Strategy

TOGETHER: Final = (Wager.ANTE, Wager.PAIR_PLUS, Wager.SIX_CARD_BONUS)
"""The wagers that one hand can carry and one cap can bind; metered wagers are reckoned in the long run instead."""

_RESULTS: Final = tuple(Showdown)
_CELLS: Final = len(_RESULTS) * len(FiveCardCategory)


@dataclass(frozen=True, kw_only=True)
class TogetherOdds:
    """The total of several wagers on one hand."""

    rule_set: str
    stakes: Mapping[Wager, Cents]
    paytables: Mapping[Wager, str]
    distribution: Mapping[Fraction, int]
    """Deals for each net result in cents, worst first."""
    capped: int
    """Deals in which the cap takes something."""

    @property
    def expected_loss(self) -> Fraction:
        """In cents for one hand."""
        return -sum((net * ways for net, ways in self.distribution.items()), Fraction(0)) / DEALS

    @property
    def house_advantage(self) -> Fraction:
        """The expected loss for each unit put up before the cards."""
        return self.expected_loss / sum(self.stakes.values())

    @property
    def variance(self) -> Fraction:
        """Of the net result, in squared cents."""
        square = sum((net**2 * ways for net, ways in self.distribution.items()), Fraction(0)) / DEALS
        return square - self.expected_loss**2

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
) -> TogetherOdds:
    """Exact figures of stakes in real money, by default on the house's paytables with the optimal strategy."""
    if not stakes or any(wager not in TOGETHER for wager in stakes):
        raise RuleError(f"name stakes for some of {', '.join(TOGETHER)}")
    spot = _Spot(rules, stakes, tables or {})
    kinds, ways = _joint(rank3(*rules.least_qualifying_hand))
    plays = spot.game.decisions(strategy)[kinds]
    if rules.settings.forced_fold == "every-pair-plus" and Wager.PAIR_PLUS in stakes:
        plays = plays & (ranks()[kinds] >= lowest_rank3(ThreeCardCategory.PAIR))
    bonus_rows = spot.game.bonus_rows[kinds]
    pair_rows = rows_of_hands(spot.pair_table, hands(), ranks())[kinds]
    six_rows = rows_by_category5(spot.six_table) if spot.six_table is not None else None
    distribution: Counter[Fraction] = Counter()
    capped = 0
    for bonus, pair, played in sorted(set(zip(bonus_rows.tolist(), pair_rows.tolist(), plays.tolist(), strict=True))):
        among = (bonus_rows == bonus) & (pair_rows == pair) & (plays == played)
        cells = ways[among].sum(axis=0)
        for cell in np.flatnonzero(cells).tolist():
            result, category = _RESULTS[cell // len(FiveCardCategory)], cell % len(FiveCardCategory)
            six = int(six_rows[category]) if six_rows is not None else -1
            net, cut = spot.net(result, bonus, pair, six, played=played)
            distribution[net] += int(cells[cell])
            capped += int(cells[cell]) if cut else 0
    return TogetherOdds(
        rule_set=rules.id,
        stakes=dict(stakes),
        paytables=spot.names,
        distribution=dict(sorted(distribution.items())),
        capped=capped,
    )


class _Spot:
    """What one spot's wagers come to."""

    def __init__(self, rules: RuleSet, stakes: Mapping[Wager, Cents], tables: Mapping[Wager, str]) -> None:
        self.rules = rules
        self.stakes: dict[Wager, Stake] = {w: real_stake(rules, w, cents) for w, cents in stakes.items()}
        self.bonus_table = _table(rules, Wager.ANTE_BONUS, tables)
        self.pair_table = _table(rules, Wager.PAIR_PLUS, tables)
        self.six_table = _table(rules, Wager.SIX_CARD_BONUS, tables) if Wager.SIX_CARD_BONUS in stakes else None
        self.game = AnteGame(rules, self.bonus_table, self.stakes.get(Wager.ANTE))
        chosen = {Wager.ANTE: self.bonus_table, Wager.PAIR_PLUS: self.pair_table, Wager.SIX_CARD_BONUS: self.six_table}
        self.names = {wager: table.id for wager, table in chosen.items() if table is not None and wager in stakes}

    def net(self, result: Showdown, bonus: int, pair: int, six: int, *, played: bool) -> tuple[Fraction, bool]:
        """The total, up or down, in cents, and whether the cap took something."""
        settings = self.rules.settings
        put_up = winnings = returned = Fraction(0)
        folded = Wager.ANTE in self.stakes and not played
        for wager, row, at in self._rows(result, bonus, pair, six, played=played):
            stake = self.stakes[at]
            if wager is not Wager.ANTE_BONUS:
                put_up += stake.cents
            if folded and (
                wager is Wager.ANTE
                or (wager is Wager.ANTE_BONUS and not settings.ante_bonus_on_fold)
                or (wager is Wager.PAIR_PLUS and settings.fold_forfeits_pair_plus)
                or (wager is Wager.SIX_CARD_BONUS and not settings.six_card_survives_fold)
            ):
                continue
            winnings += stake.pay(row)
            if wager is not Wager.ANTE_BONUS and row is not None and row.returns_stake:
                returned += stake.cents
        kept = next(iter(self.stakes.values())).capped(winnings, int(returned))
        return kept + returned - put_up, kept < winnings

    def _rows(
        self, result: Showdown, bonus: int, pair: int, six: int, *, played: bool
    ) -> list[tuple[Wager, PayRow | None, Wager]]:
        """Each wager with the row it takes and the wager whose stake it is paid on."""
        rows: list[tuple[Wager, PayRow | None, Wager]] = []
        if Wager.ANTE in self.stakes:
            rows.append((Wager.ANTE, self.rules.showdown[Wager.ANTE][result], Wager.ANTE))
            rows.append((Wager.ANTE_BONUS, _row(self.bonus_table, bonus), Wager.ANTE))
            if played:
                rows.append((Wager.PLAY, self.rules.showdown[Wager.PLAY][result], Wager.ANTE))
        if Wager.PAIR_PLUS in self.stakes:
            rows.append((Wager.PAIR_PLUS, _row(self.pair_table, pair), Wager.PAIR_PLUS))
        if self.six_table is not None:
            rows.append((Wager.SIX_CARD_BONUS, _row(self.six_table, six), Wager.SIX_CARD_BONUS))
        return rows


def _table(rules: RuleSet, wager: Wager, tables: Mapping[Wager, str]) -> Paytable:
    name = tables.get(wager)
    if name is None:
        return rules.paytable(wager)
    if name not in rules.paytables.get(wager, {}):
        raise RuleError(f"{rules.id} has no paytable {name} for {wager}")
    return rules.paytables[wager][name]


def _row(table: Paytable, index: int) -> PayRow | None:
    return None if index < 0 else table.rows[index]


@cache
def _joint(least_qualifying_rank: int) -> tuple[NDArray[np.intp], Counts]:
    """One hand of each kind, and how many deals of its kind have each showdown and each best five."""
    kinds, weights = _kinds()
    faces = hands()
    masks = (np.uint64(1) << faces.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    ways = np.empty((len(kinds), _CELLS), dtype=np.int64)
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
        shown = _showdown_index(dealer_ranks[kind], dealer_ranks[dealers], least_qualifying_rank)
        ways[index] = np.bincount(shown * np.uint8(len(FiveCardCategory)) + category, minlength=_CELLS)
    return kinds, ways * weights[:, None]


def _showdown_index(own: np.int16, dealers: NDArray[np.int16], least_qualifying_rank: int) -> NDArray[np.uint8]:
    """The index in `Showdown` of each dealer hand against one player hand."""
    # True counts one: dealer lower 1, tie 2, dealer higher 3; none of it where the dealer does not qualify.
    index = (dealers >= own).view(np.uint8) + (dealers > own).view(np.uint8) + np.uint8(1)
    index *= (dealers >= least_qualifying_rank).view(np.uint8)
    return index


@cache
def _kinds() -> tuple[NDArray[np.intp], Counts]:
    """The first hand of each kind, and how many hands the kind has."""
    members: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for index, hand in enumerate(hands().tolist()):
        # A kind: the sets of ranks that share a suit. A-K-Q suited keeps its suit.
        by_suit = [tuple(face % 13 for face in hand if face // 13 == suit) for suit in range(4)]
        kind = tuple(sorted(by_suit)) if ranks()[index] != MINI_ROYAL else tuple(by_suit)
        members.setdefault(kind, []).append(index)
    firsts = np.array([hands_of_kind[0] for hands_of_kind in members.values()], dtype=np.intp)
    return firsts, np.array([len(hands_of_kind) for hands_of_kind in members.values()], dtype=np.int64)
