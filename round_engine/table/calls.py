"""What is said and shown at a table: the dealer's calls, the hands that lie open, the page for a win."""

from collections.abc import Mapping

from round_engine.errors import WrongPhase
from round_engine.hands import name_of_rank3
from round_engine.hands.cards import names
from round_engine.meters.awards import envy_triggers
from round_engine.meters.records import WinRecord
from round_engine.money import dollars
from round_engine.round.showdown import dealer_qualifies
from round_engine.round.state import UNKNOWN, RoundOnTable
from round_engine.rules.ruleset import Pay


def no_more_bets(state: RoundOnTable) -> str:
    """The call at the lock, naming those who have not made the pair plus wager."""
    missing = [str(number) for number, spot in sorted(state.spots.items()) if "pair_plus" not in spot.stakes]
    if not missing:
        return "No more bets."
    listed = missing[0] if len(missing) == 1 else f"{', '.join(missing[:-1])} and {missing[-1]}"
    return f"No more bets. No PAIR PLUS, position {listed}."


def dealers_hand(state: RoundOnTable) -> str:
    """The call after the reveal, the hand named from its highest card."""
    if state.dealer.rank == UNKNOWN:
        raise WrongPhase("the dealer's hand has not been revealed")
    hand = name_of_rank3(state.dealer.rank)
    return f"Dealer plays with {hand}." if dealer_qualifies(state) else f"Dealer doesn't play: {hand}."


def folded_hands(state: RoundOnTable) -> Mapping[int, str]:
    """The folded hands, which a player may ask to view; not before they are collected."""
    if not state.folds_collected:
        raise WrongPhase("folded hands can be viewed when they have been collected")
    return {number: names(state.spots[number].cards) for number in state.folds[: state.folds_collected]}


def hands_left_face_up(state: RoundOnTable) -> tuple[int, ...]:
    """The spots whose hands stay open on the layout because others are paid envy for them."""
    if state.dealer.rank == UNKNOWN:
        return ()
    open_hands = {
        trigger.spot.wagers.spot
        for wager in state.book.rules.progressives
        for trigger in envy_triggers(state.book, wager, state.spots.values(), state.dealer.rank)
    }
    return tuple(sorted(open_hands))


def win_page(state: RoundOnTable, record: WinRecord) -> str:
    """The page that is printed for a recorded win, for the books of the house."""
    spot = state.spots.get(record.spot) if record.spot is not None else None
    lines = [
        f"{record.wager.replace('_', ' ').upper()} WIN",
        f"round      {state.round_id}",
        f"record     {record.number}{' (backed out)' if record.backed_out else ''}",
        f"position   {record.spot if record.spot is not None else 'not keyed'}",
        f"player     {spot.wagers.player if spot is not None else 'not known'}",
        f"hand       {record.hand.replace('_', ' ')}" + (f" ({names(spot.cards)})" if spot is not None else ""),
        f"pays       {record.row} ({record.row.clause})",
        f"prize      {dollars(record.prize)} from the {'meter' if record.row.pay is Pay.METER else 'tray'}",
        f"confirmed  {record.by}",
    ]
    return "\n".join(lines) + "\n"
