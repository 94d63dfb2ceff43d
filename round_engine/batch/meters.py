"""Progressive wagers in a batch: awards from the tray by look-up, the few rounds that move a meter one by one.

Between two awards a meter only grows, by a running total in ten-thousandths of a cent, so it is brought up to date
when a round needs it. Those rounds go through the scalar engine's own award and envy.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from round_engine.batch.reading import Ranked
from round_engine.batch.stakes import Stakes
from round_engine.hands import THREE_CARD_RANKS
from round_engine.paybook import PayBook
from round_engine.progressive import BASIS_POINTS, Meter, award, dues, envy, meter_account
from round_engine.round_state import Spot
from round_engine.ruleset import Pay, PayRow, Wager

NO_AWARD: Final = THREE_CARD_RANKS + 1
"""The place after every rank and AKQ of spades, where the tables pay nothing."""


@dataclass(frozen=True, kw_only=True)
class MeterWin:
    """An award that came off a meter; rounds count from 0, spots from 1."""

    round: int
    spot: int
    wager: Wager
    row: PayRow
    prize: int


@dataclass(frozen=True, kw_only=True)
class _RareRound:
    """A round that may move the meter or pay envy."""

    number: int
    spots: list[Spot]
    dealer_rank: int


class MeterRun:
    """One progressive wager through all rounds of a batch: `add` every block in order, then `finish`."""

    def __init__(
        self, book: PayBook, wager: Wager, meter: Meter, patterns: Sequence[Stakes], players: Sequence[str], rounds: int
    ) -> None:
        self.book, self.wager, self.meter, self.patterns, self.players = book, wager, meter, patterns, players
        self.rules = book.rules.progressives[wager]
        self.net = np.zeros((rounds, len(players)), dtype=np.int64)
        self.wins: list[MeterWin] = []
        self._lit_pattern = np.array([bool(getattr(stakes, wager)) for stakes in patterns])
        self._lit_spots = np.zeros(rounds, dtype=np.int64)
        self._rare_rounds: list[_RareRound] = []
        rows = (*book.rows[wager], *[None] * (NO_AWARD + 1 - len(book.rows[wager])))
        self._tray = np.array([0 if row is None else row.paid(self.rules.denomination) for row in rows], dtype=np.int64)
        self._rare = np.array([row is not None and (row.pay is Pay.METER or row.envy > 0) for row in rows])

    def add(self, start: int, block: Ranked, chosen: NDArray[np.intp], folded: NDArray[np.bool_]) -> None:
        """Take the wagers of a block, pay what comes from the tray, and put rare rounds aside."""
        stop = start + len(block.ranks)
        lit = self._lit_pattern[chosen]
        place = self._places(block)
        alive = lit & ~folded if self.rules.folded_hands == "disqualified" else lit
        self._lit_spots[start:stop] = lit.sum(axis=1)
        self.net[start:stop] = self._tray[place] * alive
        self.net[start:stop] -= lit * np.int64(self.rules.denomination)
        rare = self._rare[place] & (lit if self.rules.envy_needs_wager else True)
        for row in np.flatnonzero(rare.any(axis=1)).tolist():
            self._rare_rounds.append(self._rare_round(start, row, block, chosen, folded))

    def _places(self, block: Ranked) -> NDArray[np.uint16]:
        """Where each spot's award is looked up."""
        if self.wager is Wager.PROGRESSIVE:
            return block.paying
        dealer, pair = block.dealer_ranks[:, None], self.book.pair_rank
        beaten = (block.ranks != dealer) & (block.ranks >= pair) & (dealer >= pair)
        return np.where(beaten, np.minimum(block.ranks, dealer), np.uint16(NO_AWARD))

    def _rare_round(
        self, start: int, row: int, block: Ranked, chosen: NDArray[np.intp], folded: NDArray[np.bool_]
    ) -> _RareRound:
        spots = [
            Spot(
                wagers=self.patterns[chosen[row, at]].on(at + 1, player),
                account=player,
                rank=int(block.ranks[row, at]),
                paying=int(block.paying[row, at]),
                folded=bool(folded[row, at]),
            )
            for at, player in enumerate(self.players)
        ]
        if self.book.rules.settings.settlement_start == "dealers-right":
            spots.reverse()
        return _RareRound(number=start + row, spots=spots, dealer_rank=int(block.dealer_ranks[row]))

    def finish(self) -> None:
        """Play the rare rounds in order, and bring the meter to the end of the batch."""
        stakes = np.cumsum(self._lit_spots) * self.rules.denomination
        grown = _Growth(
            contribution=stakes * self.book.rules.paytable(self.wager).contribution_bp + self.meter.carry,
            reserve=stakes * self.rules.reserve_bp + self.meter.reserve_carry,
        )
        for one in self._rare_rounds:
            self.meter = grown.up_to(self.meter, one.number)
            self._award(one)
            self._pay_envy(one)
        if len(stakes):
            self.meter = grown.up_to(self.meter, len(stakes) - 1)

    def _award(self, one: _RareRound) -> None:
        for due in dues(self.book, self.wager, one.spots, one.dealer_rank):
            if due.from_meter:
                given = award(self.rules, due.row, self.meter)
                self.meter = given.meter
                self.net[one.number, due.spot - 1] += given.prize
                self.wins.append(
                    MeterWin(round=one.number, spot=due.spot, wager=self.wager, row=due.row, prize=given.prize)
                )

    def _pay_envy(self, one: _RareRound) -> None:
        for posting in envy(self.book, self.wager, one.spots, one.dealer_rank, self.meter.amount):
            self.net[one.number, posting.spot - 1] += posting.amount
            if posting.source == meter_account(self.wager):
                self.meter = replace(self.meter, amount=self.meter.amount - posting.amount)


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
