"""Kinds of decks: which cards one shuffle holds, how often each, and how groups are dealt from it."""

from randomness.decks.kinds.kind import DECKS, JOKER, STANDARD, DeckKind, deck_kind
from randomness.decks.kinds.settings import KindSettings, settings_in
from randomness.decks.kinds.telling import Told, tell

__all__ = ["DECKS", "JOKER", "STANDARD", "DeckKind", "KindSettings", "Told", "deck_kind", "settings_in", "tell"]
