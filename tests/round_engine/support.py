"""What the engine's tests share: tables, bets and whole rounds in a line or two."""

import json
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

from round_engine.hands.cards import parse_hand
from round_engine.meters.awards import envy_triggers
from round_engine.money.ledger import EntryKind, Posting
from round_engine.round import operations as op
from round_engine.rules.rulebook import RuleSet, load
from round_engine.rules.ruleset import WagerName
from round_engine.staff import staff_of
from round_engine.table import Table
from round_engine.wagers import SpotWagers

DEALER_NAME, SUPERVISOR, EXECUTIVE, LINK = "dana", "sam", "eve", "link"
STAFF = staff_of(dana="dealer", dave="dealer", sam="supervisor", eve="executive", link="system")
_fresh = count(1)
_loaded: dict[str, RuleSet] = {}  # rule sets are frozen: a test cannot spoil another's


def rules_for(name: str, *, sides: Iterable[str] = (), **changes: Any) -> RuleSet:
    """A rule set ready for a table: where a ceiling is needed, there is one."""
    key = json.dumps([name, list(sides), changes])
    if key not in _loaded:
        _loaded[key] = _load(name, sides, changes)
    return _loaded[key]


def _load(name: str, sides: Iterable[str], changes: dict[str, Any]) -> RuleSet:
    if name == "light-and-wonder":
        changes.setdefault("house", {})
        changes["house"] = {"limit_ceiling": "$300", **changes["house"]}
    return load(name, sides=sides, changes=changes)


def new_table(name: str = "south-dakota", *, sides: Iterable[str] = (), **changes: Any) -> Table:
    return Table(rules_for(name, sides=sides, **changes), staff=STAFF)


def bet(spot: int, player: str | None = None, **amounts: int) -> SpotWagers:
    """Wagers on a spot, in cents; each spot has a player of its own unless one is named."""
    return SpotWagers(spot=spot, player=player or f"p{spot}", stakes=amounts)


def hand(text: str) -> tuple[int, ...]:
    return parse_hand(text)


def opened(table: Table, *wagers: SpotWagers, dealing: Any = None) -> None:
    name = f"r{next(_fresh)}"
    table.do(op.OpenRound(round_id=name, shuffle=name, dealer=DEALER_NAME, dealing=dealing, wagers=wagers))


def dealt(table: Table, wagers: Iterable[SpotWagers], hands: Mapping[int, str]) -> list[Posting]:
    """Open, lock and deal; the dealer's cards lie face down."""
    opened(table, *wagers)
    postings = list(table.do(op.LockWagers()).postings)
    for spot in sorted(hands):
        table.do(op.DealGroup(spot=spot, cards=hand(hands[spot])))
    table.do(op.DealGroup(spot=op.DEALER))
    return postings


def revealed(
    table: Table, wagers: Iterable[SpotWagers], hands: Mapping[int, str], dealer: str, fold: Iterable[int] = ()
) -> list[Posting]:
    """A round up to the dealer's hand; spots in `fold` fold, as do those who must."""
    postings = dealt(table, wagers, hands)
    assert table.round is not None
    for spot in list(table.round.undecided):
        ante = table.round.spots[spot].wagers.stake("ante")
        folding = spot in set(fold) or not ante
        postings += table.do(op.Fold(spot=spot) if folding else op.Play(spot=spot, amount=ante)).postings
    if table.round.folds:
        folds = tuple(table.round.folds)
        postings += table.do(op.CollectFolds(spots=folds, counted=(3,) * len(folds))).postings
    table.do(op.RevealDealer(cards=hand(dealer)))
    return postings


def key_all(table: Table) -> list[Posting]:
    """Record every award at its keypad."""
    postings: list[Posting] = []
    while due := table.dues():
        for press in table.keys_for(due[0], supervisor=SUPERVISOR):
            postings += table.do(press).postings
    return postings


def played(
    table: Table, wagers: Iterable[SpotWagers], hands: Mapping[int, str], dealer: str, fold: Iterable[int] = ()
) -> list[Posting]:
    """A whole round, closed; every posting of it."""
    postings = revealed(table, wagers, hands, dealer, fold) + key_all(table)
    postings += table.do(op.Settle()).postings
    postings += table.do(op.CloseRound()).postings
    return postings


def net(postings: Iterable[Posting], account: str) -> int:
    """What an account gained."""
    return sum(one.amount * ((one.target == account) - (one.source == account)) for one in postings)


def found(
    postings: Iterable[Posting], entry: EntryKind | None = None, wager: WagerName | None = None, spot: int | None = None
) -> list[Posting]:
    return [
        one
        for one in postings
        if entry in (None, one.entry) and wager in (None, one.wager) and spot in (None, one.spot)
    ]


def only(postings: Iterable[Posting], entry: EntryKind, wager: WagerName, spot: int = 1) -> Posting:
    """The one posting of that kind."""
    (one,) = found(postings, entry, wager, spot)
    return one


# Hands that meet again and again. The dealer's first: plays with a pair of nines, plays with a queen, does not play.
NINES, QUEEN_HIGH, JACK_HIGH = "9c 9d 4h", "Qd 5c 3s", "Jd 5c 3s"
STRAIGHT_FLUSH, TRIPS, STRAIGHT = "8h 7h 6h", "6c 6d 6s", "5d 4c 3h"
FLUSH, PAIR, NOTHING = "Ah Th 2h", "Kc Kd 2s", "Ac Jh 7d"
AKQ_SPADES, AKQ_HEARTS, AKQ_CLUBS = "As Ks Qs", "Ah Kh Qh", "Ac Kc Qc"


def triggering(table: Table, wager: WagerName) -> list[int]:
    """The spots whose hands others are paid envy for: the dealer leaves them face up."""
    state = table.in_play()
    found = envy_triggers(table.book, wager, state.spots.values(), state.dealer.rank)
    return [trigger.spot.number for trigger in found]
