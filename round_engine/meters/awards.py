"""Progressive meters, who is due an award, and the envy that others are paid for it.

Percentage pays come off the meter as it stands, one winner after another; all other pays come from the tray.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from round_engine.money.ledger import TRAY, EntryKind, Posting
from round_engine.rules.ruleset import Pay, PayRow, ProgressiveRules, WagerName
from round_engine.wagers.aspects import OWN_HAND
from round_engine.wagers.paybook import PayBook
from round_engine.wagers.spot import SpotWagers

BASIS_POINTS = 10_000

_METER = Pay.METER
_FOR_SPOT = "for spot "


# --- meters ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Meter:
    """What one meter shows, what is put aside for its next seed, and the parts of a cent owed to both."""

    wager: WagerName
    amount: int
    reserve: int = 0
    carry: int = 0  # ten-thousandths of a cent
    reserve_carry: int = 0
    floor: int = 0  # the seed, or what awards by percentage left of it: nothing else goes below; 0 where not known

    @property
    def account(self) -> str:
        """The meter's account in the ledger."""
        return meter_account(self.wager)


def meter_account(wager: WagerName) -> str:
    """What the meter shows."""
    return f"meter:{wager}"


def reserve_account(wager: WagerName) -> str:
    """What is put aside for the meter's next seed."""
    return f"reserve:{wager}"


def payable_account(wager: WagerName) -> str:
    """Awards recorded and not yet paid."""
    return f"payable:{wager}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Contribution:
    """What one wager adds to a meter and its reserve, and the meter after it."""

    meter: Meter
    to_meter: int
    to_reserve: int


def contribute(meter: Meter, *, contribution_bp: int, reserve_bp: int, stake: int) -> Contribution:
    """The meter's and the reserve's share of a wager; parts of a cent are carried, so that none is ever lost."""
    to_meter, carry = divmod(stake * contribution_bp + meter.carry, BASIS_POINTS)
    to_reserve, reserve_carry = divmod(stake * reserve_bp + meter.reserve_carry, BASIS_POINTS)
    after = replace(
        meter,
        amount=meter.amount + to_meter,
        reserve=meter.reserve + to_reserve,
        carry=carry,
        reserve_carry=reserve_carry,
    )
    return Contribution(meter=after, to_meter=to_meter, to_reserve=to_reserve)


class Share(NamedTuple):
    """One part of an award that several winners split."""

    place: int = 0  # among those who split, from 0
    among: int = 1
    pot: int | None = None  # what is split, fixed when the first part is; None for that first part


WHOLE = Share()


@dataclass(frozen=True, kw_only=True, slots=True)
class Award:
    """What a pay row takes from a meter: the prize, what restarts the meter, and the meter after it."""

    meter: Meter
    prize: int
    seed: int = 0
    from_reserve: int = 0
    pot: int = 0  # what is split; the prize itself where nothing is


def award(rules: ProgressiveRules, row: PayRow, meter: Meter, share: Share = WHOLE) -> Award:
    """The prize of a row; one that is no percentage leaves the meter alone.

    A full award restarts the meter, where it is split with its last part.
    """
    if row.pay is not Pay.METER:
        prize = row.paid(rules.denomination)
        return Award(meter=meter, prize=prize, pot=prize)
    pot = _pot(rules, row, meter) if share.pot is None else share.pot
    prize = pot // share.among + (share.place < pot % share.among)
    left = meter.amount - prize
    if row.value < 100 or share.place < share.among - 1:
        return Award(meter=replace(meter, amount=left, floor=min(meter.floor, left)), prize=prize, pot=pot)
    seed, reserve = rules.seed, meter.reserve
    after = replace(meter, amount=left + seed + reserve, reserve=0, floor=seed)
    return Award(meter=after, prize=prize, seed=seed, from_reserve=reserve, pot=pot)


def _pot(rules: ProgressiveRules, row: PayRow, meter: Meter) -> int:
    pot, rest = divmod(meter.amount * row.value, 100)
    if (rules.percentage_rounding == "up" and rest) or (rules.percentage_rounding == "nearest" and rest >= 50):
        pot += 1
    return pot


# --- who is due what -------------------------------------------------------------------------------------------------


class Held(Protocol):
    """What this file needs to know of a spot."""

    number: int
    wagers: SpotWagers
    account: str
    stakes: dict[WagerName, int]
    cards: tuple[int, ...]
    rank: int  # -1 while the cards are not known
    paying: int
    folded: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Due:
    """An award that the cards give to a spot."""

    wager: WagerName
    spot: int
    row: PayRow

    @property
    def from_meter(self) -> bool:
        """Whether it comes off the meter."""
        return self.row.pay is _METER


class EnvyTrigger(NamedTuple):
    """A hand that others are paid for, and its row."""

    spot: Held
    row: PayRow


def lit(spot: Held, wager: WagerName) -> bool:
    """Whether the spot's sensor for that wager is lit."""
    return wager in spot.stakes


def winning_row(book: PayBook, wager: WagerName, spot: Held, dealer_rank: int) -> PayRow | None:
    """The row that the cards reach, whoever has a wager on them."""
    if spot.rank < 0:
        return None
    aspect = book.aspects[wager]
    if aspect is OWN_HAND:
        return book.rows[wager][spot.paying]
    return book.rows[wager][aspect.of(book.shown(spot.cards, spot.rank, spot.paying, (), dealer_rank))]


def takes_part(rules: ProgressiveRules, wager: WagerName, spot: Held) -> bool:
    """Whether the spot's hand can win."""
    return lit(spot, wager) and not (spot.folded and rules.folded_hands == "disqualified")


def dues(book: PayBook, wager: WagerName, spots: Iterable[Held], dealer_rank: int) -> tuple[Due, ...]:
    """The awards of a round in the order in which they are handled."""
    rules = book.rules.progressives[wager]
    found = [
        Due(wager=wager, spot=spot.number, row=row)
        for spot in spots
        if takes_part(rules, wager, spot)
        and (row := winning_row(book, wager, spot, dealer_rank)) is not None
    ]
    found.sort(key=lambda due: due.spot, reverse=rules.meter_win_order == "dealers-right")
    return tuple(found)


def awards(rules: ProgressiveRules, due_now: Sequence[Due], meter: Meter) -> list[Award]:
    """The awards of several dues that come off one meter, in their order."""
    given: list[Award] = []
    pots: dict[PayRow, list[Award]] = {}
    for due in due_now:
        among = sum(one.row is due.row for one in due_now) if rules.several_meter_wins == "split" else 1
        earlier = pots.setdefault(due.row, []) if among > 1 else []
        share = Share(len(earlier), among, earlier[0].pot if earlier else None)
        one = award(rules, due.row, meter, share)
        earlier.append(one)
        given.append(one)
        meter = one.meter
    return given


def envy_triggers(book: PayBook, wager: WagerName, spots: Iterable[Held], dealer_rank: int) -> list[EnvyTrigger]:
    """The hands that others are paid for; the dealer leaves them face up on the layout. Never the dealer's own."""
    rules = book.rules.progressives[wager]
    triggers: list[EnvyTrigger] = []
    for spot in spots:
        if rules.envy_needs_wager and not lit(spot, wager):
            continue
        if spot.folded and rules.folded_hands == "disqualified" and not rules.envy_from_disqualified:
            continue
        row = winning_row(book, wager, spot, dealer_rank)
        if row is not None and row.envy:
            triggers.append(EnvyTrigger(spot, row))
    return triggers


def envy(
    book: PayBook,
    wager: WagerName,
    spots: Sequence[Held],
    dealer_rank: int,
    spare: int,
    triggers: Iterable[EnvyTrigger] | None = None,
) -> list[Posting]:
    """What every other lit spot is paid for each triggering hand, or for some of them.

    `spots` in the order in which the dealer goes round; `spare` is what the meter can give before it is at its floor.
    """
    rules = book.rules.progressives[wager]
    postings: list[Posting] = []
    for trigger, row in envy_triggers(book, wager, spots, dealer_rank) if triggers is None else triggers:
        amount = row.envy * rules.denomination // 100 if rules.envy_multiplies else row.envy
        for other in spots:
            if other is trigger or not lit(other, wager):
                continue
            if other.wagers.player == trigger.wagers.player and not rules.envy_own_other_spot:
                continue
            from_meter = min(spare, amount) if rules.envy_source == "meter" else 0
            spare -= from_meter
            for part, source in ((from_meter, meter_account(wager)), (amount - from_meter, TRAY)):
                if part:
                    postings.append(
                        Posting(
                            EntryKind.ENVY, other.number, wager, part, source, other.account, row.label,
                            rules.clauses["envy"], envy_note(trigger.number),
                        )
                    )  # fmt: skip
    return postings


def envy_note(spot: int) -> str:
    """The note of an envy posting: whose hand it is paid for."""
    return f"{_FOR_SPOT}{spot}"


def is_recovered_envy(posting: Posting) -> bool:
    """Whether the posting takes back an envy bonus; an award that is taken back names its record instead."""
    return posting.entry is EntryKind.BACKED_OUT and posting.note.startswith(_FOR_SPOT)
