"""Wagers, hands and pay rows as people say them; the plain names are for rule files and programs."""

from collections.abc import Mapping

from round_engine.rules.ruleset import Hand, Showdown
from round_engine.wagers.registry import WAGERS

HANDS: Mapping[str, str] = {
    Hand.AKQ_SPADES: "A-K-Q of spades",
    Hand.AKQ_SUITED: "A-K-Q suited",
    Hand.TOP_STRAIGHT_FLUSH: "high straight flush",
    Showdown.DEALER_DOES_NOT_QUALIFY: "dealer does not qualify",
}


_ROWS = {*Hand, *Showdown, *(hand for wager in WAGERS.values() for hand, _ in wager.ladder)}
"""Every row that a posting can name."""


def hand_name(hand: str) -> str:
    """`three_of_a_kind` as "three of a kind"."""
    return HANDS.get(hand, hand.replace("_", " "))


def row_name(row: str) -> str:
    """A posting's row: `flush 4 to 1` as "flush, 4 to 1"; that a played hand won goes without saying."""
    hand, _, pays = row.partition(" ")
    if hand == Showdown.PLAYER_WINS:
        return pays
    known = hand in _ROWS
    return f"{hand_name(hand)}, {pays}" if known and pays else row
