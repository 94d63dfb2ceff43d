"""Three cards each, the first to the dealer's left, the dealer last; as groups, or one at a time in rotation."""

from collections.abc import Sequence

from round_engine.cards import DECK_SIZE, card, name
from round_engine.errors import CardError, OutOfTurn, WrongCardCount, WrongPhase
from round_engine.hands import rank3
from round_engine.ledger import Posting
from round_engine.operations import DEALER, DealCard, DealGroup, ExposeCard, ShowHand
from round_engine.paybook import paying_rank
from round_engine.round_state import HAND_SIZE, DealtHand, Exposed, Phase, RoundState

_DEALING, _DECISIONS, _REVEAL = Phase.DEALING, Phase.DECISIONS, Phase.REVEAL


def holder(spot: int) -> str:
    """Who holds the cards at a spot, for messages."""
    return "the dealer" if spot == DEALER else f"spot {spot}"


def hand_at(state: RoundState, spot: int) -> DealtHand:
    """The hand of a spot or the dealer; refuses a spot without wagers."""
    if spot == DEALER:
        return state.dealer
    if spot not in state.spots:
        raise OutOfTurn(f"there is no wager on spot {spot}, so it gets no cards")
    return state.spots[spot]


def verify_group(state: RoundState, move: DealGroup) -> DealtHand:
    """The hand that takes the group, when it is its turn and there are three new cards."""
    hand = _verify_turn(state, move.spot, move.shuffle, "groups")
    cards = move.cards
    count = move.count if cards is None else len(cards)
    if count != HAND_SIZE or move.count != HAND_SIZE:
        raise WrongCardCount(f"{holder(move.spot)} was dealt {count} cards instead of {HAND_SIZE}: it is a misdeal")
    if cards is not None:
        verify_faces(state, cards)
    return hand


def do_group(state: RoundState, move: DealGroup, hand: DealtHand) -> list[Posting]:
    """Cards delivered."""
    hand.dealt = HAND_SIZE
    if move.cards is not None:
        _learn(state, hand, move.cards)
    _delivered(state)
    return []


def verify_card(state: RoundState, move: DealCard) -> DealtHand:
    """The hand that takes the card, when it is its turn and the card is new."""
    hand = _verify_turn(state, move.spot, move.shuffle, "rotation")
    if move.card is not None:
        verify_faces(state, (move.card,))
    return hand


def do_card(state: RoundState, move: DealCard, hand: DealtHand) -> list[Posting]:
    """A card delivered."""
    hand.dealt += 1
    if move.card is not None:
        _learn(state, hand, (*hand.cards, move.card))
    _delivered(state)
    return []


def _verify_turn(state: RoundState, spot: int, shuffle: str | None, way: str) -> DealtHand:
    if state.dealing != way:
        raise WrongPhase(f"this round is dealt as {state.dealing}, not as {way}")
    if shuffle is not None and shuffle != state.shuffle:
        raise CardError(f"the cards are of shuffle {shuffle!r}, the round is dealt from {state.shuffle!r}")
    if state.to_receive[-1] != spot:
        hand_at(state, spot)
        raise OutOfTurn(f"{holder(state.to_receive[-1])} gets the next cards, not {holder(spot)}")
    return hand_at(state, spot)


def verify_faces(state: RoundState, cards: Sequence[int]) -> None:
    """Refuse what is no card, and a card that has already been seen in this round."""
    seen = state.faces
    for at, face in enumerate(cards):
        if type(face) is not int or not 0 <= face < DECK_SIZE:
            card(face)
        if face in seen or face in cards[:at]:
            raise CardError(f"{name(face)} has already been dealt in this round")


def _learn(state: RoundState, hand: DealtHand, cards: tuple[int, ...]) -> None:
    state.faces.update(cards)
    hand.cards = cards
    if len(cards) == HAND_SIZE:
        one, two, three = cards
        hand.rank = rank3(one, two, three)
        hand.paying = paying_rank(cards, hand.rank)


def _delivered(state: RoundState) -> None:
    state.to_receive.pop()
    if state.to_receive:
        state.phase = _DEALING
        return
    state.undecided = [number for number in state.spots if must_decide(state, number)]
    state.phase = _DECISIONS if state.undecided else _REVEAL


def must_decide(state: RoundState, number: int) -> bool:
    """An ante has to be played or folded; pair plus alone has to be folded below a pair where the rules say so."""
    spot = state.spots[number]
    return bool(spot.wagers.ante) or must_fold(state, number)


def must_fold(state: RoundState, number: int) -> bool:
    """Whether the rules leave the hand no choice; a hand that is not known is not judged."""
    spot, forced = state.spots[number], state.book.rules.settings.forced_fold
    if forced == "none" or not spot.wagers.pair_plus or spot.rank < 0 or spot.rank >= state.book.pair_rank:
        return False
    return forced == "every-pair-plus" or not spot.wagers.ante


def verify_expose(state: RoundState, move: ExposeCard) -> Exposed:
    """A card of somebody in the round; one whose face is told must be one of theirs, or new."""
    hand = hand_at(state, move.spot)
    if move.card is not None:
        card(move.card)
        if move.card in state.faces and move.card not in hand.cards:
            raise CardError(f"{name(move.card)} is not {holder(move.spot)}'s")
    return Exposed(move.spot, move.card)


def do_expose(state: RoundState, _move: ExposeCard, found: Exposed) -> list[Posting]:
    """Recorded; it is no misdeal."""
    state.exposed.append(found)
    return []


def verify_show(state: RoundState, move: ShowHand) -> DealtHand:
    """A fully dealt hand that is not known yet, and its three cards, which agree with those known."""
    hand = hand_at(state, move.spot)
    if move.spot == DEALER:
        raise WrongPhase("the dealer's hand is shown by the reveal")
    if hand.dealt != HAND_SIZE:
        raise WrongPhase(f"{holder(move.spot)} has {hand.dealt} cards")
    verify_full_hand(state, hand, move.cards, holder(move.spot))
    return hand


def do_show(state: RoundState, move: ShowHand, hand: DealtHand) -> list[Posting]:
    """The faces are known from now on."""
    _learn(state, hand, tuple(move.cards))
    return []


def verify_full_hand(state: RoundState, hand: DealtHand, cards: Sequence[int], who: str) -> None:
    """Three cards that agree with what is known of the hand."""
    if len(cards) != HAND_SIZE:
        raise WrongCardCount(f"{who} shows {len(cards)} cards instead of {HAND_SIZE}: it is a misdeal")
    if len(set(cards)) != HAND_SIZE:
        raise CardError(f"{who} shows a card twice")
    if not set(hand.cards) <= set(cards):
        raise CardError(f"{who} shows other cards than were dealt")
    verify_faces(state, [face for face in cards if face not in hand.cards])


def reveal(state: RoundState, cards: Sequence[int]) -> None:
    """The dealer's hand becomes known."""
    _learn(state, state.dealer, tuple(cards))
