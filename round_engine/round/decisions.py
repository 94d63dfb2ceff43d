"""Play or fold, in turn; then forfeits and folded cards are collected in the order of folding."""

from round_engine.errors import OutOfTurn, WagerRefused, WrongCardCount
from round_engine.money import dollars
from round_engine.money.ledger import LAYOUT, TRAY, EntryKind, Posting
from round_engine.round.dealing import must_fold
from round_engine.round.operations import CollectFolds, Fold, Play
from round_engine.round.settlement import TIP
from round_engine.round.state import HAND_SIZE, Miscount, Phase, RoundOnTable, Spot
from round_engine.rules.ruleset import Wager

_PLACED, _FORFEITED = EntryKind.PLACED, EntryKind.FORFEITED
_ANTE, _PLAY, _PAIR_PLUS, _SIX_CARD_BONUS = Wager.ANTE, Wager.PLAY, Wager.PAIR_PLUS, Wager.SIX_CARD_BONUS


def options(state: RoundOnTable, number: int) -> tuple[str, ...]:
    """What the spot may choose from now."""
    if number not in state.undecided:
        return ()
    return ("fold",) if must_fold(state, number) else ("play", "fold")


def verify_play(state: RoundOnTable, move: Play) -> Spot:
    """The spot, when it is its turn and the play wager equals its ante."""
    spot = _verify_turn(state, move.spot)
    ante = spot.wagers.ante
    if must_fold(state, move.spot):
        raise WagerRefused(f"spot {move.spot} has pair plus and less than a pair: it must fold")
    if type(move.amount) is not int or move.amount != ante:
        raise WagerRefused(f"spot {move.spot}: play equals the ante of {dollars(ante)}, not {_told(move.amount)}")
    _verify_tip(state, spot, move.tip)
    return spot


def _told(amount: object) -> str:
    return dollars(amount) if type(amount) is int else repr(amount)


def _verify_tip(state: RoundOnTable, spot: Spot, tip: object) -> None:
    if type(tip) is not int or tip < 0:
        raise WagerRefused(f"spot {spot.wagers.spot}: a tip is whole cents, not {tip!r}")
    if not tip:
        return
    settings, tip_ante = state.book.rules.settings, spot.wagers.tip_ante
    if not tip_ante:
        raise WagerRefused(f"spot {spot.wagers.spot}: a tip on play needs a tip on the ante")
    if settings.tip_play_equals_tip_ante and tip != tip_ante:
        raise WagerRefused(
            f"spot {spot.wagers.spot}: a tip on play equals that on the ante, {dollars(tip_ante)}, not {dollars(tip)}"
        )


def do_play(state: RoundOnTable, move: Play, spot: Spot) -> list[Posting]:
    """The play wager goes onto the layout."""
    spot.play, spot.tip_play, spot.decision = move.amount, move.tip, "play"
    _decided(state, move.spot)
    clauses = state.book.rules.clauses
    postings = [
        Posting(
            _PLACED, move.spot, _PLAY, move.amount, spot.account, LAYOUT, "stake", clauses["play_placed"]
        )
    ]
    if move.tip:
        clause = clauses["tip_placed"]
        postings.append(
            Posting(_PLACED, move.spot, _PLAY, move.tip, spot.account, LAYOUT, "stake", clause, TIP)
        )
    return postings


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
    settings, clause = state.book.rules.settings, state.book.rules.clauses["forfeited"]
    postings: list[Posting] = []
    for number in waiting:
        wagers = state.spots[number].wagers
        given_up = [(_ANTE, wagers.ante, "")]
        if settings.fold_forfeits_pair_plus:
            given_up.append((_PAIR_PLUS, wagers.pair_plus, ""))
        if not settings.six_card_survives_fold:
            given_up.append((_SIX_CARD_BONUS, wagers.six_card_bonus, ""))
        if settings.tips_forfeited_on_fold:
            given_up += [(_ANTE, wagers.tip_ante, TIP), (_PAIR_PLUS, wagers.tip_pair_plus, TIP)]
        postings += [
            Posting(_FORFEITED, number, wager, stake, LAYOUT, TRAY, "fold", clause, note)
            for wager, stake, note in given_up
            if stake
        ]
    state.folds_collected = len(state.folds)
    return postings
