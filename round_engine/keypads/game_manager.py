"""The `game-manager` keypad: COIN IN, hand buttons, a key switch with JPH and RUN, J-POT, GAME OVER.

Light & Wonder manual, Progressive on Game Manager v6.6 with Aquarius Controller and Coin Spot, (6) and (9)(d) to (i).
"""

from round_engine.errors import KeyRefused
from round_engine.keypads.keypad import (
    DEALER,
    HAND,
    LOCKED,
    OPEN,
    SUPERVISOR,
    Crew,
    Dialect,
    KeyEffect,
    KeypadState,
    KeyPress,
    KeyRight,
    Moves,
    Pressed,
    cleared,
    ended,
    go,
    hand_button,
    hand_off,
)
from round_engine.meters.awards import Due
from round_engine.round.operations import Operation, PressKey
from round_engine.rules.ruleset import Hand, ProgressiveRules

COIN_IN = "COIN IN"
KEY_TO_JPH = "KEY TO JPH"
KEY_TO_RUN = "KEY TO RUN"
J_POT = "J-POT"
GAME_OVER = "GAME OVER"

HAND_LIT = "hand lit"
AT_JPH = "key at JPH"
RECORDED = "win recorded, key at JPH"


def _end_with_a_lit_hand(rules: ProgressiveRules, _state: KeypadState, _press: KeyPress) -> Pressed:
    if rules.end_needs_confirmation:
        raise KeyRefused("a hand is lit and not confirmed: turn it off, or have it recorded")
    return Pressed(state=KeypadState(), effect=KeyEffect.END)


NOT_LOCKED = "press COIN IN first"
NO_HAND = "no hand is lit"
STILL_AT_JPH = "turn the key back to RUN first"

MOVES: Moves = {
    (OPEN, COIN_IN): go(LOCKED, KeyEffect.LOCK),
    (OPEN, HAND): NOT_LOCKED,
    (OPEN, KEY_TO_JPH): NOT_LOCKED,
    (OPEN, J_POT): NOT_LOCKED,
    (OPEN, KEY_TO_RUN): "the key is at RUN",
    (OPEN, GAME_OVER): NOT_LOCKED,

    (LOCKED, COIN_IN): "the wagers are in",
    (LOCKED, HAND): hand_button(HAND_LIT),
    (LOCKED, KEY_TO_JPH): NO_HAND,
    (LOCKED, J_POT): NO_HAND,
    (LOCKED, KEY_TO_RUN): "the key is at RUN",
    (LOCKED, GAME_OVER): ended(KeyEffect.END),

    (HAND_LIT, COIN_IN): "the wagers are in",
    (HAND_LIT, HAND): hand_off(LOCKED),
    (HAND_LIT, KEY_TO_JPH): go(AT_JPH),
    (HAND_LIT, J_POT): "the key is not at JPH",
    (HAND_LIT, KEY_TO_RUN): "the key is at RUN",
    (HAND_LIT, GAME_OVER): _end_with_a_lit_hand,

    (AT_JPH, COIN_IN): STILL_AT_JPH,
    (AT_JPH, HAND): STILL_AT_JPH,
    (AT_JPH, KEY_TO_JPH): "the key is at JPH",
    (AT_JPH, J_POT): go(RECORDED, KeyEffect.RECORD),
    (AT_JPH, KEY_TO_RUN): go(HAND_LIT),
    (AT_JPH, GAME_OVER): STILL_AT_JPH,

    (RECORDED, COIN_IN): STILL_AT_JPH,
    (RECORDED, HAND): STILL_AT_JPH,
    (RECORDED, KEY_TO_JPH): "the key is at JPH",
    (RECORDED, J_POT): "the win is recorded; only a manual adjustment takes it back",
    (RECORDED, KEY_TO_RUN): cleared(LOCKED, KeyEffect.ADJUST),
    (RECORDED, GAME_OVER): STILL_AT_JPH,
}  # fmt: skip

RIGHTS = {
    COIN_IN: KeyRight(DEALER, "004 GM (6)", "{n} (4)"),
    HAND: KeyRight(DEALER, "004 GM (9)(d)", "{n} (16)(a)(iii)"),
    KEY_TO_JPH: KeyRight(SUPERVISOR, "004 GM (9)(f)", "{n} (16)(a)(iii) (read)"),
    J_POT: KeyRight(SUPERVISOR, "004 GM (9)(f)", "{n} (16)(a)(iii) (read)"),
    KEY_TO_RUN: KeyRight(SUPERVISOR, "004 GM (9)(g)", "{n} (16)(a)(v) (read)"),
    GAME_OVER: KeyRight(DEALER, "004 GM (9)(h)", "{n} (16)(a)(vi)"),
}


def _script(_rules: ProgressiveRules, due: Due, _prize: int, crew: Crew) -> list[Operation]:
    return [
        PressKey(wager=due.wager, key=HAND, by=crew.dealer, hand=Hand(due.row.hand)),
        PressKey(wager=due.wager, key=KEY_TO_JPH, by=crew.supervisor),
        PressKey(wager=due.wager, key=J_POT, by=crew.supervisor),
        PressKey(wager=due.wager, key=KEY_TO_RUN, by=crew.supervisor),
    ]


DIALECT = Dialect(
    name="game-manager",
    modes=(OPEN, LOCKED, HAND_LIT, AT_JPH, RECORDED),
    keys=(COIN_IN, HAND, KEY_TO_JPH, J_POT, KEY_TO_RUN, GAME_OVER),
    lock_key=COIN_IN,
    end_key=GAME_OVER,
    misdeal_key=None,
    supervisor_keys=True,
    half_keyed=frozenset({HAND_LIT, AT_JPH, RECORDED}),
    off_run=frozenset({AT_JPH, RECORDED}),
    rights=RIGHTS,
    next_keys={LOCKED: (HAND,), HAND_LIT: (KEY_TO_JPH,), AT_JPH: (J_POT,), RECORDED: (KEY_TO_RUN,)},
    script=_script,
    moves=MOVES,
)
