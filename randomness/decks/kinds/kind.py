"""One kind of deck: its cards, how many decks are mixed, whether equal faces are told apart, and how it is dealt.

A face is 0 … 51 as everywhere; 52 and 53 are jokers. The battery works on card numbers 0 … `distinct` - 1: one for each
face, or, where the cards of a shoe are told apart, one for each card (copy × cards of a deck + place in the deck).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.decks.errors import KindError
from randomness.decks.faces import CARDS, RANK_NAMES, RANKS, SUIT_NAMES, card_name, colour_of, rank_of, suit_of

JOKER = 52
JOKERS = (JOKER, JOKER + 1)
MOST_DECKS = 16
LEAST_CARDS = 24
"""Fewer told-apart cards have so few orders that a whole deck repeats by chance in a long run."""

# Cards of a deck, and the ranks that it has: short decks leave out the low cards, Spanish ones the tens (and 8, 9).
DECKS = {
    32: "789TJQKA",
    36: "6789TJQKA",
    40: "234567JQKA",
    48: "23456789JQKA",
    52: RANK_NAMES,
    53: RANK_NAMES,
    54: RANK_NAMES,
}

Numbers = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class DeckKind:
    """What every row of a file should hold, and how groups are dealt from its top."""

    faces: tuple[int, ...] = tuple(range(CARDS))
    """The faces of one deck, in order; a face that stands twice is on two cards."""
    shoe: int = 1
    """Decks that are mixed."""
    told_apart: bool = False
    """Whether equal faces of a shoe are told apart."""
    group: int = 3
    """Cards of one group."""
    seats: int = 7
    """Players, dealt before the dealer."""
    dealer: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.shoe <= MOST_DECKS:
            raise KindError(f"a shoe is 1 to {MOST_DECKS} decks, not {self.shoe}")
        if self.cards < LEAST_CARDS:
            raise KindError(f"a deck has at least {LEAST_CARDS} cards, not {self.cards}")
        if self.group < 1 or self.groups < 1 or self.group * self.groups > self.cards:
            raise KindError(
                f"{self.groups} groups of {self.group} can't be dealt from {self.cards} cards: "
                "give --group and --seats that fit"
            )

    # ----- its cards

    @property
    def cards(self) -> int:
        """Cards of one row."""
        return len(self.faces) * self.shoe

    @property
    def groups(self) -> int:
        """Seats that are dealt to, the dealer among them."""
        return self.seats + self.dealer

    @property
    def dealt(self) -> int:
        return self.group * self.groups

    @property
    def standard(self) -> bool:
        """The deck of the battery for 52 cards: eight groups of three, the dealer's last."""
        return self == STANDARD

    @cached_property
    def _apart(self) -> bool:
        return self.told_apart and self.shoe > 1

    @cached_property
    def face_of(self) -> tuple[int, ...]:
        """The face of each card number."""
        return self.faces * self.shoe if self._apart else tuple(dict.fromkeys(self.faces))

    @property
    def distinct(self) -> int:
        """Card numbers."""
        return len(self.face_of)

    @cached_property
    def copies(self) -> tuple[int, ...]:
        """How many cards bear each card number."""
        if self._apart:
            return (1,) * self.cards
        return tuple(self.faces.count(face) * self.shoe for face in self.face_of)

    @property
    def simple(self) -> bool:
        """Whether every card differs from every other: an order is then a permutation."""
        return self.distinct == self.cards

    @cached_property
    def lookup(self) -> Numbers:
        """Code of a record → card number; `distinct` for a code that is no card of this deck."""
        table = np.full(1 << 16, self.distinct, np.intp)
        codes = np.arange(self.cards) if self._apart else np.array(self.face_of)
        table[codes] = np.arange(self.distinct)
        return table

    @cached_property
    def factory(self) -> NDArray[Any]:
        """The codes of a deck, or of decks one on the other, in factory order."""
        codes = np.arange(self.cards) if self._apart else np.array(self.faces * self.shoe)
        return codes.astype(np.uint8 if codes.max() < 256 else np.uint16)

    @cached_property
    def whole_row(self) -> Numbers:
        """The card numbers of a whole deck, sorted."""
        return np.repeat(np.arange(self.distinct), self.copies)

    # ----- kinds of its cards

    @cached_property
    def rank_names(self) -> tuple[str, ...]:
        """The ranks that it has, low to high; jokers are a rank of their own, the last."""
        there = {face for face in self.faces if face < CARDS}
        ranks = [RANK_NAMES[rank] for rank in range(RANKS) if any(rank_of(face) == rank for face in there)]
        return (*ranks, *(["joker"] if self.jokers else []))

    @property
    def jokers(self) -> int:
        """Of one deck."""
        return sum(face >= CARDS for face in self.faces)

    @cached_property
    def suit_names(self) -> tuple[str, ...]:
        return (*SUIT_NAMES, *(["joker"] if self.jokers else []))

    @cached_property
    def colour_names(self) -> tuple[str, ...]:
        return ("black", "red", *(["joker"] if self.jokers else []))

    @cached_property
    def ranks(self) -> Numbers:
        """The rank of each card number, as a place in `rank_names`."""
        names = self.rank_names
        return np.array(
            [len(names) - 1 if face >= CARDS else names.index(RANK_NAMES[rank_of(face)]) for face in self.face_of]
        )

    @cached_property
    def suits(self) -> Numbers:
        return np.array([len(SUIT_NAMES) if face >= CARDS else suit_of(face) for face in self.face_of])

    @cached_property
    def colours(self) -> Numbers:
        return np.array([2 if face >= CARDS else colour_of(face) for face in self.face_of])

    # ----- names

    def card_name(self, number: int) -> str:
        """`Q♥`, `Q♥ of deck 3`, or `joker`."""
        face = self.face_of[number]
        name = self.code_name(face)
        return f"{name} of deck {number // len(self.faces) + 1}" if self._apart else name

    def code_name(self, face: int) -> str:
        """A face of a record, also one that this deck does not have."""
        if face in JOKERS:
            return f"joker {face - JOKER + 1}" if JOKERS[1] in self.faces else "joker"
        return card_name(face)

    def seat_name(self, seat: int) -> str:
        if seat >= self.groups:
            return "the undealt cards"
        return "dealer" if self.dealer and seat == self.groups - 1 else f"player {seat + 1}"

    def words(self) -> str:
        """The deck in one line: what a report says was assumed."""
        ranks = [name for name in self.rank_names if name != "joker"]
        left_out = [name for name in RANK_NAMES if name not in ranks]
        what = f"{len(self.faces)} cards"
        if left_out:
            what += f" (without {', '.join(left_out)})"
        if self.jokers:
            what += f" with {self.jokers} joker{'s' if self.jokers > 1 else ''}"
            what += "" if self.jokers == 1 or JOKERS[1] in self.faces else " alike"
        if self.shoe > 1:
            apart = "told apart" if self.told_apart else "not told apart"
            what = f"{self.shoe} decks of {what}, {self.cards} cards in all, equal faces {apart}"
        return what

    def dealing(self) -> str:
        """How groups are dealt, in one line."""
        many = f"{self.seats} player{'s' if self.seats != 1 else ''}" if self.seats else "no players"
        who = many + (", then the dealer" if self.dealer else ", no dealer")
        return f"groups of {self.group} from the top to {who}"

    def describe(self) -> dict[str, Any]:
        """For the record."""
        return {
            "cards": self.cards,
            "names": [self.card_name(number) for number in range(self.distinct)],
            "copies": list(self.copies),
            "decks_mixed": self.shoe,
            "told_apart": self.simple,
            "group": self.group,
            "seats": self.seats,
            "dealer": self.dealer,
            "words": self.words(),
            "dealing": self.dealing(),
        }

    def to_state(self) -> dict[str, Any]:
        """Plain values, for a checkpoint."""
        return {
            "faces": list(self.faces), "shoe": self.shoe, "told_apart": self.told_apart, "group": self.group,
            "seats": self.seats, "dealer": self.dealer,
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "DeckKind":
        return cls(
            faces=tuple(int(face) for face in state["faces"]), shoe=int(state["shoe"]),
            told_apart=bool(state["told_apart"]), group=int(state["group"]), seats=int(state["seats"]),
            dealer=bool(state["dealer"]),
        )  # fmt: skip


STANDARD = DeckKind()


def plain_ranks(ranks: str) -> str:
    """Ranks as one letter each: `6, 7, 10` and `67T` are the same."""
    return ranks.upper().replace("10", "T").replace(",", "").replace(" ", "")


def deck_kind(
    deck: int = CARDS,
    *,
    shoe: int = 1,
    ranks: str | None = None,
    jokers_alike: bool = False,
    told_apart: bool = False,
    group: int = 3,
    seats: int | None = None,
    dealer: bool = True,
) -> DeckKind:
    """A deck by its number of cards; `ranks` where it has others than that deck usually has.

    Without `seats` as many players as there are cards for, at most seven.
    """
    if ranks is None and deck not in DECKS:
        known = ", ".join(map(str, DECKS))
        raise KindError(f"no deck of {deck} cards is known: there are {known}; --ranks names others")
    kept = DECKS.get(deck, "") if ranks is None else plain_ranks(ranks)
    if unknown := [rank for rank in kept if rank not in RANK_NAMES]:
        raise KindError(f"'{unknown[0]}' is no rank: there are {', '.join(RANK_NAMES)}")
    if len(set(kept)) != len(kept):
        raise KindError(f"the ranks {kept} have one twice")
    faces = [face for face in range(CARDS) if RANK_NAMES[rank_of(face)] in kept]
    more = deck - len(faces)
    if not 0 <= more <= len(JOKERS):
        raise KindError(f"{len(kept)} ranks in four suits are {len(faces)} cards, and 1 or 2 jokers more; not {deck}")
    faces += [JOKER] * more if jokers_alike else JOKERS[:more]
    if seats is None:
        seats = min(7, len(faces) * shoe // max(1, group) - dealer)
    return DeckKind(
        faces=tuple(faces), shoe=shoe, told_apart=told_apart, group=group, seats=seats, dealer=dealer
    )
