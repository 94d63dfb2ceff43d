"""The law of riffle shuffles: Bayer and Diaconis, Annals of Applied Probability 2 (1992) 294.

P(w) = C(a + n - r, n) / a^n for a = 2^passes packets and an output deck w of n cards with r rising sequences.
"""

from fractions import Fraction
from math import comb

from randomness.errors import TheoryError
from randomness.theory.counts import by_rising_sequences
from randomness.theory.law import ClassLaw

MAX_PASSES = 60
EXACT_GUESSES_UP_TO = 14
"""Passes for which the mean score is summed over every packet; beyond, the sum has over 16,384 terms of 52 digits."""


def riffle_law(cards: int, passes: int) -> ClassLaw:
    """The law of `passes` riffle shuffles, by rising sequences."""
    if not 1 <= passes <= MAX_PASSES:
        raise TheoryError(f"the riffle law is for 1 to {MAX_PASSES} passes, not {passes}")
    sizes = by_rising_sequences(cards)
    packets = 2**passes
    ways = tuple(comb(packets + cards - r, cards) for r in range(1, cards + 1))
    return ClassLaw(cards=cards, sizes=sizes, ways=ways, total=packets**cards)


def top_card_positions(cards: int, passes: int) -> tuple[Fraction, ...]:
    """Where the top card ends: in the first place whose packet is the lowest of all."""
    packets = 2**passes
    return tuple(
        Fraction(
            sum((packets - e) ** before * (packets - e + 1) ** (cards - 1 - before) for e in range(1, packets + 1)),
            packets**cards,
        )
        for before in range(cards)
    )


def expected_guesses(cards: int, passes: int) -> Fraction | None:
    """Mean number of right guesses with feedback, guessing the next larger card that is left (the top card first).

    After the last larger card is gone the smallest that is left is guessed. Place i + 1 is guessed right when its
    packet follows that of place i upwards with no later card in a packet between (or, from the highest packet left,
    starts again from the lowest); packets of the places are independent and uniform, so the sum is closed. None
    beyond EXACT_GUESSES_UP_TO passes.
    """
    if passes > EXACT_GUESSES_UP_TO:
        return None
    n, a = cards, 2**passes
    first = Fraction(sum(e ** (n - 1) for e in range(1, a + 1)), a**n)
    onwards = (n - 1) * a ** (n - 1)  # the same packet again: never wrong, whatever comes later
    for gap in range(1, a):
        # Sum over the n - 1 later places of ((a - gap)/a)^left and of (gap/a)^left, each times (a - gap)/a^2.
        upwards = (a ** (n - 1) - (a - gap) ** (n - 1)) // gap
        around = (a ** (n - 1) - gap ** (n - 1)) // (a - gap)
        onwards += (a - gap) * (upwards + around)
    return first + Fraction(onwards, a**n)
