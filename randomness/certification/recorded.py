"""Recorded decks: CSV without a header, JSON lines or .npy, from a file or a pipe, read in blocks of bounded memory.

Rows are counted from 1. A row of 52 codes is a deck, whole or not: the battery says so. A row that is not even that is
malformed: kept with its number and the reason. A deck marked as rigged or seeded is left out, with its reason, unless
the run says that it is a test.
"""

import hashlib
import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from randomness.certification.errors import RecordedError
from randomness.decks.faces import CARDS, RANK_NAMES

Decks = NDArray[np.uint8]

LINES_AT_ONCE = 4096
LONGEST_LINE = 1 << 20
"""What has no end is read in pieces of this size, each a bad row: memory stays bounded."""
MOST_KEPT = 100
MARKS = ("rigged", "seeded")
PROVENANCE = '"provenance"'
NUMBERED_FROM_ONE = (
    "the record numbers its cards 1 … 52; here they are 0 … 51 (0 is 2♣, 12 is A♣, 13 is 2♦, 51 is A♠): "
    "subtract 1 from every number, or write names such as QH"
)
LONGEST_SHOWN = 24
_SUITS = {"c": 0, "d": 1, "h": 2, "s": 3, "♣": 0, "♦": 1, "♥": 2, "♠": 3}
_HIGHEST_CODE = 255


class Form(Enum):
    """How decks are written down."""

    CSV = "CSV"
    JSON_LINES = "JSON lines"
    NUMPY = "NumPy"


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A row that is not counted, and why."""

    row: int
    reason: str


@dataclass(kw_only=True)
class Piece:
    """Rows that follow each other, with the order each was shuffled from where the record has it."""

    first_row: int
    decks: Decks
    inputs: Decks | None = None


@dataclass(kw_only=True)
class Block:
    """The rows of one shard."""

    first_row: int
    rows: int = 0
    pieces: list[Piece] = field(default_factory=list)
    malformed: list[LeftOut] = field(default_factory=list)
    excluded: list[LeftOut] = field(default_factory=list)

    def first(self, rows: int) -> "Block":
        """The first so many rows."""
        if rows >= self.rows:
            return self
        end = self.first_row + rows
        pieces = [
            Piece(
                first_row=piece.first_row,
                decks=piece.decks[: end - piece.first_row],
                inputs=None if piece.inputs is None else piece.inputs[: end - piece.first_row],
            )
            for piece in self.pieces
            if piece.first_row < end
        ]
        return Block(
            first_row=self.first_row,
            rows=rows,
            pieces=pieces,
            malformed=[bad for bad in self.malformed if bad.row < end],
            excluded=[bad for bad in self.excluded if bad.row < end],
        )


class BadRow(Exception):
    """Not the 52 codes of a deck; says why."""


class Marked(Exception):
    """A deck that is not to be counted; says why."""


# ----- cards and rows -------------------------------------------------------------------------------------------------


def card_code(text: object) -> int:
    """0 … 51 for a number or a name such as QH, 10c or A♠; other numbers to 255 are kept for the battery to report."""
    if isinstance(text, int) and not isinstance(text, bool):
        code = text
    else:
        name = str(text).strip()
        try:
            code = int(name)
        except ValueError:
            rank, suit = name[:-1].upper().replace("10", "T"), _SUITS.get(name[-1:].lower())
            if suit is None or len(rank) != 1 or rank not in RANK_NAMES:
                shown = name if len(name) <= LONGEST_SHOWN else f"{name[:LONGEST_SHOWN]}…"
                raise BadRow(f"'{shown}' is no card: 0 … 51, or a name such as QH") from None
            return 13 * suit + RANK_NAMES.index(rank)
    if not 0 <= code <= _HIGHEST_CODE:
        raise BadRow(f"{code} is no card: 0 … 51, or a name such as QH")
    return code


def deck_of(cells: Any) -> list[int]:
    """52 codes."""
    if not isinstance(cells, list) or len(cells) != CARDS:
        many = f"{len(cells)} columns" if isinstance(cells, list) else "something else"
        raise BadRow(f"a deck is {CARDS} columns, not {many}")
    return [card_code(cell) for cell in cells]


def csv_row(line: str) -> tuple[list[int], list[int] | None]:
    """One line of CSV, commas or semicolons between."""
    return deck_of(line.replace(";", ",").split(",")), None


def json_row(line: str, *, test: bool) -> tuple[list[int], list[int] | None]:
    """A list of 52 cards, or an object with `deck`, and `input` where the order before the shuffle is known."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadRow(f"not JSON: {error}") from None
    if isinstance(said, list):
        return deck_of(said), None
    if not isinstance(said, dict) or "deck" not in said:
        raise BadRow("a row is a list of 52 cards, or an object with 'deck'")
    for mark in MARKS:
        if said.get(mark) and not test:
            raise Marked(f"marked as {mark}")
    given = said.get("input")
    return deck_of(said["deck"]), None if given is None else deck_of(given)


# ----- reading --------------------------------------------------------------------------------------------------------


class Recorded:
    """A file of decks, or standard input for "-"."""

    def __init__(self, where: str, *, test: bool = False) -> None:
        self.where = where
        self.test = test
        self.piped = where == "-"
        self.provenance: dict[str, Any] = {}
        self.stretches: list[dict[str, Any]] = []
        self.hint = ""
        """What a reader of the record should be told about its form."""
        self._hash = hashlib.sha256()
        if self.piped:
            self.bytes: int | None = None
            self.name = "standard input"
        else:
            path = Path(where)
            if not path.is_file():
                raise RecordedError(f"no file {where}")
            self.bytes, self.name = path.stat().st_size, path.name
        self.form = Form.NUMPY if where.endswith(".npy") else Form.CSV
        self._digest = "" if self.piped else self._digest_of_file()

    def digest(self) -> str:
        """SHA-256 of the file; of a pipe, of what was read."""
        return self._digest or self._hash.hexdigest()

    def _digest_of_file(self) -> str:
        try:
            with open(self.where, "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise RecordedError(f"can't read {self.where}: {error.strerror}") from None

    def about(self) -> int | None:
        """How many rows there are: exact for .npy, by the length of the first line otherwise, unknown for a pipe."""
        if self.bytes is None:
            return None
        if self.form is Form.NUMPY:
            return len(self._array())
        with open(self.where, "rb") as file:
            lines = [len(line) for line in islice(file, 64)]
        return max(1, round(self.bytes / (sum(lines) / len(lines)))) if lines else 0

    def blocks(self, rows: int) -> Iterator[Block]:
        """Blocks of so many rows, the last one shorter."""
        for block in self._numpy_blocks(rows) if self.form is Form.NUMPY else self._line_blocks(rows):
            if block.first_row == 1:
                self.hint = _hint(block)
            yield block

    # ----- NumPy

    def _array(self) -> NDArray[Any]:
        try:
            array: NDArray[Any] = np.load(self.where, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise RecordedError(f"{self.where} is not a NumPy file: {error}") from None
        if array.ndim != 2 or array.shape[1] != CARDS or not np.issubdtype(array.dtype, np.integer):
            raise RecordedError(f"{self.where} must be rows of {CARDS} integers, not {array.dtype} of {array.shape}")
        return array

    def _numpy_blocks(self, rows: int) -> Iterator[Block]:
        array = self._array()
        for start in range(0, len(array), rows):
            part = np.asarray(array[start : start + rows])
            block = Block(first_row=start + 1, rows=len(part))
            outside = ((part < 0) | (part > _HIGHEST_CODE)).any(axis=1)
            edges = np.flatnonzero(np.diff(np.concatenate([[True], outside, [True]])))
            for first, last in zip(edges[::2], edges[1::2], strict=True):
                piece = np.ascontiguousarray(part[first:last], np.uint8)
                block.pieces.append(Piece(first_row=start + int(first) + 1, decks=piece))
            for bad in np.flatnonzero(outside).tolist():
                block.malformed.append(LeftOut(row=start + bad + 1, reason="a number outside 0 … 255"))
            yield block

    # ----- lines

    @contextmanager
    def _lines(self) -> Iterator[IO[bytes]]:
        if self.piped:
            yield sys.stdin.buffer
            return
        try:
            with open(self.where, "rb") as file:
                yield file
        except OSError as error:
            raise RecordedError(f"can't read {self.where}: {error.strerror}") from None

    def _line_blocks(self, rows: int) -> Iterator[Block]:
        block = Block(first_row=1)
        at = 1
        first = True
        with self._lines() as file:
            lines_of = iter(lambda: file.readline(LONGEST_LINE), b"")
            while raw := list(islice(lines_of, min(LINES_AT_ONCE, rows - block.rows))):
                if self.piped:
                    for line in raw:
                        self._hash.update(line)
                lines = [text for line in raw if (text := line.decode("utf-8", "replace").strip())]
                if first and lines:
                    self._opening(lines)
                    first = False
                if self.form is Form.JSON_LINES:
                    lines = [line for line in lines if not self._is_provenance(line)]
                self._read(lines, at, block)
                at += len(lines)
                block.rows += len(lines)
                if block.rows >= rows:
                    yield block
                    block = Block(first_row=at)
        if block.rows:
            yield block

    def _opening(self, lines: list[str]) -> None:
        """Tell the form by the first line."""
        if lines[0].startswith("\ufeff"):
            lines[0] = lines[0][1:]
        if lines[0][0] in "[{":
            self.form = Form.JSON_LINES

    def _is_provenance(self, line: str) -> bool:
        """A line of provenance is taken note of and is no row; collections that were gone on with have several."""
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

    def _read(self, lines: list[str], first_row: int, block: Block) -> None:
        if not lines:
            return
        if self.form is Form.CSV and (decks := _all_numbers(lines)) is not None:
            block.pieces.append(Piece(first_row=first_row, decks=decks))
            return
        run: list[tuple[list[int], list[int] | None]] = []
        start = first_row
        for row, line in enumerate(lines, first_row):
            try:
                made = csv_row(line) if self.form is Form.CSV else json_row(line, test=self.test)
            except (BadRow, Marked) as error:
                kept = block.malformed if isinstance(error, BadRow) else block.excluded
                kept.append(LeftOut(row=row, reason=str(error)))
                _close(run, start, block)
                run, start = [], row + 1
                continue
            if run and (made[1] is None) != (run[-1][1] is None):
                _close(run, start, block)
                run, start = [], row
            run.append(made)
        _close(run, start, block)


def _close(run: list[tuple[list[int], list[int] | None]], first_row: int, block: Block) -> None:
    if run:
        decks = np.array([deck for deck, _ in run], np.uint8)
        inputs = None if run[0][1] is None else np.array([order for _, order in run], np.uint8)
        block.pieces.append(Piece(first_row=first_row, decks=decks, inputs=inputs))


def _hint(block: Block) -> str:
    """What every row of the first block has in common and no deck of 0 … 51 can have."""
    decks = [piece.decks for piece in block.pieces if len(piece.decks)]
    from_one = np.arange(1, CARDS + 1, dtype=np.uint8)
    if decks and all((np.sort(some, axis=1) == from_one).all() for some in decks):
        return NUMBERED_FROM_ONE
    return ""


def _all_numbers(lines: list[str]) -> Decks | None:
    """The quick way, for lines that are all 52 numbers to 255; None where one is not."""
    try:
        table = np.loadtxt(io.StringIO("\n".join(lines)), dtype=np.int64, delimiter=",", comments=None, ndmin=2)
    except ValueError:
        return None
    if table.shape != (len(lines), CARDS) or table.min() < 0 or table.max() > _HIGHEST_CODE:
        return None
    return table.astype(np.uint8)
