"""Rounds by the hundred million through the batch engine, held against the exact figures.

One spot with one mix of wagers, dealt from fresh decks. What is counted is how often each cell of the settlement and
each row of a metered wager occurs; every figure is a function of those counts, and their exact chances are known. Each
block of rounds has random numbers of its own, so that a run can stop and resume and comes to the same counts.

A metered wager's hold counts what a meter owes as paid: each wager costs the house its contribution, the award from the
tray, and the seed of a meter that is won in full. That has no memory, and its mean is the long-run hold without envy.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from round_engine.batch import BatchError, Decide, Settlement, Stakes, settle_rounds
from round_engine.batch.cells import Cells, make_cells
from round_engine.batch.reading import read
from round_engine.errors import OperationError
from round_engine.hands import THREE_CARD_RANKS, rank3
from round_engine.hands.strategy import Strategy
from round_engine.meters.awards import Meter
from round_engine.odds import Mix
from round_engine.odds.against_dealer import NO_BONUS
from round_engine.odds.deals import DEALS, hands, payings, ranks
from round_engine.odds.joint import CountedAspect, joint
from round_engine.odds.metered import row_ways
from round_engine.rules.ruleset import Pay, PayRow, Paytable, WagerName
from round_engine.wagers import METERED, WAGERS, wager_label
from round_engine.wagers.aspects import NO_ROW, SHOWDOWN
from round_engine.wagers.paybook import PayBook

BLOCK: Final = 500_000
CARDS: Final = 6
FORMAT: Final = 1
DRAWS: Final = 1_999
"""Tables of counts drawn from the exact chances, from which the law of the worst deviation comes."""

Counts = NDArray[np.int64]
Figures = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure as it came out and as it is."""

    name: str
    observed: float
    exact: float
    deviations: float
    """The difference in standard errors."""


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """What a run came to so far."""

    rule_set: str
    fingerprint: str
    strategy: str | None
    rounds: int
    figures: tuple[Figure, ...]
    worst: str
    p_value: float
    """The chance of a worst deviation at least as large, over all figures."""
    meters: Mapping[WagerName, int] = field(default_factory=dict)
    meter_wins: int = 0


# --- what is counted -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Wager:
    """The net result of each cell for the player, the stake, and which cells win."""

    net: Figures
    stake: float
    hits: Figures


@dataclass(frozen=True, kw_only=True)
class _Part:
    """Counts of one kind with their exact chances, and the figures that follow from them."""

    chances: Figures
    wagers: Mapping[str, "_Wager"]

    def figures(self, counts: Figures) -> Figures:
        """For each row of counts: hold, variance and hit frequency of each wager, in standard errors."""
        rounds = counts.sum(axis=-1, keepdims=True)
        shares = counts / rounds
        found = []
        for wager in self.wagers.values():
            exact = _moments(self.chances, wager)
            seen_mean = shares @ wager.net
            seen_variance = shares @ wager.net**2 - seen_mean**2
            seen_hits = shares @ wager.hits
            root = np.sqrt(rounds[..., 0])
            for seen, wanted, error in (
                (seen_mean, exact.mean, exact.mean_error),
                (seen_variance, exact.variance, exact.variance_error),
                (seen_hits, exact.hits, exact.hits_error),
            ):
                found.append((seen - wanted) * root / error if error else np.zeros_like(seen))
        return np.stack(found, axis=-1)

    def told(self, counts: Counts) -> list[Figure]:
        """The figures for people."""
        shares = counts / counts.sum()
        deviations = self.figures(counts.astype(np.float64)).tolist()
        told: list[Figure] = []
        for at, (name, wager) in enumerate(self.wagers.items()):
            exact, stake, net = _moments(self.chances, wager), wager.stake, wager.net
            mean = float(shares @ net)
            for what, seen, wanted in (
                ("hold", -mean / stake, -exact.mean / stake),
                ("variance", (float(shares @ net**2) - mean**2) / stake**2, exact.variance / stake**2),
                ("hit frequency", float(shares @ wager.hits), exact.hits),
            ):
                place = 3 * at + len(told) % 3
                told.append(
                    Figure(name=f"{name} {what}", observed=seen, exact=wanted, deviations=deviations[place])
                )
        return told

    def p_value(self, counts: Counts, rng: np.random.Generator) -> float:
        """How often counts drawn from the exact chances deviate as much at their worst."""
        worst = np.abs(self.figures(counts.astype(np.float64))).max()
        drawn = rng.multinomial(int(counts.sum()), self.chances, size=DRAWS).astype(np.float64)
        as_bad = int(np.count_nonzero(np.abs(self.figures(drawn)).max(axis=1) >= worst))
        return (1 + as_bad) / (1 + DRAWS)


@dataclass(frozen=True)
class _Moments:
    mean: float
    variance: float
    hits: float
    mean_error: float
    variance_error: float
    hits_error: float


def _moments(chances: Figures, wager: _Wager) -> _Moments:
    mean = float(chances @ wager.net)
    apart = wager.net - mean
    variance, fourth = float(chances @ apart**2), float(chances @ apart**4)
    hits = float(chances @ wager.hits)
    return _Moments(
        mean, variance, hits, variance**0.5, max(fourth - variance**2, 0.0) ** 0.5, (hits * (1 - hits)) ** 0.5
    )


class Simulation:
    """A run that can stop after any block."""

    def __init__(self, mix: Mix, seed: int) -> None:
        self.mix, self.seed = mix, seed
        self.rules = mix.rules
        self.stakes = Stakes(stakes={wager: int(stake.cents) for wager, stake in mix.stakes.items()})
        self.stakes.verify(self.rules)
        if any(table.id != self.rules.house.paytables.get(table.wager, NO_BONUS.id) for table in mix.tables.values()):
            raise BatchError("a simulation plays the paytables of the house: choose them by --set house.paytables…")
        self.decide = _decide(mix)
        self.cells = make_cells(PayBook(self.rules), [self.stakes])
        self.settled = self._settled_part()
        self.metered = {wager: self._metered_part(wager) for wager in METERED if wager in mix.stakes}
        self.blocks = self.rounds = self.wins = 0
        self.counts: Counts = np.zeros(self.cells.per_pattern, dtype=np.int64)
        self.row_counts: dict[WagerName, Counts] = {
            wager: np.zeros(len(part.chances), dtype=np.int64) for wager, part in self.metered.items()
        }
        self.meters: dict[WagerName, Meter] = {}

    # Exact chances.

    def _settled_part(self) -> _Part:
        cells, mix = self.cells, self.mix
        chances = np.zeros(cells.per_pattern)
        others = (CountedAspect(one.aspect, tuple(one.of_value.tolist())) for one in cells.others)
        counted = (CountedAspect(SHOWDOWN, tuple(range(SHOWDOWN.size))), *others)
        kinds, ways = joint(rank3(*self.rules.least_qualifying_hand), counted)
        plays = mix.plays_by_hand[kinds.firsts]
        half = ways.shape[1]
        for kind, (hand, played) in enumerate(zip(kinds.firsts.tolist(), plays.tolist(), strict=True)):
            start = (int(cells.kind_by_paying[payings()[hand]]) * 2 + (0 if played else 1)) * half
            chances[start : start + half] += ways[kind] / DEALS
        return _Part(chances=chances, wagers=_nets(cells, mix))

    def _metered_part(self, wager: WagerName) -> _Part:
        table, how = self.mix.tables[wager], self.rules.progressives[wager]
        alive = self.mix.plays_by_hand if how.folded_hands == "disqualified" else None
        deals, by_row = row_ways(table, alive)
        ways = np.array([*by_row, deals - sum(by_row)], dtype=np.int64)  # no award last
        share = how.denomination * (table.contribution_bp + how.reserve_bp) / 10_000
        net = np.array([*(_cost(row, how.denomination, how.seed) for row in table.rows), 0.0])
        hits = np.array([*(float(row.wins) for row in table.rows), 0.0])
        wagered = _Wager(net + share - how.denomination, float(how.denomination), hits)
        return _Part(chances=ways / deals, wagers={f"{wager_label(wager)} (long run)": wagered})

    # Playing.

    def block(self, most: int = BLOCK) -> int:
        """Play one block, of so many rounds at most; how many it had."""
        rng = np.random.Generator(np.random.Philox(np.random.SeedSequence([self.seed, self.blocks])))
        decks = six_cards(rng, BLOCK)[:most]
        settled = settle_rounds(self.rules, decks, [self.stakes], strategy=self.decide, meters=self.meters)
        self.counts += np.bincount(settled.cells[:, 0], minlength=len(self.counts))
        for wager in self.metered:
            self._count_rows(wager, decks, settled)
        self.meters = dict(settled.meters)
        self.wins += len(settled.meter_wins)
        self.rounds += len(decks)
        self.blocks += 1
        return len(decks)

    def _count_rows(self, wager: WagerName, decks: NDArray[np.uint8], settled: Settlement) -> None:
        """Which rows were hit, and that the batch paid exactly those."""
        table, how = self.mix.tables[wager], self.rules.progressives[wager]
        rows = _rows_hit(table, decks)
        if how.folded_hands == "disqualified":
            rows[settled.folded[:, 0]] = NO_ROW
        hit = np.bincount(np.where(rows == NO_ROW, len(table.rows), rows), minlength=len(table.rows) + 1)
        tray = sum(
            int(many) * row.paid(how.denomination)
            for many, row in zip(hit, table.rows, strict=False)
            if row.pay is not Pay.METER
        )
        prizes = sum(win.prize for win in settled.meter_wins if win.wager == wager)
        if int(settled.metered[wager].sum()) != tray + prizes - len(decks) * how.denomination:
            raise BatchError(f"the batch paid other {wager} awards than the hands show")
        self.row_counts[wager] += hit

    # Results.

    def result(self) -> Simulated:
        """The figures so far, and the p-value of the worst of them."""
        if not self.rounds:
            raise BatchError("nothing has been simulated yet")
        parts = [(self.settled, self.counts), *((part, self.row_counts[wager]) for wager, part in self.metered.items())]
        rng = np.random.Generator(np.random.Philox(np.random.SeedSequence([self.seed, 2**32])))
        figures = [figure for part, counts in parts for figure in part.told(counts)]
        smallest = min(part.p_value(counts, rng) for part, counts in parts)
        return Simulated(
            rule_set=self.rules.id,
            fingerprint=self.rules.fingerprint,
            strategy=self.mix.told,
            rounds=self.rounds,
            figures=tuple(figures),
            worst=max(figures, key=lambda one: abs(one.deviations)).name,
            p_value=min(1.0, smallest * len(parts)),
            meters={wager: meter.amount for wager, meter in self.meters.items() if wager in self.metered},
            meter_wins=self.wins,
        )

    # Stopping and resuming.

    @property
    def _question(self) -> dict[str, Any]:
        return {
            "format": FORMAT, "fingerprint": self.rules.fingerprint, "seed": self.seed, "strategy": self.mix.told,
            "stakes": {wager: int(stake.cents) for wager, stake in self.mix.stakes.items()},
        }  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Enough to go on from."""
        meters = {
            wager: [one.amount, one.reserve, one.carry, one.reserve_carry, one.floor]
            for wager, one in self.meters.items()
        }
        return self._question | {
            "rounds": self.rounds, "blocks": self.blocks, "wins": self.wins, "counts": self.counts.tolist(),
            "rows": {wager: counts.tolist() for wager, counts in self.row_counts.items()}, "meters": meters,
        }  # fmt: skip

    def resume(self, data: Mapping[str, Any]) -> None:
        """Go on from a run that asked the same."""
        try:
            asked = {key: data[key] for key in self._question}
            if asked != self._question:
                raise OperationError("the kept run is of other rules, stakes, strategy or seed: give another file")
            if data["rounds"] % BLOCK:
                raise OperationError("the kept run is finished: give another file or another seed")
            counts = np.array(data["counts"], dtype=np.int64)
            rows: dict[WagerName, Counts] = {
                wager: np.array(data["rows"][wager], dtype=np.int64) for wager in self.metered
            }
            whole = [(counts, self.counts), *((rows[wager], self.row_counts[wager]) for wager in rows)]
            if any(new.shape != old.shape or new.sum() != data["rounds"] or new.min() < 0 for new, old in whole):
                raise OperationError("the kept run does not add up")
            names = ("amount", "reserve", "carry", "reserve_carry", "floor")
            meters = {
                name: Meter(wager=name, **dict(zip(names, map(int, amounts), strict=True)))
                for name, amounts in data["meters"].items()
            }
        except (KeyError, TypeError, ValueError, AttributeError):
            raise OperationError("not a kept run of a simulation") from None
        self.counts, self.row_counts, self.meters = counts, rows, meters
        self.rounds, self.blocks, self.wins = int(data["rounds"]), int(data["blocks"]), int(data["wins"])


# --- parts -----------------------------------------------------------------------------------------------------------


def six_cards(rng: np.random.Generator, rounds: int) -> NDArray[np.uint8]:
    """Player's and dealer's hands, every ordered choice of six of 52 cards with the same chance."""
    picked = np.empty((rounds, CARDS), dtype=np.uint8)
    for place in range(CARDS):
        drawn = rng.integers(0, 52 - place, size=rounds, dtype=np.uint8)
        for earlier in np.sort(picked[:, :place], axis=1).T:
            drawn += drawn >= earlier  # the drawn-th of those that are left
        picked[:, place] = drawn
    return picked


def _decide(mix: Mix) -> Strategy | Decide:
    """The mix's decisions by rank where they hang on nothing else, which is quicker; else hand by hand."""
    plays = mix.plays_by_hand if mix.awaits_decision else np.ones(len(hands()), dtype=np.bool_)
    by_rank = np.zeros(THREE_CARD_RANKS, dtype=np.int64)
    np.add.at(by_rank, ranks(), plays)
    every = np.bincount(ranks(), minlength=THREE_CARD_RANKS)
    if ((by_rank == 0) | (by_rank == every)).all():
        return Strategy(name="as the mix is played", plays=tuple(bool(one) for one in by_rank))
    table = np.zeros((52, 52, 52), dtype=np.bool_)
    low, middle, high = hands().T
    table[low, middle, high] = plays

    def decide(faces: NDArray[np.uint8], _ranks: NDArray[np.uint16]) -> NDArray[np.bool_]:
        first, second, third = np.moveaxis(np.sort(faces, axis=-1), -1, 0)
        plays: NDArray[np.bool_] = table[first, second, third]
        return plays

    return decide


def _nets(cells: Cells, mix: Mix) -> dict[str, _Wager]:
    """The settled wagers of the mix, ante with play and bonus, and their sum."""
    nets: dict[str, _Wager] = {}
    for wager in mix.stakes:
        if WAGERS[wager].is_settled:
            parts = [net for part, net in cells.net_by_wager.items() if WAGERS[part].judged_with == wager]
            net = np.sum(parts, axis=0).astype(np.float64)
            nets[wager_label(wager)] = _Wager(net, float(mix.stakes[wager].cents), (net > 0).astype(np.float64))
    if len(nets) > 1:
        total = np.sum([one.net for one in nets.values()], axis=0)
        nets["together"] = _Wager(total, sum(one.stake for one in nets.values()), (total > 0).astype(np.float64))
    return nets


def _cost(row: PayRow, denomination: int, seed: int) -> float:
    """What an award costs the house beside the contributions that it is made of."""
    if row.pay is not Pay.METER:
        return float(row.paid(denomination))
    return float(seed) if row.value == 100 else 0.0


def _rows_hit(table: Paytable, decks: NDArray[np.uint8]) -> NDArray[np.int8]:
    """The row that each deal takes, or `NO_ROW`."""
    aspect = WAGERS[table.wager].aspect_of(table)
    values = aspect.of_block(read(decks, 2, "groups"))[:, 0]
    rows: NDArray[np.int8] = np.array(aspect.taken(table), dtype=np.int8).take(values)
    return rows
