"""The nexus keypad key by key."""

import pytest

from round_engine.errors import KeyRefused
from round_engine.keypads import NEXUS, Key, KeyEffect, KeypadMode, KeypadState, KeyPress
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import Hand, Wager

RULES = load("light-and-wonder", changes={"house": {"systems": {"progressive": "nexus"}}}).progressives[
    Wager.PROGRESSIVE
]


def run(*presses: KeyPress) -> tuple[KeypadState, KeyEffect]:
    state, effect = KeypadState(mode=KeypadMode.LOCKED, lit=(1, 2)), KeyEffect.NOTHING
    for press in presses:
        pressed = NEXUS.verify(RULES, state, press)
        state, effect = pressed.state, pressed.effect
    return state, effect


SPOT = KeyPress(key=Key.POSITION, by="dana", spot=1)
HAND = KeyPress(key=Key.HAND, by="dana", hand=Hand.STRAIGHT)
CONFIRM = KeyPress(key=Key.CONFIRM, by="sam")


def card(key: Key, prize: int, by: str = "sam") -> KeyPress:
    return KeyPress(key=key, by=by, prize=prize)


def test_spot_hand_confirm_card_records_and_adjusts_at_once() -> None:
    state, effect = run(SPOT, HAND, CONFIRM, card(Key.SUPERVISOR_CARD, 600))
    assert (state.mode, state.spot, state.hand, effect) == (KeypadMode.LOCKED, None, None, KeyEffect.RECORD_AND_ADJUST)


@pytest.mark.parametrize(("prize", "supervisor_is_enough"), [(99_999, True), (100_000, False), (400_000, False)])
def test_the_level_decides_between_the_cards(prize: int, supervisor_is_enough: bool) -> None:
    assert run(SPOT, HAND, CONFIRM, card(Key.EXECUTIVE_CARD, prize))[1] is KeyEffect.RECORD_AND_ADJUST
    if supervisor_is_enough:
        assert run(SPOT, HAND, CONFIRM, card(Key.SUPERVISOR_CARD, prize))[1] is KeyEffect.RECORD_AND_ADJUST
    else:
        with pytest.raises(KeyRefused, match="takes an executive card"):
            run(SPOT, HAND, CONFIRM, card(Key.SUPERVISOR_CARD, prize))


def test_another_spot_may_be_selected_until_a_hand_is_lit() -> None:
    other = KeyPress(key=Key.POSITION, by="dana", spot=2)
    assert run(SPOT, other)[0].spot == 2
    with pytest.raises(KeyRefused, match="turn the lit hand off first"):
        run(SPOT, HAND, other)


def test_the_hand_turns_off_even_after_confirm() -> None:
    assert run(SPOT, HAND, HAND)[0].mode is KeypadMode.SPOT
    state, effect = run(SPOT, HAND, CONFIRM, HAND)
    assert (state.mode, state.hand, effect) == (KeypadMode.SPOT, None, KeyEffect.NOTHING)


def test_a_card_before_confirm() -> None:
    with pytest.raises(KeyRefused, match="press CONFIRM first"):
        run(SPOT, HAND, card(Key.SUPERVISOR_CARD, 600))
