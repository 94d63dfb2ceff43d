"""Collecting from a device over the wire: whole decks for certification, raw bits of its generator, with provenance."""

from shuffler.lab.collecting.bits import BitCollector
from shuffler.lab.collecting.decks import CollectedDeck, DeckCollector
from shuffler.lab.collecting.errors import CannotCollect, CollectionFile
from shuffler.lab.collecting.files import BitFile, DeckFile
from shuffler.lab.collecting.provenance import provenance

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
