"""The table core: dealt hands into rounds. Pure logic; drivers give it what happens and carry out its actions."""

from shuffler.table.checks import DeckWatch, Lie
from shuffler.table.core import TableCore
from shuffler.table.values import Call, Send, Want, Write

__all__ = ["Call", "DeckWatch", "Lie", "Send", "TableCore", "Want", "Write"]
