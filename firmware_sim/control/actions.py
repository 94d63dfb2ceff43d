"""Tester actions: everything a tester can do to a device and its world that no table controller can.

`Actions` has one method an action and `ACTIONS` one row: name, label, parameters. The in-process control plane, the
kit's verbs, scenario steps, set-ups, the API's routes and the page's labels all come from these two. Whatever touches
the order of cards marks the shuffle as rigged, on the wire and in the log.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from firmware_sim.control.cards import card_codes
from firmware_sim.control.injections import BY_NAME, Trigger, check_options, trigger_from
from firmware_sim.control.injector import Injector
from firmware_sim.control.parameters import (
    MAX_ID,
    MAX_SEAT,
    Cards,
    ConditionValue,
    Face,
    Flag,
    HandsBySeat,
    NamedValues,
    Number,
    Numbers,
    OneOf,
    Parameter,
    Schema,
    Whole,
)
from firmware_sim.control.world import PowerLost, World
from firmware_sim.errors import BadCall, BadControl
from firmware_sim.machine.mechanism import Mechanism
from firmware_sim.machine.profile import Profile
from firmware_sim.machine.shuffling import AS_DRAWN, OrderSource
from firmware_sim.program.firmware import Firmware
from firmware_sim.program.groups import plan_groups
from firmware_sim.program.panel import BUTTONS
from protocol.cards import JOKER
from protocol.messages import DEALER_SEAT
from protocol.vocabulary import PowerUpCause
from strict_toml import Document, Section

MAX_CARDS = 432  # eight decks of 54
MAX_TIMES = 1_000_000
MAX_RATE = 100_000
MAX_STEPS = 10_000
DAY_S = 86_400.0

Result = TypeVar("Result")


class Actions:
    """What a tester can do; each public method is one row of ACTIONS."""

    _profile: Profile
    _machine: Mechanism
    _engine: OrderSource | None
    _firmware: Callable[[], Firmware]
    _world: World
    injector: Injector

    # --------------------------------------------------------------------------------------------------------- rigging

    def rig_deck(self, order: str | Sequence[int]) -> None:
        """The next shuffle deals these cards first, in this order; the rest as drawn. Marked as rigged."""
        codes = card_codes(order)
        limit = max(game.deck_cards for game in self._profile.games) * self._profile.build.decks
        if len(codes) > limit:
            raise BadControl(f"{len(codes)} cards are more than a deck of {limit} has")
        twice = next((code for code in codes if codes.count(code) > self._profile.build.decks), None)
        if twice is not None and twice != JOKER:
            raise BadControl(f"face {twice} is asked for more often than the deck has it")
        self._rig().rigged.append(codes)

    def rig_hands(self, hands: Mapping[int, str | Sequence[int]], seats: Sequence[int] | None = None) -> None:
        """The next shuffle gives these seats (0 the dealer) these cards, in a round dealt to `seats` (all).

        Cards that are not named stay as drawn. Marked as rigged.
        """
        game = self._firmware().board.game
        at_table = sorted(seats) if seats is not None else list(range(1, game.groups + 1))
        mask = sum(1 << (seat - 1) for seat in at_table if 1 <= seat <= game.groups)
        if not at_table or mask.bit_count() != len(at_table):
            raise BadControl(f"{game.name} has seats 1 to {game.groups}")
        wanted = {seat: card_codes(cards) for seat, cards in hands.items()}
        groups = plan_groups(game, mask, self._profile.is_shoe)
        sizes = {seat: sum(group.size for group in groups if group.seat == seat) for seat in (*at_table, DEALER_SEAT)}
        for seat, cards in wanted.items():
            if sizes.get(seat) != len(cards):
                raise BadControl(f"seat {seat} gets {sizes.get(seat, 0)} cards in this round, not {len(cards)}")
        named = [card for cards in wanted.values() for card in cards]
        if len(set(named)) != len(named) and self._profile.build.decks == 1:
            raise BadControl("a card can't be in two hands")
        seats_in_order = [group.seat for group in groups for _ in range(group.size)]
        order = [wanted[seat].pop(0) if seat in wanted else AS_DRAWN for seat in seats_in_order]
        self._rig().rigged.append(order)

    def wear(self, mechanism: Mapping[str, Any]) -> None:
        """Give the shuffling mechanism imperfections of its kernel; an empty table removes them."""
        try:
            self._rig().wear(**mechanism)
        except (TypeError, ValueError) as problem:
            raise BadControl(f"the mechanism does not take that: {problem}") from None

    def unrig(self) -> None:
        """Discard all rigged decks and remove the mechanism's imperfections."""
        rig = self._rig()
        rig.rigged.clear()
        rig.wear()

    # ---------------------------------------------------------------------------------------------------------- faults

    def inject(
        self,
        name: str,
        trigger: Trigger | None = None,
        *,
        at_card: int | None = None,
        at_s: float | None = None,
        when: str | None = None,
        rate: float = 0.0,
        times: int = 1,
        clear_after_s: float | None = None,
        by_hand: bool = False,
        retries: int | None = None,
        **options: Any,
    ) -> None:
        """Cause a fault at once, or when one of at_card, at_s, when and rate says."""
        if trigger is None:
            trigger = trigger_from(
                at_card=at_card, at_s=at_s, when=when, rate=rate, times=times, clear_after_s=clear_after_s,
                by_hand=by_hand, retries=retries,
            )  # fmt: skip
        try:
            self.injector.inject(name, trigger, **options)
        except PowerLost as lost:
            self._world.lose_power(lost)
        self.attach()

    def clear(self, name: str | None = None) -> int:
        """Undo active and cancel armed injections, by name or all; return the count."""
        return self.injector.clear(name)

    # ----------------------------------------------------------------------------------------------------------- hands

    def lay_in(self, cards: Sequence[int] | None = None) -> None:
        """Put cards that are aside, or all of them, into the infeed tray."""
        aside = self._machine.places.aside
        chosen = list(aside) if cards is None else list(cards)
        if not chosen or not set(chosen) <= set(aside):
            raise BadControl("there are no such cards beside the machine to lay in")
        self._machine.put_in_infeed(chosen)

    def take_from_infeed(self) -> list[int]:
        """Take all cards out of the infeed tray."""
        return self._machine.take_from_infeed()

    def lift(self, count: int | None = None) -> list[int]:
        """Take cards, or all, from the output tray."""
        return self._machine.lift(count)

    def put_back(self, count: int = 1) -> None:
        """Put the last cards taken back into the output tray."""
        table = self._machine.places.table
        if count > len(table):
            raise BadControl(f"{len(table)} cards lie on the table, {count} can't be put back")
        self._machine.put_in_tray(table[len(table) - count :])

    def draw(self, count: int = 1) -> list[int]:
        """Pull cards out of the exit although none were requested."""
        return self._machine.draw(count)

    def gather(self) -> list[int]:
        """Pick up all cards from the table."""
        return self._machine.gather()

    def leave_inside(self, count: int) -> None:
        """Leave cards of the deck that lies in the infeed tray or aside in the rack."""
        self._machine.leave_inside(count)

    def empty_inside(self) -> list[int]:
        """Take every card out through the open door."""
        if not self._machine.door_open:
            raise BadControl("the door is closed: open it first")
        return self._machine.empty_inside()

    def open_door(self) -> None:
        """Open the door."""
        self._machine.move_door(True)

    def close_door(self) -> None:
        """Close the door."""
        self._machine.move_door(False)

    def press(self, button: str) -> None:
        """Press a button of the front panel."""
        if button not in BUTTONS:
            raise BadControl(f"there is no button {button!r}; there are {', '.join(BUTTONS)}")
        self._machine.press(button)

    # ------------------------------------------------------------------------------------------------ power and cable

    def switch_on(self) -> None:
        """Switch the device on."""
        self._world.switch_on()

    def switch_off(self) -> None:
        """Switch the device off and leave it off."""
        self._world.switch_off()

    def cut_power(self) -> None:
        """Cut the power and restore it."""
        self._world.lose_power(PowerLost(PowerUpCause.POWER_RETURNED))

    def unplug(self) -> None:
        """Pull the data cable and leave it out."""
        self._world.unplug()

    def plug(self) -> None:
        """Plug the data cable in."""
        self._world.plug()

    # ------------------------------------------------------------------------------------------------------------ time

    def advance(self, seconds: float) -> None:
        """Let the machine's time run ahead at once: motors, people, timers and calendar, not the line's time."""
        if seconds < 0:
            raise BadControl(f"time does not run back: {seconds:g} s")
        self._world.turn_clock(int(seconds * 1_000_000))

    def run_at(self, rate: float) -> None:
        """Set how fast the machine's clock runs; 1 is real time, 0 pauses it."""
        self._world.set_rate(rate)

    def step(self, count: int = 1) -> float:
        """Let the next things happen that are due in the machine; return the seconds that passed."""
        passed = 0
        for _ in range(count):
            if (due := self._world.next_due()) is None:
                break
            self._world.turn_clock(due)
            passed += due
        return passed / 1_000_000

    # --------------------------------------------------------------------------------------------------------- private

    def attach(self) -> None:
        """Watch the firmware that runs now for conditions to come true."""

    def _rig(self) -> OrderSource:
        if self._engine is None:
            raise BadControl("this device draws its shuffles elsewhere and can't be rigged")
        return self._engine


def _check_injection(values: Mapping[str, Any]) -> None:
    triggers = {name: value for name, value in values.items() if name in TRIGGERS}
    options = [name for name in values if name not in TRIGGERS and name != "name"]
    check_options(values["name"], options, trigger_from(**triggers))


@dataclass(frozen=True, slots=True)
class Action:
    """One row: what a button says, what it does, and what it needs to know."""

    name: str
    label: str
    effect: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()
    check: Callable[[Mapping[str, Any]], None] | None = None  # of parameters that depend on each other

    @property
    def about(self) -> str:
        """What it does, in one line."""
        return (self.effect.__doc__ or "").splitlines()[0]

    @property
    def schema(self) -> Schema:
        """The JSON Schema of its parameters."""
        return {
            "type": "object",
            "properties": {one.name: {**one.kind.schema, "description": one.about} for one in self.parameters},
            "required": [one.name for one in self.parameters if one.required],
            "additionalProperties": False,
        }


_P = Parameter
_COUNT = _P("count", Whole(1, MAX_CARDS), "how many cards")
_NAMES = tuple(BY_NAME)

# fmt: off
INJECTION = (
    _P("name",          OneOf(_NAMES),          "what goes wrong, a name of the injection table", required=True),
    _P("at_card",       Whole(1, MAX_CARDS),   "at the n-th card of a pass"),
    _P("at_s",          Number(0, DAY_S),      "at a time of the machine's clock"),
    _P("when",          ConditionValue(),           "when NAME=VALUE holds in the status, or at event=NAME"),
    _P("rate",          Number(0, 1),          "with this probability at each occasion"),
    _P("times",         Whole(0, MAX_TIMES),   "how often; 0: without limit"),
    _P("clear_after_s", Number(0, DAY_S),      "clears itself after this time"),
    _P("by_hand",       Flag(),                "not even an emulated dealer clears it"),
    _P("retries",       Whole(0, MAX_TIMES),   "a jam that gives way after this many tries"),
    _P("value",         Flag(),                "the value a sensor is stuck at"),
    _P("level",         Number(0, 1),          "how strong it is"),
    _P("position",      Whole(0, MAX_CARDS),   "which card of the deck in play, from 0"),
    _P("size",          Whole(1, MAX_CARDS),   "how many cards a group has"),
    _P("face",          Face(),                "the card that comes in, by name or number"),
)
TRIGGERS = tuple(one.name for one in INJECTION[1:9])

ACTIONS: tuple[Action, ...] = (
    Action("rig_deck",         "Rig the next deck",     Actions.rig_deck,  (_P("order", Cards(), 'the first cards: "Q♠ Ks 10h"', required=True),)),
    Action("rig_hands",        "Rig the next hands",    Actions.rig_hands, (_P("hands", HandsBySeat(), 'cards by seat: {"2": "Qs Ks As", "dealer": "2c 4d 7h"}', required=True),
                                                                            _P("seats", Numbers(1, MAX_SEAT, "seats"), "the seats that the round is dealt to; all without it"))),
    Action("wear",             "Wear the mechanism",    Actions.wear,      (_P("mechanism", NamedValues(), 'the kernel\'s own names: {"sticky": 0.05}', required=True),)),
    Action("unrig",            "Undo rigging",          Actions.unrig),
    Action("inject",           "Inject a fault",        Actions.inject,    INJECTION, _check_injection),
    Action("clear",            "Clear faults",          Actions.clear,     (_P("name", OneOf(_NAMES), "which injection; all without it"),)),
    Action("lay_in",           "Load cards",            Actions.lay_in,    (_P("cards", Numbers(0, MAX_ID, "card ids"), "which cards, by id; all without it"),)),
    Action("take_from_infeed", "Empty the feeder",      Actions.take_from_infeed),
    Action("lift",             "Empty the tray",        Actions.lift,      (_COUNT,)),
    Action("put_back",         "Put cards back",        Actions.put_back,  (_COUNT,)),
    Action("draw",             "Pull cards out",        Actions.draw,      (_COUNT,)),
    Action("gather",           "Collect the cards",     Actions.gather),
    Action("leave_inside",     "Leave cards inside",    Actions.leave_inside, (_P("count", Whole(1, MAX_CARDS), "how many cards", required=True),)),
    Action("empty_inside",     "Empty the machine",     Actions.empty_inside),
    Action("open_door",        "Open the door",         Actions.open_door),
    Action("close_door",       "Close the door",        Actions.close_door),
    Action("press",            "Press a button",        Actions.press,     (_P("button", OneOf(tuple(BUTTONS)), "the button's legend", required=True),)),
    Action("switch_on",        "Switch on",             Actions.switch_on),
    Action("switch_off",       "Switch off",            Actions.switch_off),
    Action("cut_power",        "Cut the power",         Actions.cut_power),
    Action("unplug",           "Unplug the cable",      Actions.unplug),
    Action("plug",             "Plug in the cable",     Actions.plug),
    Action("advance",          "Advance the clock",     Actions.advance,   (_P("seconds", Number(0, DAY_S), "how much time", required=True),)),
    Action("run_at",           "Set the clock's rate",  Actions.run_at,    (_P("rate", Number(0, MAX_RATE), "times real time; 0 pauses", required=True),)),
    Action("step",             "Step the clock",        Actions.step,      (_P("count", Whole(1, MAX_STEPS), "how many things"),)),
)
# fmt: on
ACTION_OF = {action.name: action for action in ACTIONS}


@dataclass(frozen=True, slots=True)
class ActionCall:
    """An action with its arguments, read and checked."""

    action: Action
    values: Mapping[str, Any]

    def on(self, actions: Actions) -> Any:
        """Perform it."""
        return getattr(actions, self.action.name)(**self.values)


def read_call(action: Action, row: Section, key: str | None = None) -> ActionCall:
    """A call from a table of its parameters; with `key` from that key, which may also hold the first one's value."""
    if key is not None:
        if not isinstance(row.left[key], dict):
            if not action.parameters:
                row.refuse(f"{action.name} has no parameters: write {action.name} = {{}}", key)
            first = action.parameters[0]
            return _checked(action, row, {first.name: first.kind.read(row, key)}, key)
        row = row.section(key)
    values = {}
    for one in action.parameters:
        if one.required or row.has(one.name):
            values[one.name] = one.kind.read(row, one.name)
    row.finish()
    return _checked(action, row, values)


def call_from(name: str, body: Mapping[str, Any]) -> ActionCall:
    """A call from JSON; raises BadCall."""
    document = Document(lambda _, __, problem: BadCall(problem))
    document.add_changes(body, name)
    return read_call(ACTION_OF[name], Section(document, (), document.data))


def _checked(action: Action, row: Section, values: dict[str, Any], key: str | None = None) -> ActionCall:
    if action.check is not None:
        try:
            action.check(values)
        except BadControl as problem:
            row.refuse(str(problem), key or problem.parameter)
    return ActionCall(action, values)


class Remote(Actions):
    """The same verbs for a control plane that is reached elsewhere: each call goes through `act`."""

    def act(self, action: Callable[[Any], Result]) -> Result:
        """Perform something on the control plane."""
        raise NotImplementedError


def _forward(name: str) -> Callable[..., Any]:
    def verb(self: Remote, *values: Any, **named: Any) -> Any:
        return self.act(lambda control: getattr(control, name)(*values, **named))

    verb.__doc__ = ACTION_OF[name].effect.__doc__
    return verb


for _action in ACTIONS:
    setattr(Remote, _action.name, _forward(_action.name))
