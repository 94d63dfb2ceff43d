"""Cards drawn as cards, for a terminal: hands side by side as far as the width goes.

Black suits have the terminal's own colour and red ones red, so that both can be read on light and on dark backgrounds.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from protocol.cards import FACES, RANKS, SUITS, card_name

if TYPE_CHECKING:
    from rich.text import Text

RED_SUITS = (1, 2)
CARD_COLUMNS = 7  # with the space behind it
GAP = 3
BACK = ("╭────╮", "│▒▒▒▒│", "│▒▒▒▒│", "╰────╯")


class DrawnHand(NamedTuple):
    """A hand and whose it is; a hand without cards lies face down."""

    who: str
    cards: tuple[int, ...]


def draw(hands: Sequence[DrawnHand], width: int) -> "Text":
    """Hands in rows, each under its owner's name; a line of names where not even one hand fits."""
    from rich.text import Text  # here: a deal into a pipe draws nothing, and rich takes its time to load

    columns = max((CARD_COLUMNS * max(len(hand.cards), 3) for hand in hands), default=0)
    if width < columns:
        return Text("\n").join(Text(f"{hand.who}: {_names(hand.cards)}") for hand in hands)
    a_row = max(1, (width + GAP) // (columns + GAP))
    return Text("\n").join(_row(hands[at : at + a_row], columns) for at in range(0, len(hands), a_row))


def fit(width: int, cards: int = 3) -> int:
    """How many hands are drawn in a row."""
    return max(1, (width + GAP) // (CARD_COLUMNS * cards + GAP))


def _row(hands: Sequence[DrawnHand], columns: int) -> "Text":
    from rich.text import Text

    lines = [Text() for _ in range(5)]
    for at, hand in enumerate(hands):
        drawn = [_one(card) for card in hand.cards or (None, None, None)]
        for line in lines:
            line.append(" " * (GAP if at else 0))
        lines[0].append(f"{hand.who:<{columns}}")
        for number, line in enumerate(lines[1:]):
            for card in drawn:
                part, style = card[number]
                line.append(part, style=style)
                line.append(" ")
            line.append(" " * (columns - CARD_COLUMNS * len(drawn)))
    for line in lines:
        line.rstrip()
    return Text("\n").join(lines)


def _names(cards: Sequence[int]) -> str:
    return " ".join(card_name(card) for card in cards) or "face down"


def _one(card: int | None) -> list[tuple[str, str]]:
    if card is None:
        return [(line, "dim") for line in BACK]
    if not 0 <= card < FACES:  # a joker, or what could not be read
        return [("╭────╮", ""), (f"│{card_name(card)[:4]:<4}│", "bold"), ("│    │", ""), ("╰────╯", "")]
    rank, suit = RANKS[card % 13].replace("T", "10"), SUITS[card // 13]
    style = "bold red" if card // 13 in RED_SUITS else "bold"
    return [("╭────╮", ""), (f"│{rank:<4}│", style), (f"│{suit:>4}│", style), ("╰────╯", "")]
