"""Lines to rows of cards, by a layout. What can't be read is refused with its line; it is never a device's fault.

A row that is made of cards and has a wrong number of them is another matter: it says what a device dealt. A row with a
card that was not read is excluded, and counted as a misread.
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.certification.recorded.blocks import MOST_KEPT, Block, LeftOut, Piece
from randomness.certification.recorded.cards import NO_READ, BadRow, card_code
from randomness.certification.recorded.cells import CellCodes
from randomness.certification.recorded.layout import FileLayout, Form
from randomness.certification.recorded.sniffing import Line, Unread, cells, expected_row, is_comment, is_empty
from randomness.decks.kinds.settings import is_kind_line

MARKS = ("rigged", "seeded")
PROVENANCE = '"provenance"'

Row = tuple[list[int], list[int] | None]
Raw = NDArray[np.int64]


class _WrongCount(Exception):
    """A complete row with too few or too many cards."""


class _Marked(Exception):
    """A deck that is not to be counted; says why."""


class TextRows:
    """Reads lines by a layout; notes provenance on the way."""

    def __init__(self, layout: FileLayout, *, test: bool) -> None:
        self.layout = layout
        self.provenance: dict[str, Any] = {}
        self.stretches: list[dict[str, Any]] = []
        self._test = test
        self._digits = True
        """Whether the file may still be all numbers."""
        self._cells = CellCodes(lambda text: card_code(text, layout.highest))

    def rows_of(self, lines: Sequence[Line]) -> list[Line]:
        """The lines that are rows: no header, no comments, no provenance."""
        rows = [line for line in lines if not is_comment(line[1]) and not is_empty(line[1])]
        if self.layout.form is Form.CSV:
            return [line for line in rows if line[0] >= self.layout.first_line]
        return [line for line in rows if not self._is_provenance(line[1]) and not is_kind_line(line[1])]

    def read(self, lines: Sequence[Line], first_row: int, block: Block, *, torn: int | None = None) -> None:
        """Rows into a block; raises Unread. `torn` is the number of a last line that has no end."""
        if not lines:
            return
        if (whole := self._at_once(lines)) is not None:
            self._close(*whole, first_row, block)
            return
        run: list[Row] = []
        start = first_row
        for row, (number, text) in enumerate(lines, first_row):
            try:
                made = self._csv_row(text) if self.layout.form is Form.CSV else self._json_row(text)
            except BadRow as error:
                raise self._unread(number, text, str(error)) from None
            except (_WrongCount, _Marked) as error:
                if isinstance(error, _WrongCount) and number == torn:
                    raise self._unread(number, text, f"the file ends in the middle of a row: {error}") from None
                kept = block.malformed if isinstance(error, _WrongCount) else block.excluded
                kept.append(LeftOut(row=row, reason=str(error)))
                self._close_rows(run, start, block)
                run, start = [], row + 1
                continue
            if run and (made[1] is None) != (run[-1][1] is None):
                self._close_rows(run, start, block)
                run, start = [], row
            run.append(made)
        self._close_rows(run, start, block)

    def _unread(self, number: int, text: str, why: str) -> Unread:
        layout = self.layout
        expected = (
            expected_row(layout.cards, layout.separator, layout.expected_card)
            if layout.form is Form.CSV
            else f"a list of {layout.cards} cards, or an object with 'deck'"
        )
        return Unread(line=number, text=text, why=why, expected=expected)

    # ----- one row

    def _csv_row(self, text: str) -> Row:
        layout = self.layout
        wide = len(layout.header) if layout.columns else layout.cards
        parts = cells(text, layout.delimiter, wide)
        if len(parts) != wide:
            if not layout.columns and len(parts) > 1 and self._all_cards(parts):
                raise _WrongCount(f"a deck of {len(parts)} cards, not {wide}")
            raise BadRow(f"a deck is {wide} columns, not {len(parts)} column{'s' if len(parts) != 1 else ''}")
        deck = [parts[at] for at in layout.columns] if layout.columns else parts
        given = [parts[at] for at in layout.input_columns]
        return self._codes(deck), self._codes(given) if given else None

    def _json_row(self, text: str) -> Row:
        try:
            said = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadRow(f"not JSON: {error}") from None
        if isinstance(said, list):
            return self._deck(said), None
        if not isinstance(said, dict) or not isinstance(said.get("deck"), list):
            raise BadRow(f"a row is a list of {self.layout.cards} cards, or an object with 'deck'")
        for mark in MARKS:
            if said.get(mark) and not self._test:
                raise _Marked(f"marked as {mark}")
        given = said.get("input")
        if given is not None and (not isinstance(given, list) or len(given) != self.layout.cards):
            raise BadRow(f"'input' is not a list of {self.layout.cards} cards")
        return self._deck(said["deck"]), None if given is None else self._codes(given)

    def _deck(self, given: list[Any]) -> list[int]:
        codes = self._codes(given)
        if len(codes) != self.layout.cards:
            raise _WrongCount(f"a deck of {len(codes)} cards, not {self.layout.cards}")
        return codes

    def _codes(self, given: Sequence[object]) -> list[int]:
        return [card_code(cell, self.layout.highest) for cell in given]

    def _all_cards(self, parts: Sequence[str]) -> bool:
        """Whether a row of a wrong length is made of cards: it then says what a device dealt."""
        try:
            self._codes(parts)
        except BadRow:
            return False
        return True

    # ----- many at once

    def _at_once(self, lines: Sequence[Line]) -> tuple[Raw, Raw | None] | None:
        """The quick way, for lines that are all whole rows of cards; None where one is not."""
        layout = self.layout
        if layout.form is not Form.CSV:
            return None
        wide = len(layout.header) if layout.columns else layout.cards
        columns = (*(layout.columns or range(layout.cards)), *layout.input_columns)
        texts = [text for _, text in lines]
        if layout.delimiter == " ":
            texts = [" ".join(text.split()) for text in texts]
        elif texts[0].endswith(layout.delimiter) and texts[0].count(layout.delimiter) == wide:
            texts = [text.removesuffix(layout.delimiter) for text in texts]
        if self._digits and (numbers := self._numbers(texts, columns)) is not None:
            return self._apart(numbers)
        whole = "\n".join(texts).encode()
        if b'"' in whole:
            whole = whole.replace(b'"', b"")
        try:
            table = self._cells.table(whole, layout.delimiter.encode(), wide, columns)
        except (BadRow, UnicodeDecodeError):
            return None
        return None if table is None or len(table) != len(lines) else self._apart(table)

    def _apart(self, table: Raw) -> tuple[Raw, Raw | None]:
        """Decks, and the orders before the shuffle where the file has them."""
        cards = self.layout.cards
        return table[:, :cards], table[:, cards:] if self.layout.input_columns else None

    def _numbers(self, texts: list[str], columns: tuple[int, ...]) -> Raw | None:
        """Rows that are all numbers of cards: NumPy reads them faster still."""
        layout = self.layout
        blank = layout.delimiter == " "
        try:
            table = np.loadtxt(
                texts, dtype=np.int64, delimiter=None if blank else layout.delimiter, comments=None, ndmin=2,
                usecols=columns,
            )  # fmt: skip
        except ValueError:
            self._digits = False
            return None
        wide = len(layout.header) if layout.columns else layout.cards
        even = all(text.count(layout.delimiter) == wide - 1 for text in texts)
        whole = table.shape == (len(texts), len(columns)) and table.min() >= 0 and table.max() <= layout.highest
        return table if even and whole else None

    # ----- provenance

    def _is_provenance(self, line: str) -> bool:
        """A line of provenance is taken note of and is no row; collections that were continued have several."""
        if PROVENANCE not in line:
            return False
        try:
            said = json.loads(line)
            # A lone surrogate can be written in JSON and not in a report.
            said = json.loads(json.dumps(said, ensure_ascii=False).encode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return False
        if not isinstance(said, dict) or not isinstance(said.get("provenance"), dict) or "deck" in said:
            return False
        if not self.provenance:
            self.provenance = said["provenance"]
        elif len(self.stretches) < MOST_KEPT:
            self.stretches.append(said["provenance"])
        return True

    # ----- pieces

    def _close_rows(self, run: list[Row], first_row: int, block: Block) -> None:
        if run:
            given = [order for _, order in run if order is not None]
            inputs = np.array(given, np.int64) if given else None
            self._close(np.array([deck for deck, _ in run], np.int64), inputs, first_row, block)

    def _close(self, raw: Raw, inputs: Raw | None, first_row: int, block: Block) -> None:
        """Rows that follow each other, less those with a card that was not read."""
        missed = (raw == NO_READ).sum(axis=1)
        if inputs is not None:
            missed += (inputs == NO_READ).sum(axis=1)
        bad = np.flatnonzero(missed)
        for row in bad.tolist():
            many = int(missed[row])
            reason = f"{many} card{'s were' if many > 1 else ' was'} not read"
            block.excluded.append(LeftOut(row=first_row + row, reason=reason))
        block.misread_rows += len(bad)
        block.misread_cards += int(missed.sum())
        start = 0
        for end in (*bad.tolist(), len(raw)):
            if end > start:
                given = None if inputs is None else self.layout.codes(inputs[start:end])
                block.pieces.append(
                    Piece(first_row=first_row + start, decks=self.layout.codes(raw[start:end]), inputs=given)
                )
            start = end + 1
