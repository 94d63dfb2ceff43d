"""All the figures of one law in one value: what `shuffler theory` prints."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from randomness.theory import riffle, shelf
from randomness.theory.law import ClassLaw

TOP_CARD_WORK = 4096 * 52**2
"""Packets or shelves, times cards squared, for which the top card's law is summed: a fraction of a second."""


@dataclass(frozen=True, kw_only=True)
class Summary:
    """How far one shuffle is from perfect, in exact numbers (None: not computed at this size)."""

    mechanism: str
    cards: int
    passes: int
    shelves: int | None
    total_variation: Fraction
    separation: Fraction
    l_infinity: Fraction
    chi_square: Fraction
    top_card_total_variation: Fraction | None
    top_card_separation: Fraction | None
    guesses: Fraction | None
    guesses_uniform: Fraction
    decks_needed: int
    decks_method: str

    def as_json(self) -> dict[str, object]:
        """Numbers as floats (as text where none is large enough), and the total variation as a fraction beside."""
        plain = {key: number(value) if isinstance(value, Fraction) else value for key, value in vars(self).items()}
        return {**plain, "total_variation_exact": str(self.total_variation)}


def number(value: Fraction) -> float | str:
    """A float, or scientific notation for what is beyond 10^308."""
    try:
        return float(value)
    except OverflowError:
        return shown(value, 10)


def shown(value: Fraction, digits: int) -> str:
    """So many significant digits, whatever the size."""
    try:
        return f"{float(value):.{digits}g}"
    except OverflowError:
        exponent = len(str(abs(value.numerator) // value.denominator)) - 1
        return f"{float(value / 10**exponent):.{digits - 1}f}e+{exponent}"


def riffle_summary(cards: int, passes: int, *, alpha: float = 0.01, power: float = 0.80) -> Summary:
    """Riffle shuffles."""
    law = riffle.riffle_law(cards, passes)
    positions = riffle.top_card_positions(cards, passes) if 2**passes * cards**2 <= TOP_CARD_WORK else None
    guesses = riffle.expected_guesses(cards, passes)
    return _summary("riffle", law, passes, None, positions, guesses, alpha, power)


def shelf_summary(cards: int, shelves: int, passes: int = 1, *, alpha: float = 0.01, power: float = 0.80) -> Summary:
    """A shelf shuffler."""
    law = shelf.shelf_law(cards, shelves, passes)
    equivalent = shelf.equivalent_shelves(shelves, passes)
    positions = shelf.top_card_positions(cards, equivalent) if equivalent * cards**2 <= TOP_CARD_WORK else None
    guesses = shelf.expected_guesses(cards, shelves, passes)
    return _summary("shelf", law, passes, shelves, positions, guesses.mean if guesses else None, alpha, power)


def _summary(
    mechanism: str,
    law: ClassLaw,
    passes: int,
    shelves: int | None,
    positions: Sequence[Fraction] | None,
    guesses: Fraction | None,
    alpha: float,
    power: float,
) -> Summary:
    needed = law.decks_needed(alpha, power)
    even = Fraction(1, law.cards)
    return Summary(
        mechanism=mechanism,
        cards=law.cards,
        passes=passes,
        shelves=shelves,
        total_variation=law.total_variation(),
        separation=law.separation(),
        l_infinity=law.l_infinity(),
        chi_square=law.chi_square(),
        top_card_total_variation=sum((abs(p - even) for p in positions), Fraction(0)) / 2 if positions else None,
        top_card_separation=1 - min(positions) / even if positions else None,
        guesses=guesses,
        guesses_uniform=shelf.uniform_guesses(law.cards).mean,
        decks_needed=needed.decks,
        decks_method=needed.method,
    )
