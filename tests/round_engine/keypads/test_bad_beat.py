"""The bad-beat keypad key by key."""

import pytest

from round_engine.errors import KeyRefused
from round_engine.keypads import DIALECTS, KeyEffect, KeypadState, KeyPress
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import Hand

HAND = KeyPress(key="HAND", by="dana", hand=Hand.PAIR)
POSITION = KeyPress(key="POSITION", by="dana", spot=1)
ENTER = KeyPress(key="ENTER", by="dana")
UNDO = KeyPress(key="UNDO", by="dana")
MISDEAL = KeyPress(key="MISDEAL", by="dana")


def run(*presses: KeyPress, undo_covers_enter: bool = True) -> tuple[KeypadState, KeyEffect]:
    changes = {"bad_beat": {"undo_covers_enter": undo_covers_enter}}
    rules = load("ten-dollar-house", sides=["bad-beat"], changes=changes).progressives["bad_beat"]
    state, effect = KeypadState(mode="locked", lit=(1, 2)), KeyEffect.NOTHING
    for press in presses:
        pressed = DIALECTS["bad-beat"].verify(rules, state, press)
        state, effect = pressed.state, pressed.effect
    return state, effect


def test_hand_position_enter_records_and_adjusts() -> None:
    state, effect = run(HAND, POSITION, ENTER)
    assert (state.mode, state.hand, state.spot, effect) == ("locked", None, None, KeyEffect.RECORD_AND_ADJUST)


def test_undo_takes_back_a_hand_a_position_or_an_entered_win() -> None:
    assert run(HAND, UNDO)[0] == run()[0]
    assert run(HAND, POSITION, UNDO)[0] == run(HAND)[0]
    state, effect = run(HAND, POSITION, ENTER, UNDO)
    assert (state, effect) == (run()[0], KeyEffect.TAKE_BACK)


@pytest.mark.parametrize("presses", [(UNDO,), (HAND, UNDO, UNDO), (HAND, POSITION, ENTER, UNDO, UNDO),
                                     (HAND, POSITION, ENTER, HAND, UNDO, UNDO)])  # fmt: skip
def test_undo_goes_one_function_back(presses: tuple[KeyPress, ...]) -> None:
    run(*presses[:-1])
    with pytest.raises(KeyRefused, match="UNDO goes one function back"):
        run(*presses)


def test_undo_may_leave_an_entered_win_alone() -> None:
    with pytest.raises(KeyRefused, match="there is no function to undo"):
        run(HAND, POSITION, ENTER, UNDO, undo_covers_enter=False)


@pytest.mark.parametrize("before", [(), (HAND,), (HAND, POSITION)])
def test_misdeal_kills_the_round_from_anywhere(before: tuple[KeyPress, ...]) -> None:
    assert run(*before, MISDEAL) == (KeypadState(), KeyEffect.MISDEAL)


def test_hand_and_position_are_keyed_once() -> None:
    with pytest.raises(KeyRefused, match="a hand is keyed; UNDO takes it back"):
        run(HAND, HAND)
    with pytest.raises(KeyRefused, match="a position is keyed; UNDO takes it back"):
        run(HAND, POSITION, POSITION)

