"""A file of decks, or a pipe: its layout first, then its rows in blocks of bounded memory."""

import hashlib
import io
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from randomness.certification.errors import RecordedError, UnreadableError
from randomness.certification.recorded.arrays import Arrays, array_blocks, array_layout, load_archive, load_array
from randomness.certification.recorded.blocks import Block
from randomness.certification.recorded.cards import EXPECTED_CARD
from randomness.certification.recorded.columns import FileColumns
from randomness.certification.recorded.layout import FileLayout, Form
from randomness.certification.recorded.sniffing import LOOKED_AT, NUMBERED_FROM_ONE, Unread, sniff
from randomness.certification.recorded.streams import (
    Hashed,
    TextLines,
    Unpacked,
    encoding_of,
    opened,
    readable,
    unpacked,
    whole_file,
)
from randomness.certification.recorded.text_rows import TextRows
from randomness.decks.errors import KindError
from randomness.decks.faces import CARDS
from randomness.decks.kinds import DeckKind, KindSettings, settings_in, tell

LINES_AT_ONCE = 4096
MOST_OTHER_CODES = 8
"""Different numbers above 51 that a file of a device may have: joker, cut card, unreadable, foreign, face-up, …"""


Source = TextLines | Arrays | FileColumns


class Recorded:
    """A file of decks, or standard input for "-". `said` is what somebody knows of the deck beforehand.

    Without it a deck is 52 cards; rows of another length must be a deck that is known, or several of it.
    """

    def __init__(
        self, where: str, *, test: bool = False, said: KindSettings | None = None, marks: Collection[int] = ()
    ) -> None:
        """`marks` are numbers of bytes: the digest of so many first ones is kept, to know a file that was continued."""
        self.where = where
        self.test = test
        self.said = said or KindSettings()
        self.piped = where == "-"
        self.name = "standard input" if self.piped else Path(where).name
        self.provenance: dict[str, Any] = {}
        self.stretches: list[dict[str, Any]] = []
        self._raw: Hashed | None = None
        self._spool: Any = None
        self._ready: tuple[FileLayout, Source] | None = None
        self.rows: int | None = None
        """Rows of the whole file, once they are known."""
        self._file = None if self.piped else whole_file(self.where, marks)

    def digest(self) -> str:
        """SHA-256 of the file; of a pipe, of what was read."""
        if self._file is not None:
            return self._file.sha256
        return (hashlib.sha256() if self._raw is None else self._raw.sha256).hexdigest()

    @property
    def bytes(self) -> int | None:
        """Size of the file; None for a pipe."""
        return None if self._file is None else self._file.bytes

    @property
    def beginnings(self) -> Mapping[int, str]:
        """Digests of the first so many bytes."""
        return {} if self._file is None else self._file.beginnings

    @cached_property
    def layout(self) -> FileLayout:
        """How the decks are held; reads the beginning."""
        try:
            ready = self._begin()
        finally:
            self._release()
        self._ready = ready if self.piped else None
        self._check_numbering(ready[0])
        return ready[0]

    def _check_numbering(self, layout: FileLayout) -> None:
        """Another way to number cards is not a device's fault: a device has a few codes for what is no card."""
        strange = [face for face in layout.faces if face >= CARDS]
        if layout.told is None and len(strange) > MOST_OTHER_CODES:
            raise RecordedError(
                f"{self.name} numbers its cards in a way that is not known, {layout.faces[0]} … {layout.faces[-1]}\n"
                f"  expected: {EXPECTED_CARD}, or 1 … 52"
            )

    @property
    def kind(self) -> DeckKind:
        """The deck that every row should hold."""
        return self.layout.kind

    @property
    def deck_known(self) -> str:
        """How the deck is known: what is said in a report."""
        if (told := self.layout.told) is not None:
            return told.why
        return "the usual deck: nothing else was said" if self.said.nothing else "as given"

    @property
    def form(self) -> Form:
        """The form of the file."""
        return self.layout.form

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided in reading it and a reader should know."""
        return self.layout.notes

    def about(self) -> int | None:
        """How many decks there are: counted, or by the lines; unknown for a pipe."""
        return self.layout.decks

    def count_rows(self) -> int | None:
        """Rows of the file, exactly, without reading their cards; None for a pipe."""
        if self.piped:
            return None
        layout = self.layout
        if layout.exact:
            return layout.decks
        try:
            source = self._begin()[1]
            assert isinstance(source, TextLines)
            reader = TextRows(layout, test=self.test)
            return _rows_left(source, reader)
        finally:
            self._release()

    def blocks(self, rows: int, *, most: int | None = None) -> Iterator[Block]:
        """Blocks of so many rows, the last one shorter, up to `most` rows in all.

        Raises RecordedError at a row that can't be read.
        """
        layout = self.layout
        ready, self._ready = self._ready, None
        try:
            source = (ready or self._begin())[1]
            if isinstance(source, TextLines):
                yield from self._line_blocks(source, layout, rows, most)
                return
            self.rows = layout.decks
            if isinstance(source, FileColumns):
                yield from source.blocks(rows, test=self.test, most=most)
            else:
                yield from array_blocks(source, layout, rows, self.name, most=most)
        finally:
            self._release()

    # ----- opening

    def _release(self) -> None:
        if self._raw is not None:
            self._raw.release()

    def _begin(self) -> tuple[FileLayout, Source]:
        self._raw = opened(self.where)
        inside = unpacked(io.BufferedReader(self._raw, 1 << 16), self.name)
        if inside.is_numpy or inside.is_archive:
            path, load = self._seekable(inside), load_array if inside.is_numpy else load_archive

            def arrays(cards: int | None) -> tuple[FileLayout, Source]:
                made = load(path, self.name, cards=cards)
                return replace(array_layout(made), compression=inside.compression), made

            return self._with_its_deck(arrays, self.said)
        if inside.is_parquet:
            path = self._seekable(inside)

            def columns(cards: int | None) -> tuple[FileLayout, Source]:
                made = FileColumns(path, self.name, cards=cards)
                return replace(made.layout, compression=inside.compression), made

            layout, source = self._with_its_deck(columns, self.said)
            assert isinstance(source, FileColumns)
            source.layout = layout
            return layout, source
        if self.where.endswith(".npy"):
            raise RecordedError(f"{self.name} is not a NumPy file: it does not begin like one")
        encoding = encoding_of(inside.head)
        lines = TextLines(inside.stream, encoding, self.name)
        first = lines.ahead(LOOKED_AT)
        with self._known():
            said = self.said.over(settings_in(text for _, text in first))

        def text(cards: int | None) -> tuple[FileLayout, Source]:
            return replace(sniff(first, cards=cards), compression=inside.compression, encoding=encoding), lines

        with self._explained():
            layout, _ = self._with_its_deck(text, said)
        return replace(layout, decks=self._rows_by_lines(layout)), lines

    def _with_its_deck(
        self, begin: Callable[[int | None], tuple[FileLayout, Source]], said: KindSettings
    ) -> tuple[FileLayout, Source]:
        """A deck of 52 cards where nobody says otherwise; else what was said, or what the rows say."""
        if not said.nothing:
            cards = None if said.deck is None or said.shoe is None else said.deck * said.shoe
            layout, source = begin(cards)
            with self._known():
                return self._told(layout, said), source
        try:
            return begin(CARDS)
        except (Unread, RecordedError):
            # Rows of another length: a deck that is known, or else the first complaint holds.
            with suppress(Unread, RecordedError, KindError):
                layout, source = begin(None)
                if layout.cards != CARDS:
                    return self._told(layout, said), source
            raise

    @staticmethod
    def _told(layout: FileLayout, said: KindSettings) -> FileLayout:
        told = tell(layout.looked_at, layout.cards, said)
        if told.kind.standard:
            return layout
        notes = tuple(note for note in layout.notes if note != NUMBERED_FROM_ONE)
        layout = replace(
            layout, told=told, numbered_from=told.numbered_from, notes=(*notes, *([told.note] if told.note else []))
        )
        rows = [tuple(layout.codes(np.array([row]))[0].tolist()) for row in layout.looked_at]
        faces = tuple(sorted({code for row in rows for code in row}))
        return replace(layout, faces=faces, first=rows[0] if rows else ())

    @contextmanager
    def _known(self) -> Iterator[None]:
        """A deck that is not known is a file that can't be read."""
        try:
            yield
        except KindError as error:
            raise RecordedError(f"{self.name}: {error}") from None

    def _seekable(self, inside: Unpacked) -> str:
        """The path of the file, or of a copy of what was unpacked or piped."""
        if not self.piped and not inside.compression:
            return self.where
        self._spool = tempfile.NamedTemporaryFile(prefix="decks-")  # noqa: SIM115
        with readable(self.name):
            shutil.copyfileobj(inside.stream, self._spool)
        self._spool.flush()
        return str(self._spool.name)

    def _rows_by_lines(self, layout: FileLayout) -> int | None:
        return None if self._file is None else max(1, self._file.lines - layout.first_line + 1)

    # ----- lines

    def _line_blocks(self, lines: TextLines, layout: FileLayout, rows: int, most: int | None) -> Iterator[Block]:
        reader = TextRows(layout, test=self.test)
        block = Block(first_row=1)
        at, end = 1, None if most is None else most + 1
        while at != end:
            room = min(LINES_AT_ONCE, rows - block.rows, LINES_AT_ONCE if end is None else end - at)
            if not (taken := lines.take(room)):
                break
            found = reader.rows_of(taken)
            self.provenance, self.stretches = reader.provenance, reader.stretches
            with self._explained():
                reader.read(found, at, block, torn=lines.torn)
            at += len(found)
            block.rows += len(found)
            if block.rows >= rows:
                yield block
                block = Block(first_row=at)
        if block.rows:
            yield block
        self.rows = at - 1 + _rows_left(lines, reader)
        self.stretches = reader.stretches

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What can't be read, with its file, its line and what was expected."""
        try:
            yield
        except Unread as bad:
            raise UnreadableError(self.name, bad.line, bad.text, bad.why, bad.expected) from None


def _rows_left(lines: TextLines, reader: TextRows) -> int:
    """Rows that follow; their provenance is noted on the way."""
    many = 0
    while taken := lines.take(LINES_AT_ONCE):
        many += len(reader.rows_of(taken))
    return many
