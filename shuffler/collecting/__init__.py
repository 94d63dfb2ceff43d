"""Collecting from a device over the wire: whole decks for certification, raw bits of its generator, with provenance."""

from shuffler.collecting.bits import BitCollector
from shuffler.collecting.decks import CollectedDeck, DeckCollector
from shuffler.collecting.errors import CannotCollect, CollectionFile
from shuffler.collecting.files import BitFile, DeckFile
from shuffler.collecting.provenance import provenance

__all__ = [
    "BitCollector",
    "BitFile",
    "CannotCollect",
    "CollectedDeck",
    "CollectionFile",
    "DeckCollector",
    "DeckFile",
    "provenance",
]
