"""Every way a spot can end, settled once by the scalar engine.

What a spot comes to depends on its stakes, on whether it was folded, and on the aspects that its wagers pay by. Values
of an aspect that take the same rows form a class; each combination of classes is a cell. The scalar settlement fills
the tables, so order, cap, tips and rounding are its own; the batch finds each spot's cell and looks the cents up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from round_engine.batch.stakes import Stakes
from round_engine.money.ledger import TIPS
from round_engine.round.settlement import settle
from round_engine.round.state import Spot
from round_engine.rules.ruleset import WagerName
from round_engine.wagers.aspects import BEST_FIVE, OWN_HAND, SHOWDOWN, Aspect
from round_engine.wagers.paybook import PayBook
from round_engine.wagers.registry import SETTLED, WAGERS

Cents64 = NDArray[np.int64]

STATES: Final = 2 * SHOWDOWN.size
"""Not folded with each showdown, then folded with each."""

_PLAYER: Final = "player"


@dataclass(frozen=True, kw_only=True)
class Classes:
    """An aspect with its values put together that take the same rows."""

    aspect: Aspect
    of_value: NDArray[np.uint16]
    example: tuple[int, ...]
    """One value of each class."""

    @property
    def count(self) -> int:
        """How many classes there are."""
        return len(self.example)


@dataclass(frozen=True, kw_only=True)
class Cells:
    """The tables; a cell's number counts, from its last digit: other aspects, state, class of the own hand, pattern."""

    own: Classes
    others: tuple[Classes, ...]
    """The aspects beside the own hand and the showdown."""
    net: Cents64
    """What the player is up or down by, all settled wagers together."""
    net_by_wager: dict[WagerName, Cents64]
    tips: Cents64
    """What the dealer wins in tips."""

    @property
    def kind_by_paying(self) -> NDArray[np.uint8]:
        """The class of each rank to look a pay up by."""
        return self.own.of_value.astype(np.uint8)

    @property
    def kinds(self) -> int:
        """Classes of the own hand."""
        return self.own.count

    @cached_property
    def per_state(self) -> int:
        """Cells of one own hand in one state."""
        return int(np.prod([one.count for one in self.others], dtype=np.int64))

    @property
    def per_pattern(self) -> int:
        """Cells of one pattern."""
        return self.kinds * STATES * self.per_state

    @property
    def are_plain(self) -> bool:
        """Whether own hand, showdown and best five are all that matters: the compiled loop knows no other aspect."""
        return all(one.aspect is BEST_FIVE for one in self.others)


def make_cells(book: PayBook, patterns: Sequence[Stakes]) -> Cells:
    """Settle every cell of every pattern."""
    used = [name for name in SETTLED if name in book.rows and _is_used(name, patterns)]
    aspects = list(dict.fromkeys(book.aspects[name] for name in used))
    own = classes(book, OWN_HAND, used)
    others = tuple(classes(book, aspect, used) for aspect in aspects if aspect not in (OWN_HAND, SHOWDOWN))
    size = len(patterns) * own.count * STATES * int(np.prod([one.count for one in others], dtype=np.int64))
    net_by_wager = {name: np.zeros(size, dtype=np.int64) for name in SETTLED}
    tips = np.zeros(size, dtype=np.int64)
    for cell, (stakes, folded, values) in enumerate(_every(patterns, own, others)):
        spot = Spot(wagers=stakes.on(1, _PLAYER), account=_PLAYER, dealt=3, folded=folded)
        spot.stakes = stakes.ended(folded=folded)
        for posting in settle(book, [spot], (), 0, preset=values):
            if posting.target == TIPS:
                tips[cell] += posting.amount
            elif posting.target == _PLAYER:
                net_by_wager[posting.wager][cell] += posting.amount
        for name, stake in spot.stakes.items():
            if WAGERS[name].is_settled:
                net_by_wager[WAGERS[name].posted_as][cell] -= stake
    return Cells(
        own=own, others=others, net=np.sum(list(net_by_wager.values()), axis=0), net_by_wager=net_by_wager, tips=tips
    )


def _is_used(name: WagerName, patterns: Sequence[Stakes]) -> bool:
    on = WAGERS[name].on or name
    return any(on in stakes.stakes for stakes in patterns)


def classes(book: PayBook, aspect: Aspect, wagers: Sequence[WagerName]) -> Classes:
    """Put values together that take the same rows of these wagers; the best five keep all, for the compiled loop."""
    rows = [book.rows[name] for name in wagers if book.aspects[name] is aspect]
    keys = [value if aspect is BEST_FIVE else tuple(id(row[value]) for row in rows) for value in range(aspect.size)]
    number = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    example = {number[key]: value for value, key in reversed(list(enumerate(keys)))}
    return Classes(
        aspect=aspect,
        of_value=np.array([number[key] for key in keys], dtype=np.uint16),
        example=tuple(example[place] for place in range(len(number))),
    )


def _every(
    patterns: Sequence[Stakes], own: Classes, others: Sequence[Classes]
) -> Iterator[tuple[Stakes, bool, dict[str, int]]]:
    """Every pattern, folded or not, with the values of every aspect, in the order of the cells' numbers."""
    rest = tuple(product(*(one.example for one in others)))
    for stakes, hand, folded, result in product(patterns, own.example, (False, True), range(SHOWDOWN.size)):
        values = {OWN_HAND.name: hand, SHOWDOWN.name: result}
        for more in rest:
            yield stakes, folded, values | {one.aspect.name: value for one, value in zip(others, more, strict=True)}
