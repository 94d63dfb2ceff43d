"""Play or fold, in turn; then forfeits and folded cards are collected in the order of folding."""

from round_engine.errors import OutOfTurn, WagerRefused, WrongCardCount
from round_engine.money import Cents, dollars
from round_engine.money.ledger import Posting
from round_engine.round.dealing import must_fold
from round_engine.round.game import THREE_CARD_POKER
from round_engine.round.operations import CollectFolds, Fold, Play
from round_engine.round.state import Miscount, Phase, RoundOnTable, Spot
from round_engine.staff import StaffRole
from round_engine.wagers.play import PLAY, raised
from round_engine.wagers.registry import WAGERS

HAND_SIZE = THREE_CARD_POKER.hand_size


def options(state: RoundOnTable, number: int) -> tuple[str, ...]:
    """What the spot may choose from now."""
    if number not in state.undecided:
        return ()
    decisions = THREE_CARD_POKER.decisions
    return decisions[-1:] if must_fold(state, number) else decisions


def playing(spot: Spot, *, by: str = "", role: StaffRole | None = None) -> Play:
    """Return the operation that plays a spot, its tip included."""
    tip = spot.stakes.get(f"tip_{PLAY.on}", 0)
    return Play(spot=spot.number, amount=Cents(spot.stakes.get(PLAY.on, 0)), tip=Cents(tip), by=by, role=role)


def verify_play(state: RoundOnTable, move: Play) -> Spot:
    """The spot, when it is its turn and the play wager equals its ante."""
    spot = _verify_turn(state, move.spot)
    equals = spot.stakes.get(PLAY.on, 0)
    if must_fold(state, move.spot):
        raise WagerRefused(f"spot {move.spot} holds less than its wagers allow to play: it must fold")
    if type(move.amount) is not int or move.amount != equals:
        told = f"{PLAY.name} equals the {PLAY.on} of {dollars(equals)}, not {_told(move.amount)}"
        raise WagerRefused(f"spot {move.spot}: {told}")
    _verify_tip(state, spot, move.tip)
    return spot


def _told(amount: object) -> str:
    return dollars(amount) if type(amount) is int else repr(amount)


def _verify_tip(state: RoundOnTable, spot: Spot, tip: object) -> None:
    if type(tip) is not int or tip < 0:
        raise WagerRefused(f"spot {spot.wagers.spot}: a tip is whole cents, not {tip!r}")
    if not tip:
        return
    settings, tip_ante = state.book.rules.settings, spot.stakes.get(f"tip_{PLAY.on}", 0)
    if not tip_ante:
        raise WagerRefused(f"spot {spot.wagers.spot}: a tip on play needs a tip on the ante")
    if settings.tip_play_equals_tip_ante and tip != tip_ante:
        raise WagerRefused(
            f"spot {spot.wagers.spot}: a tip on play equals that on the ante, {dollars(tip_ante)}, not {dollars(tip)}"
        )


def do_play(state: RoundOnTable, move: Play, spot: Spot) -> list[Posting]:
    """The play wager goes onto the layout."""
    before, spot.stakes, spot.decision = spot.stakes, raised(spot.stakes, move.tip), "play"
    _decided(state, move.spot)
    rules = state.book.rules
    return [
        posting
        for name, stake in spot.stakes.items()
        if name not in before
        and (posting := WAGERS[name].placed(rules, move.spot, spot.account, stake)) is not None
    ]


def verify_fold(state: RoundOnTable, move: Fold) -> Spot:
    """The spot, when it is its turn."""
    return _verify_turn(state, move.spot)


def do_fold(state: RoundOnTable, move: Fold, spot: Spot) -> list[Posting]:
    """The hand is out; what it forfeits is collected after all have decided."""
    spot.folded, spot.decision = True, "fold"
    state.folds.append(move.spot)
    _decided(state, move.spot)
    return []


def _verify_turn(state: RoundOnTable, number: int) -> Spot:
    if number not in state.undecided:
        raise OutOfTurn(f"spot {number} has nothing to decide")
    if state.book.rules.settings.decision_order == "in-turn" and state.undecided[0] != number:
        raise OutOfTurn(f"it is spot {state.undecided[0]}'s turn, not spot {number}'s")
    return state.spots[number]


def _decided(state: RoundOnTable, number: int) -> None:
    state.undecided.remove(number)
    if not state.undecided:
        state.phase = Phase.REVEAL


def verify_collect(state: RoundOnTable, move: CollectFolds) -> list[int] | Miscount:
    """The folded spots in the order of folding, three cards counted in each."""
    waiting = state.folds[state.folds_collected :]
    if not waiting and state.folds_collected:
        raise OutOfTurn("the folded hands have been collected")
    if tuple(move.spots) != tuple(waiting):
        raise OutOfTurn(f"folded hands are collected in the order of folding: {waiting}, not {list(move.spots)}")
    if len(move.counted) != len(move.spots):
        raise WrongCardCount("every folded hand is counted, once")
    for number, count in zip(move.spots, move.counted, strict=True):
        if count != HAND_SIZE:
            return Miscount(f"the folded hand of spot {number} has {count} cards instead of {HAND_SIZE}")
    return waiting


def do_collect(state: RoundOnTable, _move: CollectFolds, waiting: list[int]) -> list[Posting]:
    """Forfeits into the tray."""
    rules = state.book.rules
    postings = [
        posting
        for number in waiting
        for name, stake in state.spots[number].stakes.items()
        if (posting := WAGERS[name].forfeited(rules, number, stake)) is not None
    ]
    state.folds_collected = len(state.folds)
    return postings
