"""Progressive and bad beat: wagers with a meter, whose figures hold in the long run.

What goes into a meter comes out of it, so over time a wager returns its awards from the tray, its whole contribution,
the house's seed for each meter that is won in full, and envy. The meter's mean and spread follow from the same balance:
each wager adds its contribution, then with known chances nothing, a part or all of the meter is won. Wagers on one
meter are taken to come one after another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from round_engine.errors import RuleError
from round_engine.hands.strategy import Strategy
from round_engine.odds.against_dealer import AnteGame, Decisions, ante_bonus_table
from round_engine.odds.figures import MeterFigures, WagerEnd, WagerOdds
from round_engine.rules.ruleset import Pay, PayRow, Paytable, ProgressiveRules, RuleSet, WagerName
from round_engine.wagers.aspects import NO_ROW, Ways
from round_engine.wagers.registry import WAGERS

PRINTED_OTHERS: Final = 6
"""Other bettors in the printed figures: a full table of seven (the rate at which the documents' own figures agree)."""


def metered_odds(
    rules: RuleSet, table: Paytable, others: int = PRINTED_OTHERS, strategy: Strategy | None = None
) -> WagerOdds:
    """Exact long-run figures at the meter's denomination, with envy from a number of other bettors.

    The strategy matters where folded hands are disqualified; without one the ante is played optimally.
    """
    if others < 0:
        raise RuleError(f"there cannot be {others} other bettors")
    how = _how(rules, table.wager)
    alive = _alive(rules, how, strategy)
    deals, ways = row_ways(table, alive)
    flow = _Flow(how=how, table=table, chances=[Fraction(count, deals) for count in ways], others=others)
    outcomes = [
        WagerEnd(
            name=row.hand.replace("_", " "),
            pays=str(row),
            ways=count,
            net=flow.award(row) - how.denomination,
            hit=row.wins,
        )
        for row, count in zip(table.rows, ways, strict=True)
    ]
    outcomes.append(
        WagerEnd(name="no award", pays="nothing", ways=deals - sum(ways), net=Fraction(-how.denomination), hit=False)
    )
    return WagerOdds(
        rule_set=rules.id,
        fingerprint=rules.fingerprint,
        wager=table.wager,
        paytable=table.id,
        clause=table.clause,
        stake=how.denomination,
        deals=deals,
        outcomes=tuple(outcomes),
        house_advantage=flow.house_advantage,
        variance=flow.variance,
        meter=flow.meter,
        notes=(
            f"long run: meter at its mean, contribution {float(flow.contribution):.4g} of each wager, "
            f"envy from {others} other bettor{'' if others == 1 else 's'}",
            "variance of the wager's own award, envy left out",
        ),
    )


def row_ways(table: Paytable, alive: Decisions | None = None) -> Ways:
    """Count all deals by the row they take, of the hands that can win."""
    aspect = WAGERS[table.wager].aspect_of(table)
    classes = [len(table.rows) if row == NO_ROW else row for row in aspect.taken(table)]
    deals, ways = aspect.count(classes, alive)
    return Ways(deals, [*ways[: len(table.rows)], *[0] * (len(table.rows) - len(ways))])


def _how(rules: RuleSet, wager: WagerName) -> ProgressiveRules:
    how = rules.progressives.get(wager)
    if how is None:
        raise RuleError(f"{rules.id} has no {wager} on this layout")
    return how


def _alive(rules: RuleSet, how: ProgressiveRules, strategy: Strategy | None) -> Decisions | None:
    """The hands that can win: all (None), or where folding disqualifies, those that are played."""
    if how.folded_hands == "alive":
        return None
    return AnteGame(rules, ante_bonus_table(rules)).decisions(strategy)


@dataclass(frozen=True, kw_only=True)
class _Flow:
    """Money in and out of one metered wager; amounts in cents, shares in parts of the wager."""

    how: ProgressiveRules
    table: Paytable
    chances: Sequence[Fraction]
    others: int

    @property
    def _meter_rows(self) -> list[tuple[Fraction, Fraction]]:
        """Chance and share of the meter, for each row that is paid from it."""
        return [
            (chance, Fraction(row.value, 100))
            for row, chance in zip(self.table.rows, self.chances, strict=True)
            if row.pay is Pay.METER
        ]

    @property
    def contribution(self) -> Fraction:
        return Fraction(self.table.contribution_bp, 10_000)

    @property
    def _reserve(self) -> Fraction:
        """What the reserve gives back; it is released by a full award alone."""
        return Fraction(self.how.reserve_bp, 10_000) if self.top else Fraction(0)

    @property
    def top(self) -> Fraction:
        """The chance of a full award."""
        return sum((chance for chance, share in self._meter_rows if share == 1), Fraction(0))

    @property
    def _drain(self) -> Fraction:
        """The mean share of the meter that one wager takes."""
        return sum((chance * share for chance, share in self._meter_rows), Fraction(0))

    @property
    def tray(self) -> Fraction:
        paid = (
            chance * row.paid(self.how.denomination)
            for row, chance in zip(self.table.rows, self.chances, strict=True)
            if row.pay is not Pay.METER
        )
        return sum(paid, Fraction(0)) / self.how.denomination

    @property
    def envy(self) -> Fraction:
        multiple = Fraction(self.how.denomination, 100) if self.how.envy_multiplies else Fraction(1)
        from_one = sum(
            (chance * row.envy for row, chance in zip(self.table.rows, self.chances, strict=True) if row.wins),
            Fraction(0),
        )
        return self.others * from_one * multiple / self.how.denomination

    @property
    def seeding(self) -> Fraction:
        return self.top * self.how.seed / self.how.denomination

    @property
    def _envy_from_meter(self) -> Fraction:
        return self.envy if self.how.envy_source == "meter" else Fraction(0)

    @property
    def house_advantage(self) -> Fraction:
        from_meter = self.contribution + self._reserve + self.seeding
        return 1 - self.tray - from_meter - self.envy + self._envy_from_meter

    @property
    def mean_meter(self) -> Fraction:
        """The long-run mean of the meter when cards are dealt, in cents: what flows in over the share that leaves."""
        if not self._drain:
            return Fraction(0)
        inflow = self.contribution + self._reserve + self.seeding - self._envy_from_meter
        return inflow * self.how.denomination / self._drain

    @property
    def _mean_square_meter(self) -> Fraction:
        """From the balance of squares: a wager adds `step`, then the meter is kept, cut to a part, or seeded."""
        step = self.contribution * self.how.denomination
        kept = sum((chance * (1 - share) for chance, share in self._meter_rows), Fraction(0))
        untouched = 1 - sum((chance for chance, _ in self._meter_rows), Fraction(0))
        left = (kept + untouched) * self.mean_meter + self.top * self.how.seed
        loss = sum((chance * (1 - (1 - share) ** 2) for chance, share in self._meter_rows), Fraction(0))
        return (step**2 + 2 * step * left + self.top * self.how.seed**2) / loss

    @property
    def variance(self) -> Fraction | None:
        """Of the wager's own award, envy left out; not known where a reserve or envy moves the meter too."""
        if self.how.reserve_bp or self._envy_from_meter or not self._drain:
            return None
        square = sum(
            (
                chance * row.paid(self.how.denomination) ** 2
                for row, chance in zip(self.table.rows, self.chances, strict=True)
                if row.pay is not Pay.METER
            ),
            Fraction(0),
        )
        square += sum((chance * share**2 for chance, share in self._meter_rows), Fraction(0)) * self._mean_square_meter
        mean = self.tray * self.how.denomination + self._drain * self.mean_meter
        return (square - mean**2) / self.how.denomination**2

    def award(self, row: PayRow) -> Fraction:
        """What the row pays in cents, a share of the meter at its mean."""
        if row.pay is Pay.METER:
            return self.mean_meter * row.value / 100
        return Fraction(row.paid(self.how.denomination))

    @property
    def meter(self) -> MeterFigures:
        open_to_win = 1 - self.tray - self.envy
        return MeterFigures(
            contribution=self.contribution + self._reserve,
            seeding=self.seeding,
            tray=self.tray,
            envy=self.envy,
            others=self.others,
            seed=self.how.seed,
            share_won=self._drain,
            top_probability=self.top,
            average_top=self.mean_meter,
            break_even=open_to_win * self.how.denomination / self._drain if self._drain else None,
        )
