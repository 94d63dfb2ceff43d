"""Wagers down, wagers back, no more bets."""

from collections.abc import Mapping

from round_engine.errors import WagerRefused
from round_engine.money.ledger import LAYOUT, EntryKind, Posting, player_account
from round_engine.round.operations import DEALER, LockWagers, PlaceWagers, WithdrawWagers
from round_engine.round.settlement import TIP
from round_engine.round.state import HAND_SIZE, Phase, RoundOnTable, Spot
from round_engine.rules.ruleset import Wager
from round_engine.wagers import SpotWagers, verify_seating, verify_wagers
from round_engine.wagers.paybook import PayBook

ALLOWED_MOST = 1024

_PLACED = EntryKind.PLACED
_ANTE, _PAIR_PLUS, _SIX_CARD_BONUS = Wager.ANTE, Wager.PAIR_PLUS, Wager.SIX_CARD_BONUS


def verify_place(state: RoundOnTable, move: PlaceWagers) -> SpotWagers:
    """The wagers, when the rules allow them on that spot."""
    return verify_on_spot(state.book, {number: spot.wagers.player for number, spot in state.spots.items()}, move.wagers)


def verify_on_spot(book: PayBook, seated: Mapping[int, str], wagers: SpotWagers) -> SpotWagers:
    """The wagers, when the rules allow them beside those who are seated: player by spot."""
    rules, allowed = book.rules, book.allowed_wagers
    if wagers not in allowed:  # players bet the same again and again, and the answer is always the same
        verify_wagers(rules, wagers)
        if len(allowed) >= ALLOWED_MOST:
            allowed.clear()
        allowed.add(wagers)
    verify_seating(rules, seated, wagers)
    return wagers


def do_place(state: RoundOnTable, _move: PlaceWagers, wagers: SpotWagers) -> list[Posting]:
    """Nothing is posted before the lock: until then the player may change it."""
    place(state, wagers)
    return []


def place(state: RoundOnTable, wagers: SpotWagers) -> None:
    """Wagers that have been allowed lie on their spot."""
    state.spots[wagers.spot] = Spot(wagers=wagers, account=player_account(wagers.player))


def verify_withdraw(state: RoundOnTable, move: WithdrawWagers) -> int:
    """The spot, when there is something on it and its going leaves the player's others allowed."""
    if move.spot not in state.spots:
        raise WagerRefused(f"there is no wager on spot {move.spot}")
    player = state.spots[move.spot].wagers.player
    left = {
        number: spot.wagers.player
        for number, spot in state.spots.items()
        if number != move.spot and spot.wagers.player == player
    }
    if state.book.rules.spots_adjacent and len(left) > 1 and max(left) - min(left) != len(left) - 1:
        raise WagerRefused(f"spot {move.spot} lies between {player!r}'s other spots: withdraw one of those first")
    return move.spot


def do_withdraw(state: RoundOnTable, _move: WithdrawWagers, spot: int) -> list[Posting]:
    """Nothing was posted, so nothing is given back."""
    del state.spots[spot]
    return []


def verify_lock(state: RoundOnTable, _move: LockWagers) -> None:
    """There must be somebody to deal to."""
    if not state.spots:
        raise WagerRefused("nobody has a wager: there is nothing to deal for")


def do_lock(state: RoundOnTable, _move: LockWagers, _found: None) -> list[Posting]:
    """Stakes go onto the layout. Progressive wagers are the table's to collect: it keeps the meters."""
    state.spots = {number: state.spots[number] for number in sorted(state.spots)}
    clauses = state.book.rules.clauses
    placed, tipped = clauses["placed"], clauses["tip_placed"]
    postings: list[Posting] = []
    for number, spot in state.spots.items():
        wagers, account = spot.wagers, spot.account
        if wagers.ante:
            postings.append(
                Posting(_PLACED, number, _ANTE, wagers.ante, account, LAYOUT, "stake", placed)
            )
        if wagers.pair_plus:
            postings.append(
                Posting(_PLACED, number, _PAIR_PLUS, wagers.pair_plus, account, LAYOUT, "stake", placed)
            )
        if wagers.six_card_bonus:
            stake = wagers.six_card_bonus
            postings.append(
                Posting(_PLACED, number, _SIX_CARD_BONUS, stake, account, LAYOUT, "stake", placed)
            )
        for wager, tip in ((_ANTE, wagers.tip_ante), (_PAIR_PLUS, wagers.tip_pair_plus)):
            if tip:
                postings.append(Posting(_PLACED, number, wager, tip, account, LAYOUT, "stake", tipped, TIP))
    one_turn = [DEALER, *reversed(state.spots)]
    state.to_receive = one_turn if state.dealing == "groups" else one_turn * HAND_SIZE
    state.phase = Phase.LOCKED
    return postings
