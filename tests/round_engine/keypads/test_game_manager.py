"""The game-manager keypad key by key."""

import pytest

from round_engine.errors import KeyRefused
from round_engine.keypads import DIALECTS, Key, KeyEffect, KeypadState, KeyPress
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import Hand

RULES = load("light-and-wonder").progressives["progressive"]


def run(*keys: tuple[Key, str, Hand | None]) -> tuple[KeypadState, list[KeyEffect]]:
    state, effects = KeypadState(mode="locked", lit=(1, 2)), []
    for key, by, hand in keys:
        pressed = DIALECTS["game-manager"].verify(RULES, state, KeyPress(key=key, by=by, hand=hand))
        state = pressed.state
        effects.append(pressed.effect)
    return state, effects


LIGHT = ("HAND", "dana", Hand.STRAIGHT)
JPH, J_POT, RUN = ("KEY TO JPH", "sam", None), ("J-POT", "sam", None), ("KEY TO RUN", "sam", None)


def test_hand_jph_j_pot_run_records_then_adjusts() -> None:
    state, effects = run(LIGHT, JPH, J_POT, RUN)
    assert effects == [KeyEffect.NOTHING, KeyEffect.NOTHING, KeyEffect.RECORD, KeyEffect.ADJUST]
    assert (state.mode, state.hand) == ("locked", None)


def test_the_key_turned_back_without_j_pot_leaves_the_hand_lit() -> None:
    state, effects = run(LIGHT, JPH, RUN)
    assert set(effects) == {KeyEffect.NOTHING}
    assert (state.mode, state.hand) == ("hand lit", Hand.STRAIGHT)


def test_the_same_button_turns_the_hand_off_and_another_is_refused() -> None:
    assert run(LIGHT, LIGHT)[0].mode == "locked"
    with pytest.raises(KeyRefused, match="straight is lit: press it again to turn it off"):
        run(LIGHT, ("HAND", "dana", Hand.THREE_OF_A_KIND))


@pytest.mark.parametrize("key", ["J-POT", "GAME OVER", "COIN IN", "KEY TO JPH"])
def test_while_recorded_only_the_way_back_to_run_is_open(key: Key) -> None:
    with pytest.raises(KeyRefused, match="is not taken while win recorded"):
        run(LIGHT, JPH, J_POT, (key, "sam", None))
