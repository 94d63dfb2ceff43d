"""What is refused as a hand."""


class HandError(Exception):
    """Not a hand: a wrong number of cards, a face outside 0 … 51, or the same face twice."""
