"""What every wager of a round comes to, as postings in the order in which a dealer pays and takes.

A pure function of the rules, the wagers and the cards. "x to 1" pays x and gives the stake back; "x for 1" and fixed
sums pay and keep it.
"""

from collections.abc import Callable, Mapping, Sequence

from round_engine.meters.awards import Due, Held, payable_account
from round_engine.money import dollars
from round_engine.money.ledger import TRAY, EntryKind, Posting
from round_engine.rules.ruleset import Showdown
from round_engine.wagers.aspects import SHOWDOWN
from round_engine.wagers.paybook import PayBook

NO_PRIZES: Mapping[Due, int] = {}

_WON = EntryKind.WON
_PAYS = (_WON, EntryKind.AWARDED)
_RESULTS = tuple(Showdown)


def settle(
    book: PayBook,
    spots: Sequence[Held],
    dealer: tuple[int, ...],
    dealer_rank: int,
    dues: Sequence[Due] = (),
    prizes: Mapping[Due, int] = NO_PRIZES,
    everybody: Mapping[int, Held] | None = None,
    preset: Mapping[str, int] | None = None,
) -> list[Posting]:
    """Every posting of the settlement but envy; `spots` in the order of settlement, `prizes` what has been recorded.

    `everybody` are the spots that dues may be of, where some of them have been settled before. `preset` gives aspects
    of the deal by name, where there are no cards.
    """
    settings = book.rules.settings
    out: list[Posting] = []
    due_by_spot: dict[int, list[Due]] = {}
    for due in dues:
        due_by_spot.setdefault(due.spot, []).append(due)
    with_spot = settings.progressive_paid == "with-spot"
    for spot in spots:
        own_dues = due_by_spot.get(spot.number, ())
        own, awarded = _with_awards(book, spot, dealer, dealer_rank, own_dues, prizes, preset)
        out += own
        if with_spot:
            for due in own_dues:
                out += awarded[due]
    if not with_spot and due_by_spot:
        by_number = {spot.number: spot for spot in spots} if everybody is None else everybody
        paid = {
            number: _with_awards(book, by_number[number], dealer, dealer_rank, of_spot, prizes)[1]
            for number, of_spot in due_by_spot.items()
        }
        for due in dues:
            out += paid[due.spot][due]
    return out


def award_postings(
    book: PayBook,
    spot: Held,
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
    spot: Held,
    dealer: tuple[int, ...],
    dealer_rank: int,
    dues: Sequence[Due],
    prizes: Mapping[Due, int],
    preset: Mapping[str, int] | None = None,
) -> tuple[list[Posting], dict[Due, list[Posting]]]:
    """A spot's wagers and its awards, under the cap."""
    settings = book.rules.settings
    own: list[Posting] = []
    shown = book.shown(spot.cards, spot.rank, spot.paying, dealer, dealer_rank)
    shown.preset = preset
    stakes = spot.stakes
    for name, settle_wager in book.settlers:
        if name in stakes:
            settle_wager(spot, shown, stakes[name], own)
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
    """Return how a hand ends against the dealer's."""
    return _RESULTS[SHOWDOWN.of(book.shown((), rank, rank, (), dealer_rank))]


def _award(book: PayBook, due: Due, account: str, prizes: Mapping[Due, int]) -> Posting:
    """The prize handed over: what the keypad recorded, or what the row says where a pay from the tray needs no key."""
    rules = book.rules.progressives[due.wager]
    prize = prizes.get(due)
    entry, amount = (EntryKind.AWARDED, prize) if prize is not None else (_WON, due.row.paid(rules.denomination))
    source, clause = (payable_account(due.wager), "meter_award") if due.from_meter else (TRAY, "tray_award")
    return Posting(entry, due.spot, due.wager, amount, source, account, due.row.label, rules.clauses[clause])


# --- the cap ---------------------------------------------------------------------------------------------------------


def _capped(postings: list[Posting], cap: int, spot: Held, book: PayBook) -> list[Posting]:
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
