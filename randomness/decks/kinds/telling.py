"""Which deck a file holds and how it numbers the cards, told by its first rows and by what somebody said of it.

Numbers of a record are raw: what stood in the file. `Told.numbers` says which code of the deck each of them is.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from randomness.decks.errors import KindError
from randomness.decks.faces import CARDS, RANK_NAMES, rank_of
from randomness.decks.kinds.kind import DECKS, JOKER, MOST_DECKS, STANDARD, DeckKind, deck_kind, plain_ranks
from randomness.decks.kinds.settings import KindSettings

COPY_STEP = 1024
"""A name with its deck, `QH#3`, is 3 × this + its face; other numbers lie below it."""
NO_CARD = 65_535

Rows = Sequence[Sequence[int]]


@dataclass(frozen=True, kw_only=True)
class Told:
    """A deck, and the code of each number of the file."""

    kind: DeckKind
    numbers: tuple[int, ...]
    numbered_from: int
    by_place: bool
    """Whether the file counts the cards of its deck through, rather than the 52 faces."""
    why: str

    def codes(self, raw: NDArray[np.int64]) -> NDArray[np.int64]:
        """The codes of raw numbers; NO_CARD for what is none."""
        return _codes(raw, np.array(self.numbers), self.kind)

    @property
    def note(self) -> str:
        """How the cards are numbered, where a reader should know."""
        if not (self.by_place or self.numbered_from):
            return ""
        if self.by_place:
            first, last = self.numbered_from, self.numbered_from + self.kind.distinct - 1
            names = self.kind.card_name(0), self.kind.card_name(self.kind.distinct - 1)
            return f"the file numbers its cards {first} … {last}: the first is {names[0]}, the last {names[1]}"
        return "the file numbers its cards 1 … 52; one was taken off each (1 is 2♣, 52 is A♠)"


def tell(rows: Rows, wide: int, said: KindSettings) -> Told:
    """The deck of rows of `wide` cards; raises KindError where none fits."""
    table = np.array([row for row in rows if len(row) == wide], np.int64).reshape(-1, wide)
    best: Told | None = None
    most = -1.0
    for kind in _candidates(table, wide, said):
        for numbering in _numberings(kind):
            codes = _codes(table, np.array(numbering.numbers), kind)
            whole, valid = _whole(codes, kind)
            # Whole decks decide; among equals, how many cells are cards at all.
            fit = whole + valid / 1000
            if fit > most + 1e-9:
                best, most = numbering, fit
    if best is None:
        raise KindError(_unknown(wide, said))
    named = not said.nothing
    if len(table) and 2 * most < 1.0 and not (named and most > 0.0005):
        raise KindError(_unknown(wide, said))
    given = said.deck is not None or said.ranks is not None
    why = "as given" if given else f"told by the first rows, of {wide} cards"
    return replace(best, why=why)


def _unknown(wide: int, said: KindSettings) -> str:
    if said.deck is not None and wide % said.deck:
        many = f"{said.shoe or 1} deck{'s' if (said.shoe or 1) > 1 else ''}"
        return f"the rows have {wide} cards: not {many} of {said.deck}"
    decks = ", ".join(map(str, DECKS))
    return (
        f"rows of {wide} cards, with these cards, are no deck that is known ({decks}, or several mixed): "
        "say which with --deck, --shoe, --ranks"
    )


# ----- what it could be -----------------------------------------------------------------------------------------------


def _candidates(table: NDArray[np.int64], wide: int, said: KindSettings) -> Iterator[DeckKind]:
    dealt = {"group": said.group or STANDARD.group, "seats": said.seats}
    dealer = True if said.dealer is None else said.dealer
    for deck, ranks in _decks(table, wide, said):
        shoe = wide // deck
        if wide % deck or not 1 <= shoe <= MOST_DECKS or (said.shoe is not None and said.shoe != shoe):
            continue
        named = bool((table >= COPY_STEP).any())
        apart = [named, not named] if shoe > 1 else [False]
        apart = apart if said.told_apart is None else [said.told_apart]
        jokers = 0 if ranks is not None and 4 * len(ranks) == deck else 2
        for told_apart, alike in product(apart, (False, True) if jokers else (False,)):
            try:
                yield deck_kind(deck, shoe=shoe, ranks=ranks, jokers_alike=alike, told_apart=told_apart,
                                dealer=dealer, **dealt)  # type: ignore[arg-type]  # fmt: skip
            except KindError:
                if said.deck is not None or said.group is not None or said.seats is not None:
                    raise


def _decks(table: NDArray[np.int64], wide: int, said: KindSettings) -> list[tuple[int, str | None]]:
    """Cards and ranks of one deck; ranks None for the usual ones."""
    if said.ranks is not None:
        least = 4 * len(plain_ranks(said.ranks))
        return [(said.deck, said.ranks)] if said.deck else [(least + jokers, said.ranks) for jokers in (0, 1, 2)]
    if said.deck is not None:
        return [(said.deck, None)]
    usual: list[tuple[int, str | None]] = [(deck, None) for deck in (CARDS, *(each for each in DECKS if each != CARDS))]
    return usual + _by_its_faces(table, wide)


def _by_its_faces(table: NDArray[np.int64], wide: int) -> list[tuple[int, str | None]]:
    """A deck of other ranks, where most rows have all four suits of each rank equally often."""
    if not len(table):
        return []
    common, _ = Counter(tuple(sorted(row % COPY_STEP)) for row in table).most_common(1)[0]
    faces = Counter(common)
    jokers = sum(many for face, many in faces.items() if face in (JOKER, JOKER + 1))
    cards = {face: many for face, many in faces.items() if face < CARDS}
    ranks = sorted({rank_of(face) for face in cards})
    if not cards or len(cards) != 4 * len(ranks) or len(set(cards.values())) != 1 or sum(faces.values()) != wide:
        return []
    copies = next(iter(cards.values()))
    if jokers % copies or jokers // copies > 2 or jokers + sum(cards.values()) != wide:
        return []
    return [(len(cards) + jokers // copies, "".join(RANK_NAMES[rank] for rank in ranks))]


# ----- how it is numbered ---------------------------------------------------------------------------------------------


def _numberings(kind: DeckKind) -> Iterator[Told]:
    """By face first, then by place in the deck; from 0 first, then from 1."""
    by_place = np.arange(kind.distinct) if kind.simple and kind.shoe > 1 else np.array(kind.face_of)
    by_face = np.array(kind.face_of)
    if not (kind.simple and kind.shoe > 1):
        yield _told(kind, np.arange(max(CARDS, int(by_face.max()) + 1)), 0, by_place=False)
        if not kind.jokers:
            yield _told(kind, np.arange(CARDS), 1, by_place=False)
    if (kind.simple and kind.shoe > 1) or not np.array_equal(by_face, np.arange(len(by_face))):
        yield _told(kind, by_place, 0, by_place=True)
    if (kind.simple and kind.shoe > 1) or kind.jokers or kind.distinct != CARDS:
        yield _told(kind, by_place, 1, by_place=True)


def _told(kind: DeckKind, codes: NDArray[np.int64], first: int, *, by_place: bool) -> Told:
    numbers = (*[NO_CARD] * first, *(int(code) for code in codes))
    return Told(kind=kind, numbers=numbers, numbered_from=first, by_place=by_place, why="")


def _codes(raw: NDArray[np.int64], numbers: NDArray[np.int64], kind: DeckKind) -> NDArray[np.int64]:
    """Codes of raw numbers. What is in no list stays as it is where it can be named, and is no card otherwise."""
    inside = (raw >= 0) & (raw < len(numbers))
    codes = np.where(inside, numbers[np.where(inside, raw, 0)], NO_CARD)
    other = (raw >= len(numbers)) & (raw < 256)
    codes = np.where(other, raw if not kind.simple or kind.shoe == 1 else NO_CARD, codes)
    named = raw >= COPY_STEP
    if named.any():
        copy, face = np.divmod(np.where(named, raw, COPY_STEP), COPY_STEP)
        if kind.simple and kind.shoe > 1:
            places = np.full(COPY_STEP, -1)
            places[list(kind.faces)] = np.arange(len(kind.faces))
            known = (places[face] >= 0) & (copy <= kind.shoe)
            face = np.where(known, (copy - 1) * len(kind.faces) + places[face], NO_CARD)
        codes = np.where(named, face, codes)
    return np.asarray(codes)


def _whole(codes: NDArray[np.int64], kind: DeckKind) -> tuple[float, float]:
    """Shares of rows that are whole decks, and of cells that are cards of the deck."""
    if not len(codes):
        return 0.0, 0.0
    numbers = kind.lookup[codes]
    whole = (np.sort(numbers, axis=1) == kind.whole_row).all(axis=1)
    return float(whole.mean()), float((numbers < kind.distinct).mean())
