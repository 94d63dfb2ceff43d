"""A table's entries told in words, once they last: for terminals, and for the surveillance room's reading."""

from collections.abc import Callable, Sequence
from enum import Enum

from protocol.cards import card_name
from protocol.messages import FaultCleared, FaultRaised
from round_engine.hands import category3
from round_engine.money import dollars
from round_engine.money.ledger import LAYOUT, TIPS, TRAY, EntryKind, Posting
from round_engine.round.operations import (
    CloseRound,
    CollectFolds,
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
    Settle,
    ShowHand,
    VerifyWin,
)
from round_engine.wagers import wager_label
from round_engine.wagers.spoken import hand_name, row_name
from shuffler.host.printable import printable
from shuffler.journal.entries import DeckRefused, DeviceSaid, DeviceSetBack, EventGap, Operated
from shuffler.journal.entries import Entry as BookEntry
from shuffler.table.view import TableView

Say = Callable[[str], None]

PLAYER = "player:"
WINS = (EntryKind.WON, EntryKind.AWARDED, EntryKind.ENVY)
SUMMED = {
    "bets": (EntryKind.PLACED, EntryKind.COLLECTED),
    "forfeits": (EntryKind.FORFEITED,),
    "loses": (EntryKind.LOST,),
    "pushes": (EntryKind.PUSHED,),
}


def hand_text(cards: Sequence[int]) -> str:
    """Three cards and what they are."""
    names = " ".join(card_name(card) for card in cards)
    if len(cards) != 3:
        return names
    kind = hand_name(category3(*cards).name.lower())
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
            return f" {wager_label(wager)} keypad: {key} by {by}"
        case VerifyWin(spot=spot, hand=hand, by=by):
            return f" {by} verifies {hand_name(hand)} at spot {spot}"
        case DeclareMisdeal(reason=reason):
            return f" MISDEAL: {reason}; all hands void, wagers given back"
        case CloseRound():
            return " game over"
    return None


def operated_lines(operation: Operation, postings: Sequence[Posting]) -> list[str]:
    """A move and the money that went with it, where the move does not say it itself."""
    line = operation_text(operation)
    lines = [] if line is None else [line]
    return lines + money_lines(postings) if isinstance(operation, LockWagers | CollectFolds | Settle) else lines


def money_lines(postings: Sequence[Posting]) -> list[str]:
    """What moved between the spots and the house, spot by spot: stakes, forfeits, losses, pays with row and clause."""
    by_spot: dict[int, list[Posting]] = {}
    for posting in postings:
        if posting.spot:
            by_spot.setdefault(posting.spot, []).append(posting)
    return [f" spot {spot} {line}" for spot, mine in by_spot.items() for line in _spot_lines(mine)]


def _spot_lines(mine: Sequence[Posting]) -> list[str]:
    lines = []
    for verb, entries in SUMMED.items():
        if some := [posting for posting in mine if posting.entry in entries]:
            lines.append(f"{verb} " + ", ".join(f"{wager_label(one.wager)} {dollars(one.amount)}" for one in some))
    for posting in mine:
        if posting.entry in WINS:
            whose = " for the dealer" if posting.target == TIPS else ""
            whence = "" if posting.source == TRAY else " from the meter"
            why = "; ".join(part for part in (row_name(posting.row), posting.clause) if part)
            lines.append(f"wins {wager_label(posting.wager)} {dollars(posting.amount)}{whence}{whose} ({why})")
    return lines


def said(word: Enum) -> str:
    """JAM_FEEDER as "jam feeder"."""
    return word.name.lower().replace("_", " ")


class TrayCount:
    """What the tray took and paid in a round; the lines above it add up to this one."""

    def __init__(self) -> None:
        self._taken = self._paid = self._metered = 0

    def take(self, postings: Sequence[Posting]) -> None:
        """Add what moved."""
        for posting in postings:
            if TRAY not in (posting.source, posting.target):
                continue
            into = posting.target == TRAY
            other = posting.source if into else posting.target
            if not (other in (LAYOUT, TIPS) or other.startswith(PLAYER)):
                self._metered += -posting.amount if into else posting.amount
            elif into:
                self._taken += posting.amount
            else:
                self._paid += posting.amount

    def line(self) -> str:
        """The round in a line; counting starts again."""
        taken, paid, metered = self._taken, self._paid, self._metered
        self._taken = self._paid = self._metered = 0
        meters = f", {dollars(metered)} to the meters" if metered else ""
        return f" tray: {dollars(taken)} taken, {dollars(paid)} paid{meters}: {signed(taken - paid - metered)}"


class Narrator:
    """Says each entry once it is in the books."""

    def __init__(self, view: TableView, say: Say) -> None:
        """`view`: the table before the first entry that is shown."""
        self._say: Say = lambda line: say(printable(line))
        self._tray = TrayCount()
        self._meters = view.meters
        self._shown = {meter.account: meter.booked for meter in view.meters}

    def show(self, entries: Sequence[BookEntry]) -> None:
        """Tell what is new."""
        for entry in entries:
            match entry:
                case Operated(operation, postings):
                    self._move_meters(postings)
                    self._tray.take(postings)
                    for line in operated_lines(operation, postings):
                        self._say(line)
                    if isinstance(operation, CloseRound):
                        self._say(self._tray.line())
                        for meter in self._meters:
                            self._say(f" {meter.what} meter: {dollars(self._shown[meter.account])}")
                    elif isinstance(operation, DeclareMisdeal):
                        self._tray = TrayCount()
                case DeviceSaid(event=FaultRaised(code=code, place=place)):
                    self._say(f"the shuffler stopped: {said(code)} at the {said(place)}")
                case DeviceSaid(event=FaultCleared(code=code, how=how)):
                    self._say(f"the shuffler goes on: {said(code)} mended {said(how)}")
                case DeckRefused(reason):
                    self._say(f"a deck was not dealt: {reason}")
                case EventGap(serial, _, expected, found):
                    self._say(f"WARNING: events {expected} … {found - 1} of {serial!r} never came to this journal")
                case DeviceSetBack(serial, _, stored, found):
                    self._say(f"WARNING: the memory of {serial!r} was set back from event {stored} to {found}")

    def attention(self) -> None:
        """A person is needed."""
        self._say("the shuffler needs attention: see its display")

    def summary(self, view: TableView) -> None:
        """The books in a line."""
        self._say(f"books: tray {signed(view.tray)}, sum of all accounts {view.out_of_balance} cents")
        if view.on_layout:
            self._say(f"on the layout: {dollars(view.on_layout)}")

    def _move_meters(self, postings: Sequence[Posting]) -> None:
        """The table may be further on than what lasts: meters are shown as the entries move them."""
        for posting in postings:
            for account, sign in ((posting.source, -1), (posting.target, 1)):
                if account in self._shown:
                    self._shown[account] += sign * posting.amount


def signed(amount: int) -> str:
    """An amount with its sign."""
    return f"+{dollars(amount)}" if amount >= 0 else f"−{dollars(-amount)}"
