"""What every wager of a round comes to, as postings in the order in which a dealer pays and takes.

A pure function of the rules, the wagers and the cards. "x to 1" pays x and gives the stake back; "x for 1" and fixed
sums pay and keep it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from round_engine.hands import best_five
from round_engine.meters.awards import Due, Held, payable_account
from round_engine.money import dollars
from round_engine.money.ledger import LAYOUT, TIPS, TRAY, EntryKind, Posting
from round_engine.rules.ruleset import Pay, PayRow, Showdown, Wager
from round_engine.wagers.paybook import PayBook

TIP = "a tip for the dealer"
NO_PRIZES: Mapping[Due, int] = {}

_WON, _LOST, _PUSHED, _RETURNED = EntryKind.WON, EntryKind.LOST, EntryKind.PUSHED, EntryKind.RETURNED
_PAYS = (_WON, EntryKind.AWARDED)
_TO_ONE, _PUSH = Pay.TO_ONE, Pay.PUSH
_PLAY, _ANTE, _ANTE_BONUS, _PAIR_PLUS = Wager.PLAY, Wager.ANTE, Wager.ANTE_BONUS, Wager.PAIR_PLUS
_WINS, _LOSES = Showdown.PLAYER_WINS, Showdown.PLAYER_LOSES
_TIES, _DOES_NOT_QUALIFY = Showdown.TIE, Showdown.DEALER_DOES_NOT_QUALIFY


class Settled(Held, Protocol):
    """What this file needs to know of a spot beside its progressive side."""

    cards: tuple[int, ...]
    play: int
    tip_play: int


def settle(
    book: PayBook,
    spots: Sequence[Settled],
    dealer: tuple[int, ...],
    dealer_rank: int,
    dues: Sequence[Due] = (),
    prizes: Mapping[Due, int] = NO_PRIZES,
    everybody: Mapping[int, Settled] | None = None,
) -> list[Posting]:
    """Every posting of the settlement but envy; `spots` in the order of settlement, `prizes` what has been recorded.

    `everybody` are the spots that dues may be of, where some of them have been settled before.
    """
    settings = book.rules.settings
    out: list[Posting] = []
    due_by_spot: dict[int, list[Due]] = {}
    for due in dues:
        due_by_spot.setdefault(due.spot, []).append(due)
    with_spot = settings.progressive_paid == "with-spot"
    for spot in spots:
        own_dues = due_by_spot.get(spot.wagers.spot, ())
        own, awarded = _with_awards(book, spot, dealer, dealer_rank, own_dues, prizes)
        out += own
        if with_spot:
            for due in own_dues:
                out += awarded[due]
    if not with_spot and due_by_spot:
        by_number = {spot.wagers.spot: spot for spot in spots} if everybody is None else everybody
        paid = {
            number: _with_awards(book, by_number[number], dealer, dealer_rank, of_spot, prizes)[1]
            for number, of_spot in due_by_spot.items()
        }
        for due in dues:
            out += paid[due.spot][due]
    return out


def award_postings(
    book: PayBook,
    spot: Settled,
    dealer: tuple[int, ...],
    dealer_rank: int,
    due: Due,
    dues: Sequence[Due],
    prizes: Mapping[Due, int],
) -> list[Posting]:
    """One award handed over, beside all `dues` of the spot, because a cap may bind them together."""
    return _with_awards(book, spot, dealer, dealer_rank, dues, prizes)[1][due]


def _with_awards(
    book: PayBook,
    spot: Settled,
    dealer: tuple[int, ...],
    dealer_rank: int,
    dues: Sequence[Due],
    prizes: Mapping[Due, int],
) -> tuple[list[Posting], dict[Due, list[Posting]]]:
    """A spot's wagers and its awards, under the cap."""
    settings = book.rules.settings
    own: list[Posting] = []
    _settle_spot(book, spot, dealer, dealer_rank, own)
    awarded = [_award(book, due, spot.account, prizes) for due in dues]
    cut = awarded
    if settings.cap is not None and settings.cap_counts_awards:
        capped = _capped(own + awarded, settings.cap, spot, book)
        own, cut = capped[: len(own)], capped[len(own) :]
    elif settings.cap is not None:
        own = _capped(own, settings.cap, spot, book)
    paid = {due: _paid(part, whole) for due, part, whole in zip(dues, cut, awarded, strict=True)}
    return own, paid


def showdown(book: PayBook, rank: int, dealer_rank: int) -> Showdown:
    """How a hand stands against the dealer's."""
    if dealer_rank < book.least_qualifying_rank:
        return _DOES_NOT_QUALIFY
    if rank > dealer_rank:
        return _WINS
    return _TIES if rank == dealer_rank else _LOSES


# --- one spot --------------------------------------------------------------------------------------------------------


def _settle_spot(
    book: PayBook, spot: Settled, dealer: tuple[int, ...], dealer_rank: int, out: list[Posting]
) -> None:
    settings, wagers = book.rules.settings, spot.wagers
    result = showdown(book, spot.rank, dealer_rank)
    tips_alive = not spot.folded or not settings.tips_forfeited_on_fold
    for wager in settings.settlement_order:
        if wager is _PLAY:
            if spot.play:
                _close(out, spot, wager, spot.play, book.showdown[wager][result], "", spot.account)
            if spot.tip_play:
                _close_tip(book, out, spot, wager, spot.tip_play, book.showdown[wager][result], "")
        elif wager is _ANTE:
            if wagers.ante and not spot.folded:
                _close(out, spot, wager, wagers.ante, book.showdown[wager][result], "", spot.account)
            if wagers.tip_ante and tips_alive:
                _close_tip(book, out, spot, wager, wagers.tip_ante, book.showdown[wager][result], "")
        elif wager is _ANTE_BONUS:
            row = book.rows[wager][spot.paying]
            if row is not None and wagers.ante and (not spot.folded or settings.ante_bonus_on_fold):
                _pay(out, spot, wager, wagers.ante, row, spot.account, "")
                if wagers.tip_ante and tips_alive and settings.tip_earns_ante_bonus:
                    _pay(out, spot, wager, wagers.tip_ante, row, TIPS, TIP)
        elif wager is _PAIR_PLUS:
            if wagers.pair_plus:
                row, clause = book.rows[wager][spot.paying], book.rules.clauses["pair_plus"]
                if not spot.folded or not settings.fold_forfeits_pair_plus:
                    _close(out, spot, wager, wagers.pair_plus, row, clause, spot.account)
                if wagers.tip_pair_plus and tips_alive:
                    _close_tip(book, out, spot, wager, wagers.tip_pair_plus, row, clause)
        elif wagers.six_card_bonus and (not spot.folded or settings.six_card_survives_fold):
            row = book.six_card_rows[best_five(spot.cards + dealer)]
            _close(out, spot, wager, wagers.six_card_bonus, row, book.rules.clauses["six_card_bonus"], spot.account)


def _pay(
    out: list[Posting], spot: Settled, wager: Wager, stake: int, row: PayRow, account: str, note: str
) -> None:
    """A pay from the tray that leaves the stake where it is."""
    out.append(
        Posting(_WON, spot.wagers.spot, wager, row.paid(stake), TRAY, account, row.label, row.clause, note)
    )


def _close(
    out: list[Posting],
    spot: Settled,
    wager: Wager,
    stake: int,
    row: PayRow | None,
    lost_clause: str,
    account: str,
    note: str = "",
) -> None:
    """Pay what the row says and give the stake back or take it; without a row the stake is lost under `lost_clause`."""
    number = spot.wagers.spot
    if row is None:
        out.append(Posting(_LOST, number, wager, stake, LAYOUT, TRAY, "nothing", lost_clause, note))
        return
    pay, label, clause = row.pay, row.label, row.clause
    if pay is _TO_ONE:
        out.append(
            Posting(_WON, number, wager, stake * row.value // row.per, TRAY, account, label, clause, note)
        )
        out.append(Posting(_RETURNED, number, wager, stake, LAYOUT, account, label, clause, note))
    elif pay is _PUSH:
        out.append(Posting(_PUSHED, number, wager, stake, LAYOUT, account, label, clause, note))
    else:
        if row.wins:
            out.append(Posting(_WON, number, wager, row.paid(stake), TRAY, account, label, clause, note))
        out.append(Posting(_LOST, number, wager, stake, LAYOUT, TRAY, label, clause, note))


def _close_tip(
    book: PayBook, out: list[Posting], spot: Settled, wager: Wager, stake: int, row: PayRow | None, clause: str
) -> None:
    """A tip is won by the dealer; where it pushes, the setting says whose it is."""
    pushed_to_player = row is not None and row.pay is _PUSH and book.rules.settings.tip_push == "player"
    _close(out, spot, wager, stake, row, clause, spot.account if pushed_to_player else TIPS, TIP)


def _award(book: PayBook, due: Due, account: str, prizes: Mapping[Due, int]) -> Posting:
    """The prize handed over: what the keypad recorded, or what the row says where a pay from the tray needs no key."""
    rules = book.rules.progressives[due.wager]
    prize = prizes.get(due)
    entry, amount = (EntryKind.AWARDED, prize) if prize is not None else (_WON, due.row.paid(rules.denomination))
    source, clause = (payable_account(due.wager), "meter_award") if due.from_meter else (TRAY, "tray_award")
    return Posting(entry, due.spot, due.wager, amount, source, account, due.row.label, rules.clauses[clause])


# --- the cap ---------------------------------------------------------------------------------------------------------


def _capped(postings: list[Posting], cap: int, spot: Settled, book: PayBook) -> list[Posting]:
    """The same postings with the player's pays cut to the cap; the tray keeps the rest."""
    settings = book.rules.settings
    counted: Callable[[Posting], bool] = (
        (lambda one: one.target == spot.account)
        if settings.cap_counts_stakes
        else (lambda one: one.target == spot.account and one.entry in _PAYS)
    )
    if sum(one.amount for one in postings if counted(one)) <= cap:
        return postings
    order = [at for at, one in enumerate(postings) if counted(one)]
    if settings.cap_order == "largest-first":
        order.sort(key=lambda at: -postings[at].amount)
    if settings.cap_counts_stakes:  # a stake is never cut: what lies back to the player uses the cap up first
        cap = max(0, cap - sum(postings[at].amount for at in order if postings[at].entry not in _PAYS))
    out = list(postings)
    for at in order:
        one = out[at]
        if one.entry not in _PAYS:
            continue
        paid = min(one.amount, cap)
        cap -= paid
        if paid < one.amount:
            note = f"{dollars(one.amount)} cut by the cap on a hand ({book.rules.clauses['cap']})"
            out[at] = one._replace(amount=paid, note=note)
    return out


def _paid(part: Posting, whole: Posting) -> list[Posting]:
    """What the cap cuts off an award that came off a meter goes into the tray: the meter has given it up."""
    if part.amount == whole.amount or whole.source == TRAY:
        return [part]
    rest = whole._replace(entry=EntryKind.WITHHELD, amount=whole.amount - part.amount, target=TRAY, note=part.note)
    return [part, rest]
