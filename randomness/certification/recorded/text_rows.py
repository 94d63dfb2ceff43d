"""TextLines to rows of cards, by a layout. What can't be read is refused with its line; it is never a device's fault.

A row of JSON that is complete and has a wrong number of cards is another matter: it says what a device dealt.
"""

import io
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.certification.recorded.blocks import MOST_KEPT, Block, LeftOut, Piece
from randomness.certification.recorded.cards import BadRow, card_code
from randomness.certification.recorded.layout import FileLayout, Form
from randomness.certification.recorded.sniffing import Line, Unread, cells, expected_row, is_comment, is_empty
from randomness.decks.kinds.settings import is_kind_line

MARKS = ("rigged", "seeded")
PROVENANCE = '"provenance"'

Row = tuple[list[int], list[int] | None]


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

    def rows_of(self, lines: Sequence[Line]) -> list[Line]:
        """The lines that are rows: no header, no comments, no provenance."""
        rows = [line for line in lines if not is_comment(line[1]) and not is_empty(line[1])]
        if self.layout.form is Form.CSV:
            return [line for line in rows if line[0] >= self.layout.first_line]
        return [line for line in rows if not self._is_provenance(line[1]) and not is_kind_line(line[1])]

    def read(self, lines: Sequence[Line], first_row: int, block: Block) -> None:
        """Rows into a block; raises Unread."""
        if not lines:
            return
        if (whole := self._all_numbers(lines)) is not None:
            block.pieces.append(Piece(first_row=first_row, decks=whole))
            return
        run: list[Row] = []
        start = first_row
        for row, (number, text) in enumerate(lines, first_row):
            try:
                made = self._csv_row(text) if self.layout.form is Form.CSV else self._json_row(text)
            except BadRow as error:
                expected = (
                    expected_row(self.layout.cards, self.layout.separator, self.layout.expected_card)
                    if self.layout.form is Form.CSV
                    else f"a list of {self.layout.cards} cards, or an object with 'deck'"
                )
                raise Unread(line=number, text=text, why=str(error), expected=expected) from None
            except (_WrongCount, _Marked) as error:
                kept = block.malformed if isinstance(error, _WrongCount) else block.excluded
                kept.append(LeftOut(row=row, reason=str(error)))
                self._close(run, start, block)
                run, start = [], row + 1
                continue
            if run and (made[1] is None) != (run[-1][1] is None):
                self._close(run, start, block)
                run, start = [], row
            run.append(made)
        self._close(run, start, block)

    # ----- one row

    def _csv_row(self, text: str) -> Row:
        layout = self.layout
        parts = cells(text, layout.delimiter)
        wide = len(layout.header) if layout.columns else layout.cards
        if len(parts) != wide:
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

    # ----- many at once

    def _all_numbers(self, lines: Sequence[Line]) -> NDArray[Any] | None:
        """The quick way, for lines that are all numbers of cards; None where one is not."""
        layout = self.layout
        if layout.form is not Form.CSV or layout.input_columns:
            return None
        try:
            table = np.loadtxt(
                io.StringIO("\n".join(text for _, text in lines)),
                dtype=np.int64,
                delimiter=None if layout.delimiter == " " else layout.delimiter,
                comments=None,
                ndmin=2,
                usecols=layout.columns or None,
            )
        except ValueError:
            return None
        if table.shape != (len(lines), layout.cards) or table.min() < 0 or table.max() > layout.highest:
            return None
        return layout.codes(table)

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


    def _close(self, run: list[Row], first_row: int, block: Block) -> None:
        if run:
            decks = self.layout.codes(np.array([deck for deck, _ in run], np.int64))
            given = [order for _, order in run if order is not None]
            inputs = self.layout.codes(np.array(given, np.int64)) if given else None
            block.pieces.append(Piece(first_row=first_row, decks=decks, inputs=inputs))
