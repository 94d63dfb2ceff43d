"""What can go wrong in the battery on decks.

RandomnessError
└── DeckError
    ├── DeckShapeError   an array that is not rows of 52 faces
    ├── KindError        a deck that is not known, or that can't be dealt as asked
    ├── UnknownTest      no test (or tally) of that name
    └── MergeError       two results that do not belong together
"""

from randomness.errors import RandomnessError


class DeckError(RandomnessError):
    """Root of the deck battery's errors."""


class DeckShapeError(DeckError):
    """An array that is not rows of 52 faces."""


class KindError(DeckError):
    """A kind of deck that is not known, or that can't be dealt as asked."""


class UnknownTest(DeckError):
    """No test of that name."""


class MergeError(DeckError):
    """States of different batteries cannot be merged."""
