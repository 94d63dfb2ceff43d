"""Card codes on the wire: 0 … 51 are faces, a few higher codes mean anything else."""

RANKS = "23456789TJQKA"  # rank = face % 13
SUITS = "♣♦♥♠"  # suit = face // 13
SUIT_LETTERS = "cdhs"

FACES = 52
JOKER = 52
CUT_CARD = 53
FOREIGN = 252  # readable, but not of a deck that this device knows
FACE_UP = 253  # boxed: the reader saw a face instead of the back
UNREADABLE = 254
UNREAD = 255  # the device counts cards and has no reader

SPECIAL = {
    JOKER: "joker",
    CUT_CARD: "cut card",
    FOREIGN: "foreign",
    FACE_UP: "face up",
    UNREADABLE: "unreadable",
    UNREAD: "not read",
}


def card_name(code: int) -> str:
    """Return the name of a card code: 10 is "Q♣"."""
    if 0 <= code < FACES:
        return RANKS[code % 13] + SUITS[code // 13]
    return SPECIAL.get(code, f"code {code}")
