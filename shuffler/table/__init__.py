"""The bridge: dealt hands into rounds. Pure logic; drivers give it happenings and carry out what it asks for."""

from shuffler.table.bridge import Bridge
from shuffler.table.checks import DeckWatch, Lie
from shuffler.table.wants import Want

__all__ = ["Bridge", "DeckWatch", "Lie", "Want"]
