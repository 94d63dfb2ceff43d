"""The questions that the monitor asks of each card: a literal table. Adding a row changes every weight.

A question is a set of cells. A cell is a label (which cards) at a place (where in the dealt order). `LABELS` are known
before the round starts; `TARGETS` depend on the cards already seen in the round, and have one cell.
"""

from dataclasses import dataclass
from enum import StrEnum

from randomness.monitoring.deals import CARDS, DEALT, GROUPS
from round_engine.hands import RANK_SYMBOLS, SUIT_SYMBOLS

RANKS, SUITS = len(RANK_SYMBOLS), len(SUIT_SYMBOLS)


class Where(StrEnum):
    """Which cards of a round share a place."""

    POSITION = "position"
    GROUP = "group"
    ANYWHERE = "anywhere"


PLACES = {Where.POSITION: DEALT, Where.GROUP: GROUPS, Where.ANYWHERE: 1}


class By(StrEnum):
    """What a bet favours."""

    CARD = "card"
    SUIT = "suit"
    RANK = "rank"
    COLOUR = "colour"
    OLD_POSITION = "old position"
    OLD_GROUP = "old group"
    SAME_RANK = "same rank"
    SAME_SUIT = "same suit"
    NEXT_RANK = "next rank"
    NEXT_FACE = "next face"
    PARTNERS = "partners"
    FOLLOWER = "follower"
    LEADER = "leader"
    SEEN_BEFORE = "seen before"
    EARLIER_DEAL = "earlier deal"


LABELS = {
    By.CARD: CARDS, By.SUIT: SUITS, By.RANK: RANKS, By.COLOUR: 2, By.OLD_POSITION: DEALT, By.OLD_GROUP: GROUPS + 1,
}  # fmt: skip
"""How many labels a card can have."""

TARGETS = frozenset(By) - frozenset(LABELS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One row: what is favoured, where, and how many rounds back it looks."""

    name: str
    asks: str
    by: By
    where: Where
    lag: int = 0
    overall: bool = False
    """One bet on the whole table of counts, learnt as it goes, instead of one bet for each cell."""

    @property
    def shape(self) -> tuple[int, int]:
        """Places and labels."""
        return PLACES[self.where], LABELS.get(self.by, 1)


def _row(name: str, by: By, where: Where, asks: str, lag: int = 0, *, overall: bool = False) -> Question:
    return Question(name=name, asks=asks, by=by, where=where, lag=lag, overall=overall)


QUESTIONS = (
    _row("card-at-position", By.CARD, Where.POSITION, "Does a card come at a position too often or too seldom?"),
    _row("card-in-group", By.CARD, Where.GROUP, "Does a card come to a group too often or too seldom?"),
    _row("card-dealt", By.CARD, Where.ANYWHERE, "Is a card dealt too often, or left in the stub?"),
    _row("suit-in-group", By.SUIT, Where.GROUP, "Does a group get too many or too few of a suit?"),
    _row("rank-in-group", By.RANK, Where.GROUP, "Does a group get too many or too few of a rank?"),
    _row("colour-in-group", By.COLOUR, Where.GROUP, "Does a group get too many cards of a colour?"),
    _row("same-rank", By.SAME_RANK, Where.ANYWHERE, "Do groups hold too many or too few pairs?"),
    _row("same-suit", By.SAME_SUIT, Where.ANYWHERE, "Do groups hold too many or too few cards of one suit?"),
    _row("next-rank", By.NEXT_RANK, Where.ANYWHERE, "Do groups hold too many or too few neighbouring ranks?"),
    _row("next-face", By.NEXT_FACE, Where.ANYWHERE, "Do cards follow each other as in a new deck?"),
    _row("kept-position-1", By.OLD_POSITION, Where.POSITION, "Does a position's card return one round later?", 1),
    _row("kept-position-2", By.OLD_POSITION, Where.POSITION, "Does a position's card return two rounds later?", 2),
    _row("kept-group-1", By.OLD_GROUP, Where.GROUP, "Do a group's cards return together one round later?", 1),
    _row("kept-group-2", By.OLD_GROUP, Where.GROUP, "Do a group's cards return together two rounds later?", 2),
    _row("partners-1", By.PARTNERS, Where.ANYWHERE, "Do cards share a group again one round later?", 1),
    _row("partners-2", By.PARTNERS, Where.ANYWHERE, "Do cards share a group again two rounds later?", 2),
    _row("follower-1", By.FOLLOWER, Where.ANYWHERE, "Do cards follow each other again one round later?", 1),
    _row("follower-2", By.FOLLOWER, Where.ANYWHERE, "Do cards follow each other again two rounds later?", 2),
    _row("leader-1", By.LEADER, Where.ANYWHERE, "Do cards follow in reverse order one round later?", 1),
    _row("leader-2", By.LEADER, Where.ANYWHERE, "Do cards follow in reverse order two rounds later?", 2),
    _row("dealt-again-1", By.SEEN_BEFORE, Where.ANYWHERE, "Are dealt cards dealt again one round later?", 1),
    _row("dealt-again-2", By.SEEN_BEFORE, Where.ANYWHERE, "Are dealt cards dealt again two rounds later?", 2),
    _row("deal-again", By.EARLIER_DEAL, Where.ANYWHERE, "Does a deal that begins like an earlier one repeat it?"),
    _row("card-overall", By.CARD, Where.POSITION, "Are cards and positions related in any way?", overall=True),
    _row("kept-overall-1", By.OLD_POSITION, Where.POSITION, "Is the order one round later related?", 1, overall=True),
    _row("kept-overall-2", By.OLD_POSITION, Where.POSITION, "Is the order two rounds later related?", 2, overall=True),
)

WEIGHT = 1.0 / len(QUESTIONS)
"""Of each question in the evidence: fixed before the first card."""
LAGS = max(one.lag for one in QUESTIONS)

_BACK = {1: "the round before", 2: "two rounds before"}


def cell_name(question: Question, place: int, label: int) -> str:
    """`9♦ at position 7`."""
    where = {
        Where.POSITION: f"at position {place + 1}",
        Where.GROUP: f"in group {place + 1}",
        Where.ANYWHERE: "among the dealt cards",
    }[question.where]
    back = _BACK.get(question.lag, "")
    match question.by:
        case By.CARD:
            return f"{RANK_SYMBOLS[label % RANKS]}{SUIT_SYMBOLS[label // RANKS]} {where}"
        case By.SUIT:
            return f"{SUIT_SYMBOLS[label]} {where}"
        case By.RANK:
            return f"{RANK_SYMBOLS[label]} {where}"
        case By.COLOUR:
            return f"{('outer suits', 'inner suits')[label]} ({SUIT_SYMBOLS[label]}, {SUIT_SYMBOLS[3 - label]}) {where}"
        case By.OLD_POSITION:
            return f"the card from position {label + 1} of {back} {where}"
        case By.OLD_GROUP:
            old = f"group {label + 1}" if label < GROUPS else "the unseen cards"
            return f"cards from {old} of {back} {where}"
        case By.SAME_RANK:
            return "a rank twice in a group"
        case By.SAME_SUIT:
            return "a suit twice in a group"
        case By.NEXT_RANK:
            return "neighbouring ranks in a group"
        case By.NEXT_FACE:
            return "neighbours of a new deck side by side"
        case By.PARTNERS:
            return f"cards that shared a group {back} share one again"
        case By.FOLLOWER:
            return f"cards follow each other as {back}"
        case By.LEADER:
            return f"cards follow each other as {back}, reversed"
        case By.SEEN_BEFORE:
            return f"cards dealt {back} are dealt again"
        case By.EARLIER_DEAL:
            return "the deal goes on as an earlier one that began with the same six cards"
