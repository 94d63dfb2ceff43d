"""What is known of a file before its decks are counted: its form, its rows, its cards."""

from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.certification.recorded.cards import EXPECTED_CARD, HIGHEST_CODE, MOST_CODE
from randomness.decks.kinds import STANDARD, DeckKind, Told


class Form(Enum):
    """How decks are written down."""

    CSV = "CSV"
    JSON_LINES = "JSON lines"
    NUMPY = "NumPy"
    NUMPY_ARCHIVE = "NumPy archive"
    PARQUET = "Parquet"


@dataclass(frozen=True, kw_only=True)
class FileLayout:
    """How a file holds its decks, and what deck that is: `cards` in a row, with these `faces`, so many `decks`."""

    form: Form
    cards: int
    """Cards of one row."""
    faces: tuple[int, ...]
    """The distinct faces of the rows that were looked at, numbered from 0."""
    decks: int | None = None
    """Rows of the file; None for a pipe."""
    exact: bool = False
    """Whether `decks` is counted; otherwise it is the number of lines."""
    first: tuple[int, ...] = ()
    """The first deck."""
    has_input: bool = False
    """Whether the first row gives the order before the shuffle."""
    compression: tuple[str, ...] = ()
    encoding: str = ""
    delimiter: str = ""
    header: tuple[str, ...] = ()
    """The column names, where the file has some."""
    first_line: int = 1
    """The line of the first deck."""
    columns: tuple[int, ...] = ()
    """The columns that hold the deck, where others stand beside them."""
    input_columns: tuple[int, ...] = ()
    numbered_from: int = 0
    """1 where the cards are numbered 1 … 52: one is then taken off each."""
    notes: tuple[str, ...] = ()
    """What was decided in reading it and a reader should know."""
    looked_at: tuple[tuple[int, ...], ...] = ()
    """The first rows, as numbered in the file."""
    told: Told | None = None
    """Which other deck than one of 52 cards the rows hold, and how its cards are numbered."""

    @property
    def kind(self) -> DeckKind:
        """The deck of each row."""
        return STANDARD if self.told is None else self.told.kind

    @property
    def expected_card(self) -> str:
        """What a cell should have been."""
        if self.told is None:
            return EXPECTED_CARD
        jokers = " or joker" if self.kind.jokers else ""
        return f"a number or a name such as {self.kind.code_name(self.kind.face_of[-1 - self.kind.jokers])}{jokers}"

    @property
    def highest(self) -> int:
        """The highest number that may stand for a card."""
        return HIGHEST_CODE if self.told is None else MOST_CODE

    def codes(self, raw: NDArray[np.int64]) -> NDArray[Any]:
        """Numbers as they stood in the file, as codes of the deck; what is no card gets the highest code."""
        if self.told is None:
            return np.ascontiguousarray((raw - self.numbered_from).astype(np.uint8))  # a 0 numbered from 1 is 255
        codes = self.told.codes(raw)
        wide = np.uint16 if self.kind.lookup[256:].min() < self.kind.distinct else np.uint8
        return np.ascontiguousarray(np.minimum(codes, np.iinfo(wide).max).astype(wide))

    @property
    def separator(self) -> str:
        """What stands between cells, in words."""
        return _SEPARATORS.get(self.delimiter, "")

    def described(self) -> dict[str, Any]:
        """For the record: what is said of a file in its report."""
        said = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in _UNSAID}
        kept = {key: list(value) if isinstance(value, tuple) else value for key, value in said.items()}
        return kept | {"separator": self.separator, "deck_columns": len(self.columns) or None}


_UNSAID = ("form", "faces", "first", "decks", "exact", "delimiter", "columns", "input_columns", "looked_at", "told")
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
DELIMITERS = tuple(_SEPARATORS)
