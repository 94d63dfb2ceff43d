"""What the three keypads have in common: a small state, a total table of moves, and effects that the table carries out.

A keypad knows which sensors are lit and what has been keyed; it knows no cards, no money and no roles.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NamedTuple

from round_engine.errors import KeyRefused
from round_engine.rules.ruleset import Hand, ProgressiveRules


class Key(StrEnum):
    """Every key, switch position and card of the three dialects."""

    COIN_IN = "COIN IN"
    START_GAME = "START GAME"
    LOCK_OUT = "LOCK OUT"
    HAND = "HAND"
    POSITION = "POSITION"
    KEY_TO_JPH = "KEY TO JPH"
    KEY_TO_RUN = "KEY TO RUN"
    J_POT = "J-POT"
    CONFIRM = "CONFIRM"
    SUPERVISOR_CARD = "SUPERVISOR CARD"
    EXECUTIVE_CARD = "EXECUTIVE CARD"
    ENTER = "ENTER"
    UNDO = "UNDO"
    MISDEAL = "MISDEAL"
    GAME_OVER = "GAME OVER"
    END_GAME = "END GAME"


class KeypadMode(StrEnum):
    """Where a keypad stands."""

    OPEN = "open"  # sensors take wagers
    LOCKED = "locked"  # wagers are in, nothing keyed
    SPOT = "spot selected"
    HAND = "hand lit"
    POSITION = "position entered"
    JPH = "key at JPH"
    RECORDED = "win recorded, key at JPH"
    CONFIRMED = "confirmed, waiting for a card"


class KeyEffect(Enum):
    """What the table has to do when a key was taken."""

    NOTHING = "nothing"
    LOCK = "lock"
    RECORD = "record the win"  # written down, meter not yet moved
    ADJUST = "adjust the meter"  # for the win just recorded
    RECORD_AND_ADJUST = "record the win and adjust the meter"
    TAKE_BACK = "take the last record back"
    MISDEAL = "misdeal"
    END = "end"


class KeypadState(NamedTuple):
    """Everything a keypad remembers within a round; a plain tuple, because a round makes many."""

    mode: KeypadMode = KeypadMode.OPEN
    lit: tuple[int, ...] = ()
    hand: Hand | None = None
    spot: int | None = None
    entered: bool = False  # bad-beat: ENTER was the last function, so that UNDO takes the win back


class KeyPress(NamedTuple):
    """One key, by whom, with its hand or position where it has one."""

    key: Key
    by: str
    hand: Hand | None = None
    spot: int | None = None
    prize: int = 0  # nexus: what the keyed win would pay, for the level of the card


class Pressed(NamedTuple):
    """What a key led to."""

    state: KeypadState
    effect: KeyEffect = KeyEffect.NOTHING


Move = Callable[[ProgressiveRules, KeypadState, KeyPress], Pressed]
Moves = Mapping[tuple[KeypadMode, Key], Move | str]
"""For every mode and key of a dialect, the move, or the reason why there is none."""


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """One kind of keypad."""

    name: str
    modes: tuple[KeypadMode, ...]
    keys: tuple[Key, ...]
    lock_key: Key
    end_key: Key
    misdeal_key: Key | None
    supervisor_keys: bool  # whether a supervisor confirms at the keypad; else before the dealer does
    moves: Moves

    def verify(self, rules: ProgressiveRules, state: KeypadState, press: KeyPress) -> Pressed:
        """What the key would lead to; refuses one that is not on this keypad or not taken now."""
        if press.key not in self.keys:
            raise KeyRefused(f"the {self.name} keypad has no {press.key} key; it has {', '.join(self.keys)}")
        if not press.by:
            raise KeyRefused(f"{press.key}: say who presses it")
        move = self.moves[state.mode, press.key]
        if isinstance(move, str):
            raise KeyRefused(f"{self.name}: {press.key} is not taken while {state.mode.value}: {move}")
        return move(rules, state, press)


# --- moves that dialects share ---------------------------------------------------------------------------------------


def go(mode: KeypadMode, effect: KeyEffect = KeyEffect.NOTHING) -> Move:
    """Go to a mode and keep what is keyed."""

    def move(_rules: ProgressiveRules, state: KeypadState, _press: KeyPress) -> Pressed:
        return Pressed(state=state._replace(mode=mode), effect=effect)

    return move


def cleared(mode: KeypadMode, effect: KeyEffect = KeyEffect.NOTHING) -> Move:
    """Go to a mode with nothing keyed."""

    def move(_rules: ProgressiveRules, state: KeypadState, _press: KeyPress) -> Pressed:
        return Pressed(state=KeypadState(mode=mode, lit=state.lit), effect=effect)

    return move


def ended(effect: KeyEffect) -> Move:
    """Back to the start, sensors dark."""

    def move(_rules: ProgressiveRules, _state: KeypadState, _press: KeyPress) -> Pressed:
        return Pressed(state=KeypadState(), effect=effect)

    return move


def hand_button(mode: KeypadMode) -> Move:
    """Light a hand."""

    def move(_rules: ProgressiveRules, state: KeypadState, press: KeyPress) -> Pressed:
        if press.hand is None:
            raise KeyRefused("a hand button needs the hand it stands for")
        return Pressed(state=state._replace(mode=mode, hand=press.hand))

    return move


def hand_off(mode: KeypadMode) -> Move:
    """The lit hand's button again turns it off; another hand's is refused."""

    def move(_rules: ProgressiveRules, state: KeypadState, press: KeyPress) -> Pressed:
        if press.hand != state.hand:
            raise KeyRefused(f"{state.hand} is lit: press it again to turn it off before another hand")
        return Pressed(state=state._replace(mode=mode, hand=None))

    return move


def lit_spot(state: KeypadState, press: KeyPress) -> int:
    """The pressed position; refuses one whose sensor is dark."""
    if press.spot is None or press.spot not in state.lit:
        raise KeyRefused(f"position {press.spot} has no progressive wager; lit are {list(state.lit)}")
    return press.spot
