"""What is refused as a hand."""


from round_engine.errors import CardError


class HandError(CardError):
    """Not a hand: a wrong number of cards, a face outside 0 … 51, or the same face twice."""
