"""Defects that the kit plants: a literal table. Each is sized so that one test of the battery has the power asked for.

The size comes from the battery's own power statement (`randomness.decks.power`): the effect that the test finds with
that probability, at its share of the family's level. Two defects have an exact law instead.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from randomness.decks import DECK_TESTS, power
from randomness.proficiency.errors import ProficiencyError

CARDS = 52
LEVEL = 0.01
"""Of a whole battery on one set."""
FINEST = 10**6

Draw = Callable[[int], int]
"""A number below a bound: which card, which position."""


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A mechanism to shuffle with, and the power that is predicted for it."""

    mechanism: str
    power: float


@dataclass(frozen=True, kw_only=True)
class Plant:
    """One kind of defect."""

    name: str
    what: str
    test: str
    """The test of the battery whose power is predicted."""
    size: Callable[[int, float, Draw], Planted]
    """From decks and the power asked for."""


def _rate(value: float) -> Fraction:
    if not 0 < value <= 1:
        raise ProficiencyError("no defect has that much power in so few decks: make larger sets, or ask for less power")
    return Fraction(value).limit_denominator(FINEST)


def _effect(test: str, decks: int, wanted: float) -> float:
    return power(test, decks, LEVEL / len(DECK_TESTS), probability=wanted).least_effect


# ----- sizes from effects ---------------------------------------------------------------------------------------------


def sticky_shift(rate: float) -> float:
    """How far cards that stick at this rate move the mean number of successions, in null standard deviations."""
    blocks = np.arange(1, CARDS + 1)
    stuck = CARDS - blocks
    logs = [math.lgamma(CARDS) - math.lgamma(k + 1) - math.lgamma(CARDS - k) for k in stuck.tolist()]
    chance = np.exp(np.array(logs) + stuck * math.log(rate) + (blocks - 1) * math.log1p(-rate))
    mean = (CARDS - 1) * rate + 1 - float((chance / blocks).sum())
    fair = (CARDS - 1) / CARDS
    return (mean - fair) / math.sqrt((CARDS - 2) / CARDS + fair - fair**2)


def _solve(function: Callable[[float], float], wanted: float, low: float, high: float) -> float:
    """Where an increasing function takes a value."""
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < wanted else (low, middle)
    return (low + high) / 2


# ----- the table ------------------------------------------------------------------------------------------------------


def _favoured_cell(decks: int, wanted: float, draw: Draw) -> Planted:
    more = _rate(_effect("each-cell", decks, wanted))
    where = f"card={draw(CARDS)},position={draw(CARDS)}"
    return Planted(mechanism=f"defect:favoured-cell:{where},relative={more}", power=wanted)


def _favoured_card(decks: int, wanted: float, draw: Draw) -> Planted:
    more = _rate(_effect("each-card-by-seat", decks, wanted))
    return Planted(mechanism=f"defect:favoured-card:card={draw(CARDS)},relative={more}", power=wanted)


def _top_card_kept(decks: int, wanted: float, _draw: Draw) -> Planted:
    rate = _rate(_effect("each-cell", decks, wanted) / (CARDS - 1))
    return Planted(mechanism=f"defect:top-card-kept:rate={rate}", power=wanted)


def _sticky(decks: int, wanted: float, _draw: Draw) -> Planted:
    rate = _rate(_solve(sticky_shift, _effect("face-successions", decks, wanted), 1e-9, 0.5))
    return Planted(mechanism=f"defect:sticky:rate={rate}", power=wanted)


def _memory(decks: int, wanted: float, draw: Draw) -> Planted:
    rate = _rate(_effect("lag-places", decks, wanted) * CARDS / (CARDS - 1))
    return Planted(mechanism=f"defect:memory:rate={rate},position={draw(CARDS)}", power=wanted)


def _wrong_card(decks: int, wanted: float, draw: Draw) -> Planted:
    rate = _rate(1 - (1 - wanted) ** (1 / decks))
    missing = draw(CARDS)
    extra = (missing + 1 + draw(CARDS - 1)) % CARDS
    return Planted(
        mechanism=f"defect:wrong-card:missing={missing},extra_card={extra},rate={rate}",
        power=1 - (1 - float(rate)) ** decks,
    )


def _small_seed(decks: int, wanted: float, _draw: Draw) -> Planted:
    def repeat(bits: int) -> float:
        return -math.expm1(sum(math.log1p(-number / 2**bits) for number in range(min(decks, 2**bits))))

    bits = min(range(max(8, math.ceil(math.log2(decks)) + 1), 33), key=lambda many: abs(repeat(many) - wanted))
    return Planted(mechanism=f"defect:small-seed:bits={bits}", power=repeat(bits))


PLANTS = (
    Plant(name="favoured-cell", what="one card at one position too often", test="each-cell", size=_favoured_cell),
    Plant(name="favoured-card", what="one card at the first seat too often", test="each-card-by-seat",
          size=_favoured_card),
    Plant(name="top-card-kept", what="the top card stays on top now and then", test="each-cell", size=_top_card_kept),
    Plant(name="sticky", what="cards stick together", test="face-successions", size=_sticky),
    Plant(name="memory", what="a position keeps its card from the deck before", test="lag-places", size=_memory),
    Plant(name="wrong-card", what="one card twice, another missing, in some decks", test="deck-integrity",
          size=_wrong_card),
    Plant(name="small-seed", what="each shuffle from a small seed", test="repeated-decks", size=_small_seed),
)  # fmt: skip


def plant(name: str) -> Plant:
    """A row of the table."""
    return next(one for one in PLANTS if one.name == name)
