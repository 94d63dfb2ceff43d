"""The game-manager keypad key by key."""

import pytest

from round_engine.errors import KeyRefused
from round_engine.keypads import GAME_MANAGER, Key, KeyEffect, KeypadMode, KeypadState, KeyPress
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import Hand, Wager

RULES = load("light-and-wonder").progressives[Wager.PROGRESSIVE]


def run(*keys: tuple[Key, str, Hand | None]) -> tuple[KeypadState, list[KeyEffect]]:
    state, effects = KeypadState(mode=KeypadMode.LOCKED, lit=(1, 2)), []
    for key, by, hand in keys:
        pressed = GAME_MANAGER.verify(RULES, state, KeyPress(key=key, by=by, hand=hand))
        state = pressed.state
        effects.append(pressed.effect)
    return state, effects


LIGHT = (Key.HAND, "dana", Hand.STRAIGHT)
JPH, J_POT, RUN = (Key.KEY_TO_JPH, "sam", None), (Key.J_POT, "sam", None), (Key.KEY_TO_RUN, "sam", None)


def test_hand_jph_j_pot_run_records_then_adjusts() -> None:
    state, effects = run(LIGHT, JPH, J_POT, RUN)
    assert effects == [KeyEffect.NOTHING, KeyEffect.NOTHING, KeyEffect.RECORD, KeyEffect.ADJUST]
    assert (state.mode, state.hand) == (KeypadMode.LOCKED, None)


def test_the_key_turned_back_without_j_pot_leaves_the_hand_lit() -> None:
    state, effects = run(LIGHT, JPH, RUN)
    assert set(effects) == {KeyEffect.NOTHING}
    assert (state.mode, state.hand) == (KeypadMode.HAND, Hand.STRAIGHT)


def test_the_same_button_turns_the_hand_off_and_another_is_refused() -> None:
    assert run(LIGHT, LIGHT)[0].mode is KeypadMode.LOCKED
    with pytest.raises(KeyRefused, match="straight is lit: press it again to turn it off"):
        run(LIGHT, (Key.HAND, "dana", Hand.THREE_OF_A_KIND))


@pytest.mark.parametrize("key", [Key.J_POT, Key.GAME_OVER, Key.COIN_IN, Key.KEY_TO_JPH])
def test_while_recorded_only_the_way_back_to_run_is_open(key: Key) -> None:
    with pytest.raises(KeyRefused, match="is not taken while win recorded"):
        run(LIGHT, JPH, J_POT, (key, "sam", None))
