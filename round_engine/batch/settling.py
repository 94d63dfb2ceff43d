"""Settle many rounds at once: find every spot's cell, look up its cents, let the meters run."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from round_engine.batch.cells import STATES, Cells, Cents64, make_cells
from round_engine.batch.errors import BatchError
from round_engine.batch.meters import MeterRun, MeterWin
from round_engine.batch.reading import (
    HAND,
    TOP_RANK,
    Ranked,
    Read,
    check_decks,
    no_hands,
    read,
)
from round_engine.batch.stakes import Stakes
from round_engine.hands import five_card, three_card
from round_engine.hands.arrays import NO_FLUSH, category_tables, numba_is_installed
from round_engine.hands.five_card import RANK_BITS
from round_engine.hands.strategy import Strategy
from round_engine.meters.awards import Meter
from round_engine.rules.ruleset import Dealing, RuleSet, WagerName
from round_engine.wagers.aspects import SHOWDOWN
from round_engine.wagers.paybook import PayBook
from round_engine.wagers.spot import SpotWagers, verify_seating, verify_table

BLOCK_ROUNDS: Final = 4_096
"""Rounds a block: a temporary of 8 bytes for each of seven spots takes 224 KiB."""
COMPILED_FROM: Final = 200_000
"""Rounds from which starting numba pays: about a second the first time, a fifth of one from its cache."""

Decide = Callable[[NDArray[np.uint8], NDArray[np.uint16]], NDArray[np.bool_]]
"""A decision rule of one's own: faces (rounds × spots × 3) and ranks (rounds × spots) in, play or fold out."""


@dataclass(frozen=True, kw_only=True)
class Settlement:
    """What every spot of every round came to; rounds are rows, spots columns, amounts in cents."""

    net: Cents64
    """What the player is up or down by, everything counted."""
    ranks: NDArray[np.uint16]
    dealer_ranks: NDArray[np.uint16]
    folded: NDArray[np.bool_]
    cells: NDArray[np.uint32]
    """Where each spot stands in `tables`."""
    tables: Cells
    metered: Mapping[WagerName, Cents64]
    """The net result of each progressive wager, envy included."""
    meter_wins: tuple[MeterWin, ...]
    """In order of rounds, wager by wager."""
    meters: Mapping[WagerName, Meter]
    """What the meters show after the last round."""

    def net_of(self, wager: WagerName) -> Cents64:
        """The net result of one wager; the ante's own, without play and bonus."""
        if wager in self.metered:
            return self.metered[wager]
        if wager not in self.tables.net_by_wager:
            raise BatchError(f"this batch has no {wager}")
        return self.tables.net_by_wager[wager].take(self.cells)

    def tips(self) -> Cents64:
        """What the dealer wins in tips."""
        return self.tables.tips.take(self.cells)


def settle_rounds(
    rules: RuleSet,
    decks: NDArray[Any],
    patterns: Sequence[Stakes],
    *,
    strategy: Strategy | Decide,
    chosen: NDArray[Any] | None = None,
    players: Sequence[str] | None = None,
    dealing: Dealing | None = None,
    meters: Mapping[WagerName, Meter] | None = None,
    compiled: bool | None = None,
) -> Settlement:
    """Deal, decide and settle one round from every deck.

    Each of `patterns` is what can lie on a spot. Without `chosen` spot i has pattern i; with it, `chosen[r, i]` is the
    pattern of spot i in round r. Cards go round as the house deals, or as `dealing` says, the dealer last. `players`
    names who sits at each spot (somebody else at each, if not given); `meters` is where the meters start (their seed).
    """
    verify_table(rules)
    if not patterns:
        raise BatchError("a batch needs at least one pattern of stakes")
    way = rules.house.dealing if dealing is None else dealing
    if way not in rules.dealing:
        raise BatchError(f"{rules.id} is dealt as {' or '.join(rules.dealing)}, not as {way}")
    seats = len(patterns) if chosen is None else chosen.shape[-1]
    if not 1 <= seats <= rules.house.seats:
        raise BatchError(f"this table has spots 1 to {rules.house.seats}, not {seats} of them")
    check_decks(decks, seats + 1)
    different = tuple(dict.fromkeys(patterns))
    for stakes in different:
        stakes.verify(rules)
    batch = _Batch(
        book=PayBook(rules),
        patterns=different,
        picked=_picked(patterns, different, chosen, len(decks), seats),
        strategy=strategy,
        players=_players(rules, players, seats),
        meters=meters or {},
        rounds=len(decks),
    )
    can_compile = isinstance(strategy, Strategy) and batch.cells.are_plain and numba_is_installed()
    if can_compile and (len(decks) >= COMPILED_FROM if compiled is None else compiled):
        return batch.run_compiled(decks, way)
    return batch.run(decks, way)


def _picked(
    patterns: Sequence[Stakes], different: Sequence[Stakes], chosen: NDArray[Any] | None, rounds: int, seats: int
) -> NDArray[np.intp]:
    """Which of the different patterns lies on every spot of every round."""
    place = np.array([different.index(stakes) for stakes in patterns], dtype=np.intp)
    if chosen is None:
        return np.broadcast_to(place, (rounds, seats))
    if chosen.shape != (rounds, seats) or not np.issubdtype(chosen.dtype, np.integer):
        raise BatchError(f"patterns are chosen by {rounds} × {seats} integers, not by {chosen.dtype} {chosen.shape}")
    if chosen.size and (chosen.min() < 0 or chosen.max() >= len(patterns)):
        raise BatchError(f"a chosen pattern is outside 0 … {len(patterns) - 1}")
    return place.take(chosen)


def _players(rules: RuleSet, players: Sequence[str] | None, seats: int) -> tuple[str, ...]:
    names = tuple(f"spot {spot}" for spot in range(1, seats + 1)) if players is None else tuple(players)
    if len(names) != seats:
        raise BatchError(f"{seats} spots need as many players, not {len(names)}")
    seated: dict[int, str] = {}
    for spot, name in enumerate(names, start=1):
        verify_seating(rules, seated, SpotWagers(spot=spot, player=name))
        seated[spot] = name
    return names


class _Batch:
    """The arrays of one batch while it is settled."""

    def __init__(
        self,
        *,
        book: PayBook,
        patterns: Sequence[Stakes],
        picked: NDArray[np.intp],
        strategy: Strategy | Decide,
        players: Sequence[str],
        meters: Mapping[WagerName, Meter],
        rounds: int,
    ) -> None:
        self.book, self.picked, self.strategy, self.seats = book, picked, strategy, len(players)
        self.cells = make_cells(book, patterns)
        self.has_ante = np.array([stakes.awaits_decision for stakes in patterns])
        self.folds_below = np.array([stakes.folds_below(book.rules) for stakes in patterns], dtype=np.uint16)
        self.net = np.empty((rounds, self.seats), dtype=np.int64)
        self.runs = [
            MeterRun(
                book,
                wager,
                meters.get(wager) or Meter(wager=wager, amount=how.seed, floor=how.seed),
                patterns,
                players,
                self.net,
            )
            for wager, how in book.rules.progressives.items()
        ]
        self.ranks = np.empty((rounds, self.seats), dtype=np.uint16)
        self.dealer_ranks = np.empty(rounds, dtype=np.uint16)
        self.folded = np.empty((rounds, self.seats), dtype=np.bool_)
        self.cell = np.empty((rounds, self.seats), dtype=np.uint32)

    def _settlement(self) -> Settlement:
        for run in self.runs:
            if run.is_on:
                run.finish()
        return Settlement(
            net=self.net,
            ranks=self.ranks,
            dealer_ranks=self.dealer_ranks,
            folded=self.folded,
            cells=self.cell,
            tables=self.cells,
            metered={run.wager: run.net for run in self.runs},
            meter_wins=tuple(win for run in self.runs for win in run.wins),
            meters={run.wager: run.meter for run in self.runs},
        )

    # With numpy.

    def run(self, decks: NDArray[Any], dealing: Dealing) -> Settlement:
        """Block by block."""
        for start in range(0, len(decks), BLOCK_ROUNDS):
            block = decks[start : start + BLOCK_ROUNDS]
            self._block(start, read(block, self.seats + 1, dealing, self.book.least_qualifying_rank))
        return self._settlement()

    def _block(self, start: int, block: Read) -> None:
        here = slice(start, start + len(block.ranks))
        picked = self.picked[here]
        folded = self._folded(block, picked)
        cells = self._cells(block, picked, folded)
        self.ranks[here], self.dealer_ranks[here] = block.ranks, block.dealer_ranks
        self.folded[here], self.cell[here] = folded, cells
        self.cells.net.take(cells, out=self.net[here], mode="clip")
        for run in self.runs:
            if run.is_on:
                run.add(start, block, picked, folded)

    def _folded(self, block: Read, picked: NDArray[np.intp]) -> NDArray[np.bool_]:
        folded = ~self._plays(block)
        if not self.has_ante.all():
            folded &= self.has_ante[picked]
        if self.folds_below.any():
            folded |= block.ranks < self.folds_below[picked]
        return folded

    def _plays(self, block: Read) -> NDArray[np.bool_]:
        if isinstance(self.strategy, Strategy):
            return np.array(self.strategy.plays).take(block.ranks)
        plays = np.asarray(self.strategy(block.faces[:, :-1], block.ranks))
        if plays.shape != block.ranks.shape or plays.dtype != np.bool_:
            raise BatchError(f"a strategy answers with {block.ranks.shape} of bool, not {plays.shape} of {plays.dtype}")
        return plays

    def _cells(self, block: Read, picked: NDArray[np.intp], folded: NDArray[np.bool_]) -> NDArray[np.int32]:
        cells = self.cells
        state = SHOWDOWN.of_block(block) + folded.view(np.uint8) * np.uint8(STATES // 2)
        index = cells.kind_by_paying.take(block.paying).astype(np.int32)
        index *= STATES
        index += state
        for one in cells.others:
            index *= one.count
            index += one.of_value.take(one.aspect.of_block(block))
        if len(self.has_ante) > 1:
            index += (picked * cells.per_pattern).astype(np.int32)
        return index

    # With numba.

    def run_compiled(self, decks: NDArray[Any], dealing: Dealing) -> Settlement:
        """In one loop, and one for each meter."""
        hands = self.seats + 1
        if np.issubdtype(decks.dtype, np.signedinteger) and decks.size and decks.min() < 0:
            raise no_hands(decks, int(np.flatnonzero((decks < 0).any(axis=1))[0]), hands)
        runs = [run for run in self.runs if run.is_on]
        paying = np.empty((len(decks) if runs else 0, self.seats), dtype=np.uint16)
        cells = self.cells
        assert isinstance(self.strategy, Strategy)
        kernel = importlib.import_module("round_engine.batch.compiled")
        numbers = (
            TOP_RANK, self.book.least_qualifying_rank, RANK_BITS, NO_FLUSH, cells.per_state,
            STATES, cells.per_pattern,
        )  # fmt: skip
        bad = kernel.settle_block(
            decks, *((HAND, 1) if dealing == "groups" else (1, hands)), self.picked,
            np.array(three_card.tables().ranks, dtype=np.uint16), np.array(five_card.CARD_KEYS, dtype=np.uint32),
            cells.kind_by_paying, np.array(self.strategy.plays), self.has_ante, self.folds_below, *category_tables(),
            cells.net, numbers, paying, self.ranks, self.dealer_ranks, self.folded, self.cell, self.net,
        )  # fmt: skip
        if bad != kernel.FINE:
            raise no_hands(decks, int(bad), hands)
        every = Ranked(paying=paying, ranks=self.ranks, dealer_ranks=self.dealer_ranks)
        for run in runs:
            run.add_compiled(kernel, every, self.picked, self.folded)
        return self._settlement()
