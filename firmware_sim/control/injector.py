"""What the control plane can make go wrong: stands beside the machine and strikes when a trigger says so.

An injection is a cause in the world; whether it becomes a fault is for the firmware's sensors to find out.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from firmware_sim.control.injections import BY_NAME, Condition, Kind, Nature, Trigger, check_options, parse_condition
from firmware_sim.control.world import PowerLost, World
from firmware_sim.errors import BadControl
from firmware_sim.machine.mechanism import CardDefect, Injections, Mechanism, Motion, Obstruction
from firmware_sim.machine.signals import Lane, Pass, Sign
from firmware_sim.program.faults import BROWN_OUTS
from protocol import messages as m
from protocol.cards import FOREIGN, UNREADABLE
from protocol.vocabulary import PowerUpCause


@dataclass(slots=True)
class Armed:
    """An injection that waits for its moment."""

    kind: Kind
    trigger: Trigger
    options: dict[str, Any]
    left: int
    condition: Condition | None = None


@dataclass(slots=True)
class Active:
    """An injection that has struck and stands until it is cleared."""

    kind: Kind
    trigger: Trigger
    undo: tuple[Callable[[], Any], ...]
    clear_at: int | None


@dataclass(slots=True)
class _Tray:
    """What hands will do wrong next."""

    leave_group: int = 0
    leave_stub: int = 0
    put_back: int = 0
    grab_after: int | None = None


class Injector(Injections):
    """All that is armed and all that stands."""

    def __init__(
        self,
        machine: Mechanism,
        *,
        sees_double: bool,
        jam_retries: int,
        luck: Callable[[], float],
        world: World,
    ) -> None:
        self._machine = machine
        self._sees_double = sees_double
        self._jam_retries = jam_retries
        self._luck = luck
        self._tray = _Tray()
        self._scheduled: list[tuple[int, Callable[[], None]]] = []
        self._reader_fails = 0.0
        self.armed: list[Armed] = []
        self.active: list[Active] = []
        self._world = world
        machine.injections = self

    # -------------------------------------------------------------------------------------------------- for the tester

    def inject(self, name: str, trigger: Trigger | None = None, **options: Any) -> None:
        """Let something go wrong, now or when the trigger says."""
        kind = BY_NAME.get(name)
        if kind is None:
            raise BadControl(f"no injection is called {name!r}; there are {', '.join(BY_NAME)}")
        trigger = trigger if trigger is not None else Trigger()
        check_options(name, options, trigger)
        condition = None if trigger.when is None else parse_condition(trigger.when)
        armed = Armed(kind, trigger, options, trigger.times, condition)
        self._machine.has_injections = True
        self._machine.begin_step()  # a deck that was just handed over is in play for whoever looks now
        if trigger.at_us is not None:
            self._schedule(trigger.at_us, lambda: self._strike(armed))
        elif condition is not None or trigger.rate or trigger.at_card is not None:
            self.armed.append(armed)
        else:
            if kind.nature is Nature.CARD and not self._is_there(armed):
                raise BadControl(f"{name}: the deck in play has {len(self._machine.places.play)} cards, not that one")
            self._strike(armed)
        self._machine.plan()

    def clear(self, name: str | None = None) -> int:
        """Undo active and cancel armed injections, by name or all; return the count."""
        cleared = 0
        for active in [active for active in self.active[::-1] if name in (None, active.kind.name)]:
            self._clear(active)
            cleared += 1
        before = len(self.armed)
        self.armed = [armed for armed in self.armed if name not in (None, armed.kind.name)]
        self._machine.plan()
        return cleared + before - len(self.armed)

    def observe(self, status: m.Status, events: set[str]) -> None:
        """Strike where a condition has come true."""
        for armed in [armed for armed in self.armed if armed.condition is not None]:
            if armed.condition is not None and armed.condition.holds(status, events):
                self._use(armed)
                self._strike(armed)

    @property
    def watches(self) -> bool:
        """Whether any condition waits to come true."""
        return any(armed.condition is not None for armed in self.armed)

    # ------------------------------------------------------------------------------------------------ for the mechanism

    def act(self, now_us: int) -> None:
        due = [strike for at, strike in self._scheduled if at <= now_us]
        self._scheduled = [(at, strike) for at, strike in self._scheduled if at > now_us]
        self._plan()
        for strike in due:
            strike()

    def obstruction(self, motion: Motion, cards: int) -> Obstruction | None:
        standing = next((active for active in self.active if self._stops(active.kind, motion.work)), None)
        if standing is not None and standing.kind.place in self._machine.blocked:
            return Obstruction(at=0, sign=standing.kind.sign, retries=self._jam_retries)
        self._arm_tray(motion, cards)
        if self._tray.grab_after is not None and motion.work is Pass.DELIVER and cards > 1:
            after, self._tray.grab_after = min(self._tray.grab_after, cards - 1), None
            self._schedule(motion.start_us + motion.card_us * after + motion.card_us // 2, self._grab)
        for armed in tuple(self.armed):
            trigger = armed.trigger
            elsewhere = bool(armed.kind.passes) and motion.work not in armed.kind.passes
            if armed.condition is not None or elsewhere:
                continue
            at = self._card(trigger, cards)
            if at is None or at >= max(cards, 1):
                continue
            if armed.kind.nature is Nature.PASS:
                self._use(armed)
                return self._obstruction_at(armed, at)
            if armed.kind.nature in (Nature.PART, Nature.SUPPLY, Nature.CARD):
                self._use(armed)
                when = motion.start_us + motion.card_us * at + motion.card_us // 2
                self._schedule(when, partial(self._strike, armed))
        return None

    def misread(self, code: int) -> int:
        return UNREADABLE if self._reader_fails and self._luck() < self._reader_fails else code

    def leaves(self, stub: bool) -> int:
        self._by_rate(Nature.TRAY)
        tray = self._tray
        left = tray.leave_stub if stub else tray.leave_group
        if stub:
            tray.leave_stub = 0
        else:
            tray.leave_group = 0
        return left

    def laid_in(self) -> None:
        for armed in [armed for armed in self.armed if armed.kind.nature is Nature.DECK and armed.condition is None]:
            if not armed.trigger.rate or self._luck() < armed.trigger.rate:
                self._use(armed)
                self._change_deck(armed)

    def clear_by_dealer(self, deck_in_hand: bool) -> None:
        for active in [active for active in self.active[::-1] if self._dealer_can(active, deck_in_hand)]:
            self._clear(active)

    def lifted(self, now_us: int) -> None:
        if self._tray.put_back and self._machine.places.table:
            self._tray.put_back -= 1
            self._schedule(now_us + 1000, lambda: self._machine.put_in_tray(self._machine.places.table[-1:]))

    # --------------------------------------------------------------------------------------------------------- private

    def _arm_tray(self, motion: Motion, cards: int) -> None:
        """Hands that go wrong at the n-th card do so with the first delivery that has as many."""
        for armed in tuple(self.armed):
            at, where = armed.trigger.at_card, Pass.STUB if armed.kind.name == "card_left_in_tray" else Pass.DELIVER
            waits = armed.condition is None and motion.work is where
            if armed.kind.nature is Nature.TRAY and waits and at is not None and at <= cards:
                self._use(armed)
                self._strike_tray(armed)

    def _card(self, trigger: Trigger, cards: int) -> int | None:
        if trigger.at_card is not None:
            return trigger.at_card - 1
        if trigger.rate:
            return next((at for at in range(cards) if self._luck() < trigger.rate), None)
        return 0

    def _obstruction_at(self, armed: Armed, at: int) -> Obstruction:
        kind, retries = armed.kind, armed.trigger.retries
        if kind.sign is Sign.THICK:
            return Obstruction(at=at, sign=Sign.THICK if self._sees_double else Sign.DONE, hides=True)
        if retries is not None and retries <= self._jam_retries:
            return Obstruction(at=at, retries=retries)
        self._block(armed)
        return Obstruction(at=at, sign=kind.sign, retries=self._jam_retries)

    def _block(self, armed: Armed) -> None:
        blocked, place = self._machine.blocked, armed.kind.place
        blocked.add(place)
        self._stand(armed, lambda: blocked.discard(place))

    def _strike(self, armed: Armed) -> None:
        if armed.kind.nature is Nature.PASS:
            self._strike_pass(armed)
        elif armed.kind.nature is Nature.DECK:
            if self._machine.places.infeed and self._machine.motions[Lane.IN] is None:
                self._change_deck(armed)
            else:
                self.armed.append(Armed(armed.kind, armed.trigger, armed.options, armed.left))
        elif armed.kind.nature is Nature.TRAY:
            self._strike_tray(armed)
        elif armed.kind.nature is Nature.CARD:
            self._strike_card(armed)
        elif armed.kind.nature is Nature.PART:
            self._strike_part(armed)
        else:
            self._strike_supply(armed)

    def _strike_pass(self, armed: Armed) -> None:
        """A pass of the kind that is under way stops where it is; else the next one at its first card."""
        machine, kind = self._machine, armed.kind
        for motion in machine.motions:
            if motion is not None and motion.work in kind.passes and motion.whole and kind.sign is not Sign.THICK:
                self._block(armed)
                machine.halt(motion, kind.sign, 1 + self._jam_retries * 1000)
                return
        trigger = armed.trigger
        self.armed.append(Armed(kind, replace(trigger, at_us=None, when=None), {}, armed.left))

    def _change_deck(self, armed: Armed) -> None:
        machine, places, name = self._machine, self._machine.places, armed.kind.name
        deck = places.infeed
        if not deck:
            return
        at = min((armed.trigger.at_card or 1) - 1, len(deck) - 1)
        card = deck[at]
        if name == "short_deck":
            places.move((card,), "infeed", "dropped")
            undo: list[Callable[[], Any]] = [partial(self._restore, card)]
        elif name in ("unreadable_card", "face_up_card"):
            machine.defects[card] = CardDefect(unreadable=name == "unreadable_card", face_up=name == "face_up_card")
            undo = [partial(machine.defects.pop, card, None)]
        else:
            face = {"foreign_card": FOREIGN, "wrong_back": machine.faces[card]}.get(name, machine.faces[deck[at - 1]])
            (other,) = machine.introduce([armed.options.get("face", face)])
            if name == "wrong_back":
                machine.defects[other] = CardDefect(back="other")
            places.move((other,), "aside", "infeed", at)
            if name == "long_deck":
                undo = [partial(self._withdraw, other)]
            else:
                places.move((card,), "infeed", "dropped")
                undo = [partial(self._withdraw, other), partial(self._restore, card)]
        self._stand(armed, *undo)

    def _restore(self, card: int) -> None:
        """A missing card is found and laid with its deck."""
        places = self._machine.places
        if card in places.dropped:
            places.move((card,), "dropped", "infeed" if places.infeed else "aside")

    def _withdraw(self, card: int) -> None:
        """A card that does not belong is taken away, wherever it is."""
        if (place := self._machine.places.find(card)) is not None:
            self._machine.places.move((card,), place, "dropped")

    def _strike_tray(self, armed: Armed) -> None:
        tray, name = self._tray, armed.kind.name
        if name == "card_left_in_tray":
            tray.leave_stub = 1
        elif name == "group_removed_short":
            tray.leave_group = 1
        elif name == "card_put_back":
            tray.put_back += 1
        else:
            tray.grab_after = max(1, armed.trigger.at_card or 1)

    def _grab(self) -> None:
        self._machine.lift(len(self._machine.places.tray) + 99)

    def _strike_card(self, armed: Armed) -> None:
        machine, places, name = self._machine, self._machine.places, armed.kind.name
        at = armed.options.get("position", 0)
        if name == "cards_left_inside":
            (card,) = machine.introduce([armed.options.get("face", 0)])
            places.move((card,), "aside", "rack")
            self._stand(armed, partial(self._withdraw, card))
            return
        if not self._is_there(armed):
            self.armed.append(armed)  # it waits for a deck that has the card
            return
        old = places.play[at]
        if name == "stray_card":
            machine.draw()
        elif name == "lost_card":
            places.move((old,), "play", "dropped")
            self._stand(armed, partial(self._restore, old))
        elif name == "exposed_card":
            machine.defects[old] = CardDefect(face_up=True)
            self._stand(armed, partial(machine.defects.pop, old, None))
        elif name == "wrong_slot":
            size = armed.options.get("size", 3)
            places.move(places.play[at + size : at + 2 * size], "play", "play", at)
        else:
            (card,) = machine.introduce([armed.options.get("face", FOREIGN)])
            places.move((card,), "aside", "play", at)
            if name == "swapped_card":
                places.move((old,), "play", "dropped")
                self._stand(armed, partial(self._withdraw, card), partial(self._restore, old))
            else:
                self._stand(armed, partial(self._withdraw, card))

    def _is_there(self, armed: Armed) -> bool:
        """Whether the card that an injection means is inside."""
        position: int = armed.options.get("position", 0)
        return armed.kind.name == "cards_left_inside" or position < len(self._machine.places.play)

    def _strike_part(self, armed: Armed) -> None:
        machine = self._machine
        match armed.kind.name:
            case "door_open":
                machine.move_door(True)
                self._stand(armed, lambda: machine.move_door(False))
            case "over_temperature":
                machine.heat(True)
                self._stand(armed, lambda: machine.heat(False))
            case "tray_sensor_stuck":
                machine.tray_sensor_stuck = bool(armed.options.get("value", True))
                self._stand(armed, lambda: setattr(machine, "tray_sensor_stuck", None))
            case "random_source":
                machine.noise.stuck_share = float(armed.options.get("level", 1.0))
                self._stand(armed, lambda: setattr(machine.noise, "stuck_share", 0.0))
            case "self_test_failed":
                machine.dead_parts.add("reader")
                self._stand(armed, lambda: machine.dead_parts.discard("reader"))
            case "clock_lost":
                machine.clock_lost = True
            case "worn_reader":
                self._reader_fails = float(armed.options.get("level", 0.01))
                self._stand(armed, lambda: setattr(self, "_reader_fails", 0.0))

    def _strike_supply(self, armed: Armed) -> None:
        match armed.kind.name:
            case "power_cut":
                raise PowerLost(PowerUpCause.POWER_RETURNED)
            case "brown_out_loop":
                raise PowerLost(PowerUpCause.BROWN_OUT, times=BROWN_OUTS)
            case "memory_corrupt":
                raise PowerLost(PowerUpCause.POWER_RETURNED, corrupt=True)
            case "cable_pulled":
                self._world.pull_cable()

    def _stand(self, armed: Armed, *undo: Callable[[], Any]) -> None:
        after = armed.trigger.clear_after_us
        active = Active(armed.kind, armed.trigger, undo, None if after is None else self._machine.now_us + after)
        self.active.append(active)
        if active.clear_at is not None:
            self._schedule(active.clear_at, lambda: self._clear(active))

    def _clear(self, active: Active) -> None:
        if active in self.active:
            self.active.remove(active)
            for undo in active.undo:
                undo()

    def _by_rate(self, nature: Nature) -> None:
        for armed in [armed for armed in self.armed if armed.kind.nature is nature and armed.trigger.rate]:
            if self._luck() < armed.trigger.rate:
                self._use(armed)
                self._strike(armed)

    def _use(self, armed: Armed) -> None:
        """One time less; the last time it is disarmed."""
        if armed.left == 1:
            self.armed.remove(armed)
        elif armed.left:
            armed.left -= 1

    def _dealer_can(self, active: Active, deck_in_hand: bool) -> bool:
        """Some things are for service; a card can be put right only where the deck lies open before the dealer."""
        out_of_reach = active.kind.nature in (Nature.CARD, Nature.DECK) and not deck_in_hand
        return active.kind.dealer_clears and not active.trigger.by_hand and not out_of_reach

    def _stops(self, kind: Kind, work: Pass) -> bool:
        return kind.nature is Nature.PASS and work in kind.passes

    def _schedule(self, at_us: int, strike: Callable[[], None]) -> None:
        self._scheduled.append((at_us, strike))
        self._plan()
        self._machine.plan()

    def _plan(self) -> None:
        self.next_us = min((at for at, _ in self._scheduled), default=None)
