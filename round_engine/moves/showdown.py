"""The dealer's hand turned over, everything paid and taken, the round closed or void."""

from round_engine.errors import OutOfTurn, WrongPhase
from round_engine.ledger import Entry, Posting
from round_engine.moves.dealing import reveal, verify_full_hand
from round_engine.operations import CloseRound, DeclareMisdeal, RevealDealer, Settle
from round_engine.round_state import UNKNOWN, Phase, RoundState, Spot

# Postings that a misdeal does not touch: awards are backed out by hand, and what has been undone stays undone.
_APART = frozenset(
    {
        Entry.RECORDED, Entry.AWARDED, Entry.SEEDED, Entry.BACKED_OUT, Entry.ADJUSTED, Entry.LINKED, Entry.GIVEN_BACK,
        Entry.VOID,
    }
)
_PROGRESSIVE = frozenset({Entry.COLLECTED, Entry.CONTRIBUTED, Entry.RESERVED})


def verify_reveal(state: RoundState, move: RevealDealer) -> tuple[int, ...]:
    """The dealer's three cards, when the folded hands are in."""
    if state.folds and not state.folds_collected:
        raise OutOfTurn(f"the folded hands of spots {state.folds} are collected before the reveal")
    cards = move.cards if move.cards is not None else state.dealer.cards
    verify_full_hand(state, state.dealer, cards, "the dealer")
    return tuple(cards)


def do_reveal(state: RoundState, _move: RevealDealer, cards: tuple[int, ...]) -> list[Posting]:
    """The dealer's hand is known."""
    reveal(state, cards)
    state.phase = Phase.SETTLEMENT
    return []


def dealer_qualifies(state: RoundState) -> bool:
    """Whether the revealed hand plays."""
    return state.dealer.rank >= state.book.least_qualifying_rank


def in_order_of_settlement(state: RoundState) -> list[Spot]:
    """The spots as the dealer goes round them."""
    spots = list(state.spots.values())
    if state.book.rules.settings.settlement_start == "dealers-right":
        spots.reverse()
    return spots


def verify_settle(state: RoundState, _move: Settle) -> list[Spot]:
    """The spots in order of settlement, when every hand that matters is known."""
    if state.settled:
        raise WrongPhase("the round is settled")
    spots = in_order_of_settlement(state)
    for spot in spots:
        if spot.rank == UNKNOWN and matters(state, spot):
            raise WrongPhase(f"the hand of spot {spot.wagers.spot} is not known: show it before settling")
    return spots


def matters(state: RoundState, spot: Spot) -> bool:
    """Whether any wager of the spot still hangs on its cards."""
    settings, wagers = state.book.rules.settings, spot.wagers
    if not spot.folded or settings.ante_bonus_on_fold or wagers.progressive or wagers.bad_beat:
        return True
    if settings.six_card_survives_fold and wagers.six_card_bonus:
        return True
    if not settings.fold_forfeits_pair_plus and wagers.pair_plus:
        return True
    return not settings.tips_forfeited_on_fold and bool(wagers.tip_ante or wagers.tip_pair_plus)


def verify_close(state: RoundState, _move: CloseRound) -> None:
    """Settled, and nothing left to do."""
    if not state.settled:
        raise WrongPhase("the round is not settled")


def do_close(state: RoundState, _move: CloseRound, _found: None) -> list[Posting]:
    """The round is history."""
    state.phase = Phase.CLOSED
    return []


def verify_misdeal(state: RoundState, move: DeclareMisdeal) -> list[Posting]:
    """The postings that undo the round."""
    if not move.reason:
        raise WrongPhase("a misdeal needs its reason")
    settings = state.book.rules.settings
    standing_stakes: set[tuple[int, str, str]] = set()
    if settings.misdeal_forfeits == "stand":
        standing_stakes = {
            (one.spot, one.wager, one.note) for one in state.postings if one.entry is Entry.FORFEITED
        }
    undone: list[Posting] = []
    for one in reversed(state.postings):
        if one.entry in _APART or (one.entry in _PROGRESSIVE and settings.misdeal_progressive == "stand"):
            continue
        if one.entry in (Entry.PLACED, Entry.FORFEITED) and (one.spot, one.wager, one.note) in standing_stakes:
            continue
        undone.append(one.reversed(f"misdeal ({state.book.rules.clauses['misdeal']}): {move.reason}"))
    return undone


def do_misdeal(state: RoundState, move: DeclareMisdeal, undone: list[Posting]) -> list[Posting]:
    """All hands void."""
    state.phase, state.misdeal_reason = Phase.VOID, move.reason
    return undone
