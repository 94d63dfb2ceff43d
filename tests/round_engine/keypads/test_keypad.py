"""What holds for all three keypads: total tables, every mode reached, a refused key changes nothing."""

from itertools import product

import pytest

from round_engine.errors import KeyRefused
from round_engine.keypads import DIALECTS, Dialect, Key, KeyEffect, KeypadState, KeyPress
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import Hand, ProgressiveRules

LIGHT = load("light-and-wonder", sides=["bad-beat"])
NEXUS = load("light-and-wonder", changes={"house": {"systems": {"progressive": "nexus"}}})
RULES: dict[str, ProgressiveRules] = {
    "game-manager": LIGHT.progressives["progressive"],
    "nexus": NEXUS.progressives["progressive"],
    "bad-beat": LIGHT.progressives["bad_beat"],
}
each = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=list(DIALECTS))


def press(dialect: Dialect, state: KeypadState, key: Key, **more: object) -> KeypadState:
    by = {"by": "sam"} | more
    return dialect.verify(RULES[dialect.name], state, KeyPress(key=key, **by)).state  # type: ignore[arg-type]


@each
def test_the_table_is_total(dialect: Dialect) -> None:
    assert set(dialect.moves) == set(product(dialect.modes, dialect.keys))


@each
def test_every_mode_is_reached_and_every_key_taken_somewhere(dialect: Dialect) -> None:
    start = KeypadState(lit=(1, 2))
    seen, todo, taken = {start.mode}, [start], set()
    while todo:
        state = todo.pop()
        for key, hand, spot in product(dialect.keys, (Hand.STRAIGHT, Hand.STRAIGHT_FLUSH), (1, 2)):
            try:
                after = press(dialect, state, key, hand=hand, spot=spot)
            except KeyRefused:
                continue
            taken.add(key)
            after = KeypadState(
                mode=after.mode, lit=(1, 2), hand=after.hand, spot=after.spot, entered=after.entered
            )
            if after.mode not in seen or (after.entered and key == "ENTER"):
                seen.add(after.mode)
                todo.append(after)
    assert seen == set(dialect.modes)
    assert taken == set(dialect.keys)


@each
def test_a_key_of_another_keypad_is_refused(dialect: Dialect) -> None:
    every = {key for other in DIALECTS.values() for key in other.keys}
    for key in every - set(dialect.keys):
        with pytest.raises(KeyRefused, match=f"the {dialect.name} keypad has no {key} key"):
            press(dialect, KeypadState(), key)


@each
def test_a_key_that_nobody_presses_is_refused(dialect: Dialect) -> None:
    with pytest.raises(KeyRefused, match="say who presses it"):
        press(dialect, KeypadState(), dialect.lock_key, by="")


@each
def test_lock_and_end_keys_lock_and_end(dialect: Dialect) -> None:
    rules = RULES[dialect.name]
    locked = dialect.verify(rules, KeypadState(), KeyPress(key=dialect.lock_key, by="dana"))
    assert (locked.state.mode, locked.effect) == ("locked", KeyEffect.LOCK)
    ended = dialect.verify(rules, locked.state, KeyPress(key=dialect.end_key, by="dana"))
    assert (ended.state, ended.effect) == (KeypadState(), KeyEffect.END)


@each
def test_a_hand_button_needs_a_hand_and_a_position_a_lit_one(dialect: Dialect) -> None:
    locked = KeypadState(mode="locked", lit=(2,))
    if dialect.name == "nexus":
        with pytest.raises(KeyRefused, match="position 1 has no progressive wager; lit are \\[2\\]"):
            press(dialect, locked, "POSITION", spot=1)
        locked = press(dialect, locked, "POSITION", spot=2)
    with pytest.raises(KeyRefused, match="a hand button needs the hand"):
        press(dialect, locked, "HAND")
    if dialect.name == "bad-beat":
        keyed = press(dialect, locked, "HAND", hand=Hand.PAIR)
        with pytest.raises(KeyRefused, match="position None has no progressive wager"):
            press(dialect, keyed, "POSITION")


@each
def test_the_end_key_waits_for_a_lit_hand_unless_the_setting_lets_it(dialect: Dialect) -> None:
    lit = KeypadState(mode="hand lit", lit=(1,), hand=Hand.STRAIGHT, spot=1)
    with pytest.raises(KeyRefused):
        press(dialect, lit, dialect.end_key)
    section = {"bad_beat": {"end_needs_confirmation": False}, "progressive": {"end_needs_confirmation": False}}
    free = load("light-and-wonder", sides=["bad-beat"], changes=section)
    rules = free.progressives["bad_beat" if dialect.name == "bad-beat" else "progressive"]
    assert dialect.verify(rules, lit, KeyPress(key=dialect.end_key, by="dana")).effect is KeyEffect.END
