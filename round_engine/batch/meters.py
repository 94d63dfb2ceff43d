"""Progressive wagers in a batch: awards from the tray by look-up, the few rounds that move a meter one by one.

Between two awards a meter only grows, by a running total in ten-thousandths of a cent, so it is brought up to date
when a round needs it. Those rounds go through the scalar engine's own award and envy.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from round_engine.batch.reading import Ranked, Read
from round_engine.batch.stakes import Stakes
from round_engine.meters.awards import BASIS_POINTS, Meter, awards, dues, envy, meter_account
from round_engine.round.state import Spot
from round_engine.rules.ruleset import Pay, PayRow, WagerName
from round_engine.wagers.paybook import PayBook


@dataclass(frozen=True, kw_only=True)
class MeterWin:
    """An award that came off a meter; rounds count from 0, spots from 1."""

    round: int
    spot: int
    wager: WagerName
    row: PayRow
    prize: int


@dataclass(frozen=True, kw_only=True)
class _RareRound:
    """A round that moves the meter; spots in the order of settlement."""

    number: int
    spots: list[Spot]
    dealer_rank: int


class MeterRun:
    """One progressive wager through all rounds of a batch: `add` every block in order, then `finish`.

    `net` is what the player is up or down by on this wager, envy included; the same is added to `total`.
    """

    def __init__(
        self,
        book: PayBook,
        wager: WagerName,
        meter: Meter,
        patterns: Sequence[Stakes],
        players: Sequence[str],
        total: NDArray[np.int64],
    ) -> None:
        self.book, self.wager, self.meter, self.players, self.total = book, wager, meter, players, total
        self.rules = book.rules.progressives[wager]
        self.net = np.zeros_like(total)
        self.wins: list[MeterWin] = []
        self._strict = self.rules.folded_hands == "disqualified"
        self._lit_pattern = np.array([wager in stakes.stakes for stakes in patterns])
        self._lit_spots = np.zeros(len(total), dtype=np.int64)
        self._one_by_one: list[_RareRound] = []
        self._wagers = [
            [stakes.on(spot, player) for spot, player in enumerate(players, start=1)] for stakes in patterns
        ]
        rows = book.rows[wager]
        self._tray = np.array([0 if row is None else row.paid(self.rules.denomination) for row in rows], dtype=np.int64)
        self._from_meter = np.array([row is not None and row.pay is Pay.METER for row in rows])
        multiple = self.rules.denomination if self.rules.envy_multiplies else 100
        self._envy = np.array([0 if row is None else row.envy * multiple // 100 for row in rows], dtype=np.int64)
        self._rare = self._from_meter | (self._envy > 0)
        own_too = self.rules.envy_own_other_spot
        self._envied = np.array(
            [
                [one != other and (own_too or players[one] != players[other]) for other in range(len(players))]
                for one in range(len(players))
            ]
        )
        """Whether a hand on the spot of the row pays the spot of the column."""

    @property
    def is_on(self) -> bool:
        """Whether anybody has the wager; without one nothing is won and no envy paid."""
        return bool(self._lit_pattern.any())

    # Many rounds at once.

    def add(self, start: int, block: Ranked, chosen: NDArray[np.intp], folded: NDArray[np.bool_]) -> None:
        """Take the wagers of a block, pay what comes from the tray, and put the rounds aside that move the meter."""
        here = slice(start, start + len(block.ranks))
        lit = self._lit_pattern[chosen]
        place = self._places(block)
        alive = lit & ~folded if self._strict else lit
        self._lit_spots[here] = lit.sum(axis=1)
        self.net[here] = self._tray[place] * alive
        self.net[here] -= lit * np.int64(self.rules.denomination)
        self.total[here] += self.net[here]
        rare = self._rare[place] & (lit if self.rules.envy_needs_wager else True)
        self._add_rare(start, np.flatnonzero(rare.any(axis=1)), block, chosen, folded)

    def add_compiled(self, kernel: Any, block: Ranked, chosen: NDArray[np.intp], folded: NDArray[np.bool_]) -> None:
        """The same as `add`, for all rounds in one numba loop."""
        rare_rounds = np.empty(len(block.ranks), dtype=np.intp)
        found = kernel.meter_block(
            self._places(block), folded, chosen, self._lit_pattern, self._tray, self._rare, self._strict,
            not self.rules.envy_needs_wager, int(self.rules.denomination), self.net, self.total, self._lit_spots,
            rare_rounds,
        )  # fmt: skip
        self._add_rare(0, rare_rounds[:found], block, chosen, folded)

    def _places(self, block: Ranked) -> NDArray[np.uint16]:
        """Where each spot's award is looked up."""
        # A metered wager pays by ranks alone, which is all that a `Ranked` has.
        places: NDArray[np.uint16] = self.book.aspects[self.wager].of_block(cast("Read", block))
        return places

    def _add_rare(
        self,
        start: int,
        rows: NDArray[np.intp],
        block: Ranked,
        chosen: NDArray[np.intp],
        folded: NDArray[np.bool_],
    ) -> None:
        """Envy from the tray for all of them; those that move the meter are kept for later."""
        some = Ranked(paying=block.paying[rows], ranks=block.ranks[rows], dealer_ranks=block.dealer_ranks[rows])
        picked, out = chosen[rows], folded[rows]
        place, lit = self._places(some), self._lit_pattern[picked]
        moving = (self._from_meter[place] & lit & ~(out & self._strict)).any(axis=1)
        if self.rules.envy_source == "meter":
            moving[:] = True
        else:
            silent = out & (self._strict and not self.rules.envy_from_disqualified)
            triggers = self._envy[place] * ~silent * (lit if self.rules.envy_needs_wager else True)
            given = (triggers @ self._envied) * lit
            self.net[start + rows] += given
            self.total[start + rows] += given
        for row in np.flatnonzero(moving).tolist():
            self._one_by_one.append(self._rare_round(start + int(rows[row]), some, row, picked, out))

    def _rare_round(
        self, number: int, block: Ranked, row: int, chosen: NDArray[np.intp], folded: NDArray[np.bool_]
    ) -> _RareRound:
        spots = [
            Spot(
                wagers=self._wagers[chosen[row, at]][at],
                account=player,
                rank=int(block.ranks[row, at]),
                paying=int(block.paying[row, at]),
                folded=bool(folded[row, at]),
            )
            for at, player in enumerate(self.players)
        ]
        if self.book.rules.settings.settlement_start == "dealers-right":
            spots.reverse()
        return _RareRound(number=number, spots=spots, dealer_rank=int(block.dealer_ranks[row]))

    # One round after another.

    def finish(self) -> None:
        """Play the rounds that move the meter, in order, and bring it to the end of the batch."""
        stakes = np.cumsum(self._lit_spots) * self.rules.denomination
        growth = _Growth(
            contribution=stakes * self.book.rules.paytable(self.wager).contribution_bp + self.meter.carry,
            reserve=stakes * self.rules.reserve_bp + self.meter.reserve_carry,
        )
        for one in self._one_by_one:
            self.meter = growth.up_to(self.meter, one.number)
            self._award(one)
            if self.rules.envy_source == "meter":
                self._pay_envy(one)
        if len(stakes):
            self.meter = growth.up_to(self.meter, len(stakes) - 1)

    def _award(self, one: _RareRound) -> None:
        metered = [due for due in dues(self.book, self.wager, one.spots, one.dealer_rank) if due.from_meter]
        for due, given in zip(metered, awards(self.rules, metered, self.meter), strict=True):
            self.meter = given.meter
            self._give(one.number, due.spot, given.prize)
            self.wins.append(
                MeterWin(round=one.number, spot=due.spot, wager=self.wager, row=due.row, prize=given.prize)
            )

    def _pay_envy(self, one: _RareRound) -> None:
        spare = self.meter.amount - self.meter.floor
        for posting in envy(self.book, self.wager, one.spots, one.dealer_rank, spare):
            self._give(one.number, posting.spot, posting.amount)
            if posting.source == meter_account(self.wager):
                self.meter = replace(self.meter, amount=self.meter.amount - posting.amount)

    def _give(self, number: int, spot: int, amount: int) -> None:
        self.net[number, spot - 1] += amount
        self.total[number, spot - 1] += amount


class _Growth:
    """Running totals of what a meter and its reserve are given, in ten-thousandths of a cent, round by round."""

    def __init__(self, contribution: NDArray[np.int64], reserve: NDArray[np.int64]) -> None:
        self.contribution, self.reserve = contribution, reserve
        self.given = self.reserved = 0

    def up_to(self, meter: Meter, number: int) -> Meter:
        """The meter with everything up to the lock of that round; parts of a cent are carried."""
        given, carry = divmod(int(self.contribution[number]), BASIS_POINTS)
        reserved, reserve_carry = divmod(int(self.reserve[number]), BASIS_POINTS)
        grown = replace(
            meter,
            amount=meter.amount + given - self.given,
            reserve=meter.reserve + reserved - self.reserved,
            carry=carry,
            reserve_carry=reserve_carry,
        )
        self.given, self.reserved = given, reserved
        return grown
