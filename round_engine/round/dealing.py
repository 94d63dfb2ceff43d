"""Three cards each, the first to the dealer's left, the dealer last; as groups, or one at a time in rotation."""

from collections.abc import Sequence

from round_engine.errors import CardError, OutOfTurn, WrongPhase
from round_engine.hands.cards import DECK_SIZE, card, name, names
from round_engine.money.ledger import Posting
from round_engine.round.game import THREE_CARD_POKER
from round_engine.round.operations import DEALER, DealCard, DealGroup, ExposeCard, ShowHand
from round_engine.round.state import DealtHand, Exposed, Miscount, Phase, RoundOnTable
from round_engine.wagers.registry import AWAITING, FORCING
from round_engine.wagers.shown import paying_rank

HAND_SIZE, _rank = THREE_CARD_POKER.hand_size, THREE_CARD_POKER.rank
_DEALING, _DECISIONS, _REVEAL = Phase.DEALING, Phase.DECISIONS, Phase.REVEAL


def holder(spot: int) -> str:
    """Who holds the cards at a spot, for messages."""
    return "the dealer" if spot == DEALER else f"spot {spot}"


def hand_at(state: RoundOnTable, spot: int) -> DealtHand:
    """The hand of a spot or the dealer; refuses a spot without wagers."""
    if spot == DEALER:
        return state.dealer
    if spot not in state.spots:
        raise OutOfTurn(f"there is no wager on spot {spot}, so it gets no cards")
    return state.spots[spot]


def verify_group(state: RoundOnTable, move: DealGroup) -> DealtHand | Miscount:
    """The hand that takes the group, when it is its turn and there are three new cards."""
    cards = move.cards
    count = move.count if cards is None else len(cards)
    if extra := _too_many(state, move.spot, move.shuffle, "groups", count):
        return extra
    hand = _verify_turn(state, move.spot, move.shuffle, "groups")
    if count != HAND_SIZE or move.count != HAND_SIZE:
        wrong = count if count != HAND_SIZE else move.count
        return Miscount(f"{holder(move.spot)} was dealt {wrong} cards instead of {HAND_SIZE}")
    if cards is not None:
        verify_faces(state, cards, hand)
    return hand


def do_group(state: RoundOnTable, move: DealGroup, hand: DealtHand) -> list[Posting]:
    """Cards delivered."""
    hand.dealt = HAND_SIZE
    if move.cards is not None:
        _learn(state, hand, move.cards)
    _delivered(state)
    return []


def verify_card(state: RoundOnTable, move: DealCard) -> DealtHand | Miscount:
    """The hand that takes the card, when it is its turn and the card is new."""
    if extra := _too_many(state, move.spot, move.shuffle, "rotation", 1):
        return extra
    hand = _verify_turn(state, move.spot, move.shuffle, "rotation")
    if move.card is not None:
        verify_faces(state, (move.card,), hand, left=HAND_SIZE - len(hand.cards) - 1)
    return hand


def _too_many(state: RoundOnTable, spot: int, shuffle: str | None, way: str, count: int) -> Miscount | None:
    """Cards to a hand that has three: nobody can take them back."""
    _verify_deck(state, shuffle, way)
    hand = hand_at(state, spot)
    if hand.dealt < HAND_SIZE or not count:
        return None
    return Miscount(f"{holder(spot)} was dealt {hand.dealt + count} cards instead of {HAND_SIZE}")


def do_card(state: RoundOnTable, move: DealCard, hand: DealtHand) -> list[Posting]:
    """A card delivered."""
    hand.dealt += 1
    if move.card is not None:
        _learn(state, hand, (*hand.cards, move.card))
    _delivered(state)
    return []


def _verify_deck(state: RoundOnTable, shuffle: str | None, way: str) -> None:
    if state.dealing != way:
        raise WrongPhase(f"this round is dealt as {state.dealing}, not as {way}")
    if shuffle is not None and shuffle != state.shuffle:
        raise CardError(f"the cards are of shuffle {shuffle!r}, the round is dealt from {state.shuffle!r}")


def _verify_turn(state: RoundOnTable, spot: int, shuffle: str | None, way: str) -> DealtHand:
    _verify_deck(state, shuffle, way)
    if not state.to_receive:
        hand_at(state, spot)
        raise WrongPhase("every hand has its three cards")
    if state.to_receive[-1] != spot:
        hand_at(state, spot)
        raise OutOfTurn(f"{holder(state.to_receive[-1])} gets the next cards, not {holder(spot)}")
    return hand_at(state, spot)


def verify_faces(state: RoundOnTable, cards: Sequence[int], hand: DealtHand, left: int = 0) -> None:
    """Refuse what is no card, a card that has been seen elsewhere in this round, and a hand without its exposed cards.

    `left` cards of the hand are still to come.
    """
    seen = state.faces
    for at, face in enumerate(cards):
        if type(face) is not int or not 0 <= face < DECK_SIZE:
            card(face)
        if face in seen and face not in hand.seen:
            raise CardError(f"{name(face)} has already been dealt in this round")
        if face in cards[:at] or face in hand.cards:
            raise CardError(f"{name(face)} has already been dealt in this round")
    if hand.seen:
        missing = [face for face in hand.seen if face not in cards and face not in hand.cards]
        if len(missing) > left:
            raise CardError(f"{names(missing)} was exposed in this hand, and is not in it")


def _learn(state: RoundOnTable, hand: DealtHand, cards: tuple[int, ...]) -> None:
    state.faces.update(cards)
    hand.cards = cards
    if len(cards) == HAND_SIZE:
        hand.rank = _rank(*cards)
        hand.paying = paying_rank(cards, hand.rank)


def _delivered(state: RoundOnTable) -> None:
    state.to_receive.pop()
    if state.to_receive:
        state.phase = _DEALING
        return
    state.undecided = [number for number in state.spots if must_decide(state, number)]
    state.phase = _DECISIONS if state.undecided else _REVEAL


def must_decide(state: RoundOnTable, number: int) -> bool:
    """Whether a wager of the spot awaits a decision, or the rules make it fold."""
    return not AWAITING.isdisjoint(state.spots[number].stakes) or must_fold(state, number)


def must_fold(state: RoundOnTable, number: int) -> bool:
    """Whether the rules leave the hand no choice; a hand that is not known is not judged."""
    spot, rules = state.spots[number], state.book.rules
    if spot.rank < 0 or rules.settings.forced_fold == "none":
        return False
    return any(spot.rank < wager.folds_below(rules, spot.stakes) for wager in FORCING)


def verify_expose(state: RoundOnTable, move: ExposeCard) -> Exposed:
    """A card of somebody in the round; one whose face is told must be one of theirs, or new."""
    hand = hand_at(state, move.spot)
    if move.card is not None:
        card(move.card)
        known = {*hand.cards, *hand.seen}
        if move.card not in known and (move.card in state.faces or len(known) >= HAND_SIZE):
            raise CardError(f"{name(move.card)} is not {holder(move.spot)}'s")
    return Exposed(move.spot, move.card)


def do_expose(state: RoundOnTable, move: ExposeCard, found: Exposed) -> list[Posting]:
    """Recorded; it is no misdeal, and its face belongs to this hand from now on."""
    state.exposed.append(found)
    hand = hand_at(state, move.spot)
    if found.card is not None and found.card not in hand.seen:
        hand.seen = (*hand.seen, found.card)
        state.faces.add(found.card)
    return []


def verify_show(state: RoundOnTable, move: ShowHand) -> DealtHand | Miscount:
    """A fully dealt hand that is not known yet, and its three cards, which agree with those known."""
    hand = hand_at(state, move.spot)
    if move.spot == DEALER:
        raise WrongPhase("the dealer's hand is shown by the reveal")
    if hand.dealt != HAND_SIZE:
        raise WrongPhase(f"{holder(move.spot)} has {hand.dealt} cards")
    if state.settled or state.spots[move.spot].settled:
        raise WrongPhase(f"{holder(move.spot)} is settled")
    return verify_full_hand(state, hand, move.cards, holder(move.spot)) or hand


def do_show(state: RoundOnTable, move: ShowHand, hand: DealtHand) -> list[Posting]:
    """The faces are known from now on; where they leave no choice but to fold, that comes before the reveal."""
    _learn(state, hand, tuple(move.cards))
    spot, number = state.spots[move.spot], move.spot
    undecided = not spot.decision and number not in state.undecided
    if undecided and state.phase in (_DECISIONS, _REVEAL) and must_fold(state, number):
        state.undecided = [one for one in state.spots if one in state.undecided or one == number]
        state.phase = _DECISIONS
    return []


def verify_full_hand(state: RoundOnTable, hand: DealtHand, cards: Sequence[int], who: str) -> Miscount | None:
    """Three cards that agree with what is known of the hand."""
    if len(cards) != HAND_SIZE:
        return Miscount(f"{who} shows {len(cards)} cards instead of {HAND_SIZE}")
    if len(set(cards)) != HAND_SIZE:
        raise CardError(f"{who} shows a card twice")
    if not set(hand.cards) <= set(cards):
        raise CardError(f"{who} shows other cards than were dealt")
    verify_faces(state, [face for face in cards if face not in hand.cards], hand)
    return None


def reveal(state: RoundOnTable, cards: Sequence[int]) -> None:
    """The dealer's hand becomes known."""
    _learn(state, state.dealer, tuple(cards))
