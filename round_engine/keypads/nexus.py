"""The `nexus` keypad: START GAME, spot then hand, CONFIRM, a supervisor's or executive's card, END GAME.

Light & Wonder manual, Progressive on Nexus Command and GM Atlas, (6) and (9)(d) to (h).
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
    hand_button,
    hand_off,
    lit_spot,
)
from round_engine.money import dollars
from round_engine.rules.ruleset import ProgressiveRules

OPEN, LOCKED, SPOT = KeypadMode.OPEN, KeypadMode.LOCKED, KeypadMode.SPOT
HAND, CONFIRMED = KeypadMode.HAND, KeypadMode.CONFIRMED


def _select(_rules: ProgressiveRules, state: KeypadState, press: KeyPress) -> Pressed:
    return Pressed(state=state._replace(mode=SPOT, spot=lit_spot(state, press)))


def _swipe(rules: ProgressiveRules, state: KeypadState, press: KeyPress) -> Pressed:
    if press.key is Key.SUPERVISOR_CARD and press.prize >= rules.executive_from:
        raise KeyRefused(
            f"{dollars(press.prize)} takes an executive card: it is {dollars(rules.executive_from)} or more"
        )
    after = KeypadState(mode=LOCKED, lit=state.lit)
    return Pressed(state=after, effect=KeyEffect.RECORD_AND_ADJUST)


def _end_with_a_lit_hand(rules: ProgressiveRules, _state: KeypadState, _press: KeyPress) -> Pressed:
    if rules.end_needs_confirmation:
        raise KeyRefused("a hand is lit and not recorded: turn it off, or confirm it and swipe a card")
    return Pressed(state=KeypadState(), effect=KeyEffect.END)


NOT_STARTED = "press START GAME first"
NO_SPOT = "select the winner's spot first"
NO_HAND = "press the winning hand first"
STARTED = "the game is started"
LIT = "turn the lit hand off first"
CARD = "the win waits for a supervisor's or executive's card"

MOVES: Moves = {
    (OPEN, Key.START_GAME): go(LOCKED, KeyEffect.LOCK),
    (OPEN, Key.POSITION): NOT_STARTED,
    (OPEN, Key.HAND): NOT_STARTED,
    (OPEN, Key.CONFIRM): NOT_STARTED,
    (OPEN, Key.SUPERVISOR_CARD): NOT_STARTED,
    (OPEN, Key.EXECUTIVE_CARD): NOT_STARTED,
    (OPEN, Key.END_GAME): NOT_STARTED,

    (LOCKED, Key.START_GAME): STARTED,
    (LOCKED, Key.POSITION): _select,
    (LOCKED, Key.HAND): NO_SPOT,
    (LOCKED, Key.CONFIRM): NO_SPOT,
    (LOCKED, Key.SUPERVISOR_CARD): NO_SPOT,
    (LOCKED, Key.EXECUTIVE_CARD): NO_SPOT,
    (LOCKED, Key.END_GAME): ended(KeyEffect.END),

    (SPOT, Key.START_GAME): STARTED,
    (SPOT, Key.POSITION): _select,
    (SPOT, Key.HAND): hand_button(HAND),
    (SPOT, Key.CONFIRM): NO_HAND,
    (SPOT, Key.SUPERVISOR_CARD): NO_HAND,
    (SPOT, Key.EXECUTIVE_CARD): NO_HAND,
    (SPOT, Key.END_GAME): ended(KeyEffect.END),

    (HAND, Key.START_GAME): STARTED,
    (HAND, Key.POSITION): LIT,
    (HAND, Key.HAND): hand_off(SPOT),
    (HAND, Key.CONFIRM): go(CONFIRMED),
    (HAND, Key.SUPERVISOR_CARD): "press CONFIRM first",
    (HAND, Key.EXECUTIVE_CARD): "press CONFIRM first",
    (HAND, Key.END_GAME): _end_with_a_lit_hand,

    (CONFIRMED, Key.START_GAME): STARTED,
    (CONFIRMED, Key.POSITION): CARD,
    (CONFIRMED, Key.HAND): hand_off(SPOT),
    (CONFIRMED, Key.CONFIRM): CARD,
    (CONFIRMED, Key.SUPERVISOR_CARD): _swipe,
    (CONFIRMED, Key.EXECUTIVE_CARD): _swipe,
    (CONFIRMED, Key.END_GAME): _end_with_a_lit_hand,
}  # fmt: skip

NEXUS = Dialect(
    name="nexus",
    modes=(OPEN, LOCKED, SPOT, HAND, CONFIRMED),
    keys=(
        Key.START_GAME, Key.POSITION, Key.HAND, Key.CONFIRM, Key.SUPERVISOR_CARD, Key.EXECUTIVE_CARD, Key.END_GAME,
    ),
    lock_key=Key.START_GAME,
    end_key=Key.END_GAME,
    misdeal_key=None,
    supervisor_keys=True,
    moves=MOVES,
)  # fmt: skip
