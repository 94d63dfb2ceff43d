"""The bridge: dealt hands into rounds. Pure logic; drivers give it happenings and carry out what it asks for."""

from shuffler.bridge.bridge import Bridge, Want
from shuffler.bridge.checks import DeckWatch, Lie
from shuffler.bridge.entries import DeviceSaid, Note, Operated, Posted

__all__ = ["Bridge", "DeckWatch", "DeviceSaid", "Lie", "Note", "Operated", "Posted", "Want"]
