"""Decks in Parquet files: a column `deck` of lists (and perhaps `input`), or one column for each card."""

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from randomness.certification.errors import RecordedError
from randomness.certification.recorded.arrays import as_codes, number_layout
from randomness.certification.recorded.blocks import Block, LeftOut, Piece
from randomness.certification.recorded.cards import MOST_CODE, BadRow, card_code
from randomness.certification.recorded.layout import FileLayout, Form
from randomness.certification.recorded.sniffing import LOOKED_AT, card_columns
from randomness.certification.recorded.text_rows import MARKS

_DECK, _INPUT = ("deck", "decks", "cards"), ("input", "inputs")


@dataclass(frozen=True, kw_only=True)
class _Chosen:
    """The columns that are read: one of lists, or one for each card."""

    deck: tuple[str, ...]
    input: tuple[str, ...]
    marks: tuple[str, ...]

    @property
    def all(self) -> list[str]:
        return [*self.deck, *self.input, *self.marks]


class FileColumns:
    """A Parquet file."""

    def __init__(self, path: str, where: str, *, cards: int | None) -> None:
        self._where = where
        try:
            self._file: Any = importlib.import_module("pyarrow.parquet").ParquetFile(path)
        except ImportError:
            raise RecordedError(
                f"{where} is a Parquet file: install 'shuffler-bench[formats]', or write it as CSV"
            ) from None
        except (OSError, ValueError) as error:
            raise RecordedError(f"{where} is no Parquet file that can be read: {error}") from None
        self._chosen = self._choose(cards)
        self.layout = self._layout(cards)

    def _choose(self, cards: int | None) -> _Chosen:
        names = list(self._file.schema_arrow.names)
        marks = tuple(name for name in MARKS if name in names)
        lists = next((name for name in _DECK if name in names), None)
        if lists is not None:
            given = next((name for name in _INPUT if name in names), None)
            return _Chosen(deck=(lists,), input=() if given is None else (given,), marks=marks)
        deck, before = card_columns(names, cards)
        if not deck and cards is not None and len(names) == cards:
            deck = tuple(range(cards))
        if not deck:
            many = "the cards" if cards is None else f"{cards} cards"
            raise RecordedError(
                f"{self._where}: expected a column 'deck' of lists, or {many} in columns card1, card2, …; "
                f"there are {', '.join(names[:12])}"
            )
        return _Chosen(deck=tuple(names[at] for at in deck), input=tuple(names[at] for at in before), marks=marks)

    def _layout(self, cards: int | None) -> FileLayout:
        rows: list[list[Any]] = []
        for batch in self._batches(LOOKED_AT):
            rows = self._rows(batch, self._chosen.deck)
            break
        widths = [len(row) for row in rows]
        wide = max(set(widths), key=widths.count) if widths else cards or 0
        if cards is not None and rows and wide != cards:
            raise RecordedError(f"{self._where} can't be read at row 1: a deck is {cards} cards, not {wide}")
        codes = [self._codes(row, n) for n, row in enumerate(rows, 1) if len(row) == wide]
        layout = FileLayout(
            form=Form.PARQUET, cards=wide, faces=(), decks=int(self._file.metadata.num_rows), exact=True,
            has_input=bool(self._chosen.input), header=self._chosen.deck,
        )  # fmt: skip
        return number_layout(layout, np.array(codes, np.int64).reshape(len(codes), -1))

    def _batches(self, rows: int) -> Iterator[Any]:
        try:
            yield from self._file.iter_batches(batch_size=rows, columns=self._chosen.all)
        except (OSError, ValueError) as error:
            raise RecordedError(f"{self._where} is damaged: {error}") from None

    @staticmethod
    def _rows(batch: Any, names: tuple[str, ...]) -> list[list[Any]]:
        if len(names) == 1:
            return [row if isinstance(row, list) else [row] for row in batch.column(names[0]).to_pylist()]
        return [list(row) for row in zip(*(batch.column(name).to_pylist() for name in names), strict=True)]

    def _codes(self, row: list[Any], number: int) -> list[int]:
        try:
            return [card_code(cell, MOST_CODE) for cell in row]
        except BadRow as error:
            raise RecordedError(f"{self._where} can't be read at row {number}: {error}") from None

    def blocks(self, rows: int, *, test: bool, most: int | None = None) -> Iterator[Block]:
        """Blocks of so many rows, the last one shorter, up to `most` rows in all."""
        at = 1
        for batch in self._batches(rows):
            if most is not None:
                batch = batch.slice(0, most + 1 - at)
            if not batch.num_rows:
                return
            yield self._block(batch, at, test=test)
            at += batch.num_rows

    def _block(self, batch: Any, first_row: int, *, test: bool) -> Block:
        block = Block(first_row=first_row, rows=batch.num_rows)
        decks = self._rows(batch, self._chosen.deck)
        inputs = self._rows(batch, self._chosen.input) if self._chosen.input else None
        marks = {name: batch.column(name).to_pylist() for name in self._chosen.marks}
        run: list[int] = []
        for n, deck in enumerate(decks):
            marked = [name for name in marks if marks[name][n] and not test]
            if marked:
                block.excluded.append(LeftOut(row=first_row + n, reason=f"marked as {marked[0]}"))
            elif len(deck) != self.layout.cards:
                reason = f"a deck of {len(deck)} cards, not {self.layout.cards}"
                block.malformed.append(LeftOut(row=first_row + n, reason=reason))
            else:
                run.append(n)
                continue
            self._close(run, decks, inputs, block)
            run = []
        self._close(run, decks, inputs, block)
        return block

    def _close(self, run: list[int], decks: list[list[Any]], inputs: list[list[Any]] | None, block: Block) -> None:
        if not run:
            return
        first = block.first_row + run[0]

        def numbers(rows: list[list[Any]]) -> Any:
            codes = [self._codes(rows[n], block.first_row + n) for n in run]
            return as_codes(np.array(codes, np.int64), first, self.layout, self._where)

        if inputs is not None and any(len(inputs[n]) != self.layout.cards for n in run):
            raise RecordedError(f"{self._where} can't be read at row {first}: 'input' is not {self.layout.cards} cards")
        given = None if inputs is None else numbers(inputs)
        block.pieces.append(Piece(first_row=first, decks=numbers(decks), inputs=given))
