"""The `game-manager` keypad: COIN IN, hand buttons, a key switch with JPH and RUN, J-POT, GAME OVER.

Light & Wonder manual, Progressive on Game Manager v6.6 with Aquarius Controller and Coin Spot, (6) and (9)(d) to (i).
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
    cleared,
    ended,
    go,
    hand_button,
    hand_off,
)
from round_engine.rules.ruleset import ProgressiveRules

OPEN, LOCKED, HAND = KeypadMode.OPEN, KeypadMode.LOCKED, KeypadMode.HAND
JPH, RECORDED = KeypadMode.JPH, KeypadMode.RECORDED


def _end_with_a_lit_hand(rules: ProgressiveRules, _state: KeypadState, _press: KeyPress) -> Pressed:
    if rules.end_needs_confirmation:
        raise KeyRefused("a hand is lit and not confirmed: turn it off, or have it recorded")
    return Pressed(state=KeypadState(), effect=KeyEffect.END)


NOT_LOCKED = "press COIN IN first"
NO_HAND = "no hand is lit"
AT_JPH = "turn the key back to RUN first"

MOVES: Moves = {
    (OPEN, Key.COIN_IN): go(LOCKED, KeyEffect.LOCK),
    (OPEN, Key.HAND): NOT_LOCKED,
    (OPEN, Key.KEY_TO_JPH): NOT_LOCKED,
    (OPEN, Key.J_POT): NOT_LOCKED,
    (OPEN, Key.KEY_TO_RUN): "the key is at RUN",
    (OPEN, Key.GAME_OVER): NOT_LOCKED,

    (LOCKED, Key.COIN_IN): "the wagers are in",
    (LOCKED, Key.HAND): hand_button(HAND),
    (LOCKED, Key.KEY_TO_JPH): NO_HAND,
    (LOCKED, Key.J_POT): NO_HAND,
    (LOCKED, Key.KEY_TO_RUN): "the key is at RUN",
    (LOCKED, Key.GAME_OVER): ended(KeyEffect.END),

    (HAND, Key.COIN_IN): "the wagers are in",
    (HAND, Key.HAND): hand_off(LOCKED),
    (HAND, Key.KEY_TO_JPH): go(JPH),
    (HAND, Key.J_POT): "the key is not at JPH",
    (HAND, Key.KEY_TO_RUN): "the key is at RUN",
    (HAND, Key.GAME_OVER): _end_with_a_lit_hand,

    (JPH, Key.COIN_IN): AT_JPH,
    (JPH, Key.HAND): AT_JPH,
    (JPH, Key.KEY_TO_JPH): "the key is at JPH",
    (JPH, Key.J_POT): go(RECORDED, KeyEffect.RECORD),
    (JPH, Key.KEY_TO_RUN): go(HAND),
    (JPH, Key.GAME_OVER): AT_JPH,

    (RECORDED, Key.COIN_IN): AT_JPH,
    (RECORDED, Key.HAND): AT_JPH,
    (RECORDED, Key.KEY_TO_JPH): "the key is at JPH",
    (RECORDED, Key.J_POT): "the win is recorded; only a manual adjustment takes it back",
    (RECORDED, Key.KEY_TO_RUN): cleared(LOCKED, KeyEffect.ADJUST),
    (RECORDED, Key.GAME_OVER): AT_JPH,
}  # fmt: skip

GAME_MANAGER = Dialect(
    name="game-manager",
    modes=(OPEN, LOCKED, HAND, JPH, RECORDED),
    keys=(Key.COIN_IN, Key.HAND, Key.KEY_TO_JPH, Key.J_POT, Key.KEY_TO_RUN, Key.GAME_OVER),
    lock_key=Key.COIN_IN,
    end_key=Key.GAME_OVER,
    misdeal_key=None,
    supervisor_keys=True,
    moves=MOVES,
)
