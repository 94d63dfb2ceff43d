"""A table's entries told in words, as they are written: for terminals, and for the surveillance room's reading."""

from collections.abc import Callable, Sequence

from protocol.cards import card_name
from round_engine.hands import category3
from round_engine.ledger import LAYOUT, TIPS, Entry, Posting
from round_engine.money import dollars
from round_engine.operations import (
    CloseRound,
    DealCard,
    DealGroup,
    DeclareMisdeal,
    ExposeCard,
    Fold,
    LockWagers,
    OpenRound,
    Operation,
    Play,
    PressKey,
    RevealDealer,
    ShowHand,
)
from round_engine.table import Table
from shuffler.bridge.entries import Entry as BookEntry
from shuffler.bridge.entries import Note, Operated

Say = Callable[[str], None]

WINS = (Entry.WON, Entry.AWARDED, Entry.ENVY)


def hand_text(cards: Sequence[int]) -> str:
    """Three cards and what they are."""
    names = " ".join(card_name(card) for card in cards)
    if len(cards) != 3:
        return names
    kind = category3(*cards).name.lower().replace("_", " ")
    return f"{names:<10} {kind}"


def operation_text(operation: Operation) -> str | None:
    """One line for a move, or None where it says nothing by itself."""
    match operation:
        case OpenRound(round_id=name, shuffle=shuffle):
            return f"── round {name}, shuffle {shuffle} ──"
        case LockWagers():
            return "no more bets"
        case DealGroup(spot=0) | DealCard(spot=0):
            return " dealer: three cards, face down" if isinstance(operation, DealGroup) else None
        case DealGroup(spot=spot, cards=cards) if cards is not None:
            return f" spot {spot}: {hand_text(cards)}"
        case DealGroup(spot=spot):
            return f" spot {spot}: three cards, not read"
        case DealCard(spot=spot, card=card):
            return f" spot {spot}: {card_name(card) if card is not None else 'a card, not read'}"
        case ShowHand(spot=spot, cards=cards):
            return f" spot {spot}: {hand_text(cards)} (entered by the operator)"
        case ExposeCard(spot=spot):
            return f" a card of {'the dealer' if spot == 0 else f'spot {spot}'} was exposed: recorded, play goes on"
        case Play(spot=spot, amount=amount):
            return f" spot {spot} plays {dollars(amount)}"
        case Fold(spot=spot):
            return f" spot {spot} folds"
        case RevealDealer(cards=cards) if cards is not None:
            return f" dealer: {hand_text(cards)}"
        case PressKey(wager=wager, key=key, by=by):
            return f" keypad {wager}: {key} by {by}"
        case DeclareMisdeal(reason=reason):
            return f" MISDEAL: {reason}; all hands void, wagers given back"
        case CloseRound():
            return " game over"
    return None


def settlement_lines(postings: Sequence[Posting]) -> list[str]:
    """What each spot won and lost, wager by wager, with the rule's row and clause where it was paid."""
    lines: list[str] = []
    by_spot: dict[int, list[Posting]] = {}
    for posting in postings:
        if posting.spot:
            by_spot.setdefault(posting.spot, []).append(posting)
    for spot, mine in by_spot.items():
        parts = []
        for posting in mine:
            if posting.entry in WINS and posting.target != TIPS:
                parts.append(f"{posting.wager} +{dollars(posting.amount)} ({posting.row}; {posting.clause})")
            elif posting.entry is Entry.LOST:
                parts.append(f"{posting.wager} −{dollars(posting.amount)}")
            elif posting.entry is Entry.PUSHED:
                parts.append(f"{posting.wager} push")
        if parts:
            lines.append(f" spot {spot}: " + ", ".join(parts))
    return lines


class TableView:
    """Says each entry as it is written."""

    def __init__(self, table: Table, say: Say) -> None:
        self._table = table
        self._say = say

    def show(self, entries: Sequence[BookEntry]) -> None:
        """Tell what is new."""
        for entry in entries:
            match entry:
                case Operated(operation, postings):
                    if (line := operation_text(operation)) is not None:
                        self._say(line)
                    if type(operation).__name__ == "Settle":
                        for line in settlement_lines(postings):
                            self._say(line)
                    if isinstance(operation, CloseRound):
                        self._meters()
                case Note("fault", _, text):
                    self._say(f"the shuffler stopped: {text}")
                case Note("fault cleared", _, text):
                    self._say(f"the shuffler goes on: {text}")

    def attention(self) -> None:
        """A person is needed."""
        self._say("the shuffler needs attention: see its display")

    def summary(self) -> None:
        """The books in a line."""
        ledger = self._table.ledger
        self._say(f"books: tray {_signed(ledger.balance('tray'))}, sum of all accounts {ledger.total()} cents")
        if ledger.balance(LAYOUT):
            self._say(f"on the layout: {dollars(ledger.balance(LAYOUT))}")

    def _meters(self) -> None:
        for wager, meter in self._table.meters.items():
            self._say(f" {wager} meter: {dollars(meter.amount)}")


def _signed(amount: int) -> str:
    return f"+{dollars(amount)}" if amount >= 0 else f"−{dollars(-amount)}"
