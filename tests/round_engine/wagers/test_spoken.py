"""Every wager and hand has a name that people say, and no name has an underscore."""

import pytest

from round_engine.rules.ruleset import Hand, Showdown
from round_engine.wagers.spoken import hand_name, row_name


@pytest.mark.parametrize("hand", [*Hand, *Showdown])
def test_no_hand_is_said_with_an_underscore(hand: str) -> None:
    assert "_" not in hand_name(hand)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("player_wins 1 to 1", "1 to 1"),
        ("dealer_does_not_qualify 1 to 1", "dealer does not qualify, 1 to 1"),
        ("straight_flush 70 for 1", "straight flush, 70 for 1"),
        ("akq_spades 100 % of meter", "A-K-Q of spades, 100 % of meter"),
        ("pair $4", "pair, $4"),
        ("share of the wagers", "share of the wagers"),
        ("stake", "stake"),
    ],
)
def test_rows(row: str, said: str) -> None:
    assert row_name(row) == said
