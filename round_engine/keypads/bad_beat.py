"""The `bad-beat` keypad: LOCK OUT, hand, position, ENTER, UNDO, MISDEAL, GAME OVER.

Three Card Poker Bad Beat Progressive, rules of play (6) and (9)(d) to (h). UNDO cancels the
previous function, one deep: a keyed hand, a keyed position, or a whole entered win.
"""

from round_engine.errors import KeyRefused
from round_engine.keypads.keypad import (
    Dialect,
    Key,
    KeyEffect,
    KeypadMode,
    KeypadState,
    KeyPress,
    Moves,
    Pressed,
    ended,
    go,
    lit_spot,
)
from round_engine.rules.ruleset import ProgressiveRules

OPEN, LOCKED, HAND, POSITION = KeypadMode.OPEN, KeypadMode.LOCKED, KeypadMode.HAND, KeypadMode.POSITION


def _hand(_rules: ProgressiveRules, state: KeypadState, press: KeyPress) -> Pressed:
    if press.hand is None:
        raise KeyRefused("a hand button needs the hand it stands for")
    return Pressed(state=state._replace(mode=HAND, hand=press.hand, entered=False))


def _position(_rules: ProgressiveRules, state: KeypadState, press: KeyPress) -> Pressed:
    return Pressed(state=state._replace(mode=POSITION, spot=lit_spot(state, press)))


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
    return Pressed(state=state._replace(mode=HAND, spot=None))


def _end_with_a_hand(rules: ProgressiveRules, _state: KeypadState, _press: KeyPress) -> Pressed:
    if rules.end_needs_confirmation:
        raise KeyRefused("a win is half keyed: press ENTER, or UNDO")
    return Pressed(state=KeypadState(), effect=KeyEffect.END)


NOT_LOCKED = "press LOCK OUT first"
LOCKED_OUT = "the wagers are locked"

MOVES: Moves = {
    (OPEN, Key.LOCK_OUT): go(LOCKED, KeyEffect.LOCK),
    (OPEN, Key.HAND): NOT_LOCKED,
    (OPEN, Key.POSITION): NOT_LOCKED,
    (OPEN, Key.ENTER): NOT_LOCKED,
    (OPEN, Key.UNDO): "there is nothing to undo",
    (OPEN, Key.MISDEAL): NOT_LOCKED,
    (OPEN, Key.GAME_OVER): NOT_LOCKED,

    (LOCKED, Key.LOCK_OUT): LOCKED_OUT,
    (LOCKED, Key.HAND): _hand,
    (LOCKED, Key.POSITION): "press the hand first",
    (LOCKED, Key.ENTER): "press the hand and the position first",
    (LOCKED, Key.UNDO): _undo_enter,
    (LOCKED, Key.MISDEAL): ended(KeyEffect.MISDEAL),
    (LOCKED, Key.GAME_OVER): ended(KeyEffect.END),

    (HAND, Key.LOCK_OUT): LOCKED_OUT,
    (HAND, Key.HAND): "a hand is keyed; UNDO takes it back",
    (HAND, Key.POSITION): _position,
    (HAND, Key.ENTER): "press the position first",
    (HAND, Key.UNDO): _undo_hand,
    (HAND, Key.MISDEAL): ended(KeyEffect.MISDEAL),
    (HAND, Key.GAME_OVER): _end_with_a_hand,

    (POSITION, Key.LOCK_OUT): LOCKED_OUT,
    (POSITION, Key.HAND): "a hand is keyed; UNDO takes it back",
    (POSITION, Key.POSITION): "a position is keyed; UNDO takes it back",
    (POSITION, Key.ENTER): _enter,
    (POSITION, Key.UNDO): _undo_position,
    (POSITION, Key.MISDEAL): ended(KeyEffect.MISDEAL),
    (POSITION, Key.GAME_OVER): _end_with_a_hand,
}  # fmt: skip

BAD_BEAT = Dialect(
    name="bad-beat",
    modes=(OPEN, LOCKED, HAND, POSITION),
    keys=(Key.LOCK_OUT, Key.HAND, Key.POSITION, Key.ENTER, Key.UNDO, Key.MISDEAL, Key.GAME_OVER),
    lock_key=Key.LOCK_OUT,
    end_key=Key.GAME_OVER,
    misdeal_key=Key.MISDEAL,
    supervisor_keys=False,
    moves=MOVES,
)
