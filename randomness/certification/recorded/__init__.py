"""Recorded decks: how a file or a pipe holds them, told first; then read in blocks of bounded memory."""

from randomness.certification.recorded.blocks import MOST_KEPT, Block, LeftOut, Piece
from randomness.certification.recorded.cards import NO_READ, BadRow, card_code
from randomness.certification.recorded.layout import FileLayout, Form
from randomness.certification.recorded.recording import Recorded
from randomness.certification.recorded.streams import LONGEST_LINE
from randomness.certification.recorded.text_rows import MARKS

__all__ = [
    "LONGEST_LINE",
    "MARKS",
    "MOST_KEPT",
    "NO_READ",
    "BadRow",
    "Block",
    "FileLayout",
    "Form",
    "LeftOut",
    "Piece",
    "Recorded",
    "card_code",
]
