"""Cards drawn as cards, for a terminal."""

from rich.text import Text

from protocol.cards import FACES, RANKS, SUITS

RED_SUITS = (1, 2)
BACK = ("╭────╮", "│▒▒▒▒│", "│▒▒▒▒│", "╰────╯")


def draw(cards: tuple[int, ...]) -> Text:
    """A hand side by side, four lines high; no cards are three backs."""
    rows = [Text() for _ in range(4)]
    for card in cards or (None, None, None):
        for row, (part, style) in zip(rows, _one(card), strict=True):
            row.append(part, style=style)
            row.append(" ")
    return Text("\n").join(rows)


def _one(card: int | None) -> list[tuple[str, str]]:
    if card is None or not 0 <= card < FACES:
        return [(line, "blue") for line in BACK]
    rank, suit = RANKS[card % 13].replace("T", "10"), SUITS[card // 13]
    style = "bold red" if card // 13 in RED_SUITS else "bold white"
    return [("╭────╮", "white"), (f"│{rank:<4}│", style), (f"│{suit:>4}│", style), ("╰────╯", "white")]
