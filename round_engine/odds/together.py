"""Several wagers on one spot at once: the exact distribution of the total, for a cap and a decision that bind them all.

A share of a meter is paid as the meter stands, by default at its long-run mean; envy is left out of the distribution
and reported as an expectation, because it depends on other players' hands.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import NamedTuple

import numpy as np

from round_engine.errors import RuleError
from round_engine.hands import name_of_rank3, rank3
from round_engine.hands.strategy import Strategy
from round_engine.money import Cents, dollars
from round_engine.odds.against_dealer import Decisions, ante_bonus_table
from round_engine.odds.deals import DEALS, Counts, hands, payings, ranks
from round_engine.odds.figures import MeterFigures
from round_engine.odds.joint import CountedAspect, joint
from round_engine.odds.metered import metered_odds
from round_engine.odds.stakes import Stake, real_stake
from round_engine.rules.ruleset import Pay, PayRow, Paytable, RuleSet, WagerName
from round_engine.wagers.aspects import Aspect, Rows
from round_engine.wagers.registry import JUDGED, METERED, TABLED, WAGERS

TOGETHER = JUDGED
"""The wagers that one hand can carry."""


class _Part(NamedTuple):
    """One wager of the mix with the wager that its stake is of, and the rows it takes."""

    wager: WagerName
    stake_of: WagerName
    aspect: Aspect
    rows: Rows


class _Group(NamedTuple):
    """An aspect with the values put together that take the same rows."""

    aspect: Aspect
    classes: tuple[int, ...]
    example: tuple[int, ...]
    """One value of each class."""


@dataclass(frozen=True, kw_only=True)
class TogetherOdds:
    """The total of several wagers on one hand."""

    rule_set: str
    fingerprint: str
    stakes: Mapping[WagerName, Cents]
    paytables: Mapping[WagerName, str]
    strategy: str | None
    """How the ante is played; None where nothing is decided."""
    distribution: Mapping[Fraction, int]
    """Deals for each net result in cents, worst first, envy left out."""
    capped: int
    """Deals in which the cap takes something."""
    meters: Mapping[WagerName, Fraction] = field(default_factory=dict)
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
    stakes: Mapping[WagerName, Cents],
    *,
    tables: Mapping[WagerName, str] | None = None,
    strategy: Strategy | None = None,
    meters: Mapping[WagerName, Cents] | None = None,
    others: int = 0,
) -> TogetherOdds:
    """Exact figures of stakes in real money, by default on the house's paytables, decided as is best for them all."""
    return Mix(rules, stakes, tables=tables, strategy=strategy, meters=meters, others=others).odds


class Mix:
    """Wagers on one spot, and how the hand is played."""

    def __init__(
        self,
        rules: RuleSet,
        stakes: Mapping[WagerName, Cents],
        *,
        tables: Mapping[WagerName, str] | None = None,
        strategy: Strategy | None = None,
        meters: Mapping[WagerName, Cents] | None = None,
        others: int = 0,
    ) -> None:
        if not stakes or any(wager not in TOGETHER for wager in stakes):
            raise RuleError(f"name stakes for some of {', '.join(TOGETHER)}")
        self.rules, self.strategy, self.others = rules, strategy, others
        self.given_meters: Mapping[WagerName, Cents] = meters or {}
        if unused := [wager for wager in self.given_meters if wager not in stakes]:
            raise RuleError(f"a meter is given for {', '.join(unused)}, which is not among the stakes")
        self.stakes: dict[WagerName, Stake] = {wager: _stake(rules, wager, cents) for wager, cents in stakes.items()}
        chosen = tables or {}
        used = {wager: _table(rules, wager, chosen.get(wager)) for wager in TABLED if _is_used(rules, wager, stakes)}
        self.tables: dict[WagerName, Paytable] = {
            wager: used.get(table) or ante_bonus_table(rules)
            for wager in stakes
            if (table := WAGERS[wager].table_name) is not None
        }
        self.parts = tuple(
            _Part(name, WAGERS[name].on or name, *WAGERS[name].rows(rules, used.get(name)))
            for name in WAGERS
            if _is_used(rules, name, stakes)
        )
        aspects = dict.fromkeys(part.aspect for part in self.parts)
        self.own = [self._group(aspect) for aspect in aspects if aspect.own_only]
        self.dealt = [self._group(aspect) for aspect in aspects if not aspect.own_only]
        counted = tuple(CountedAspect(group.aspect, group.classes) for group in self.dealt)
        found, self.ways = joint(rank3(*rules.least_qualifying_hand), counted)
        self.kinds, self.members = found

    @property
    def awaits_decision(self) -> bool:
        """Whether the hand is played or folded."""
        return any(WAGERS[wager].awaits_decision for wager in self.stakes)

    def _group(self, aspect: Aspect) -> _Group:
        rows = [part.rows for part in self.parts if part.aspect is aspect]
        keys = [tuple(id(row[value]) for row in rows) for value in range(aspect.size)]
        number = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        return _Group(aspect, tuple(number[key] for key in keys), tuple(keys.index(key) for key in number))

    # Rows of every kind of hand.

    @cached_property
    def row_keys(self) -> list[tuple[int, ...]]:
        """For each kind of hand the class of each aspect that its own cards decide."""
        columns = [np.array(group.classes)[payings()[self.kinds]].tolist() for group in self.own]
        return list(zip(*columns, strict=True)) if columns else [()] * len(self.kinds)

    @cached_property
    def _must_fold(self) -> Decisions:
        stakes = {wager: int(stake.cents) for wager, stake in self.stakes.items()}
        least = max(WAGERS[wager].folds_below(self.rules, stakes) for wager in stakes)
        below: Decisions = ranks()[self.kinds] < least
        return below

    # Meters.

    @cached_property
    def meters(self) -> dict[WagerName, Fraction]:
        """What each meter stands at, in cents: as given, or its long-run mean under the decisions of the ante alone."""
        found: dict[WagerName, Fraction] = {}
        for wager in METERED:
            if wager in self.given_meters:
                found[wager] = Fraction(self.given_meters[wager])
            elif wager in self.tables:
                found[wager] = self._alone(wager, 0).average_top
        return found

    def _alone(self, wager: WagerName, others: int) -> MeterFigures:
        meter = metered_odds(self.rules, self.tables[wager], others, self.strategy).meter
        if meter is None:
            raise RuleError(f"{wager} has no meter")
        return meter

    # Nets.

    def net(self, cell: int, keys: tuple[int, ...], *, played: bool) -> tuple[Fraction, bool]:
        """The total of one cell, up or down, in cents, and whether the cap took something."""
        values = {group.aspect: group.example[key] for group, key in zip(self.own, keys, strict=True)}
        for group in reversed(self.dealt):
            cell, key = divmod(cell, len(group.example))
            values[group.aspect] = group.example[key]
        settings, put_up, winnings, returned, uncapped = self.rules.settings, 0, Fraction(0), 0, Fraction(0)
        for part in self.parts:
            kind, stake = WAGERS[part.wager], self.stakes[part.stake_of]
            row = part.rows[values[part.aspect]]
            has_stake = part.wager in self.stakes or not kind.ladder
            if not kind.is_placed and has_stake and not played:
                continue  # what playing adds
            if has_stake:
                put_up += stake.cents
            if not played and not kind.lives_on(self.rules):
                continue
            if kind.is_metered:
                award = self._award(part.wager, row)
                winnings, uncapped = (
                    (winnings + award, uncapped) if settings.cap_counts_awards else (winnings, uncapped + award)
                )
                continue
            winnings += stake.pay(row)
            if has_stake and row is not None and row.returns_stake:
                returned += stake.cents
        kept = next(iter(self.stakes.values())).capped(winnings, returned)
        return kept + uncapped + returned - put_up, kept < winnings

    def _award(self, wager: WagerName, row: PayRow | None) -> Fraction:
        if row is None:
            return Fraction(0)
        if row.pay is Pay.METER:
            return self.meters[wager] * row.value / 100
        return Fraction(row.paid(self.rules.progressives[wager].denomination))

    @cached_property
    def _nets(self) -> dict[tuple[tuple[int, ...], bool], list[tuple[Fraction, bool]]]:
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
        if not self.awaits_decision:
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
        for plays, members in zip(self.plays.tolist(), self.members, strict=True):
            decided[members] = plays
        return decided

    @property
    def told(self) -> str | None:
        """The strategy in words."""
        if not self.awaits_decision:
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
        sums: dict[tuple[tuple[int, ...], bool], Counts] = {}
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


def _stake(rules: RuleSet, wager: WagerName, cents: Cents) -> Stake:
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


def _is_used(rules: RuleSet, name: WagerName, stakes: Mapping[WagerName, Cents]) -> bool:
    """Whether a wager is among the stakes, or is paid or added to on one of them; tips are no part of a mix."""
    wager = WAGERS[name]
    return name in stakes or (wager.on in stakes and wager.posted_as == name and wager.is_offered(rules))


def _table(rules: RuleSet, wager: WagerName, name: str | None) -> Paytable:
    if name is None:
        return rules.paytable(wager)
    if name not in rules.paytables.get(wager, {}):
        raise RuleError(f"{rules.id} has no paytable {name} for {wager}")
    return rules.paytables[wager][name]
