"""How a text holds its decks, told by its first lines: form, separator, header, columns, numbering. No I/O."""

import csv
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from randomness.certification.recorded.cards import EXPECTED_CARD, MOST_CODE, NO_READ, BadRow, card_code, is_card
from randomness.certification.recorded.layout import DELIMITERS, FileLayout, Form
from randomness.certification.recorded.streams import COMMENTS

LOOKED_AT = 256
"""Rows from which the layout is told."""
NUMBERED_FROM_ONE = "the file numbers its cards 1 … 52; one was taken off each (1 is 2♣, 52 is A♠)"
NUMBERED_HEADER = (
    "the first line counts its columns and was read as column names; if it is a deck in factory order, write a header "
    "above it"
)
OTHER_DECKS = "; other decks are told by whole rows of them, or named: --deck, --shoe, --ranks"
_LEAST_NUMBERED = 8
_NUMBERED = re.compile(r"^(.*?)(\d{1,4})$")

Line = tuple[int, str]


@dataclass(kw_only=True)
class Unread(Exception):
    """A line that no layout explains: its number, its text and what was expected."""

    line: int
    text: str
    why: str
    expected: str


def is_comment(text: str) -> bool:
    """Whether a line is a remark."""
    return text.startswith(COMMENTS)


def is_empty(text: str) -> bool:
    """Whether a line has separators and nothing between them, as spreadsheets leave them."""
    return not text.strip(' ,;\t|"')


def cells(text: str, delimiter: str, wide: int | None = None) -> list[str]:
    """The cells of one line, without quotes. A separator at the end says nothing, unless the line then has one cell
    less than the `wide` of a row: the last card was not read."""
    if delimiter == " ":
        return text.split()
    if '"' in text:
        try:
            parts = next(csv.reader([text], delimiter=delimiter, skipinitialspace=True))
        except (csv.Error, StopIteration) as error:
            raise BadRow(f"not CSV: {error}") from None
    else:
        parts = text.split(delimiter)
    if len(parts) > 1 and not parts[-1].strip() and len(parts) != wide:
        parts.pop()
    return parts


def expected_row(cards: int, separator: str, card: str = EXPECTED_CARD) -> str:
    """What a row should have been."""
    return f"{cards} cards separated by {separator or 'commas'}, each {card}"


# ----- the whole layout -----------------------------------------------------------------------------------------------


def sniff(lines: Sequence[Line], *, cards: int | None) -> FileLayout:
    """The layout of a text that begins with these lines; `cards` of a row, where that is known."""
    said = [line for line in lines if not is_comment(line[1]) and not is_empty(line[1])]
    if not said:
        raise Unread(line=1, text="", why="there are no decks in it", expected=expected_row(cards or 52, ""))
    if said[0][1][0] in "[{":
        return _json_layout(said, cards)
    return _csv_layout(said, cards)


def _json_layout(lines: Sequence[Line], cards: int | None) -> FileLayout:
    number, text = lines[0]
    expected = f"one deck a line: a list of {cards or 52} cards, or an object with 'deck'"
    if text in ("[", "{") or text.startswith("[["):
        why = "one JSON value goes over the whole file"
        raise Unread(line=number, text=text, why=why, expected=expected)
    rows: list[tuple[int, Any, bool]] = []
    for number, text in lines:
        try:
            said = json.loads(text)
        except (ValueError, RecursionError):
            continue
        deck = said.get("deck") if isinstance(said, dict) else said
        if isinstance(deck, list) and deck:
            rows.append((number, deck, isinstance(said, dict) and said.get("input") is not None))
    if not rows:
        raise Unread(line=lines[0][0], text=lines[0][1], why="no line of the beginning holds a deck", expected=expected)
    wide = _commonest([len(deck) for _, deck, _ in rows])
    if cards is not None and wide != cards:
        number, deck, _ = next(row for row in rows if len(row[1]) == wide)
        why = f"a deck is {cards} cards, not {wide}"
        raise Unread(line=number, text=json.dumps(deck), why=why, expected=expected + OTHER_DECKS)
    first, _, has_input = next(row for row in rows if len(row[1]) == wide)
    decks = [_codes(deck) for _, deck, _ in rows if len(deck) == wide]
    return _numbered(
        FileLayout(form=Form.JSON_LINES, cards=wide, faces=(), first_line=first, has_input=has_input), decks
    )


def _csv_layout(lines: Sequence[Line], cards: int | None) -> FileLayout:
    delimiter = _delimiter([text for _, text in lines])
    rows = [(number, text, _cells_or_none(text, delimiter)) for number, text in lines]
    split = [(number, text, parts) for number, text, parts in rows if parts is not None]
    if not split:
        raise Unread(line=lines[0][0], text=lines[0][1], why="not CSV", expected=expected_row(cards or 52, ""))
    header: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    if len(split) > 1 and _is_header(split[0][2]):
        header = tuple(cell.strip() for cell in split[0][2])
        notes = (NUMBERED_HEADER,) if sum(map(is_card, header)) > len(header) // 2 else ()
        split = split[1:]
    wide = _commonest([len(parts) for _, _, parts in split])
    layout = FileLayout(form=Form.CSV, cards=wide, faces=(), delimiter=delimiter, header=header, notes=notes)
    number, text, _ = next(row for row in split if len(row[2]) == wide)
    first_line = split[0][0]
    columns, inputs = card_columns(header, cards) if len(header) == wide else ((), ())
    if not columns and cards is not None and wide != cards:
        why = f"a deck is {cards} columns, not {wide} column{'s' if wide != 1 else ''}"
        expected = expected_row(cards, layout.separator)
        expected += OTHER_DECKS
        if wide > cards:
            expected += "; where other columns stand beside them, a header that names the cards card1, card2, …"
        raise Unread(line=number, text=text, why=why, expected=expected)
    wanted = columns or tuple(range(wide))
    decks = [_codes([parts[at] for at in wanted]) for _, _, parts in split if len(parts) == wide]
    if not any(decks):
        bad = next(parts for _, _, parts in split if len(parts) == wide)
        raise Unread(line=number, text=text, why=_first_fault([bad[at] for at in wanted]),
                     expected=expected_row(len(wanted), layout.separator))  # fmt: skip
    whole = columns == tuple(range(wide))
    return _numbered(
        FileLayout(
            form=Form.CSV, cards=len(wanted), faces=(), delimiter=delimiter, header=header, first_line=first_line,
            columns=() if whole else columns, input_columns=inputs, has_input=bool(inputs), notes=notes,
        ),
        decks,
    )  # fmt: skip


# ----- its parts ------------------------------------------------------------------------------------------------------


def _delimiter(texts: Sequence[str]) -> str:
    """The separator under which most lines have the same, large number of cells."""
    best, most = DELIMITERS[0], 0
    for delimiter in DELIMITERS:
        if delimiter == " " and most >= _LEAST_NUMBERED * len(texts):
            break  # "Queen of Hearts" has blanks inside its cells
        many = Counter(len(parts) for text in texts if (parts := _cells_or_none(text, delimiter)) is not None)
        wide, lines = max(many.items(), key=lambda item: item[0] * item[1], default=(1, 0))
        if wide > 1 and wide * lines > most:
            best, most = delimiter, wide * lines
    return best


def _is_header(parts: Sequence[str]) -> bool:
    """Mostly no cards, or numbers that count the columns."""
    cards = [part for part in parts if is_card(part)]
    if len(cards) <= len(parts) // 2:
        return True
    try:
        numbers = [int(part.strip().strip("'\"")) for part in cards]
    except ValueError:
        return False
    counts = len(numbers) >= _LEAST_NUMBERED and numbers[0] in (0, 1)
    return counts and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def card_columns(names: Sequence[str], cards: int | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The columns named card1, card2, … by number (any name will do), and those of the order before the shuffle."""
    groups: dict[str, dict[int, int]] = {}
    for place, name in enumerate(names):
        if found := _NUMBERED.match(name.strip()):
            groups.setdefault(found[1].strip().lower(), {})[int(found[2])] = place
    whole: dict[str, tuple[int, ...]] = {}
    for name, group in groups.items():
        numbers = sorted(group)
        if numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
            whole[name] = tuple(group[number] for number in numbers)
    fits = {
        name: places
        for name, places in whole.items()
        if (len(places) == cards if cards is not None else len(places) >= _LEAST_NUMBERED)
    }
    before = next((places for name, places in fits.items() if name.startswith("in")), ())
    decks = [places for name, places in fits.items() if not name.startswith("in")]
    if len(decks) != 1:
        return (), ()
    return decks[0], before if len(before) == len(decks[0]) else ()


def numbered_from(decks: Sequence[Sequence[int]]) -> int:
    """1 where most decks have a card 52 and no card 0, which no deck of 0 … 51 can; else 0."""
    from_one = sum(52 in deck and 0 not in deck for deck in decks)
    return int(2 * from_one > len(decks) > 0)


def _numbered(layout: FileLayout, decks: Sequence[tuple[int, ...]]) -> FileLayout:
    good = [deck for deck in decks if deck]
    first = numbered_from(good)
    codes = [tuple(code - first for code in deck) for deck in good]
    notes = (*layout.notes, NUMBERED_FROM_ONE) if first else layout.notes
    faces = tuple(sorted({code for deck in codes for code in deck}))
    return replace(
        layout, faces=faces, first=codes[0] if codes else (), numbered_from=first, notes=notes, looked_at=tuple(good)
    )


def _codes(row: Sequence[object]) -> tuple[int, ...]:
    """The cards of a row; none where one of them is no card, or was not read."""
    try:
        codes = tuple(card_code(cell, MOST_CODE) for cell in row)
    except BadRow:
        return ()
    return () if NO_READ in codes else codes


def _first_fault(row: Sequence[object]) -> str:
    for cell in row:
        try:
            card_code(cell)
        except BadRow as error:
            return str(error)
    return ""


def _cells_or_none(text: str, delimiter: str) -> list[str] | None:
    try:
        return cells(text, delimiter)
    except BadRow:
        return None


def _commonest(values: Sequence[int]) -> int:
    return Counter(values).most_common(1)[0][0]
