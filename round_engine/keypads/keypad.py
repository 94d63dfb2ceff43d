"""What keypads have in common: a small state, a total table of moves, and effects that the table carries out.

A keypad knows which sensors are lit and what has been keyed; it knows no cards, no money and no roles.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from round_engine.errors import KeyRefused
from round_engine.meters.awards import Due
from round_engine.round.operations import Operation
from round_engine.rules.ruleset import Hand, ProgressiveRules
from round_engine.staff import Staff, StaffRole

Key = str
"""The label of a key, a switch position or a card; each dialect names its own."""
HAND, POSITION = "HAND", "POSITION"
"""The keys that come with a hand or a spot."""

KeypadMode = str
"""What a keypad shows that it is doing; each dialect names its own beside these two."""
OPEN = "open"  # sensors take wagers
LOCKED = "locked"  # wagers are in, nothing keyed


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

    mode: KeypadMode = OPEN
    lit: tuple[int, ...] = ()
    hand: Hand | None = None
    spot: int | None = None
    entered: bool = False  # the last function recorded a win, so that UNDO takes it back


class KeyPress(NamedTuple):
    """One key, by whom, with its hand or position where it has one."""

    key: Key
    by: str
    hand: Hand | None = None
    spot: int | None = None
    prize: int = 0  # what the keyed win would pay


class Pressed(NamedTuple):
    """What a key led to."""

    state: KeypadState
    effect: KeyEffect = KeyEffect.NOTHING


Move = Callable[[ProgressiveRules, KeypadState, KeyPress], Pressed]
Moves = Mapping[tuple[KeypadMode, Key], Move | str]
"""For every mode and key of a dialect, the move, or the reason why there is none."""


DEALER, SUPERVISOR, EXECUTIVE = (StaffRole.DEALER,), (StaffRole.SUPERVISOR,), (StaffRole.EXECUTIVE,)


class KeyRight(NamedTuple):
    """Who may press a key, the clause of the keypad's own document, and that of a statute ("{n}": its number)."""

    roles: tuple[StaffRole, ...]
    clause: str
    in_statute: str


class Crew(NamedTuple):
    """Who works a keypad."""

    dealer: str
    supervisor: str
    staff: Staff


Script = Callable[[ProgressiveRules, Due, int, Crew], list[Operation]]
"""The operations that record one win of a prize, in order."""


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
    half_keyed: frozenset[KeypadMode]  # a win is keyed and not recorded
    off_run: frozenset[KeypadMode] = frozenset()  # the key switch is off RUN, so that nothing can be paid or ended
    needs_executive: bool = False  # whether large prizes take an executive's card
    rights: Mapping[Key, KeyRight]
    next_keys: Mapping[KeypadMode, tuple[Key, ...]]  # the keys that record a win, mode by mode
    script: Script
    moves: Moves

    def verify(self, rules: ProgressiveRules, state: KeypadState, press: KeyPress) -> Pressed:
        """What the key would lead to; refuses one that is not on this keypad or not taken now."""
        if press.key not in self.keys:
            raise KeyRefused(f"the {self.name} keypad has no {press.key} key; it has {', '.join(self.keys)}")
        if not press.by:
            raise KeyRefused(f"{press.key}: say who presses it")
        move = self.moves[state.mode, press.key]
        if isinstance(move, str):
            raise KeyRefused(f"{self.name}: {press.key} is not taken while {state.mode}: {move}")
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
