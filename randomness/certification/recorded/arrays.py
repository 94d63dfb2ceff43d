"""Decks in NumPy files: one array of rows (.npy), or an archive of arrays (.npz) with `decks` and perhaps `inputs`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.certification.errors import RecordedError
from randomness.certification.numpy_errors import DAMAGED
from randomness.certification.recorded.blocks import Block, Piece
from randomness.certification.recorded.layout import FileLayout, Form
from randomness.certification.recorded.sniffing import LOOKED_AT, NUMBERED_FROM_ONE, numbered_from

_DECKS, _INPUTS = ("decks", "deck"), ("inputs", "input")

NO_CARD = 255
"""What stands for a card 0 in a file numbered from 1."""

Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class Arrays:
    """Rows of decks, and of the orders before each shuffle where they are known."""

    form: Form
    decks: Array
    inputs: Array | None = None


def load_array(path: str, where: str, *, cards: int | None) -> Arrays:
    """A .npy file, mapped rather than read."""
    try:
        array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    except DAMAGED as error:
        raise RecordedError(f"{where} is not a NumPy file: {error}") from None
    return Arrays(form=Form.NUMPY, decks=_rows(array, where, cards))


def load_archive(path: str, where: str, *, cards: int | None) -> Arrays:
    """A .npz file: the array `decks`, or the only table there is."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as kept:
            arrays = {name: kept[name] for name in kept.files}
    except DAMAGED as error:
        raise RecordedError(f"{where} is not a NumPy archive: {error}") from None
    tables = [name for name, array in arrays.items() if array.ndim == 2 and name not in _INPUTS]
    chosen = next((name for name in _DECKS if name in arrays), tables[0] if len(tables) == 1 else None)
    if chosen is None:
        there = ", ".join(arrays) or "nothing"
        raise RecordedError(f"{where}: expected an array 'decks' of rows, and perhaps 'inputs'; there is {there}")
    given = next((arrays[name] for name in _INPUTS if name in arrays), None)
    decks = _rows(arrays[chosen], where, cards)
    inputs = None if given is None else _rows(given, where, cards)
    if inputs is not None and inputs.shape != decks.shape:
        raise RecordedError(f"{where}: 'inputs' has the shape {inputs.shape}, the decks {decks.shape}")
    return Arrays(form=Form.NUMPY_ARCHIVE, decks=decks, inputs=inputs)


def _rows(array: Array, where: str, cards: int | None) -> Array:
    whole = array.ndim == 2 and np.issubdtype(array.dtype, np.integer) and array.shape[1] > 0
    if not whole or (cards is not None and array.shape[1] != cards):
        wide = "" if cards is None else f"{cards} "
        raise RecordedError(f"{where} must be rows of {wide}integers, not {array.dtype} of {array.shape}")
    return array


def array_layout(arrays: Arrays) -> FileLayout:
    """The layout of rows of numbers."""
    return number_layout(
        FileLayout(
            form=arrays.form, cards=int(arrays.decks.shape[1]), faces=(), decks=len(arrays.decks), exact=True,
            has_input=arrays.inputs is not None,
        ),
        np.asarray(arrays.decks[:LOOKED_AT]),
    )  # fmt: skip


def number_layout(layout: FileLayout, rows: Array) -> FileLayout:
    """The layout with what its first rows of numbers say."""
    first = numbered_from(rows.tolist())
    codes = [tuple(code - first if code >= first else NO_CARD for code in row) for row in rows.tolist()]
    return replace(
        layout,
        faces=tuple(sorted({code for row in codes for code in row})),
        first=codes[0] if codes else (),
        numbered_from=first,
        looked_at=tuple(tuple(row) for row in rows.tolist()),
        notes=(*layout.notes, NUMBERED_FROM_ONE) if first else layout.notes,
    )


def array_blocks(
    arrays: Arrays, layout: FileLayout, rows: int, where: str, *, most: int | None = None
) -> Iterator[Block]:
    """Blocks of so many rows, up to `most` in all."""
    last = len(arrays.decks) if most is None else min(most, len(arrays.decks))
    for start in range(0, last, rows):
        end = min(start + rows, last)
        decks = as_codes(arrays.decks[start:end], start + 1, layout, where)
        inputs = None
        if arrays.inputs is not None:
            inputs = as_codes(arrays.inputs[start:end], start + 1, layout, where)
        piece = Piece(first_row=start + 1, decks=decks, inputs=inputs)
        yield Block(first_row=start + 1, rows=len(decks), pieces=[piece])


def as_codes(part: Array, first_row: int, layout: FileLayout, where: str) -> Array:
    """Numbers as cards; what is no number of a card is refused by its row."""
    numbers = np.asarray(part)
    outside = (numbers < 0) | (numbers > layout.highest)
    if outside.any():
        row, column = (int(at) for at in np.argwhere(outside)[0])
        bad = f"{numbers[row, column]} in column {column + 1} is no card"
        raise RecordedError(
            f"{where} can't be read at row {first_row + row}: {bad}\n"
            f"  expected: {layout.cards} cards, each {layout.expected_card}"
        )
    return layout.codes(numbers.astype(np.int64))
