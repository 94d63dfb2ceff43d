"""The `bad-beat` keypad: LOCK OUT, hand, position, ENTER, UNDO, MISDEAL, GAME OVER.

Three Card Poker Bad Beat Progressive, rules of play (6) and (9)(d) to (h). UNDO cancels the
previous function, one deep: a keyed hand, a keyed position, or a whole entered win.
"""

from round_engine.errors import KeyRefused
from round_engine.keypads.keypad import (
    DEALER,
    HAND,
    LOCKED,
    OPEN,
    POSITION,
    Crew,
    Dialect,
    KeyEffect,
    KeypadState,
    KeyPress,
    KeyRight,
    Moves,
    Pressed,
    ended,
    go,
    lit_spot,
)
from round_engine.meters.awards import Due
from round_engine.round.operations import Operation, PressKey, VerifyWin
from round_engine.rules.ruleset import Hand, ProgressiveRules

LOCK_OUT = "LOCK OUT"
ENTER = "ENTER"
UNDO = "UNDO"
MISDEAL = "MISDEAL"
GAME_OVER = "GAME OVER"

HAND_LIT = "hand lit"
POSITION_IN = "position entered"


def _hand(_rules: ProgressiveRules, state: KeypadState, press: KeyPress) -> Pressed:
    if press.hand is None:
        raise KeyRefused("a hand button needs the hand it stands for")
    return Pressed(state=state._replace(mode=HAND_LIT, hand=press.hand, entered=False))


def _position(_rules: ProgressiveRules, state: KeypadState, press: KeyPress) -> Pressed:
    return Pressed(state=state._replace(mode=POSITION_IN, spot=lit_spot(state, press)))


def _enter(rules: ProgressiveRules, state: KeypadState, _press: KeyPress) -> Pressed:
    after = KeypadState(mode=LOCKED, lit=state.lit, entered=rules.undo_covers_enter)
    return Pressed(state=after, effect=KeyEffect.RECORD_AND_ADJUST)


def _undo_enter(_rules: ProgressiveRules, state: KeypadState, _press: KeyPress) -> Pressed:
    if not state.entered:
        raise KeyRefused("there is no function to undo: UNDO goes one function back, and not past LOCK OUT")
    return Pressed(state=state._replace(entered=False), effect=KeyEffect.TAKE_BACK)


def _undo_hand(_rules: ProgressiveRules, state: KeypadState, _press: KeyPress) -> Pressed:
    return Pressed(state=state._replace(mode=LOCKED, hand=None))


def _undo_position(_rules: ProgressiveRules, state: KeypadState, _press: KeyPress) -> Pressed:
    return Pressed(state=state._replace(mode=HAND_LIT, spot=None))


def _end_with_a_hand(rules: ProgressiveRules, _state: KeypadState, _press: KeyPress) -> Pressed:
    if rules.end_needs_confirmation:
        raise KeyRefused("a win is half keyed: press ENTER, or UNDO")
    return Pressed(state=KeypadState(), effect=KeyEffect.END)


NOT_LOCKED = "press LOCK OUT first"
LOCKED_OUT = "the wagers are locked"

MOVES: Moves = {
    (OPEN, LOCK_OUT): go(LOCKED, KeyEffect.LOCK),
    (OPEN, HAND): NOT_LOCKED,
    (OPEN, POSITION): NOT_LOCKED,
    (OPEN, ENTER): NOT_LOCKED,
    (OPEN, UNDO): "there is nothing to undo",
    (OPEN, MISDEAL): NOT_LOCKED,
    (OPEN, GAME_OVER): NOT_LOCKED,

    (LOCKED, LOCK_OUT): LOCKED_OUT,
    (LOCKED, HAND): _hand,
    (LOCKED, POSITION): "press the hand first",
    (LOCKED, ENTER): "press the hand and the position first",
    (LOCKED, UNDO): _undo_enter,
    (LOCKED, MISDEAL): ended(KeyEffect.MISDEAL),
    (LOCKED, GAME_OVER): ended(KeyEffect.END),

    (HAND_LIT, LOCK_OUT): LOCKED_OUT,
    (HAND_LIT, HAND): "a hand is keyed; UNDO takes it back",
    (HAND_LIT, POSITION): _position,
    (HAND_LIT, ENTER): "press the position first",
    (HAND_LIT, UNDO): _undo_hand,
    (HAND_LIT, MISDEAL): ended(KeyEffect.MISDEAL),
    (HAND_LIT, GAME_OVER): _end_with_a_hand,

    (POSITION_IN, LOCK_OUT): LOCKED_OUT,
    (POSITION_IN, HAND): "a hand is keyed; UNDO takes it back",
    (POSITION_IN, POSITION): "a position is keyed; UNDO takes it back",
    (POSITION_IN, ENTER): _enter,
    (POSITION_IN, UNDO): _undo_position,
    (POSITION_IN, MISDEAL): ended(KeyEffect.MISDEAL),
    (POSITION_IN, GAME_OVER): _end_with_a_hand,
}  # fmt: skip

RIGHTS = {
    LOCK_OUT: KeyRight(DEALER, "003 (6)", "003 (6)"),
    HAND: KeyRight(DEALER, "003 (9)(e)", "003 (9)(e)"),
    POSITION: KeyRight(DEALER, "003 (9)(e)", "003 (9)(e)"),
    ENTER: KeyRight(DEALER, "003 (9)(e)", "003 (9)(e)"),
    UNDO: KeyRight(DEALER, "003 (9)(g)", "003 (9)(g)"),
    MISDEAL: KeyRight(DEALER, "003 (9)(h)", "003 (9)(h)"),
    GAME_OVER: KeyRight(DEALER, "003 (9)(f)", "003 (9)(f)"),
}


def _script(rules: ProgressiveRules, due: Due, _prize: int, crew: Crew) -> list[Operation]:
    """The dealer presses every key, so a supervisor verifies the win first."""
    hand = Hand(due.row.hand)
    keys: list[Operation] = [
        PressKey(wager=due.wager, key=HAND, by=crew.dealer, hand=hand),
        PressKey(wager=due.wager, key=POSITION, by=crew.dealer, spot=due.spot),
        PressKey(wager=due.wager, key=ENTER, by=crew.dealer),
    ]
    verify = VerifyWin(wager=due.wager, spot=due.spot, hand=hand, by=crew.supervisor)
    return [verify, *keys] if rules.confirmer_is_not_the_dealer else keys


DIALECT = Dialect(
    name="bad-beat",
    modes=(OPEN, LOCKED, HAND_LIT, POSITION_IN),
    keys=(LOCK_OUT, HAND, POSITION, ENTER, UNDO, MISDEAL, GAME_OVER),
    lock_key=LOCK_OUT,
    end_key=GAME_OVER,
    misdeal_key=MISDEAL,
    supervisor_keys=False,
    half_keyed=frozenset({HAND_LIT, POSITION_IN}),
    rights=RIGHTS,
    next_keys={LOCKED: (HAND,), HAND_LIT: (POSITION,), POSITION_IN: (ENTER,)},
    script=_script,
    moves=MOVES,
)
