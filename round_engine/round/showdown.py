"""The dealer's hand turned over, everything paid and taken, the round closed or void."""

from collections import Counter

from round_engine.errors import OutOfTurn, WrongPhase
from round_engine.hands import name_of_rank3
from round_engine.meters.awards import is_recovered_envy
from round_engine.money.ledger import EntryKind, Posting
from round_engine.round.dealing import reveal, verify_full_hand
from round_engine.round.operations import CloseRound, DeclareMisdeal, RevealDealer, Settle, SettleSpot
from round_engine.round.state import UNKNOWN, Miscount, Phase, RoundOnTable, Spot

# Postings that a misdeal does not touch: awards are backed out by hand, and what has been undone stays undone.
_APART = frozenset(
    {
        EntryKind.RECORDED, EntryKind.AWARDED, EntryKind.WITHHELD, EntryKind.SEEDED,
        EntryKind.BACKED_OUT, EntryKind.ADJUSTED, EntryKind.LINKED, EntryKind.GIVEN_BACK, EntryKind.VOID,
    }
)
_PROGRESSIVE = frozenset({EntryKind.COLLECTED, EntryKind.CONTRIBUTED, EntryKind.RESERVED})


def verify_reveal(state: RoundOnTable, move: RevealDealer) -> tuple[int, ...] | Miscount:
    """The dealer's three cards, when the folded hands are in."""
    if waiting := state.folds[state.folds_collected :]:
        raise OutOfTurn(f"the folded hands of spots {waiting} are collected before the reveal")
    if move.cards is None and state.dealer.rank == UNKNOWN:
        raise WrongPhase("the dealer's cards are not known: say their faces")
    cards = move.cards if move.cards is not None else state.dealer.cards
    return verify_full_hand(state, state.dealer, cards, "the dealer") or tuple(cards)


def do_reveal(state: RoundOnTable, _move: RevealDealer, cards: tuple[int, ...]) -> list[Posting]:
    """The dealer's hand is known."""
    reveal(state, cards)
    state.phase = Phase.SETTLEMENT
    return []


def dealer_qualifies(state: RoundOnTable) -> bool:
    """Whether the revealed hand plays."""
    return state.dealer.rank >= state.book.least_qualifying_rank


def dealers_hand(state: RoundOnTable) -> str:
    """Return what the dealer announces after the reveal, the hand named from its highest card."""
    if state.dealer.rank == UNKNOWN:
        raise WrongPhase("the dealer's hand has not been revealed")
    hand = name_of_rank3(state.dealer.rank)
    return f"Dealer plays with {hand}." if dealer_qualifies(state) else f"Dealer doesn't play: {hand}."


def around(state: RoundOnTable) -> list[Spot]:
    """The spots as the dealer goes round them."""
    spots = list(state.spots.values())
    if state.book.rules.settings.settlement_start == "dealers-right":
        spots.reverse()
    return spots


def in_order_of_settlement(state: RoundOnTable) -> list[Spot]:
    """The spots as the dealer goes round them; folded ones last, where the rules resolve them at the end."""
    spots = around(state)
    if state.folds and state.book.rules.settings.folded_wagers == "end":
        spots.sort(key=lambda spot: spot.folded)
    return spots


def verify_settle(state: RoundOnTable, _move: Settle) -> list[Spot]:
    """The spots that are left in order of settlement, when every hand that matters is known."""
    if state.settled:
        raise WrongPhase("the round is settled")
    spots = [spot for spot in in_order_of_settlement(state) if not spot.settled]
    for spot in spots:
        _verify_known(state, spot)
    return spots


def verify_settle_spot(state: RoundOnTable, move: SettleSpot) -> list[Spot]:
    """That spot, when it is the next and its hand is known where it matters."""
    if state.settled:
        raise WrongPhase("the round is settled")
    if move.spot not in state.spots:
        raise OutOfTurn(f"there is no wager on spot {move.spot}")
    waiting = [spot for spot in in_order_of_settlement(state) if not spot.settled]
    if not waiting or waiting[0].wagers.spot != move.spot:
        told = f"spot {waiting[0].wagers.spot} is next" if waiting else "every spot is settled"
        raise OutOfTurn(f"{told}, not spot {move.spot}")
    _verify_known(state, waiting[0])
    return waiting[:1]


def _verify_known(state: RoundOnTable, spot: Spot) -> None:
    if spot.rank == UNKNOWN and matters(state, spot):
        raise WrongPhase(f"the hand of spot {spot.wagers.spot} is not known: show it before settling")


def matters(state: RoundOnTable, spot: Spot) -> bool:
    """Whether any wager of the spot still hangs on its cards."""
    return not spot.folded or not state.book.alive.isdisjoint(spot.stakes)


def verify_close(state: RoundOnTable, _move: CloseRound) -> None:
    """Settled, and nothing left to do."""
    if not state.settled:
        raise WrongPhase("the round is not settled")


def do_close(state: RoundOnTable, _move: CloseRound, _found: None) -> list[Posting]:
    """The round is history."""
    state.phase = Phase.CLOSED
    return []


def verify_misdeal(state: RoundOnTable, move: DeclareMisdeal) -> list[Posting]:
    """The postings that undo the round."""
    if not move.reason:
        raise WrongPhase("a misdeal needs its reason")
    settings = state.book.rules.settings
    standing_stakes: set[tuple[int, str, str]] = set()
    if settings.misdeal_forfeits == "stand":
        standing_stakes = {
            (one.spot, one.wager, one.note) for one in state.postings if one.entry is EntryKind.FORFEITED
        }
    recovered = Counter(
        (one.spot, one.wager, one.amount, one.target, one.note) for one in state.postings if is_recovered_envy(one)
    )
    undone: list[Posting] = []
    for one in reversed(state.postings):
        if one.entry is EntryKind.ENVY and recovered[one.spot, one.wager, one.amount, one.source, one.note]:
            recovered[one.spot, one.wager, one.amount, one.source, one.note] -= 1
            continue
        if one.entry in _APART or (one.entry in _PROGRESSIVE and settings.misdeal_progressive == "stand"):
            continue
        if one.entry in (EntryKind.PLACED, EntryKind.FORFEITED) and (one.spot, one.wager, one.note) in standing_stakes:
            continue
        undone.append(one.reversed(f"misdeal ({state.book.rules.clauses['misdeal']}): {move.reason}"))
    return undone


def do_misdeal(state: RoundOnTable, move: DeclareMisdeal, undone: list[Posting]) -> list[Posting]:
    """All hands void."""
    state.phase, state.misdeal_reason = Phase.VOID, move.reason
    return undone
