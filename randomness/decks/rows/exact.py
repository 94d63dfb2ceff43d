"""The exact law of each count over one deck, by the name of its tally's function."""

from collections.abc import Callable
from functools import lru_cache

from randomness.decks import laws, lis
from randomness.decks.faces import CARDS
from randomness.decks.sums import Law

# Counts whose law goes by another name, or needs more than the number of cards.
_OTHERWISE: dict[str, Callable[[], laws.Counts]] = {
    "peaks": lambda: laws.valleys(CARDS),
    "longest_increasing": lambda: lis.longest_increasing(CARDS),
    "riffle_guess": lambda: laws.right_guesses(CARDS),
    "shelf_guess": lambda: laws.right_guesses(CARDS),
    "suit_runs": lambda: laws.runs_of_kinds(4, 13),
    "colour_runs": lambda: laws.runs_of_kinds(2, 26),
    "rank_runs": lambda: laws.runs_of_kinds(13, 4),
}


@lru_cache
def law(of: str) -> Law:
    """The exact law of a count over one deck, by the name of its tally's function."""
    return Law(_OTHERWISE[of]() if of in _OTHERWISE else getattr(laws, of)(CARDS))
