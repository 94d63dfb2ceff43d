"""How a card is written: a number, or a name with its rank or its suit first; jokers, and the decks of a shoe."""

import re

from randomness.decks.faces import RANK_NAMES, SUIT_NAMES
from randomness.decks.kinds import JOKER
from randomness.decks.kinds.telling import COPY_STEP
from round_engine.hands import SUIT_LETTERS

EXPECTED_CARD = "0 … 51, or a name such as QH, HQ or Queen of Hearts"
HIGHEST_CODE = 255
"""Numbers up to here are what a device may report (a joker, a foreign card); the battery names them."""
MOST_CODE = COPY_STEP - 1
"""Numbers up to here may be cards of a shoe whose cards are told apart."""
_LONGEST_SHOWN = 24
NO_READ = -1
"""What stands for a card that the reader did not read."""
NO_READS = frozenset(("", "nr", "n/r", "noread", "no read", "no-read", "?", "??", "-", "--", "xx", "null", "none"))
"""How files write that, in any case."""
# Jokers by name: the first (and the only one that is just "joker"), and the second.
_JOKERS = {
    **dict.fromkeys(("joker", "jk", "jkr", "🃏", "🃟", "joker1", "jk1", "j1", "rj", "jr", "red joker", "rjoker"), JOKER),
    **dict.fromkeys(("joker2", "jk2", "j2", "bj", "jb", "black joker", "bjoker"), JOKER + 1),
}
_OF_DECK = re.compile(r"^(.+?)#(\d{1,2})$")
_OUTLINES = "♧♢♡♤"
_SUITS = {mark: suit for marks in (SUIT_LETTERS, SUIT_NAMES, _OUTLINES) for suit, mark in enumerate(marks)}


_RANK_WORDS = {
    "two": 0, "three": 1, "four": 2, "five": 3, "six": 4, "seven": 5, "eight": 6, "nine": 7, "ten": 8, "jack": 9,
    "queen": 10, "king": 11, "ace": 12, **{str(pips): pips - 2 for pips in range(2, 11)}, "t": 8, "j": 9, "q": 10,
    "k": 11, "a": 12,
}  # fmt: skip
_SUIT_WORDS = {"club": 0, "clubs": 0, "diamond": 1, "diamonds": 1, "heart": 2, "hearts": 2, "spade": 3, "spades": 3}
_RANK, _SUIT = "|".join(_RANK_WORDS), "|".join(sorted(_SUIT_WORDS, reverse=True))
_IN_WORDS = re.compile(rf"^(?:(?P<rank>{_RANK})(?:of)?(?P<suit>{_SUIT})|(?P<suit2>{_SUIT})(?P<rank2>{_RANK}))$")


class BadRow(Exception):
    """Not the cards of a deck; says why."""


def shortened(text: str, most: int = _LONGEST_SHOWN) -> str:
    """As much of a text as an error shows."""
    return text if len(text) <= most else f"{text[:most]}…"


def card_code(text: object, highest: int = HIGHEST_CODE) -> int:
    """0 … 51 for a number or a name such as QH, HQ, 10c or A♠; other numbers up to `highest` are kept for the battery.

    `joker` is 52, a second one 53; a card of the third deck of a shoe, `QH#3`, is 3 × COPY_STEP + its face. A card that
    was not read is NO_READ.
    """
    if text is None:
        return NO_READ
    if isinstance(text, int) and not isinstance(text, bool):
        code = text
    else:
        name = str(text).strip().strip("'\"").strip().replace("\ufe0f", "")  # ♥ may come as an emoji
        if name.lower() in NO_READS:
            return NO_READ
        try:
            code = int(name)
        except ValueError:
            return _named(name)
    if not 0 <= code <= highest:
        raise BadRow(f"{shortened(str(code))} is no card: expected {EXPECTED_CARD}")
    return code


def is_card(text: str) -> bool:
    """Whether a cell reads as a card."""
    try:
        return card_code(text, MOST_CODE) != NO_READ
    except BadRow:
        return False


def _named(name: str) -> int:
    if (of_deck := _OF_DECK.match(name)) and int(of_deck[2]):
        return COPY_STEP * int(of_deck[2]) + _named(of_deck[1])
    if name.lower() in _JOKERS:
        return _JOKERS[name.lower()]
    for suit, rank in ((name[-1:], name[:-1]), (name[:1], name[1:])):
        rank = rank.upper().replace("10", "T")
        if suit.lower() in _SUITS and len(rank) == 1 and rank in RANK_NAMES:
            return 13 * _SUITS[suit.lower()] + RANK_NAMES.index(rank)
    if found := _IN_WORDS.match(re.sub(r"[\W_]+", "", name.lower())):
        rank, suit = found["rank"] or found["rank2"], found["suit"] or found["suit2"]
        return 13 * _SUIT_WORDS[suit] + _RANK_WORDS[rank]
    raise BadRow(f"'{shortened(name)}' is no card: expected {EXPECTED_CARD}")
