"""One frozen view of a table: what page, API and narration show. State, never history."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from protocol.cards import card_name
from round_engine.hands import name_of_rank3
from round_engine.keypads import LOCKED
from round_engine.meters.jackpot import Jackpot
from round_engine.money.ledger import LAYOUT, TRAY, EntryKind, Posting
from round_engine.round.operations import PressKey, VerifyWin
from round_engine.round.showdown import dealer_qualifies, dealers_hand
from round_engine.round.state import UNKNOWN, DealtHand
from round_engine.rules.ruleset import WagerName
from round_engine.staff import Member
from round_engine.wagers import WAGERS, wager_label
from shuffler.table.core import TableCore
from shuffler.table.shared_meters import SharedMeter
from shuffler.table.values import Want

VERIFY = "VERIFY"  # the key that stands for a verification
PAID = (EntryKind.WON, EntryKind.AWARDED, EntryKind.ENVY)
GONE = (EntryKind.LOST, EntryKind.FORFEITED)
PLAYER = "player:"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandView:
    """Cards by name and by face, and the hand that they make."""

    cards: tuple[str, ...] = ()
    faces: tuple[int, ...] = ()
    hand: str = ""
    dealt: int
    commitment: bool  # whether its opening is known


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotView(HandView):
    """One spot of the round."""

    player: str
    decision: str
    folded: bool
    stakes: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerView(HandView):
    """The dealer's hand, once it is turned."""

    qualifies: bool | None
    call: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PostingView:
    """A move of money in words, with its clause; `sign` is the player's."""

    entry: str
    spot: int
    wager: str
    what: str
    amount: int
    source: str
    target: str
    row: str
    clause: str
    note: str
    sign: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DueView:
    """An award that is to be recorded."""

    wager: str
    spot: int
    hand: str
    row: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundView:
    """The round on the table, open or just over."""

    id: str
    phase: str
    shuffle: str
    rigged: bool
    to_decide: tuple[int, ...]
    spots: Mapping[int, SpotView]
    dealer: DealerView
    misdeal: str
    postings: tuple[PostingView, ...]
    net: Mapping[str, int]  # what each player has gained so far
    dues: tuple[DueView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NextKey:
    """The key that records the award in turn."""

    key: str
    hand: str | None
    spot: int | None
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeypadView:
    """A progressive's keypad."""

    dialect: str
    mode: str
    lit: tuple[int, ...]
    hand: str | None
    spot: int | None
    keys: tuple[str, ...]
    next: NextKey | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PayView:
    """A row of a progressive's paytable."""

    hand: str
    pays: str
    clause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordView:
    """An award that was recorded."""

    spot: int | None
    hand: str
    prize: int
    by: str
    backed_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterView:
    """A progressive: its meter, its pays, its keypad."""

    wager: str
    what: str
    shared: SharedMeter | None
    account: str
    booked: int  # in this table's books
    amount: int  # for people: a shared meter's is the server's between two rounds
    seed: int
    stake: int
    rows: tuple[PayView, ...]
    keypad: KeypadView
    records: tuple[RecordView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """Everything about a table that anybody sees."""

    rules: str
    title: str
    document: str
    wants: Want
    refusal: str  # why the device can't be played
    settled: int
    void: int
    round: RoundView | None
    meters: tuple[MeterView, ...]
    staff: tuple[Member, ...]
    tray: int  # what the house has gained, in cents
    on_layout: int  # what is on the layout, in cents
    out_of_balance: int  # cents that the books do not account for


def view_of(
    core: TableCore, *, opened: Collection[int] = (), rigged: bool = False, award_pending: bool = False
) -> TableView:
    """The table now; `opened` are the seats whose hands can be checked, `rigged` marks the deck in play."""
    table, played = core.table, core.round
    return TableView(
        rules=table.rules.id,
        title=table.rules.title,
        document=table.rules.document,
        wants=core.wants,
        refusal=core.refusal,
        settled=played.settled,
        void=played.void,
        round=_round(core, opened, rigged),
        meters=tuple(_meter(core, *one, pending=award_pending) for one in table.jackpots.items()),
        staff=tuple(table.staff.members),
        tray=table.ledger.balance(TRAY),
        on_layout=table.ledger.balance(LAYOUT),
        out_of_balance=table.ledger.total(),
    )


def _round(core: TableCore, opened: Collection[int], rigged: bool) -> RoundView | None:
    state = core.table.round
    if state is None:
        return None
    dealer, is_turned = state.dealer, state.dealer.rank != UNKNOWN
    return RoundView(
        id=state.round_id,
        phase=state.phase.value,
        shuffle=state.shuffle,
        rigged=rigged,
        to_decide=tuple(core.round.to_decide),
        spots={
            number: SpotView(
                cards=_names(spot), faces=tuple(spot.cards), hand=_hand(spot), dealt=spot.dealt,
                commitment=number in opened, player=spot.wagers.player, decision=spot.decision, folded=spot.folded,
                stakes={name: amount for name, amount in spot.stakes.items() if WAGERS[name].short},
            )
            for number, spot in state.spots.items()
        },
        dealer=DealerView(
            cards=_names(dealer) if is_turned else (), faces=tuple(dealer.cards) if is_turned else (),
            hand=_hand(dealer), dealt=dealer.dealt, commitment=0 in opened,
            qualifies=dealer_qualifies(state) if is_turned else None, call=dealers_hand(state) if is_turned else "",
        ),
        misdeal=state.misdeal_reason,
        postings=tuple(map(posting_view, state.postings)),
        net=_net(state.postings),
        dues=tuple(
            DueView(wager=due.wager, spot=due.spot, hand=str(due.row.hand), row=str(due.row))
            for due in core.table.dues()
        ),
    )  # fmt: skip


def _names(hand: DealtHand) -> tuple[str, ...]:
    return tuple(card_name(card) for card in hand.cards)


def _hand(hand: DealtHand) -> str:
    return name_of_rank3(hand.rank) if hand.rank != UNKNOWN else ""


def posting_view(posting: Posting) -> PostingView:
    """A move of money for people."""
    return PostingView(
        entry=posting.entry.value, spot=posting.spot, wager=posting.wager, what=wager_label(posting.wager),
        amount=posting.amount, source=posting.source, target=posting.target, row=posting.row, clause=posting.clause,
        note=posting.note, sign=1 if posting.entry in PAID else -1 if posting.entry in GONE else 0,
    )  # fmt: skip


def _net(postings: list[Posting]) -> dict[str, int]:
    net: dict[str, int] = {}
    for one in postings:
        for account, sign in ((one.source, -1), (one.target, 1)):
            if account.startswith(PLAYER):
                name = account.removeprefix(PLAYER)
                net[name] = net.get(name, 0) + sign * one.amount
    return net


def _meter(core: TableCore, wager: WagerName, jackpot: Jackpot, *, pending: bool) -> MeterView:
    keypad, meters = jackpot.keypad, core.round.meters
    shared = None if meters is None else meters.shown(wager)
    amount = shared.amount if shared is not None and not core.round.is_open else None
    return MeterView(
        wager=wager, what=wager_label(wager), shared=shared, account=jackpot.meter.account,
        booked=jackpot.meter.amount,
        amount=jackpot.meter.amount if amount is None else amount,
        seed=jackpot.rules.seed, stake=jackpot.rules.denomination,
        rows=tuple(
            PayView(hand=str(row.hand), pays=str(row), clause=row.clause) for row in jackpot.paytable.rows
        ),
        keypad=KeypadView(
            dialect=jackpot.dialect.name, mode=keypad.mode, lit=tuple(keypad.lit), hand=keypad.hand, spot=keypad.spot,
            keys=tuple(jackpot.dialect.keys), next=None if pending else _next_key(core, wager, jackpot),
        ),
        records=tuple(
            RecordView(
                spot=one.spot, hand=one.hand, prize=one.prize, by=one.by, backed_out=one.backed_out
            )
            for one in jackpot.records
        ),
    )  # fmt: skip


def _next_key(core: TableCore, wager: WagerName, jackpot: Jackpot) -> NextKey | None:
    """The key that records the award in turn; None where none waits."""
    if core.wants is not Want.KEYS:
        return None
    table, supervisor = core.table, core.round.supervisor
    due = next((one for one in table.dues() if one.wager == wager), None)
    script = table.keys_for(due, supervisor=supervisor) if due is not None else []
    wanted = jackpot.dialect.next_keys.get(jackpot.keypad.mode, ())
    for one in script:
        if isinstance(one, VerifyWin) and (one.spot, one.hand) not in jackpot.verified:
            return NextKey(key=VERIFY, hand=one.hand, spot=one.spot, by=one.by)
        if isinstance(one, PressKey) and one.key in wanted:
            return NextKey(key=one.key, hand=one.hand, spot=one.spot, by=one.by)
    if wanted and jackpot.keypad.mode != LOCKED:
        return NextKey(key=wanted[0], hand=None, spot=None, by=supervisor)
    return None
