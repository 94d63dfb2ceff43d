"""What a batch refuses."""

from round_engine.errors import RoundEngineError


class BatchError(RoundEngineError):
    """Decks, choices or decisions that do not fit the table."""
