"""One round as a state machine: operations in, postings out; a refused operation changes nothing.

`verify` raises with the reason, `can` asks, `do` verifies and moves on. The list of operations is the round: replayed,
it gives an equal one. Meters and keypads are the table's; everything else about a round is here.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from round_engine.errors import MoveRefused, RoundEngineError, RuleError, WagerRefused, WrongPhase
from round_engine.meters.awards import Due
from round_engine.money.ledger import Posting
from round_engine.round.betting import (
    do_lock,
    do_place,
    do_withdraw,
    place,
    verify_lock,
    verify_on_spot,
    verify_place,
    verify_withdraw,
)
from round_engine.round.dealing import (
    do_card,
    do_expose,
    do_group,
    do_show,
    verify_card,
    verify_expose,
    verify_group,
    verify_show,
)
from round_engine.round.decisions import do_collect, do_fold, do_play, verify_collect, verify_fold, verify_play
from round_engine.round.operations import (
    CloseRound,
    CollectFolds,
    DealCard,
    DealGroup,
    DeclareMisdeal,
    ExposeCard,
    Fold,
    LockWagers,
    OpenRound,
    Operation,
    PlaceWagers,
    Play,
    RevealDealer,
    Settle,
    SettleSpot,
    ShowHand,
    WithdrawWagers,
)
from round_engine.round.settlement import settle
from round_engine.round.showdown import (
    do_close,
    do_misdeal,
    do_reveal,
    verify_close,
    verify_misdeal,
    verify_reveal,
    verify_settle,
    verify_settle_spot,
)
from round_engine.round.state import Miscount, Phase, RoundOnTable, Spot
from round_engine.wagers.paybook import PayBook

__all__ = ["MOVES", "Move", "Phase", "Round", "open_round"]


def _do_settle(state: RoundOnTable, move: Settle | SettleSpot, spots: list[Spot]) -> list[Posting]:
    return settle_with(state, spots, (), {}, last=isinstance(move, Settle))


def settle_with(
    state: RoundOnTable, spots: list[Spot], dues: Iterable[Due], prizes: Mapping[Due, int], *, last: bool
) -> list[Posting]:
    """Settle some spots, with awards where there are any; with the `last` of them the round is settled."""
    for spot in spots:
        spot.settled = True
    state.settled = last
    return settle(state.book, spots, state.dealer.cards, state.dealer.rank, tuple(dues), prizes, state.spots)


class Move(NamedTuple):
    """When an operation may come, how it is checked and how it is done."""

    phases: frozenset[Phase]
    verify: Callable[[Any, Any], Any]
    do: Callable[[Any, Any, Any], list[Posting]]


BETTING, LOCKED, DEALING = Phase.BETTING, Phase.LOCKED, Phase.DEALING
DECISIONS, REVEAL, SETTLEMENT, MISDEALT = Phase.DECISIONS, Phase.REVEAL, Phase.SETTLEMENT, Phase.MISDEALT

MOVES: Mapping[type[Operation], Move] = {
    PlaceWagers:    Move(frozenset({BETTING}), verify_place, do_place),
    WithdrawWagers: Move(frozenset({BETTING}), verify_withdraw, do_withdraw),
    LockWagers:     Move(frozenset({BETTING}), verify_lock, do_lock),
    DealGroup:      Move(frozenset({LOCKED, DEALING, DECISIONS, REVEAL}), verify_group, do_group),
    DealCard:       Move(frozenset({LOCKED, DEALING, DECISIONS, REVEAL}), verify_card, do_card),
    ExposeCard:     Move(frozenset({LOCKED, DEALING, DECISIONS, REVEAL}), verify_expose, do_expose),
    ShowHand:       Move(frozenset({DEALING, DECISIONS, REVEAL, SETTLEMENT}), verify_show, do_show),
    Play:           Move(frozenset({DECISIONS}), verify_play, do_play),
    Fold:           Move(frozenset({DECISIONS}), verify_fold, do_fold),
    CollectFolds:   Move(frozenset({REVEAL}), verify_collect, do_collect),
    RevealDealer:   Move(frozenset({REVEAL}), verify_reveal, do_reveal),
    SettleSpot:     Move(frozenset({SETTLEMENT}), verify_settle_spot, _do_settle),
    Settle:         Move(frozenset({SETTLEMENT}), verify_settle, _do_settle),
    CloseRound:     Move(frozenset({SETTLEMENT}), verify_close, do_close),
    DeclareMisdeal: Move(
        frozenset({BETTING, LOCKED, DEALING, DECISIONS, REVEAL, SETTLEMENT, MISDEALT}), verify_misdeal, do_misdeal
    ),
}  # fmt: skip


class Round(RoundOnTable):
    """A round that can be played."""

    __slots__ = ()

    def verify(self, operation: Operation) -> Any:
        """What doing it needs to know; raises with the reason when it is not allowed."""
        return self._move(operation).verify(self, operation)

    def _move(self, operation: Operation) -> Move:
        move = MOVES.get(type(operation))
        if move is None:
            raise WrongPhase(f"{type(operation).__name__} is not a move of a round")
        if self.phase is MISDEALT and self.phase not in move.phases:
            raise WrongPhase(f"the round is a misdeal, {self.miscount}: declare it")
        if self.phase not in move.phases:
            raise WrongPhase(
                f"{type(operation).__name__} is for {' or '.join(sorted(move.phases))}; the round is in {self.phase}"
            )
        return move

    def can(self, operation: Operation) -> bool:
        """Whether it is allowed now."""
        try:
            self.verify(operation)
        except RoundEngineError:
            return False
        return True

    def do(self, operation: Operation) -> list[Posting]:
        """Check and do it; the postings it led to."""
        move = self._move(operation)
        return self.carry_out(operation, move.verify(self, operation))

    def carry_out(self, operation: Operation, found: Any) -> list[Posting]:
        """Do what has been checked; a wrong number of cards is written down and leaves only the misdeal."""
        self.operations.append(operation)
        if isinstance(found, Miscount):
            self.phase, self.miscount = MISDEALT, found.reason
            return []
        postings = MOVES[type(operation)].do(self, operation, found)
        self.postings += postings
        return postings


def open_round(book: PayBook, opening: OpenRound) -> Round:
    """A new round with its first wagers on the layout; refuses an opening that the rules do not allow."""
    rules = book.rules
    for what, text in (("round id", opening.round_id), ("shuffle", opening.shuffle), ("dealer", opening.dealer)):
        if not isinstance(text, str) or not text:
            raise MoveRefused(f"a round needs the name of its {what}")
    dealing = opening.dealing or rules.house.dealing
    if dealing not in rules.dealing:
        raise RuleError(f"{rules.id} is dealt as {' or '.join(rules.dealing)}, not as {dealing}")
    new = Round(
        book=book, round_id=opening.round_id, shuffle=opening.shuffle, dealer_name=opening.dealer, dealing=dealing
    )
    seated: dict[int, str] = {}
    for wagers in opening.wagers:
        if wagers.spot in seated:
            raise WagerRefused(f"spot {wagers.spot} is named twice")
        place(new, verify_on_spot(book, seated, wagers))
        seated[wagers.spot] = wagers.player
    new.operations.append(opening)
    return new
