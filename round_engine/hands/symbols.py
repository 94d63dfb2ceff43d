"""How ranks and suits are written, in the order of their numbers.

`protocol` may not import this room and keeps its own copy; a test holds them equal.
"""

from typing import Final

RANK_SYMBOLS: Final = "23456789TJQKA"
SUIT_SYMBOLS: Final = "♣♦♥♠"
SUIT_LETTERS: Final = "cdhs"
