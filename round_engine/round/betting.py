"""Wagers down, wagers back, no more bets."""

from collections.abc import Mapping

from round_engine.errors import WagerRefused
from round_engine.money.ledger import Posting, player_account
from round_engine.round.game import THREE_CARD_POKER
from round_engine.round.operations import LockWagers, PlaceWagers, WithdrawWagers
from round_engine.round.state import Phase, RoundOnTable, Spot
from round_engine.wagers.paybook import PayBook
from round_engine.wagers.registry import WAGERS
from round_engine.wagers.spot import SpotWagers, verify_seating, verify_wagers

ALLOWED_MOST = 1024



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
    rules = state.book.rules
    postings = [
        posting
        for number, spot in state.spots.items()
        for name, stake in spot.stakes.items()
        if (posting := WAGERS[name].placed(rules, number, spot.account, stake)) is not None
    ]
    state.to_receive = THREE_CARD_POKER.turns(state.spots, state.dealing)
    state.phase = Phase.LOCKED
    return postings
