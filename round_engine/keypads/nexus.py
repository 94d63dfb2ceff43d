"""The `nexus` keypad: START GAME, spot then hand, CONFIRM, a supervisor's or executive's card, END GAME.

Light & Wonder manual, Progressive on Nexus Command and GM Atlas, (6) and (9)(d) to (h).
"""

from round_engine.errors import KeyRefused, StaffError
from round_engine.keypads.keypad import (
    DEALER,
    EXECUTIVE,
    HAND,
    LOCKED,
    OPEN,
    POSITION,
    SUPERVISOR,
    Crew,
    Dialect,
    KeyEffect,
    KeypadState,
    KeyPress,
    KeyRight,
    Moves,
    Pressed,
    ended,
    go,
    hand_button,
    hand_off,
    lit_spot,
)
from round_engine.meters.awards import Due
from round_engine.money import dollars
from round_engine.round.operations import Operation, PressKey
from round_engine.rules.ruleset import Hand, ProgressiveRules
from round_engine.staff import StaffRole

START_GAME = "START GAME"
CONFIRM = "CONFIRM"
SUPERVISOR_CARD = "SUPERVISOR CARD"
EXECUTIVE_CARD = "EXECUTIVE CARD"
END_GAME = "END GAME"

SPOT = "spot selected"
HAND_LIT = "hand lit"
CONFIRMED = "confirmed, waiting for a card"


def _select(_rules: ProgressiveRules, state: KeypadState, press: KeyPress) -> Pressed:
    return Pressed(state=state._replace(mode=SPOT, spot=lit_spot(state, press)))


def _swipe(rules: ProgressiveRules, state: KeypadState, press: KeyPress) -> Pressed:
    if press.key == SUPERVISOR_CARD and press.prize >= rules.executive_from:
        raise KeyRefused(
            f"{dollars(press.prize)} takes an executive card: it is {dollars(rules.executive_from)} or more"
        )
    after = KeypadState(mode=LOCKED, lit=state.lit)
    return Pressed(state=after, effect=KeyEffect.RECORD_AND_ADJUST)


def _end_with_a_lit_hand(rules: ProgressiveRules, _state: KeypadState, _press: KeyPress) -> Pressed:
    if rules.end_needs_confirmation:
        raise KeyRefused("a hand is lit and not recorded: turn it off, or confirm it and swipe a card")
    return Pressed(state=KeypadState(), effect=KeyEffect.END)


NOT_STARTED = "press START GAME first"
NO_SPOT = "select the winner's spot first"
NO_HAND = "press the winning hand first"
STARTED = "the game is started"
LIT = "turn the lit hand off first"
CARD = "the win waits for a supervisor's or executive's card"

MOVES: Moves = {
    (OPEN, START_GAME): go(LOCKED, KeyEffect.LOCK),
    (OPEN, POSITION): NOT_STARTED,
    (OPEN, HAND): NOT_STARTED,
    (OPEN, CONFIRM): NOT_STARTED,
    (OPEN, SUPERVISOR_CARD): NOT_STARTED,
    (OPEN, EXECUTIVE_CARD): NOT_STARTED,
    (OPEN, END_GAME): NOT_STARTED,

    (LOCKED, START_GAME): STARTED,
    (LOCKED, POSITION): _select,
    (LOCKED, HAND): NO_SPOT,
    (LOCKED, CONFIRM): NO_SPOT,
    (LOCKED, SUPERVISOR_CARD): NO_SPOT,
    (LOCKED, EXECUTIVE_CARD): NO_SPOT,
    (LOCKED, END_GAME): ended(KeyEffect.END),

    (SPOT, START_GAME): STARTED,
    (SPOT, POSITION): _select,
    (SPOT, HAND): hand_button(HAND_LIT),
    (SPOT, CONFIRM): NO_HAND,
    (SPOT, SUPERVISOR_CARD): NO_HAND,
    (SPOT, EXECUTIVE_CARD): NO_HAND,
    (SPOT, END_GAME): ended(KeyEffect.END),

    (HAND_LIT, START_GAME): STARTED,
    (HAND_LIT, POSITION): LIT,
    (HAND_LIT, HAND): hand_off(SPOT),
    (HAND_LIT, CONFIRM): go(CONFIRMED),
    (HAND_LIT, SUPERVISOR_CARD): "press CONFIRM first",
    (HAND_LIT, EXECUTIVE_CARD): "press CONFIRM first",
    (HAND_LIT, END_GAME): _end_with_a_lit_hand,

    (CONFIRMED, START_GAME): STARTED,
    (CONFIRMED, POSITION): CARD,
    (CONFIRMED, HAND): hand_off(SPOT),
    (CONFIRMED, CONFIRM): CARD,
    (CONFIRMED, SUPERVISOR_CARD): _swipe,
    (CONFIRMED, EXECUTIVE_CARD): _swipe,
    (CONFIRMED, END_GAME): _end_with_a_lit_hand,
}  # fmt: skip

RIGHTS = {
    START_GAME: KeyRight(DEALER, "004 Nexus (6)", "{n} (4)"),
    POSITION: KeyRight(DEALER, "004 Nexus (9)(d)", "{n} (16)(a)(iii)"),
    HAND: KeyRight(DEALER, "004 Nexus (9)(d)", "{n} (16)(a)(iii)"),
    CONFIRM: KeyRight(SUPERVISOR, "004 Nexus (9)(f)", "{n} (16)(a)(iii) (read)"),
    SUPERVISOR_CARD: KeyRight(SUPERVISOR, "004 Nexus (9)(f)", "{n} (16)(a)(iii) (read)"),
    EXECUTIVE_CARD: KeyRight(EXECUTIVE, "004 Nexus (9)(f)", "{n} (16)(a)(iii) (read)"),
    END_GAME: KeyRight(DEALER, "004 Nexus (9)(g)", "{n} (16)(a)(vi)"),
}


def _script(rules: ProgressiveRules, due: Due, prize: int, crew: Crew) -> list[Operation]:
    """The prize decides between a supervisor's and an executive's card."""
    card = PressKey(wager=due.wager, key=SUPERVISOR_CARD, by=crew.supervisor)
    if prize >= rules.executive_from:
        card = PressKey(wager=due.wager, key=EXECUTIVE_CARD, by=_executive(rules, crew))
    return [
        PressKey(wager=due.wager, key=POSITION, by=crew.dealer, spot=due.spot),
        PressKey(wager=due.wager, key=HAND, by=crew.dealer, hand=Hand(due.row.hand)),
        PressKey(wager=due.wager, key=CONFIRM, by=crew.supervisor),
        card,
    ]


def _executive(rules: ProgressiveRules, crew: Crew) -> str:
    """Return who swipes an executive's card: the supervisor who holds one, else the first on the staff who does."""
    holding = crew.staff.holding(StaffRole.EXECUTIVE)
    if crew.supervisor in holding or not rules.confirmer_is_not_the_dealer:
        return crew.supervisor
    if not holding:
        raise StaffError("this prize takes an executive's card, and nobody on the staff holds one")
    return holding[0]


DIALECT = Dialect(
    name="nexus",
    modes=(OPEN, LOCKED, SPOT, HAND_LIT, CONFIRMED),
    keys=(
        START_GAME, POSITION, HAND, CONFIRM, SUPERVISOR_CARD, EXECUTIVE_CARD, END_GAME,
    ),
    lock_key=START_GAME,
    end_key=END_GAME,
    misdeal_key=None,
    supervisor_keys=True,
    half_keyed=frozenset({HAND_LIT, CONFIRMED}),
    needs_executive=True,
    rights=RIGHTS,
    next_keys={LOCKED: (POSITION,), SPOT: (HAND,), HAND_LIT: (CONFIRM,), CONFIRMED: (SUPERVISOR_CARD, EXECUTIVE_CARD)},
    script=_script,
    moves=MOVES,
)  # fmt: skip
