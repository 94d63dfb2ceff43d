"""The nexus keypad key by key."""

import pytest

from round_engine.errors import KeyRefused
from round_engine.keypads import DIALECTS, Key, KeyEffect, KeypadState, KeyPress
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import Hand

RULES = load("light-and-wonder", changes={"house": {"systems": {"progressive": "nexus"}}}).progressives[
    "progressive"
]


def run(*presses: KeyPress) -> tuple[KeypadState, KeyEffect]:
    state, effect = KeypadState(mode="locked", lit=(1, 2)), KeyEffect.NOTHING
    for press in presses:
        pressed = DIALECTS["nexus"].verify(RULES, state, press)
        state, effect = pressed.state, pressed.effect
    return state, effect


SPOT = KeyPress(key="POSITION", by="dana", spot=1)
HAND = KeyPress(key="HAND", by="dana", hand=Hand.STRAIGHT)
CONFIRM = KeyPress(key="CONFIRM", by="sam")


def card(key: Key, prize: int, by: str = "sam") -> KeyPress:
    return KeyPress(key=key, by=by, prize=prize)


def test_spot_hand_confirm_card_records_and_adjusts_at_once() -> None:
    state, effect = run(SPOT, HAND, CONFIRM, card("SUPERVISOR CARD", 600))
    assert (state.mode, state.spot, state.hand, effect) == ("locked", None, None, KeyEffect.RECORD_AND_ADJUST)


@pytest.mark.parametrize(("prize", "supervisor_is_enough"), [(99_999, True), (100_000, False), (400_000, False)])
def test_the_level_decides_between_the_cards(prize: int, supervisor_is_enough: bool) -> None:
    assert run(SPOT, HAND, CONFIRM, card("EXECUTIVE CARD", prize))[1] is KeyEffect.RECORD_AND_ADJUST
    if supervisor_is_enough:
        assert run(SPOT, HAND, CONFIRM, card("SUPERVISOR CARD", prize))[1] is KeyEffect.RECORD_AND_ADJUST
    else:
        with pytest.raises(KeyRefused, match="takes an executive card"):
            run(SPOT, HAND, CONFIRM, card("SUPERVISOR CARD", prize))


def test_another_spot_may_be_selected_until_a_hand_is_lit() -> None:
    other = KeyPress(key="POSITION", by="dana", spot=2)
    assert run(SPOT, other)[0].spot == 2
    with pytest.raises(KeyRefused, match="turn the lit hand off first"):
        run(SPOT, HAND, other)


def test_the_hand_turns_off_even_after_confirm() -> None:
    assert run(SPOT, HAND, HAND)[0].mode == "spot selected"
    state, effect = run(SPOT, HAND, CONFIRM, HAND)
    assert (state.mode, state.hand, effect) == ("spot selected", None, KeyEffect.NOTHING)


def test_a_card_before_confirm() -> None:
    with pytest.raises(KeyRefused, match="press CONFIRM first"):
        run(SPOT, HAND, card("SUPERVISOR CARD", 600))
